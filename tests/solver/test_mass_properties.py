"""Mass, centre and inertia of meshes against closed forms."""

import itertools
import math

import numpy as np
import pytest

from tendril.solver.bodies import mass_properties
from tendril.solver.orientation import matrix_from_quaternion
from tendril.solver.scene import SceneError

CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
BOX = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
TURN = matrix_from_quaternion(np.array([0.8, 0.2, -0.4, 0.4]))


def box(x, y, z):
    """Vertices and triangles of a box about the origin, looking outward."""
    return CORNERS * [x, y, z], BOX


def box_moments(mass, x, y, z):
    """Closed form."""
    return mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])


def grid(function, rows, columns, wrap_rows=False):
    """A surface of rows × columns, wrapping in columns (and rows), from a function of two angles in [0, 1]."""
    u = np.arange(rows + (not wrap_rows)) / rows
    v = np.arange(columns) / columns
    vertices = function(*np.meshgrid(u, v, indexing="ij")).reshape(-1, 3)
    triangles = []
    for i, j in itertools.product(range(rows), range(columns)):
        a, b = i * columns + j, i * columns + (j + 1) % columns
        following = (i + 1) % len(u)
        c, d = following * columns + j, following * columns + (j + 1) % columns
        triangles += [[a, c, d], [a, d, b]]
    return vertices, np.array(triangles)


def sphere(count, radius=1.0):
    """Latitude and longitude; poles are welded."""

    def place(u, v):
        ring = np.where((u == 0) | (u == 1), 0.0, np.sin(np.pi * u))
        return radius * np.stack([ring * np.cos(2 * np.pi * v), ring * np.sin(2 * np.pi * v), np.cos(np.pi * u)], -1)

    return grid(place, count, 2 * count)


def torus(count, large, small):
    """A ring about z."""

    def place(u, v):
        ring = large + small * np.cos(2 * np.pi * v)
        angle = 2 * np.pi * u
        return np.stack([ring * np.cos(angle), ring * np.sin(angle), small * np.sin(2 * np.pi * v)], -1)

    return grid(place, 2 * count, count, wrap_rows=True)


def cylinder(count, radius, height):
    """A prism of ``count`` sides along z, its lids closed by a fan about the axis."""
    u = np.arange(count) * 2 * np.pi / count
    ring = radius * np.stack([np.cos(u), np.sin(u), 0 * u], 1)
    top = [0, 0, height / 2]
    vertices = np.concatenate([ring - top, ring + top, [[0, 0, -height / 2], top]])
    i = np.arange(count)
    j = (i + 1) % count
    sides = [np.stack(t, 1) for t in ((i, j, j + count), (i, j + count, i + count))]
    lids = [np.stack(t, 1) for t in ((j, i, 0 * i + 2 * count), (i + count, j + count, 0 * i + 2 * count + 1))]
    return vertices, np.concatenate(sides + lids)


def tensor(result):
    """Inertia tensor in the mesh's axes."""
    axes = matrix_from_quaternion(result.rotation)
    return axes * result.inertia @ axes.T


def test_box_is_exact():
    """Mass, volume, centre, moments; identity axes."""
    result = mass_properties(*box(2.0, 3.0, 5.0), density=7.0)
    assert result.closed
    assert result.mass == pytest.approx(210.0, rel=1e-14)
    assert result.volume == pytest.approx(30.0, rel=1e-14)
    assert result.area == pytest.approx(62.0, rel=1e-14)
    np.testing.assert_allclose(result.centre, 0.0, atol=1e-15)
    np.testing.assert_allclose(result.inertia, box_moments(210.0, 2, 3, 5), rtol=1e-14)
    np.testing.assert_array_equal(result.rotation, [1, 0, 0, 0])


def test_given_mass():
    """A mass instead of a density."""
    result = mass_properties(*box(2.0, 3.0, 5.0), mass=4.0)
    assert result.mass == 4.0
    np.testing.assert_allclose(result.inertia, box_moments(4.0, 2, 3, 5), rtol=1e-14)


@pytest.mark.parametrize("far", [0.0, 10.0, 1.0e5])
def test_moved_and_turned_box(far):
    """Anywhere and any way round, even far away: the principal moments and axes go along."""
    vertices, triangles = box(2.0, 3.0, 5.0)
    shift = far * np.array([1.0, -2.0, 3.0])
    result = mass_properties(vertices @ TURN.T + shift, triangles, density=7.0)
    tolerance = 1e-13 + 1e-15 * far
    np.testing.assert_allclose(result.centre, shift, atol=10 * tolerance)
    expected = TURN * box_moments(210.0, 2, 3, 5) @ TURN.T
    np.testing.assert_allclose(tensor(result), expected, atol=1e4 * tolerance)
    assert np.linalg.det(matrix_from_quaternion(result.rotation)) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("change", ["mirrored", "inside out", "one face turned", "shuffled"])
