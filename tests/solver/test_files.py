"""Scene files: what is written comes back bit for bit; what is damaged is refused with a sentence."""

import json
import struct
import zlib
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tendril.solver.files import HEAD, MAGIC, VERSION, load_scene, save_scene
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

quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
real = st.floats(-1e6, 1e6)
positive = st.floats(1e-20, 1e20)
word = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)


def numbers(*shape):
    """Arrays of finite numbers."""
    count = int(np.prod(shape))
    return st.lists(real, min_size=count, max_size=count).map(lambda values: np.array(values).reshape(shape))


rotation = numbers(4).filter(lambda q: np.linalg.norm(q) > 1e-6)


@st.composite
def scenes(draw):
    """Any valid scene: all fields drawn."""
    names = draw(st.lists(word, min_size=4, max_size=4, unique=True))
    frames = Settings(
        gravity=draw(numbers(3)),
        frame_duration=draw(positive),
        frame_count=draw(st.integers(1, 3)),
        substeps=draw(st.integers(1, 3)),
        iterations=draw(st.integers(1, 5)),
    )
    count = frames.sample_count
    path = Motion(draw(numbers(count, 3)), np.tile(draw(rotation), (count, 1)))
    body = RigidBody(
        names[0],
        draw(numbers(3)),
        draw(rotation),
        draw(positive),
        draw(positive) * np.array([2.0, 3.0, 4.0]),
        "active",
        draw(numbers(3)),
        draw(numbers(3)),
        draw(st.floats(0, 1e9)),
        draw(st.floats(0, 1e9)),
    )
    moved = RigidBody(names[1], kind="animated", motion=path)
    points = np.cumsum(1.0 + np.abs(draw(numbers(4, 3))), axis=0)
    rod = Rod(
        names[2],
        points,
        tangents=draw(st.none() | st.just(np.ones((4, 3)))),
        normals=draw(st.none() | st.just(np.tile([1.0, -2.0, 0.5], (4, 1)))),
        elements=draw(st.integers(1, 9)),
        order=draw(st.sampled_from([0, 1, 2, 3])),
        radius=draw(positive | st.just(np.array([0.1, 0.2, 0.3, 0.1]))),
        aspect=draw(positive),
        shear_correction=draw(st.booleans()),
        material=Material(draw(positive), draw(st.floats(-0.99, 0.5)), draw(positive)),
        rest="curve",
        rest_curve=CentreCurve(2.0 * points),
        damping=draw(st.floats(0, 1)),
        linear_damping=draw(st.floats(0, 1)),
        start=RodEnd("clamped", draw(st.none() | st.just(path))),
    )
    ring = Rod("ring " + names[2], points, closed=True, rest=draw(st.sampled_from(["drawn", "straight"])))
    lower = np.array([-np.inf] * 5 + [draw(st.floats(-3, 0) | st.just(-np.inf))])
    joint = Joint(
        names[3],
        draw(st.sampled_from(["revolute", "spherical"])),
        Partner(names[0]),
        Partner(names[2], "end"),
        draw(numbers(3)),
        draw(rotation),
        lower,
        -lower,
        np.inf,
        draw(st.just((0.0,) * 6) | st.just(np.tile([0, 0, 0, 0, 0, 1.5], (count, 1)))),
        [0, 0, 0, 0, 0, draw(st.floats(0, 1e9))],
        [0, 0, 0, 0, 0, draw(st.floats(0, 1e9))],
    )
    sliding = Joint(
        "sliding " + names[3],
        "generic",
        Partner(names[0]),
        speed=draw(st.just((np.inf,) * 6) | st.just(np.tile([np.inf, 0, 0, 0, 1, np.inf], (count, 1)))),
        maximum=[np.inf, np.inf, draw(st.floats(0, 1e9) | st.just(np.inf)), np.inf, np.inf, np.inf],
        locked=[1.0, 0.0, 0.0, 0.0, 0.0, draw(st.sampled_from([0.0, 1.0]))],
    )
    return Scene((body, moved), (rod, ring), (joint, sliding), frames)


