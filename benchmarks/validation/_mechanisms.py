"""The two mechanisms of Fig. 12 and Table 1, and how the four solves run on them."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from tendril.solver import Joint, Motion, Partner, RigidBody, Scene, Settings, Simulation

from ..baseline import rigid
from ..baseline.from_scene import about, bodies_of, product
from ..validation_result import Output, Row

WAYS = {"scalar": rigid.SCALAR, "vector": rigid.VECTOR, "vector, block": rigid.BLOCK}
EMPTY = np.zeros((0, 2))


def triple_pendulum(duration: float, step: float, angle: float = np.radians(80.0)) -> Scene:
    """Three bars of 1 m × 0.1 m × 0.1 m and 1 kg, hinged to one another, all at ``angle`` from straight down."""
    along, turn = np.array([np.sin(angle), 0.0, -np.cos(angle)]), about(1, -angle)
    bodies, joints = [], []
    for i in range(3):
        inertia = (1.01 / 12, 1.01 / 12, 0.02 / 12)
        bodies.append(RigidBody(f"bar {i}", (i + 0.5) * along, turn, 1.0, inertia))
        before = Partner(f"bar {i - 1}" if i else "")
        joints.append(Joint(f"hinge {i}", "revolute", before, Partner(f"bar {i}"), i * along, about(0, np.pi / 2)))
    return Scene(tuple(bodies), joints=tuple(joints), settings=_settings(duration, step))


def robot_motion(settings: Settings) -> Motion:
    """The plane the platform has to be in: height 0.8 ± 0.1 m once in 2.5 s, its normal 0.2 rad off and going round."""
    t = np.arange(settings.sample_count) * settings.time_step
    grow = np.minimum(t, 1.0) ** 2 * (3 - 2 * np.minimum(t, 1.0))
    places = np.stack([0 * t, 0 * t, 0.8 + 0.1 * grow * np.sin(2 * np.pi * t / 2.5)], axis=1)
    tilt, way = 0.2 * grow, 2 * np.pi * t / 4.0
    axis = np.stack([-np.sin(way), np.cos(way), 0 * t], axis=1)
    turns = np.hstack((np.cos(tilt / 2)[:, None], np.sin(tilt / 2)[:, None] * axis))
    return Motion(places, turns)


def robot(duration: float, step: float) -> Scene:
    """A 3-RPS robot: three legs on hinges about the base's tangents, sliding, with balls on a platform."""
    settings = _settings(duration, step)
    base, top, height = 0.5, 0.3, 0.8
    bodies = [
        RigidBody("platform", (0, 0, height), mass=2.0, inertia=(0.05, 0.05, 0.09)),
        RigidBody("plane", kind="animated", motion=robot_motion(settings)),
    ]
    joints = []
    for leg in range(3):
        spin = about(2, 2 * np.pi * leg / 3)
        lean = np.arctan2(base - top, height)
        turn = product(spin, about(1, -lean))
        foot = np.array([base * np.cos(2 * np.pi * leg / 3), base * np.sin(2 * np.pi * leg / 3), 0.0])
        head = np.array([top * np.cos(2 * np.pi * leg / 3), top * np.sin(2 * np.pi * leg / 3), height])
        for name, share, mass in (("lower", 0.25, 1.0), ("upper", 0.75, 0.5)):
            inertia = (0.02 * mass, 0.02 * mass, 0.002 * mass)
            bodies.append(RigidBody(f"{name} {leg}", foot + share * (head - foot), turn, mass, inertia))
        lower, upper = Partner(f"lower {leg}"), Partner(f"upper {leg}")
        joints += [
            Joint(f"hinge {leg}", "revolute", Partner(), lower, foot, product(turn, about(0, np.pi / 2))),
            Joint(f"slider {leg}", "prismatic", lower, upper, (foot + head) / 2, turn),
            Joint(f"ball {leg}", "spherical", upper, Partner("platform"), head, turn),
        ]
    joints.append(Joint("drive", "planar", Partner("plane"), Partner("platform"), (0, 0, height)))
    return Scene(tuple(bodies), joints=tuple(joints), settings=settings)