def test_orientation_does_not_matter(change):
    """Mirrored (negative scale), inside out, inconsistent normals, any order of faces."""
    vertices, triangles = box(2.0, 3.0, 5.0)
    vertices = vertices + [1.0, 2.0, 3.0]
    centre = np.array([1.0, 2.0, 3.0])
    if change == "mirrored":
        vertices, centre = vertices * [-1, 1, 1], centre * [-1, 1, 1]
    elif change == "inside out":
        triangles = triangles[:, ::-1]
    elif change == "one face turned":
        triangles = np.where(np.arange(12)[:, None] % 5 == 0, triangles[:, ::-1], triangles)
    else:
        triangles = np.random.default_rng(1).permutation(triangles)[:, [2, 0, 1]]
    result = mass_properties(vertices, triangles, density=7.0)
    assert result.closed
    assert result.mass == pytest.approx(210.0, rel=1e-14)
    np.testing.assert_allclose(result.centre, centre, atol=1e-14)
    np.testing.assert_allclose(result.inertia, box_moments(210.0, 2, 3, 5), rtol=1e-13)
    np.testing.assert_allclose(result.rotation, [1, 0, 0, 0], atol=1e-15)


def test_non_uniform_scale():
    """Scaled (a, b, c) a cube becomes a box; second moments scale by a², b², c²."""
    vertices, triangles = box(1.0, 1.0, 1.0)
    result = mass_properties(vertices * [4.0, 0.5, 2.0], triangles, density=1.0)
    np.testing.assert_allclose(result.inertia, box_moments(4.0, 4.0, 0.5, 2.0), rtol=1e-14)


def test_uniform_scale_law():
    """Mass grows with the third power of the scale, inertia with the fifth."""
    vertices, triangles = torus(8, 2.0, 0.5)
    one, large = (mass_properties(vertices * k, triangles, density=3.0) for k in (1.0, 1000.0))
    assert large.mass == pytest.approx(1e9 * one.mass, rel=1e-13)
    np.testing.assert_allclose(large.inertia, 1e15 * one.inertia, rtol=1e-12)


def test_tetrahedron():
    """The corner tetrahedron of edges a, b, c: V = abc/6, centre at a quarter, ∫x²/V = a²/10, ∫xy/V = ab/20."""
    a, b, c = 2.0, 3.0, 4.0
    vertices = np.array([[0, 0, 0], [a, 0, 0], [0, b, 0], [0, 0, c]])
    result = mass_properties(vertices, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), density=6.0)
    size = np.array([a, b, c])
    assert result.mass == pytest.approx(24.0, rel=1e-14)
    np.testing.assert_allclose(result.centre, size / 4, rtol=1e-14)
    second = np.outer(size, size) / 20 * (1 + np.eye(3)) - np.outer(size, size) / 16
    expected = 24.0 * (np.trace(second) * np.eye(3) - second)
    np.testing.assert_allclose(tensor(result), expected, atol=1e-12)


def converges(make, mass, inertia, order=2.0):
    """Check that mass and moments of ever finer meshes come closer by the square of the edge."""
    errors = []
    for count in (16, 32, 64):
        result = mass_properties(*make(count), density=1.0)
        assert result.closed
        np.testing.assert_array_equal(result.rotation, [1, 0, 0, 0])
        errors.append([result.mass / mass - 1.0, *(result.inertia / inertia - 1.0)])
    orders = np.log2(np.abs(errors[:-1]) / np.abs(errors[1:]))
    assert np.all(np.abs(orders - order) < 0.1), (errors, orders)
    assert np.abs(errors[-1]).max() < 1e-2


def test_sphere():
    """4/3 π r³ and 2/5 m r²."""
    mass = 4.0 / 3.0 * math.pi * 8.0
    converges(lambda count: sphere(count, 2.0), mass, np.full(3, 0.4 * mass * 4.0))


def test_torus():
    """2π² R r², moments m(R² + 3r²/4) about the axis and m(R²/2 + 5r²/8) across."""
    mass = 2 * math.pi**2 * 2.0 * 0.25
    across, along = mass * (2.0 + 0.625 * 0.25), mass * (4.0 + 0.75 * 0.25)
    converges(lambda count: torus(count, 2.0, 0.5), mass, np.array([across, across, along]))


