"""Twenty links on ball joints and a heavy ball at the end, let go from the horizontal, 100 frames at default settings.

A link is 10 cm (or 2 cm) long and weighs 100 g (20 g); the ball weighs 100 or 1000 links. The stretch is what all
gaps at the joints add to the chain, as a share of its length; the largest gap is a share of one link. Blender's own
rigid bodies came apart by 31 % and 1025 %.
"""

from __future__ import annotations

import numpy as np

from tendril.solver import Joint, Partner, RigidBody, Scene, Settings, Simulation

from ..baseline.from_scene import matrix
from ..validation_result import Output, Result, Row, at_most

TITLE = "A heavy body on a light chain"
SECTION = "Whole mechanisms"
PLACE = 10
LINKS = 20
BLENDER = {100: 31.0, 1000: 1025.0}  # %, measured with Blender 5.2's rigid body world


def chain(link: float, ratio: float, settings: Settings) -> Scene:
    """Links along x from the world's origin; the ball's radius is a link's length."""
    mass = link  # 1 kg a metre
    bodies, joints = [], []
    for i in range(LINKS):
        inertia = (mass * link**2 / 100, mass * link**2 / 12, mass * link**2 / 12)
        bodies.append(RigidBody(f"link {i}", ((i + 0.5) * link, 0, 0), mass=mass, inertia=inertia))
        before = Partner(f"link {i - 1}" if i else "")
        joints.append(Joint(f"joint {i}", "spherical", before, Partner(f"link {i}"), (i * link, 0, 0)))
    end = LINKS * link
    moment = 0.4 * ratio * mass * link**2
    bodies.append(RigidBody("ball", (end + link, 0, 0), mass=ratio * mass, inertia=(moment,) * 3))
    joints.append(Joint("last", "spherical", Partner(f"link {LINKS - 1}"), Partner("ball"), (end, 0, 0)))
    return Scene(tuple(bodies), joints=tuple(joints), settings=settings)


def gaps(simulation: Simulation, link: float) -> np.ndarray:
    """Distances between the two sides of every joint, m."""
    frame = simulation.frame()
    heads, tails = [np.zeros(3)], []
    for i in range(LINKS + 1):
        node = simulation.bodies[f"link {i}" if i < LINKS else "ball"]
        half = link / 2 if i < LINKS else link
        along = matrix(frame.rotations[node])[:, 0] * half
        tails.append(frame.positions[node] - along)
        heads.append(frame.positions[node] + along)
    return np.linalg.norm(np.array(heads[:-1]) - np.array(tails), axis=1)


def stretch(link: float, ratio: float) -> np.ndarray:
    """Stretch of the chain and largest gap in each of 100 frames, as shares."""
    simulation = Simulation(chain(link, ratio, Settings(frame_count=100)))
    found = []
    for _ in simulation.frames():
        gap = gaps(simulation, link)
        found.append((gap.sum() / (LINKS * link), gap.max() / link))
    return np.array(found)


def study(output: Output) -> Result:
    rows, columns = [], {"frame": np.arange(100)}
    caption = "Stretch of the chain, % of its length, over 100 frames."
    with output.plot("stretch", caption) as axes:
        for link in (0.1, 0.02):
            for ratio in (100, 1000):
                found = 100 * stretch(link, ratio)
                name = f"{100 * link:.0f} cm links, {ratio}×"
                peer = BLENDER[ratio] if link == 0.1 else None
                source = "Blender's rigid bodies" if peer else ""
                rows.append(Row(f"{name}: stretch", float(found[:, 0].max()), "%", None, peer, source, at_most(0.1)))
                rows.append(Row(f"{name}: largest gap, of a link", float(found[:, 1].max()), "%", bound=at_most(0.1)))
                axes.semilogy(found[1:, 0] + 1e-12, label=name)
                columns[name] = found[:, 0]
        axes.axhline(0.1, color="k", ls="--", lw=0.8)
        axes.set(xlabel="frame", ylabel="stretch (%)")
        axes.legend()
    output.series("stretch", columns)
    return Result(rows)
