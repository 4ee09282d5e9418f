"""Frames made by hand, in the place of a simulation: what is written can then be compared with what was meant."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import numpy as np

from bl_ext.user_default.tendril.bridge import bake, write
from bl_ext.user_default.tendril.bridge.cache import FrameStore
from bl_ext.user_default.tendril.bridge.reading import Reading, RodSource
from bl_ext.user_default.tendril.solver.scene import RigidBody, Rod, Scene, Settings
from mathutils import Matrix


def turn(axis, angle):
    """Quaternions w x y z (n, 4) of turns by ``angle`` (n,) about ``axis``."""
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    angle = np.atleast_1d(angle)
    return np.concatenate([np.cos(angle / 2)[:, None], np.sin(angle / 2)[:, None] * axis], axis=1)


def product(a, b):
    """The Hamilton product of quaternions."""
    w, u, s, v = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    scalar = w * s - (u * v).sum(axis=-1, keepdims=True)
    return np.concatenate([scalar, w * v + s * u + np.cross(u, v)], axis=-1)


def matrices(positions, rotations):
    """4×4 matrices (n, 4, 4)."""
    w, x, y, z = rotations.T
    result = np.zeros((len(positions), 4, 4))
    result[:, :3, :3] = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]).transpose(2, 0, 1)
    result[:, :3, 3] = positions
    result[:, 3, 3] = 1.0
    return result


def tumble(count, start=(0.3, -0.2, 1.0)):
    """A path (positions, rotations) that turns about changing axes for several whole turns."""
    time = np.linspace(0.0, 1.0, count)
    positions = np.array(start) + np.stack([2 * time, np.sin(5 * time), -3 * time**2], axis=1)
    rotations = product(turn((1, 2, 3), 14.0 * time), product(turn((0, 1, -1), 9.0 * time), turn((1, 0, 0), [0.7])))
    return positions, rotations


def whirl(order, elements, count, length=2.0):
    """A rod's nodes (positions (n, nodes, 3), rotations (n, nodes, 4)) that waves and is twisted."""
    nodes = elements * order + 1
    s = np.linspace(0.0, 1.0, nodes)
    time = np.linspace(0.0, 1.0, count)[:, None]
    x = np.broadcast_to(length * s, (count, nodes))
    y = 0.4 * np.sin(4 * s + 5 * time)
    z = 0.3 * np.cos(3 * s - 4 * time) - time
    positions = np.stack([x, y, z], axis=2)
    base = turn((0, 1, 0), np.pi / 2)  # d3 along the rod, more or less
    rotations = np.stack([product(turn((1, 0.1, 0), 4 * s + 9 * t * s + 3 * t), base) for t in time[:, 0]])
    return positions, rotations


def wreath(order, elements, count, winds=0.0, radius=1.0):
    """A closed rod's nodes (positions (n, nodes, 3), rotations (n, nodes, 4)) that waves and is twisted.

    Once round, d1 turns ``winds`` times against the way up.
    """
    nodes = elements * order
    s = 2.0 * np.pi * np.arange(nodes) / nodes
    positions, rotations = [], []
    for t in np.linspace(0.0, 1.0, count):
        wave = 0.2 * radius * np.sin(2 * s + 5 * t)
        places = np.stack([(radius + wave) * np.cos(s), (radius + wave) * np.sin(s),
                           0.3 * radius * np.cos(3 * s - 4 * t) - t], axis=1)
        tangents = np.roll(places, -1, axis=0) - np.roll(places, 1, axis=0)
        tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
        up = np.array([0.0, 0.0, 1.0]) - tangents[:, 2:] * tangents
        up /= np.linalg.norm(up, axis=1, keepdims=True)
        angle = (winds * s + 0.4 * np.sin(s + 3 * t) + t)[:, None]
        d1 = np.cos(angle) * up + np.sin(angle) * np.cross(tangents, up)
        frames = np.stack([d1, np.cross(tangents, d1), tangents], axis=2)
        positions.append(places)
        rotations.append([Matrix(frame.tolist()).to_quaternion()[:] for frame in frames])
    return np.array(positions), np.array(rotations)


