"""`dev.py bench`: the paper's timing tables, other solvers, and the C++ twin, in one run."""