def test_cylinder():
    """π r² h, m r²/2 along, m (3r² + h²)/12 across."""
    mass = math.pi * 0.25 * 2.0
    across = mass * (0.75 + 4.0) / 12
    converges(lambda count: cylinder(count, 0.5, 2.0), mass, np.array([across, across, mass * 0.125]))


@pytest.mark.parametrize("turn_inner", [False, True])
def test_hollow_box(turn_inner):
    """A closed part inside another is a hollow, whichever way its faces look."""
    outer, triangles = box(4.0, 4.0, 6.0)
    inner = CORNERS * [2.0, 2.0, 2.0] + [0.0, 0.0, 1.0]
    hole = BOX[:, ::-1] if turn_inner else BOX
    result = mass_properties(np.concatenate([outer, inner]), np.concatenate([triangles, hole + 8]), density=1.0)
    assert result.mass == pytest.approx(96.0 - 8.0, rel=1e-14)
    height = -8.0 / 88.0
    np.testing.assert_allclose(result.centre, [0, 0, height], atol=1e-14)
    across = box_moments(96.0, 4, 4, 6)[0] + 96 * height**2 - box_moments(8.0, 2, 2, 2)[0] - 8 * (1 - height) ** 2
    along = box_moments(96.0, 4, 4, 6)[2] - box_moments(8.0, 2, 2, 2)[2]
    np.testing.assert_allclose(result.inertia, [across, across, along], rtol=1e-13)


def test_parts_side_by_side_and_nested_twice():
    """Separate parts add up though one is inside out; a part inside a hollow is solid again."""
    parts = [box(1, 1, 1)[0] * k for k in (4.0, 2.0, 1.0)] + [box(1, 1, 1)[0] + [5.0, 0, 0]]
    triangles = [BOX, BOX, BOX, BOX[:, ::-1]]
    faces = np.concatenate([t + 8 * k for k, t in enumerate(triangles)])
    result = mass_properties(np.concatenate(parts), faces, density=1.0)
    assert result.mass == pytest.approx(64.0 - 8.0 + 1.0 + 1.0, rel=1e-14)


def test_split_vertices_are_welded():
    """Triangles that share no vertex numbers, as from an STL file, still close."""
    vertices, triangles = box(2.0, 3.0, 5.0)
    result = mass_properties(vertices[triangles].reshape(-1, 3), np.arange(36).reshape(12, 3), density=1.0)
    assert result.closed
    assert result.mass == pytest.approx(30.0, rel=1e-14)


def test_cubes_touching_along_an_edge():
    """An edge with four faces bounds a volume all the same."""
    one = CORNERS + 0.5
    two = CORNERS + [1.5, 1.5, 0.5]
    result = mass_properties(np.concatenate([one, two]), np.concatenate([BOX, BOX + 8]), density=1.0)
    assert result.closed
    assert result.mass == pytest.approx(2.0, rel=1e-14)


def test_open_box_is_a_shell():
    """Without its lid (z up) a box is five plates: moments by hand."""
    vertices, triangles = box(2.0, 2.0, 2.0)
    lid = np.all(vertices[triangles][:, :, 2] == 1.0, axis=1)
    result = mass_properties(vertices, triangles[~lid], mass=5.0)
    assert not result.closed
    assert result.volume == 0.0
    assert result.area == pytest.approx(20.0)
    np.testing.assert_allclose(result.centre, [0, 0, -0.2], atol=1e-15)
    plate, edge = 4.0 / 12.0, 1.0  # ∫x²/m of a plate of width 2, and of one at distance 1
    x_square = 3 * plate + 2 * edge  # floor, two y walls; two x walls
    z_square = 4 * plate + 1 * edge - 5.0 * 0.04
    np.testing.assert_allclose(result.inertia, [x_square + z_square] * 2 + [2 * x_square], rtol=1e-14)


def test_flat_plate():
    """A lamina: Iz = Ix + Iy, all finite and positive; also as a closed mesh of no thickness."""
    vertices = np.array([[0, 0, 0], [2.0, 0, 0], [2, 3.0, 0], [0, 3, 0]])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    for triangles in (faces, np.concatenate([faces, faces[:, ::-1]])):
        result = mass_properties(vertices, triangles, mass=12.0)
        assert not result.closed
        np.testing.assert_allclose(result.inertia, [9.0, 4.0, 13.0], rtol=1e-14)
        np.testing.assert_allclose(result.centre, [1.0, 1.5, 0.0], atol=1e-15)


