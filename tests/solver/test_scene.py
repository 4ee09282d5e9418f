"""Validation: what is right comes back complete; whatever is wrong is refused by name with a sentence."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tendril.solver.joints.types import JOINT_TYPES, LOCKED, RANGE
from tendril.solver.scene import (
    CentreCurve,
    Joint,
    Material,
    Motion,
    Partner,
    RigidBody,
    Rod,
    RodEnd,
    Scene,
    SceneError,
    Settings,
)

BALL = RigidBody("ball")
WALL = RigidBody("wall", kind="static")
ROPE = Rod("rope", [[0, 0, 0], [1, 0, 0], [1, 1, 0]])
HINGE = Joint("hinge", "revolute", Partner("ball"), Partner("wall"))
NAN, INF = float("nan"), float("inf")
SIX = (0.0,) * 6


def path(count, rotation=(1, 0, 0, 0)):
    """A motion that stays where it is."""
    return Motion(np.zeros((count, 3)), np.tile(rotation, (count, 1)))


def row(number, value, rest=0.0):
    """Six numbers, one of them special."""
    values = [rest] * 6
    values[number] = value
    return values


def refused(culprit, words, *, bodies=(), rods=(), joints=(), settings=None):
    """Check that a scene is refused by the culprit's name."""
    scene = Scene(bodies, rods, joints, settings or Settings(frame_count=2, substeps=2))
    with pytest.raises(SceneError, match=words) as caught:
        scene.validated()
    assert caught.value.object == culprit
    assert culprit in str(caught.value)
    assert str(caught.value).endswith(caught.value.message)
    assert len(caught.value.message) > 15


def test_valid_scene_is_complete():
    """All arrays are fresh C-contiguous float64; nothing handed in is kept or changed."""
    points = np.asfortranarray(np.array([[0, 0, 0], [1, 2, 3]], dtype=np.float32))
    scene = Scene(
        [replace(BALL, rotation=[2, 0, 0, 0], mass=np.float32(2)), replace(WALL, position=[1, 2, 3])],
        [replace(ROPE, points=points, tangents=points + 1, elements=np.int64(3))],
        [HINGE],
    ).validated()
    assert isinstance(scene.bodies, tuple)
    assert type(scene.bodies[0].mass) is float
    assert type(scene.rods[0].elements) is int
    np.testing.assert_array_equal(scene.bodies[0].rotation, [1, 0, 0, 0])
    assert scene.rods[0].points is not points
    for thing in (*scene.bodies, *scene.rods, *scene.joints, scene.settings):
        for item in fields(thing):
            value = getattr(thing, item.name)
            if item.type == "float | np.ndarray" and type(value) is float:
                continue
            if "ndarray" in str(item.type) and value is not None:
                assert value.dtype == np.float64
                assert value.flags.c_contiguous and value.flags.writeable and value.flags.owndata


def test_animated_body_starts_on_its_path():
    """Position and rotation are those of the first sample; the path makes no jump through the double cover."""
    motion = Motion([[1, 2, 3]] * 3, [[0, 2, 0, 0], [0, -1, 0, 0.0], [0, -3, 0, 0]])
    body = RigidBody("door", kind="animated", motion=motion)
    body = Scene((body,), settings=Settings(frame_count=2, substeps=2)).validated().bodies[0]
    np.testing.assert_array_equal(body.position, [1, 2, 3])
    np.testing.assert_array_equal(body.motion.rotations, [[0, 1, 0, 0]] * 3)
    np.testing.assert_array_equal(body.rotation, [0, 1, 0, 0])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e5, 1e5), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 1e-3))
def test_validating_twice_changes_no_bit(rotation):
    """What is once normalised is left alone; and it is normalised."""
    once = Scene((replace(BALL, rotation=rotation),)).validated()
    twice = once.validated()
    assert once.bodies[0].rotation.tobytes() == twice.bodies[0].rotation.tobytes()
    assert np.linalg.norm(once.bodies[0].rotation) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("name", ["Würfel", "旗", "a b", "😀", "x" * 200])
def test_any_name_will_do(name):
    """Names need not be ASCII."""
    assert Scene((replace(BALL, name=name),)).validated().bodies[0].name == name


