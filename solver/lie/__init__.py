"""Rotations as the Lie group SO(3) on tuples: vectors (x, y, z), row-major 3×3 tiles, quaternions (w, x, y, z)."""
