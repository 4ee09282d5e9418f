"""Block elimination on 3×3 tiles."""