def test_names():
    """Missing, double over all groups, and not to be written."""
    refused("rigid body number 2", "no name", bodies=(BALL, replace(BALL, name="")))
    refused("rod number 1", "no name", rods=(replace(ROPE, name=None),))
    refused("ball", "used by a rigid body and by a rigid body", bodies=(BALL, BALL))
    refused("ball", "used by a rigid body and by a rod", bodies=(BALL,), rods=(replace(ROPE, name="ball"),))
    refused("ball", "used by a rigid body and by a joint", bodies=(BALL, WALL), joints=(replace(HINGE, name="ball"),))
    refused("rigid body number 1", "cannot be written", bodies=(replace(BALL, name="a\0b"),))
    refused("rigid body number 1", "cannot be written", bodies=(replace(BALL, name="\ud800"),))
    refused("rigid body number 1", "must be a RigidBody", bodies=(ROPE,))


def test_nothing_to_simulate():
    """An empty scene."""
    with pytest.raises(SceneError, match="nothing to simulate"):
        Scene().validated()
    with pytest.raises(SceneError, match="must be a tuple"):
        Scene(bodies={"ball": BALL}).validated()


@pytest.mark.parametrize(
    "change, words",
    [
        ({"kind": "ghost"}, "kind is 'ghost'; choose one of"),
        ({"kind": None}, "choose one of"),
        ({"mass": 0.0}, "mass is 0; it must be greater than zero"),
        ({"mass": -1.0}, "greater than zero"),
        ({"mass": INF}, "mass is infinite"),
        ({"mass": NAN}, "mass is not a number"),
        ({"mass": 1e-300}, "between"),
        ({"mass": "heavy"}, "must be a number"),
        ({"mass": None}, "must be a number"),
        ({"inertia": (1, 0, 1)}, "a moment of inertia is 0"),
        ({"inertia": (1, -1, 1)}, "greater than zero"),
        ({"inertia": (1, INF, 1)}, "infinite"),
        ({"inertia": (1, NAN, 1)}, "NaN"),
        ({"inertia": (1, 1, 2.1)}, "exceeds the sum of the other two"),
        ({"inertia": (1, 1)}, r"shape \(2\); it must be \(3\)"),
        ({"position": (NAN, 0, 0)}, "position contains a value that is not a number"),
        ({"position": (INF, 0, 0)}, "position contains an infinite"),
        ({"position": (1e12, 0, 0)}, "bring it closer"),
        ({"position": "here"}, "cannot be read as numbers"),
        ({"position": [[0, 0, 0]]}, "shape"),
        ({"rotation": (0, 0, 0, 0)}, "length zero"),
        ({"rotation": (NAN, 0, 0, 1)}, "rotation contains"),
        ({"rotation": (0, 0, 1)}, "shape"),
        ({"velocity": (0, NAN, 0)}, "velocity contains"),
        ({"angular_velocity": (0, -INF, 0)}, "angular velocity contains"),
        ({"linear_damping": -1.0}, "linear damping is -1"),
        ({"angular_damping": INF}, "angular damping is inf"),
        ({"kind": "animated"}, "animated but has no motion"),
        ({"motion": path(3)}, "has a motion but is active"),
        ({"kind": "animated", "motion": path(4)}, "it needs 3 samples"),
        ({"kind": "animated", "motion": Motion(np.zeros((3, 3)), np.ones((2, 4)))}, "it needs 3 samples"),
        ({"kind": "animated", "motion": Motion(np.zeros((3, 2)), np.ones((3, 4)))}, "shape"),
        ({"kind": "animated", "motion": path(3, (0, 0, 0, 0))}, "length zero at number 1"),
        ({"kind": "animated", "motion": Motion(row(2, NAN), np.ones((3, 4)))}, "shape"),
        ({"kind": "animated", "motion": Motion([[0] * 3, [0, NAN, 0], [0] * 3], np.ones((3, 4)))}, "at number 2"),
        ({"kind": "animated", "motion": "path"}, "must be a Motion"),
    ],
)
def test_bad_bodies(change, words):
    """Every value of a body that cannot be."""
    refused("ball", words, bodies=(WALL, replace(BALL, **change)))


def test_inertia_tolerates_rounding():
    """A flat body's moments from a float32 mesh."""
    Scene((replace(BALL, inertia=(1.0, 1.0, 2.0000001)),)).validated()


