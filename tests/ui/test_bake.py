"""A bake in a real Blender: alive while it solves, ESC keeps what is done, one undo takes it back; the command line."""

from __future__ import annotations

import json
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"


def test_bake_stop_undo(in_window):
    log = in_window("bake_stop_undo", limit=600.0).log
    assert "Traceback" not in log
    for line in (
        "check {'FINISHED'} 0",
        "bake {'RUNNING_MODAL'}",
        "second bake is refused True",
        "undo waits True",
        "stopped CANCELLED True True",
        "one undo False True True 0",
        "redo True",
        "finished FINISHED 60",
        "undo brings the bake before it True",
        "clear {'FINISHED'} False",
        "undone clear True",
    ):
        assert line in log, log[-4000:]


def told(text):
    lines = [line for line in text.splitlines() if line.startswith("{")]
    assert len(lines) == 1, text
    return json.loads(lines[0])


def test_command_line(blender):
    file = blender.profile / "falling.blend"  # a folder that a runner's Blender sees
    code, text = blender.run(["-b", "--python", SCRIPTS / "save_scene.py", "--", file], "save_scene")
    assert code == 0 and file.is_file(), text
    output = blender.profile / "baked.blend"
    words = ["-b", file, "-c", "tendril"]
    code, text = blender.run([*words, "bake", "--frames", "-2:7", "--output", output], "bake")
    assert (code, told(text)["frames"], told(text)["frame_end"]) == (0, 10, 7)
    assert output.is_file()
    assert blender.run([*words, "check"], "check")[0] == 0
    code, text = blender.run([*words, "bake", "--frames", "9:3"], "bake_wrong")
    assert (code, told(text)["status"]) == (1, "REFUSED")
    assert blender.run([*words, "fry"], "usage")[0] == 2
