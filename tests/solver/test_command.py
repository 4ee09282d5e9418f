"""``python -m tendril.solver``: frames to a file, and what its exit codes mean."""

import subprocess
import sys

import numpy as np
import pytest

from tendril.solver import RigidBody, Rod, RodEnd, Scene, Settings, Simulation, SimulationDiverged, save_scene
from tendril.solver.__main__ import BAD_FILE, DIVERGED, DONE, main

SCENE = Scene(
    (RigidBody("旗", position=(3, 0, 0), angular_velocity=(1, 2, 3), inertia=(1, 2, 2.5)),),
    (Rod("rope", points=[(0, 0, 0), (1, 0, 0)], elements=2, order=3, start=RodEnd("clamped")),),
    settings=Settings(frame_count=4, substeps=3),
)


@pytest.fixture
def scene_file(tmp_path):
    """A falling body and a clamped rope."""
    path = tmp_path / "scene.tendril"
    save_scene(path, SCENE)
    return path


def read(path):
    """The arrays, without pickle."""
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def test_command_equals_the_solver_bit_for_bit(scene_file):
    """Every frame, and where each object's nodes are, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tendril.solver", scene_file], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == DONE, done.stderr
    assert "4 frames written" in done.stderr
    result = read(scene_file.with_suffix(".npz"))
    frames = list(Simulation(SCENE).frames())
    np.testing.assert_array_equal(result["positions"], np.stack([frame.positions for frame in frames]))
    np.testing.assert_array_equal(result["rotations"], np.stack([frame.rotations for frame in frames]))
    np.testing.assert_allclose(result["times"], np.arange(4) / 24.0, rtol=1e-15)
    assert result["names"].tolist() == ["旗", "rope"]
    assert result["kinds"].tolist() == ["body", "rod"]
    assert (result["last"] - result["first"]).tolist() == [1, 7]
    body = result["positions"][0, result["first"][0]]
    np.testing.assert_array_equal(body, [3, 0, 0])
    assert result["energies"].shape == (4, 3)


def test_fewer_frames(scene_file, tmp_path):
    """--frames stops early; more than the scene has is refused."""
    out = tmp_path / "some.npz"
    assert main([str(scene_file), "-o", str(out), "--frames", "2"]) == DONE
    assert len(read(out)["positions"]) == 2
    assert main([str(scene_file), "-o", str(out), "--frames", "5"]) == BAD_FILE
    assert main([str(scene_file), "-o", str(out), "--frames", "0"]) == BAD_FILE


def test_diverged_keeps_the_frames_before(scene_file, tmp_path, monkeypatch, capsys):
    """Exit code 1, the object's name, and what was right until then."""
    advance = Simulation.advance

    def fail_at_two(simulation):
        if simulation.index == 1:
            raise SimulationDiverged(2, "rope")
        return advance(simulation)

    monkeypatch.setattr(Simulation, "advance", fail_at_two)
    out = tmp_path / "out.npz"
    assert main([str(scene_file), "-o", str(out)]) == DIVERGED
    assert len(read(out)["positions"]) == 2
    assert "error: rope:" in capsys.readouterr().err


def test_bad_files(scene_file, tmp_path, capsys):
    """Missing, damaged, and nowhere to write: exit code 2 and a sentence."""
    assert main([str(tmp_path / "none")]) == BAD_FILE
    assert "none" in capsys.readouterr().err
    assert main([str(scene_file), "-o", str(tmp_path / "nowhere" / "out.npz")]) == BAD_FILE
    scene_file.write_bytes(scene_file.read_bytes()[:-1])
    assert main([str(scene_file)]) == BAD_FILE
    assert "error: scene.tendril: the file is damaged" in capsys.readouterr().err