@pytest.mark.parametrize(
    "change, words",
    [
        ({"points": [[0, 0, 0]]}, r"has 1 point\(s\); a rod needs at least two"),
        ({"points": np.zeros((0, 3))}, "has 0 point"),
        ({"points": []}, "shape"),
        ({"points": None}, "cannot be read|shape|NaN"),
        ({"points": [[1, 2, 3]] * 4}, "no length"),
        ({"points": [[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]]}, "points 2 and 3 are at the same place"),
        ({"points": [[0, 0, 0], [1, NAN, 0]]}, "not a number .NaN. at number 2"),
        ({"points": [[0, 0, 0], [1, INF, 0]]}, "infinite"),
        ({"tangents": [[1, 0, 0]] * 2}, "shape"),
        ({"tangents": [[1, 0, 0], [0, 0, 0], [1, 0, 0]]}, "tangent number 2 has no length"),
        ({"tangents": [[1, 0, 0], [NAN, 0, 0], [1, 0, 0]]}, "tangent contains"),
        ({"normals": [[0, 0, 1], [0, 0, 1], [0, 0, 0]]}, "normal number 3 has no length"),
        ({"normals": [[2, 0, 0], [0, 0, 1], [0, 0, 1]]}, "normal at point 1 lies along the curve"),
        ({"elements": 0}, "elements is 0; set it between 1"),
        ({"elements": 10**9}, "set it between"),
        ({"elements": 2.5}, "whole number"),
        ({"elements": True}, "whole number"),
        ({"order": -1}, "order is -1"),
        ({"order": 8}, "order is 8"),
        ({"order": "cubic"}, "whole number"),
        ({"radius": 0.0}, "radius is 0"),
        ({"radius": -0.1}, "greater than zero"),
        ({"radius": NAN}, "radius is not a number"),
        ({"radius": INF}, "infinite"),
        ({"material": Material(young_modulus=0.0)}, "Young's modulus is 0"),
        ({"material": Material(young_modulus=INF)}, "Young's modulus is infinite"),
        ({"material": Material(poisson_ratio=-1.0)}, "Poisson's ratio is -1"),
        ({"material": Material(poisson_ratio=0.51)}, "Poisson's ratio is 0.51"),
        ({"material": Material(poisson_ratio=NAN)}, "Poisson's ratio is not a number"),
        ({"material": Material(density=0.0)}, "density is 0"),
        ({"material": None}, "must be a Material"),
        ({"rest": "curly"}, "rest shape is 'curly'"),
        ({"damping": -1.0}, "damping is -1"),
        ({"damping": NAN}, "damping is not a number"),
        ({"linear_damping": -1.0}, "linear damping is -1"),
        ({"start": None}, "the start is a NoneType"),
        ({"end": RodEnd("glued")}, "hold of the end is 'glued'"),
        ({"end": RodEnd("free", path(3))}, "end has a motion but is free"),
        ({"radius": [0.1, 0.1, 0.0]}, "radius at point 3 is 0"),
        ({"radius": [0.1, 0.1]}, "radius"),
        ({"aspect": 0.0}, "aspect is 0"),
        ({"rest": "curve"}, "go together"),
        ({"rest_curve": CentreCurve(ROPE.points)}, "go together"),
        ({"rest": "curve", "rest_curve": CentreCurve([[0, 0, 0]])}, "needs at least two"),
        ({"closed": True, "start": RodEnd("pinned")}, "no ends to hold"),
        ({"closed": True, "points": [[0, 0, 0], [1, 0, 0]]}, "at least three"),
        ({"closed": True, "points": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]]}, "points 4 and 1"),
        ({"closed": True, "elements": 2}, "elements is 2"),
        ({"start": RodEnd("pinned", path(2))}, "motion of the start has 2 positions"),
    ],
)
def test_bad_rods(change, words):
    """Every value of a rod that cannot be."""
    refused("rope", words, bodies=(BALL,), rods=(replace(ROPE, **change),))


@pytest.mark.parametrize("poisson", [-0.99, 0.0, 0.5])
def test_poisson_ratios_that_may_be(poisson):
    """(−1, ½]."""
    Scene(rods=(replace(ROPE, material=Material(poisson_ratio=poisson)),)).validated()


