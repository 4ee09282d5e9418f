"""Cosserat rods: from a drawn centre line to finite elements of any order and their strains (paper section 6)."""