def body_reading(*paths, frame_start=1, unit=1.0):
    """A Reading and a FrameStore for ``paths``: (object, positions in Blender units, rotations)."""
    count = len(paths[0][1])
    names = [ob.name for ob, _, _ in paths]
    bodies = tuple(
        RigidBody(name, position=positions[0] * unit, rotation=rotations[0])
        for name, (_, positions, rotations) in zip(names, paths, strict=True)
    )
    reading = Reading(
        Scene(bodies, settings=Settings(frame_count=count)), frame_start, frame_start + count - 1, unit,
        bodies={name: name for name in names},
    )
    store = FrameStore(count, len(paths) + 1, {name: index + 1 for index, name in enumerate(names)})
    for index in range(count):
        place = [np.zeros(3)] + [positions[index] * unit for _, positions, _ in paths]
        rotation = [np.array([1.0, 0, 0, 0])] + [rotations[index] for _, _, rotations in paths]
        store.append(SimpleNamespace(positions=np.array(place), rotations=np.array(rotation)))
    return reading, store


def rod_reading(ob, paths, order, frame_start=1, unit=1.0):
    """A Reading and a FrameStore for the splines of curve object ``ob``: ``paths`` of (positions, rotations)."""
    count = len(paths[0][0])
    closed = [spline.use_cyclic_u for spline in ob.data.splines][: len(paths)]
    elements = [
        (positions.shape[1] - (not ring)) // max(order, 1) for ring, (positions, _) in zip(closed, paths, strict=True)
    ]
    names = [f"{ob.name} {index}" for index in range(len(paths))]
    rods = tuple(
        Rod(name, points=positions[0] * unit, order=order, elements=number, closed=ring)
        for name, ring, number, (positions, _) in zip(names, closed, elements, paths, strict=True)
    )
    reading = Reading(
        Scene(rods=rods, settings=Settings(frame_count=count)), frame_start, frame_start + count - 1, unit,
        rods={name: RodSource(ob.name, index) for index, name in enumerate(names)},
    )
    positions = np.concatenate([np.zeros((count, 1, 3))] + [p * unit for p, _ in paths], axis=1)
    rotations = np.concatenate([np.tile([1.0, 0, 0, 0], (count, 1, 1))] + [q for _, q in paths], axis=1)
    slices, first = {}, 1
    for name, (path, _) in zip(names, paths, strict=True):
        slices[name] = slice(first, first + path.shape[1])
        first += path.shape[1]
    store = FrameStore(count, first, rods=slices)
    for index in range(count):
        store.append(SimpleNamespace(positions=positions[index], rotations=rotations[index]))
    return reading, store


def written(reading, store, form="KEYS", count=None):
    """Write all frames into the scene of the context."""
    for _ in write.write(bpy.context.scene, reading, store, count or store.count, form):
        pass


class Falling:
    """A stand-in for ``Simulation``: everything falls by 0.1 m a frame; ``fail_at`` raises ``failure`` there."""

    def __init__(self, scene, fail_at=None, failure=None, wait=None):
        self.bodies = {body.name: index + 1 for index, body in enumerate(scene.bodies)}
        self.rods = {}
        self._start = np.array([np.zeros(3), *[np.asarray(body.position, float) for body in scene.bodies]])
        self._rotations = np.array([[1.0, 0, 0, 0], *[np.asarray(body.rotation, float) for body in scene.bodies]])
        self._index = 0
        self._fail_at, self._failure, self._wait = fail_at, failure, wait

    def frame(self):
        positions = self._start - [0.0, 0.0, 0.1 * self._index]
        return SimpleNamespace(index=self._index, positions=positions, rotations=self._rotations)

    def advance(self):
        if self._wait is not None:
            self._wait(self._index + 1)
        self._index += 1
        if self._index == self._fail_at:
            raise self._failure
        return self.frame()


def polled(machine, until=lambda machine: False):
    """Drive a bake as the modal operator does; stop where ``until`` says so."""
    import time

    while machine.poll():
        if until(machine):
            return
        time.sleep(0.001)


__all__ = ["Falling", "bake", "body_reading", "matrices", "polled", "product", "rod_reading", "tumble", "turn", "whirl",
           "wreath", "written"]