@pytest.mark.parametrize(
    "change, words",
    [
        ({"kind": "magnetic"}, "joint type is 'magnetic'; choose one of"),
        ({"body_1": None}, "must be a Partner"),
        ({"body_1": Partner("gone")}, '"gone", which is no body or rod'),
        ({"body_1": Partner("hinge")}, '"hinge", which is no body or rod'),
        ({"body_2": Partner("ball")}, 'joins "ball" with itself'),
        ({"body_1": Partner(), "body_2": Partner()}, "joins the world with itself"),
        ({"body_1": Partner("wall"), "body_2": Partner()}, "neither partner can move"),
        ({"body_1": Partner("rope", "start"), "body_2": Partner("wall")}, "neither partner can move"),
        ({"body_1": Partner("rope", "end"), "body_2": Partner("rope", "end")}, 'joins "rope" with itself'),
        ({"body_1": Partner("rope")}, 'the rod "rope"; say which end'),
        ({"body_1": Partner("rope", "middle")}, "say which end"),
        ({"body_1": Partner("rope", "start", at=0.5)}, "leave one of them out"),
        ({"body_1": Partner("rope", at=1.5)}, "a share of its length"),
        ({"body_1": Partner("ball", at=0.5)}, "is no rod"),
        ({"body_1": Partner("ball", "end")}, "only rods have ends"),
        ({"body_1": Partner("", "end")}, "only rods have ends"),
        ({"body_1": Partner(3)}, "must be a text"),
        ({"position": (0, NAN, 0)}, "position contains"),
        ({"rotation": (0, 0, 0, 0)}, "length zero"),
        ({"lower": row(5, 1.0, -INF), "upper": row(5, -1.0, INF)}, "lower limit of Turn Z, 1, is above the upper, -1"),
        ({"lower": row(5, INF, -INF)}, "leave no room"),
        ({"upper": row(5, -INF, INF)}, "leave no room"),
        ({"lower": row(5, NAN, -INF)}, "lower limit contains"),
        ({"lower": row(0, -1.0, -INF)}, "locks Place X; remove the limits"),
        ({"upper": row(3, 1.0, INF)}, "locks Turn X; remove the limits"),
        ({"stiffness": row(1, 1.0)}, "locks Place Y; remove the target and drive"),
        ({"damping": row(4, 1.0)}, "locks Turn Y; remove the target and drive"),
        ({"target": row(2, 1.0)}, "locks Place Z; remove the target and drive"),
        ({"target": np.tile(row(2, 1.0), (3, 1))}, "locks Place Z; remove the target and drive"),
        ({"target": np.zeros((2, 6))}, "target has the shape"),
        ({"target": row(5, NAN)}, "target contains"),
        ({"stiffness": row(5, -1.0)}, "stiffness of Turn Z is -1"),
        ({"damping": row(5, -1.0)}, "damping of Turn Z is -1"),
        ({"stiffness": row(5, INF)}, "stiffness of Turn Z is inf"),
        ({"stiffness": (0.0,) * 5}, "shape"),
        ({"swing_limit": 1.0}, "has no swing"),
        ({"swing_limit": -1.0}, "swing limit is -1"),
        ({"swing_limit": NAN}, "swing limit is not a number"),
        ({"kind": "spherical", "swing_limit": 4.0}, "at most half a turn"),
        ({"kind": "spherical", "lower": row(3, -1.0, -INF)}, "no range for Turn X; remove the limits"),
        ({"kind": "spherical", "upper": row(5, 4.0, INF)}, "limit 4 of Turn Z is beyond"),
        ({"speed": row(5, NAN, INF)}, "speed contains"),
        ({"speed": row(5, -INF, INF)}, "speed of Turn Z contains an infinite"),
        ({"speed": [row(5, 1.0, INF), row(5, INF, INF), row(5, 1.0, INF)]}, "motor of Turn Z has no speed at some"),
        ({"speed": np.zeros((2, 6))}, "speed has the shape"),
        ({"speed": row(2, 1.0, INF)}, "no motor for Place Z"),
        ({"speed": row(5, 1.0, INF), "stiffness": row(5, 1.0)}, "a motor and a spring"),
        ({"maximum": row(5, -1.0, INF)}, "maximum of Turn Z is -1"),
        ({"maximum": row(1, 1.0, INF)}, "no motor for Place Y"),
        ({"kind": "spherical", "maximum": row(5, 1.0, INF)}, "no motor for Turn Z"),
        ({"locked": row(5, 1.0)}, "does not let Turn Z be locked"),
        ({"kind": "generic", "locked": row(5, 0.5)}, "other than 0 and 1"),
        ({"kind": "generic", "locked": row(5, 1.0), "lower": row(5, -1.0, -INF)}, "Turn Z is locked; remove the lim"),
        ({"kind": "generic", "locked": row(5, 1.0), "damping": row(5, 1.0)}, "Turn Z is locked; remove the target"),
        ({"kind": "generic", "locked": row(5, 1.0), "speed": row(5, 1.0, INF)}, "no motor for Turn Z"),
    ],
)
def test_bad_joints(change, words):
    """Every value of a joint that cannot be."""
    rope = replace(ROPE, start=RodEnd("clamped"))
    refused("hinge", words, bodies=(BALL, WALL), rods=(rope,), joints=(replace(HINGE, **change),))


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_free_row_may_be_driven_and_limited(kind):
    """By the table: drives on free rows, ranges on the rows that have one."""
    lower, upper, drive = np.full(6, -INF), np.full(6, INF), np.zeros(6)
    for coordinate in JOINT_TYPES[kind].coordinates:
        for number in coordinate.rows:
            assert JOINT_TYPES[kind].rows[number] != LOCKED
            drive[number] = 1.0
            if coordinate.limit == RANGE:
                lower[number], upper[number] = -1.0, 1.0
    joint = replace(HINGE, kind=kind, lower=lower, upper=upper, target=drive, stiffness=drive, damping=drive)
    Scene((BALL, WALL), joints=(joint,)).validated()
    motors = [number for item in JOINT_TYPES[kind].coordinates if item.motor for number in item.rows]
    speed, maximum = np.full(6, INF), np.full(6, INF)
    speed[motors], maximum[motors] = -1.0, 10.0
    joint = replace(HINGE, kind=kind, lower=lower, upper=upper, speed=speed, maximum=maximum, damping=drive)
    Scene((BALL, WALL), joints=(joint,)).validated()


