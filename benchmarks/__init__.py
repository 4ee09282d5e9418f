"""What the papers and other solvers say, measured against Tendril. Never a part of the extension."""
