"""``blender -b FILE -c tendril bake|check``: the same bake and check, for scripts and farms.

Exit codes: 0 done, 1 the bake or the check has problems (cancelled, unstable, or a scene to mend), 2 wrong usage.
One line on standard output is a JSON object, the one that starts with `{`; Blender has lines of its own there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

import bpy

from ..bridge import bake
from ..bridge.check import check

DONE, PROBLEMS, USAGE = 0, 1, 2


class UsageError(Exception):
    """Wrong arguments; the message says what is wrong."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message)


def frame_range(text: str) -> tuple[int, int]:
    """Return (first, last) of ``A:B``."""
    first, colon, last = text.partition(":")
    try:
        frames = int(first), int(last)
    except ValueError:
        frames = None
    if frames is None or not colon:
        raise argparse.ArgumentTypeError(f"{text!r} is no range of frames: write FIRST:LAST, as in 1:250")
    return frames


def parser() -> argparse.ArgumentParser:
    """Return the parser of ``tendril``'s arguments."""
    main = _Parser(prog="blender -b FILE -c tendril", description="Bake or check the Tendril simulation of a file.")
    commands = main.add_subparsers(dest="command", required=True, metavar="COMMAND")
    baking = commands.add_parser("bake", help="bake a scene, and save the file")
    baking.add_argument("--frames", type=frame_range, metavar="A:B", help="first and last frame to bake")
    baking.add_argument("--output", metavar="OUT.blend", help="save here instead of over the file")
    checking = commands.add_parser("check", help="say what has to be mended before a bake")
    for command in (baking, checking):
        command.add_argument("--scene", metavar="S", help="name of the scene, instead of the file's active one")
    return main


def run(arguments: list[str]) -> int:
    """Carry out ``arguments``; return the exit code."""
    try:
        options = parser().parse_args(_joined(arguments))
        scene = _scene(options.scene)
        if options.command == "bake":
            _check_output(options.output)
    except UsageError as error:
        print(f"tendril: {error}", file=sys.stderr)
        return _tell({"status": "USAGE", "problems": [{"object": "", "sentence": str(error)}]}, USAGE)
    except SystemExit as stop:  # --help
        return DONE if not stop.code else USAGE
    if options.command == "check":
        found = [{"object": name, "sentence": sentence} for name, sentence in check(scene)]
        return _tell({"status": "PROBLEMS" if found else "FINE", "scene": scene.name, "problems": found},
                     PROBLEMS if found else DONE)
    return _bake(scene, options.frames, options.output)


def _joined(arguments: list[str]) -> list[str]:
    """Keep argparse from taking a negative first frame for an option: ``--frames -10:5`` → ``--frames=-10:5``."""
    result: list[str] = []
    for argument in arguments:
        if result and result[-1] == "--frames":
            result[-1] = f"--frames={argument}"
        else:
            result.append(argument)
    return result


def _scene(name: str | None):
    if name is None:
        return bpy.context.scene
    scene = bpy.data.scenes.get(name)
    if scene is None:
        there = ", ".join(scene.name for scene in bpy.data.scenes)
        raise UsageError(f"there is no scene named {name!r}; there are: {there}")
    return scene


def _check_output(path: str | None) -> None:
    if path is None and not bpy.data.filepath:
        raise UsageError("no file was opened: name one before -c, or say where to save with --output")
    if path is not None and not path.endswith(".blend"):
        raise UsageError(f"--output {path!r} has to end in .blend")
    folder = os.path.dirname(os.path.abspath(path or bpy.data.filepath))
    if not os.access(folder, os.W_OK):  # better now than after hours
        raise UsageError(f"nothing can be saved in {folder!r}: make that folder, or name another with --output")


def _bake(scene, frames, output) -> int:
    outcome = bake.Bake(scene, frames=frames).run()
    told = {"scene": scene.name, **outcome.as_json()}
    code = DONE if outcome.status == "FINISHED" else PROBLEMS
    if outcome.frames:  # also what an unstable bake has left
        scene.tendril.status = outcome.sentence()
        path = os.path.abspath(output or bpy.data.filepath)
        try:
            bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
            told["output"] = path
        except RuntimeError as error:
            told["problems"].append({"object": "", "sentence": f"The file was not saved: {error}".strip()})
            told["status"], code = "UNSAVED", PROBLEMS
    return _tell(told, code)


def _tell(result: dict, code: int) -> int:
    print(json.dumps(result), flush=True)
    return code


_handle = None


def register() -> None:
    global _handle
    _handle = bpy.utils.register_cli_command("tendril", run)


def unregister() -> None:
    global _handle
    bpy.utils.unregister_cli_command(_handle)
    _handle = None