@pytest.mark.parametrize(
    "one, two",
    [
        (Partner("ball"), Partner()),
        (Partner(), Partner("rope", "start")),
        (Partner("rope", "start"), Partner("rope", "end")),
        (Partner("wall"), Partner("rope", "end")),
        (Partner("rope", "end"), Partner("cord", "end")),
    ],
)
def test_partners_that_may_be(one, two):
    """World, body and rod end, in any place; a ring of one rod too."""
    joint = replace(HINGE, body_1=one, body_2=two)
    scene = Scene((BALL, WALL), (ROPE, replace(ROPE, name="cord", start=RodEnd("pinned"))), (joint,))
    assert scene.validated().joints[0].body_1.name == one.name


def test_moving_target():
    """One target a sample."""
    joint = replace(HINGE, target=np.tile(row(5, 0.5), (3, 1)), stiffness=row(5, 10.0))
    scene = Scene((BALL, WALL), joints=(joint,), settings=Settings(frame_count=2, substeps=2)).validated()
    assert scene.joints[0].target.shape == (3, 6)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"frame_count": 0}, "frame count is 0"),
        ({"frame_count": -5}, "frame count is -5"),
        ({"frame_count": 2.0}, "whole number"),
        ({"substeps": 0}, "substeps is 0"),
        ({"substeps": 10**9}, "substeps is 1000000000"),
        ({"iterations": 0}, "iterations is 0"),
        ({"frame_duration": 0.0}, "frame duration is 0"),
        ({"frame_duration": -1.0}, "greater than zero"),
        ({"frame_duration": NAN}, "frame duration is not a number"),
        ({"gravity": (0, 0, NAN)}, "gravity contains"),
        ({"gravity": 9.81}, "shape"),
    ],
)
def test_bad_settings(change, words):
    """Time and space."""
    refused("settings", words, bodies=(BALL,), settings=Settings(**change))


@pytest.mark.parametrize("other", [Partner(), Partner("wall"), Partner("rope", "start"), Partner("line", "start")])
def test_a_pinned_end_has_no_second_hold(other):
    """A joint of a pinned end to what cannot move, or is pinned as well, would hold one place twice."""
    rope = replace(ROPE, start=RodEnd("clamped"))
    line = replace(ROPE, name="line", start=RodEnd("pinned"), end=RodEnd("pinned"))
    joint = replace(HINGE, body_1=other, body_2=Partner("line", "end"))
    refused("hinge", "is pinned and the other partner cannot", bodies=(BALL, WALL), rods=(rope, line), joints=(joint,))
    free = replace(line, end=RodEnd("free"))
    Scene(bodies=(BALL, WALL), rods=(rope, free), joints=(joint,)).validated()
    Scene(bodies=(BALL, WALL), rods=(rope, line), joints=(replace(joint, body_1=Partner("ball")),)).validated()