def test_thin_strip_keeps_a_least_inertia():
    """A strip as thin as a hair has positive moments, not below 1e-9 of the largest."""
    vertices = np.array([[0, 0, 0], [1.0, 0, 0], [1.0, 1e-8, 0], [0, 1e-8, 0]])
    result = mass_properties(vertices, np.array([[0, 1, 2], [0, 2, 3]]), mass=1.0)
    assert np.all(result.inertia > 0.99e-9 / 12)


def test_one_sided_surface_is_a_shell():
    """A Möbius strip has an edge; a closed one-sided surface (projective plane) bounds nothing."""
    vertices = np.random.default_rng(2).normal(size=(6, 3))
    plane = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 5, 1], [1, 2, 4], [2, 3, 5], [3, 4, 1], [4, 5, 2],
                      [5, 1, 3]])  # fmt: skip
    assert not mass_properties(vertices, plane, mass=1.0).closed


def test_axes_stay_close_to_the_mesh():
    """Turned a little, the frame turns a little; the order of the moments does not swap axes."""
    for size in itertools.permutations((1.0, 2.0, 3.0)):
        vertices, triangles = box(*size)
        for angle in (0.0, 0.1, -0.3):
            turn = matrix_from_quaternion(np.array([math.cos(angle / 2), 0, math.sin(angle / 2), 0]))
            result = mass_properties(vertices @ turn.T, triangles, mass=1.0)
            np.testing.assert_allclose(matrix_from_quaternion(result.rotation), turn, atol=1e-13)
            np.testing.assert_allclose(result.inertia, box_moments(1.0, *size), rtol=1e-13)


def test_float32_noise_does_not_turn_symmetric_bodies():
    """Cube, sphere and an upright cylinder rounded to float32 keep the mesh's axes."""
    for vertices, triangles in (box(1, 1, 1), sphere(24), cylinder(24, 0.5, 2.0)):
        noisy = (vertices * 0.7 + 0.3).astype(np.float32)
        rotation = mass_properties(noisy, triangles, mass=1.0).rotation
        assert 2.0 * math.acos(min(1.0, rotation[0])) < 1e-6


def test_tilted_cylinder():
    """Two equal moments: the distinct axis is followed by the smallest turn."""
    vertices, triangles = cylinder(24, 0.5, 2.0)
    turn = matrix_from_quaternion(np.array([math.cos(0.2), math.sin(0.2), 0, 0]))
    result = mass_properties(vertices @ turn.T, triangles, mass=1.0)
    np.testing.assert_allclose(matrix_from_quaternion(result.rotation), turn, atol=1e-12)


@pytest.mark.parametrize(
    "vertices, triangles, given, words",
    [
        (np.zeros((0, 3)), np.zeros((0, 3), int), {"mass": 1.0}, "no faces"),
        (CORNERS, np.zeros((0, 3), int), {"mass": 1.0}, "no faces"),
        (CORNERS * np.nan, BOX, {"mass": 1.0}, "not a number"),
        (CORNERS * np.inf, BOX, {"mass": 1.0}, "infinite|not a number"),
        (CORNERS * 0.0, BOX, {"mass": 1.0}, "one place"),
        (CORNERS * [1.0, 0.0, 0.0], BOX, {"mass": 1.0}, "no area"),
        (CORNERS, BOX + 1, {"mass": 1.0}, "not there"),
        (CORNERS, BOX - 1, {"mass": 1.0}, "not there"),
        (CORNERS, BOX * 1.0, {"mass": 1.0}, "vertex numbers"),
        (CORNERS, BOX, {}, "either a density or a mass"),
        (CORNERS, BOX, {"mass": 1.0, "density": 1.0}, "either a density or a mass"),
        (CORNERS, BOX, {"mass": 0.0}, "greater than zero"),
        (CORNERS, BOX, {"density": -1.0}, "greater than zero"),
        (CORNERS, BOX[:-1], {"density": 1.0}, "not closed"),
    ],
)
def test_refused_by_name(vertices, triangles, given, words):
    """Every mesh that cannot be weighed is refused with the name of the object."""
    with pytest.raises(SceneError, match=words) as caught:
        mass_properties(vertices, triangles, name="crate", **given)
    assert caught.value.object == "crate"
    assert str(caught.value).startswith("crate: ")
