"""Joints: six rows between two nodes. ``types`` is the table, ``arrays`` the layout, ``joint`` the one kernel."""
