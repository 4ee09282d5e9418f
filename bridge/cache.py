"""The frames of a bake while it runs: two arrays, in memory, or on disk where they are big. Never pickled."""

from __future__ import annotations

import os
import shutil
import tempfile

import numpy as np

IN_MEMORY = 1 << 30  # bytes; above it the frames go to files


class FrameStore:
    """Positions (frames, nodes, 3) and rotations (frames, nodes, 4) of a simulation, float64, bit for bit.

    ``bodies`` and ``rods`` say which nodes are whose, as ``Simulation`` does. ``count`` frames are filled; a worker
    thread appends while the main thread reads what is there.
    """

    def __init__(self, frame_count: int, node_count: int, bodies=None, rods=None, limit: int = IN_MEMORY):
        self.bodies = dict(bodies or {})
        self.rods = dict(rods or {})
        self.count = 0
        self._folder = None
        if frame_count * node_count * 7 * 8 > limit:
            self._folder = tempfile.mkdtemp(prefix="tendril-")
        self.positions = self._array("positions", (frame_count, node_count, 3))
        self.rotations = self._array("rotations", (frame_count, node_count, 4))

    def _array(self, name, shape):
        if self._folder is None:
            return np.empty(shape)
        return np.lib.format.open_memmap(os.path.join(self._folder, f"{name}.npy"), "w+", np.float64, shape)

    @property
    def is_on_disk(self) -> bool:
        """Say whether the frames are kept in files."""
        return self._folder is not None

    def append(self, frame) -> None:
        """Keep the next frame; ``count`` grows last, so that no reader sees half of it."""
        self.positions[self.count] = frame.positions
        self.rotations[self.count] = frame.rotations
        self.count += 1

    def close(self) -> None:
        """Let go of the frames, and of their files."""
        self.positions = self.rotations = np.empty((0, 0, 0))
        self.count = 0
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
