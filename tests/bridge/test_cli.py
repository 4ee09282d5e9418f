"""The command line: exit codes, one line of JSON, scene, frames and output."""

from __future__ import annotations

import json

import bpy
import pytest
import scenes

from bl_ext.user_default.tendril.bridge import result
from bl_ext.user_default.tendril.operators import cli


@pytest.fixture
def file(clean_scene, tmp_path):
    clean_scene.frame_end = 4
    clean_scene.tendril.substeps = 2
    scenes.body()
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def run(capfd, *arguments):
    code = cli.run(list(arguments))
    lines = [line for line in capfd.readouterr().out.splitlines() if line.startswith("{")]
    assert len(lines) == 1
    return code, json.loads(lines[0])


def test_bake_saves_over_the_file(file, capfd):
    code, told = run(capfd, "bake")
    assert (code, told["status"], told["frames"]) == (0, "FINISHED", 4)
    assert told["output"] == str(file)
    bpy.ops.wm.open_mainfile(filepath=str(file))
    assert result.baked_objects(bpy.context.scene)


def test_bake_frames_into_another_file(file, capfd, tmp_path):
    output = tmp_path / "out.blend"
    code, told = run(capfd, "bake", "--scene", "Scene", "--frames", "-3:2", "--output", str(output))
    assert (code, told["frame_start"], told["frame_end"]) == (0, -3, 2)
    bpy.ops.wm.open_mainfile(filepath=str(file))
    assert not result.baked_objects(bpy.context.scene)
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert result.baked_objects(bpy.context.scene)


@pytest.mark.parametrize("arguments", [
    (), ("boil",), ("bake", "--scene", "Nowhere"), ("bake", "--frames", "1-5"), ("bake", "--frames"),
    ("bake", "--output", "x.png"), ("bake", "--depth", "3"),
])
def test_wrong_usage(file, capfd, arguments):
    code, told = run(capfd, *arguments)
    assert (code, told["status"]) == (2, "USAGE")
    assert told["problems"][0]["sentence"]


def test_bake_with_problems(file, capfd):
    ob = scenes.body("Wrong", vertices=[(0, 0, 0)], faces=[])
    code, told = run(capfd, "bake")
    assert (code, told["status"]) == (1, "REFUSED")
    assert told["problems"][0]["object"] == ob.name
    assert "output" not in told


def test_check(file, capfd):
    assert run(capfd, "check") == (0, {"status": "FINE", "scene": "Scene", "problems": []})
    scenes.body("Wrong", vertices=[(0, 0, 0)], faces=[])
    code, told = run(capfd, "check")
    assert (code, told["status"], told["problems"][0]["object"]) == (1, "PROBLEMS", "Wrong")


def test_output_that_cannot_be_written(file, capfd, tmp_path):
    code, told = run(capfd, "bake", "--output", str(tmp_path / "no" / "folder" / "x.blend"))
    assert (code, told["status"]) == (2, "USAGE")
    assert str(tmp_path / "no" / "folder") in told["problems"][0]["sentence"]
    taken = tmp_path / "taken.blend"
    taken.mkdir()
    code, told = run(capfd, "bake", "--output", str(taken))
    assert (code, told["status"]) == (1, "UNSAVED")


def test_no_file(clean_scene, capfd):
    code, told = run(capfd, "bake")
    assert code == 2
    assert "no file was opened" in told["problems"][0]["sentence"]


def test_help(capfd):
    assert cli.run(["--help"]) == 0
    assert "bake" in capfd.readouterr().out
