"""What artists do by mistake, before and during a bake: nothing crashes, and the sentences say what to do."""

from __future__ import annotations


def test_wrong_things(in_window):
    log = in_window("wrong_things", limit=600.0).log
    assert "Traceback" not in log
    assert "out of range" not in log  # what Blender says of keys that do not fit what they move
    for line in (
        "nothing tagged: REFUSED 0 [''] There is nothing to simulate. Select a mesh or a curve",
        "no partners: REFUSED 0 ['Empty'] It has no partners. Choose",
        "partner deleted: REFUSED 0 ['Rope'] Its end is attached to Box, which has been deleted. Choose",
        "edit mode: REFUSED 0 ['Rope'] It is in Edit Mode",
        "end before start: REFUSED 0 [''] The bake starts at frame 10 and ends before it, at frame 5. Set",
        "second bake is refused True True",
        "undo by menu {'FINISHED'}",
        "still running after undo True",
        "still running after play and workspace True",
        "range changed: CANCELLED True",
        "kept from frame 1",
        "body deleted: REFUSED False Box: It was deleted or renamed while it was baked",
        "half results []",
        "into edit mode: CANCELLED True",
        "out of edit mode OBJECT True",
        "scene renamed: CANCELLED True",
        "running after save True",
        "file loaded True CANCELLED",
        "bake after load FINISHED 24",
        "disabled True",
        "bake after enable FINISHED 24",
        "quitting",
    ):
        assert line in log, f"{line!r} is missing\n{log[-6000:]}"
