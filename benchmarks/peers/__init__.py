"""Other solvers on the same scenes, each run in an environment of its own; none of them knows Tendril."""