def same(one, two):
    """Whether two values are equal to the last bit, and of the same types."""
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()
    if isinstance(one, tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if is_dataclass(one):
        return all(same(getattr(one, item.name), getattr(two, item.name)) for item in fields(one))
    return struct.pack("d", one) == struct.pack("d", two) if isinstance(one, float) else one == two


EXAMPLE = Scene(
    (
        RigidBody("Würfel"),
        RigidBody("旗", kind="animated", motion=Motion(np.zeros((3, 3)), np.tile([1, 0, 0, 0], (3, 1)))),
    ),
    (Rod("rope", [[0, 0, 0], [1, 0, 0]], start=RodEnd("clamped")),),
    (Joint("hinge", "revolute", Partner("Würfel"), Partner("rope", "end"), swing_limit=np.inf),),
    Settings(frame_count=2, substeps=2),
)


@pytest.fixture
def saved(tmp_path):
    """The example as a file."""
    path = tmp_path / "scene.tendril"
    save_scene(path, EXAMPLE)
    return path


def write(path, text, arrays=b"", length=None):
    """Write a file with a right checksum and whatever content."""
    body = struct.pack("<Q", len(text) if length is None else length) + text + arrays
    path.write_bytes(MAGIC + struct.pack("<II", VERSION, zlib.crc32(body)) + body)
    return path


def parts(path):
    """JSON tree and array bytes of a file."""
    data = path.read_bytes()
    length = HEAD.unpack_from(data)[3]
    return json.loads(data[HEAD.size : HEAD.size + length]), data[HEAD.size + length :]


@quick
@given(scene=scenes())
def test_round_trip_is_bit_exact(tmp_path, scene):
    """Saved and loaded: the validated scene, all bits; saved again: the same bytes."""
    path, again = tmp_path / "a", tmp_path / "b"
    save_scene(path, scene)
    loaded = load_scene(path)
    assert same(loaded, scene.validated())
    assert same(loaded, loaded.validated())
    save_scene(again, loaded)
    assert path.read_bytes() == again.read_bytes()


def test_same_notices_differences():
    """The comparison above is no rubber stamp."""
    scene = EXAMPLE.validated()
    assert not same(scene, replace(scene, settings=replace(scene.settings, substeps=3)))
    assert not same(np.array([0.0]), np.array([-0.0]))
    assert not same(1.0, np.nextafter(1.0, 2.0))


def test_no_other_file_is_left(saved):
    """A save writes one file."""
    assert [path.name for path in saved.parent.iterdir()] == ["scene.tendril"]


def test_invalid_scene_is_not_saved(tmp_path):
    """A bad scene leaves the old file as it was."""
    path = tmp_path / "scene.tendril"
    path.write_bytes(b"old")
    with pytest.raises(SceneError, match="ball: mass"):
        save_scene(path, Scene((RigidBody("ball", mass=0.0),)))
    assert path.read_bytes() == b"old"


def test_missing_file(tmp_path):
    """The system's own error."""
    with pytest.raises(FileNotFoundError):
        load_scene(tmp_path / "none")


@quick
@given(data=st.data())
def test_truncation(saved, data):
    """Cut anywhere, or with bytes added."""
    whole = saved.read_bytes()
    cut = saved.with_name("cut")
    length = data.draw(st.integers(0, len(whole) - 1))
    for damaged in (whole[:length], whole + whole[:1]):
        cut.write_bytes(damaged)
        with pytest.raises(SceneError, match="cut: "):
            load_scene(cut)


@quick
@given(data=st.data())
def test_flipped_bits(saved, data):
    """One bit anywhere."""
    whole = bytearray(saved.read_bytes())
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    whole[bit // 8] ^= 1 << (bit % 8)
    flipped = saved.with_name("flipped")
    flipped.write_bytes(whole)
    with pytest.raises(SceneError, match="flipped: "):
        load_scene(flipped)


@quick
@given(data=st.data())
def test_flipped_bits_with_a_right_checksum(saved, data):
    """Damage that the checksum covers up: either a valid scene or a clear refusal, never anything else."""
    whole = bytearray(saved.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        bit = data.draw(st.integers(8 * 16, 8 * len(whole) - 1))
        whole[bit // 8] ^= 1 << (bit % 8)
    whole[12:16] = struct.pack("<I", zlib.crc32(whole[16:]))
    flipped = saved.with_name("flipped")
    flipped.write_bytes(whole)
    try:
        load_scene(flipped)
    except SceneError as error:
        assert len(str(error)) > 10


@quick
@given(text=st.binary(max_size=60), tail=st.binary(max_size=60))
def test_any_header(tmp_path, text, tail):
    """Any bytes for a header."""
    with pytest.raises(SceneError):
        load_scene(write(tmp_path / "any", text, tail))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(tree, at=()):
    """All paths into a JSON tree."""
    yield at
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, item in items:
        yield from places(item, (*at, key))


@quick
@given(data=st.data())
def test_any_value_anywhere(saved, data):
    """Every place of the header may hold any JSON: refused, or a valid scene."""
    tree, arrays = parts(saved)
    at = data.draw(st.sampled_from(list(places(tree))[1:]))
    inner = tree
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = data.draw(json_values)
    try:
        load_scene(write(saved.with_name("changed"), json.dumps(tree).encode(), arrays))
    except SceneError as error:
        assert len(str(error)) > 10


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda tree: tree["bodies"][0]["position"].update(shape=[2**62]), "size that the file cannot hold"),
        (lambda tree: tree["bodies"][0]["position"].update(shape=[40, 40]), "needs 1600 numbers"),
        (lambda tree: tree["bodies"][0]["position"].update(shape=[-3]), "size that the file cannot hold"),
        (lambda tree: tree["bodies"][0]["position"].update(shape=[True]), "size that the file cannot hold"),
        (lambda tree: tree["bodies"][0]["position"].update(shape=[]), "one or two dimensions"),
        (lambda tree: tree["bodies"][0]["position"].update(shape=[1, 1, 3]), "one or two dimensions"),
        (lambda tree: tree["bodies"][0]["position"].update(dtype="O"), "one or two dimensions"),
        (lambda tree: tree["bodies"][0].update(mass=10**400), "mass is too large"),
        (lambda tree: tree["bodies"][0].update(mass="heavy"), "mass should be a number"),
        (lambda tree: tree["bodies"][0].update(name=7), "name should be a text"),
        (lambda tree: tree["rods"][0].update(elements=1.5), "elements should be a whole number"),
        (lambda tree: tree["rods"][0].update(elements=10**12), "rope: elements is 1000000000000"),
        (lambda tree: tree["rods"][0].pop("radius"), "'radius'"),
        (lambda tree: tree["rods"][0].update(__class__="os.system"), "'__class__'"),
        (lambda tree: tree.update(bodies={}), "bodies should be a list"),
        (lambda tree: tree.update(bodies=[]), "belong to no array"),
    ],
)
def test_hostile_headers(saved, change, words):
    """What a header may say wrongly, with a right checksum."""
    tree, arrays = parts(saved)
    change(tree)
    with pytest.raises(SceneError, match=words):
        load_scene(write(saved, json.dumps(tree).encode(), arrays))


@pytest.mark.parametrize(
    "text, words",
    [
        (b"[" * 200_000, "nested too deeply|cannot be read"),
        (b'{"a":' * 100_000, "nested too deeply|cannot be read"),
        (b"[1" + b"0" * 5000 + b"]", "cannot be read|should be"),
        (b"NaN", "NaN is no JSON"),
        (b"\xff\xfe", "cannot be read"),
        (b"", "cannot be read"),
        (b"[]", "should be the fields of a Scene"),
        (b"{}", "lacks or has too much"),
    ],
)
def test_hostile_text(tmp_path, text, words):
    """Texts that are no header."""
    with pytest.raises(SceneError, match=words):
        load_scene(write(tmp_path / "text", text))


def test_header_longer_than_the_file(tmp_path):
    """A length that would take all memory is compared with the file first."""
    with pytest.raises(SceneError, match="longer than the file"):
        load_scene(write(tmp_path / "long", b"{}", length=2**63))


def test_nan_in_an_array(saved):
    """Refused by the name of the body."""
    tree, arrays = parts(saved)
    with pytest.raises(SceneError, match=r"not a number|NaN"):
        load_scene(write(saved, json.dumps(tree).encode(), struct.pack("<d", np.nan) * (len(arrays) // 8)))


def test_other_version_and_other_file(saved):
    """A later version, and a file of another program."""
    whole = saved.read_bytes()
    saved.write_bytes(MAGIC + struct.pack("<I", VERSION + 1) + whole[12:])
    with pytest.raises(SceneError, match=f"version {VERSION + 1}"):
        load_scene(saved)
    saved.write_bytes(b"BLENDER-v500" + whole[12:])
    with pytest.raises(SceneError, match="not a scene file"):
        load_scene(saved)