def _settings(duration: float, step: float) -> Settings:
    return Settings(frame_duration=step, substeps=1, frame_count=round(duration / step) + 1)


def one_by_one(scene: Scene, way: str) -> np.ndarray:
    """Primal and constraint residual after every substep (k, 2), joints solved one after the other, one iteration."""
    count = scene.settings.frame_count - 1
    out = np.zeros((count, 2))
    rigid.run(WAYS[way], bodies_of(scene), scene.settings.time_step, 0, count, 1, out)
    return out


def whole(scene: Scene, iterations: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The same of Tendril, and its total energy every 100 substeps."""
    simulation = Simulation(replace(scene, settings=replace(scene.settings, iterations=iterations)))
    out, energies = np.zeros((scene.settings.frame_count - 1, 2)), []
    for k in range(len(out)):
        simulation.advance()
        out[k] = simulation.residuals()
        if k % 100 == 0:
            energies.append(simulation.energy().total)
    return out, np.array(energies)


def microseconds(scene: Scene, block: int = 500, blocks: int = 18) -> dict[str, float]:
    """CPU time a substep of all four ways: the minimum over blocks, which take turns so that noise hits all alike."""
    step = scene.settings.time_step
    steppers = {}
    for name, way in WAYS.items():
        steppers[name] = (way, bodies_of(scene))
    settings = replace(scene.settings, frame_duration=block * step, substeps=block, frame_count=blocks + 1)
    bodies = tuple(
        body if body.motion is None else replace(body, motion=_cut(body.motion, settings.sample_count))
        for body in scene.bodies
    )
    simulation = Simulation(replace(scene, bodies=bodies, settings=settings))
    best = dict.fromkeys((*steppers, "whole"), np.inf)
    for k in range(blocks):
        for name, (way, arrays) in steppers.items():
            begun = time.thread_time()
            rigid.run(way, arrays, step, k * block, block, 1, EMPTY)
            best[name] = min(best[name], time.thread_time() - begun)
        begun = time.thread_time()
        simulation.advance()
        best["whole"] = min(best["whole"], time.thread_time() - begun)
    return {name: 1e6 * seconds / block for name, seconds in best.items()}


PAPER = {"vector, block": 0, "vector": 1, "scalar": 2}


def timing_rows(scene: Scene, paper: tuple[float, float, float], **options: int) -> list[Row]:
    """Table 1, in its order: vector and block, vector, scalar; and Tendril."""
    times = microseconds(scene, **options)
    rows = [Row(f"a substep, {way}", times[way], "µs", paper[k]) for way, k in PAPER.items()]
    return [*rows, Row("a substep, Tendril (whole mechanism)", times["whole"], "µs", paper[0])]


def residual_plot(output: Output, key: str, caption: str, step: float, series: dict[str, np.ndarray]) -> None:
    """Both residuals of all ways over time, a mean over each of 400 spans."""
    colours = ("tab:red", "tab:orange", "tab:blue", "black")
    columns: dict[str, np.ndarray] = {}
    with output.plot(key, caption, (9.0, 3.2), panels=2) as axes:
        for colour, (way, residuals) in zip(colours, series.items(), strict=True):
            span = max(1, len(residuals) // 400)
            cut = residuals[: len(residuals) // span * span].reshape(-1, span, 2).mean(axis=1)
            columns.setdefault("time (s)", (np.arange(len(cut)) + 0.5) * span * step)
            for k, name in enumerate(("primal", "constraint")):
                columns[f"{way}, {name}"] = cut[:, k]
                axes[k].semilogy(columns["time (s)"], np.maximum(cut[:, k], 1e-18), color=colour, label=way, lw=0.9)
        for axis, name in zip(axes, ("primal residual (51)", "constraint residual (52)"), strict=True):
            axis.set(title=name, xlabel="time (s)")
        axes[0].legend()
    output.series(key, columns)


def _cut(motion: Motion, count: int) -> Motion:
    return Motion(motion.positions[:count], motion.rotations[:count])
