"""The rod kernel in plain C++, built with whatever compiler is there: the reference for speed."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SOURCES = (HERE / "algebra.hpp", HERE / "rod.cpp")
COMPILERS = ("clang++", "g++", "c++")
FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-fno-tree-slp-vectorize", "-std=c++17", "-shared", "-fPIC")
# Columns of the solver's connectors, see solver/model.py
PAIRS, FIRST, ROW = 2, 4, 12


class _Rod(ctypes.Structure):
    _fields_ = [("order", ctypes.c_long), ("elements", ctypes.c_long)] + [
        (name, ctypes.c_void_p)
        for name in ("basis", "inverse_length", "rest", "compliance", "mass", "inertia", "gravity", "x", "q", "v", "w",
                     "lam")
    ]  # fmt: skip


def compiler() -> str | None:
    """The C++ compiler to use: ``CXX``, or the first one there is."""
    names = [os.environ.get("CXX"), *COMPILERS]
    return next((found for name in names if name and (found := shutil.which(name))), None)


def build(folder: Path) -> tuple[ctypes.CDLL, str]:
    """Compile the twin into ``folder``, unless it is there; return it and what it was built with.

    Raises ``FileNotFoundError`` where there is no compiler.
    """
    tool = compiler()
    if tool is None:
        raise FileNotFoundError("no C++ compiler (clang++, g++, c++, or CXX)")
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES) + version.encode()).hexdigest()[:12]
    library = folder / f"twin-{key}.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        fresh = library.with_suffix(f".{os.getpid()}")
        subprocess.run([tool, *FLAGS, str(SOURCES[1]), "-o", str(fresh)], check=True)
        fresh.replace(library)
    return ctypes.CDLL(str(library)), f"{version}, {' '.join(FLAGS[:4])}"


class Twin:
    """A rod of a simulation, taken over where it stands. ``fixed``: the compiler knew the order."""

    def __init__(self, library: ctypes.CDLL, simulation, name: str, fixed: bool = False):
        model, nodes = simulation.model, simulation.rods[name]
        settings = simulation.scene.settings
        order = np.argsort(model.connectors[:, FIRST])
        pairs = int(model.connectors[0, PAIRS])
        assert settings.iterations == 1 and nodes.stop - nodes.start == len(order) * pairs + 1  # this rod and no more
        rows = np.concatenate([int(model.connectors[k, ROW]) + np.arange(6 * pairs) for k in order])
        state = simulation.state
        self.arrays = {
            "basis": model.basis, "inverse_length": model.inverse_length[order], "rest": model.rest[rows],
            "compliance": model.compliance[rows], "mass": model.mass[nodes],
            "inertia": model.inertia.reshape(-1, 3)[nodes], "gravity": model.gravity,
            "x": state.x.reshape(-1, 3)[nodes], "q": state.q.reshape(-1, 4)[nodes],
            "v": state.v.reshape(-1, 3)[nodes], "w": state.w.reshape(-1, 3)[nodes], "lam": state.lam[rows],
        }  # fmt: skip
        self.arrays = {key: np.array(value, np.float64, order="C") for key, value in self.arrays.items()}
        self.rod = _Rod(pairs, len(order), *(value.ctypes.data for value in self.arrays.values()))
        self.settings = settings
        self._advance = library.advance_fixed_order if fixed else library.advance_any_order
        self._advance.argtypes = [ctypes.POINTER(_Rod), ctypes.c_double, ctypes.c_long]
        self._advance.restype = None

    @property
    def positions(self) -> np.ndarray:
        """Positions of the nodes now, (N, 3) m."""
        return self.arrays["x"]

    def advance(self) -> None:
        """Advance by one frame."""
        self._advance(ctypes.byref(self.rod), self.settings.time_step, self.settings.substeps)
