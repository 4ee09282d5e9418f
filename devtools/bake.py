"""`dev.py bake`: from nothing but Python and pip to a baked .blend and a picture of it."""

from __future__ import annotations

import json
from pathlib import Path

from . import environments, extension, pins, pythons
from .folders import DEV, ROOT
from .processes import TIMED_OUT, CommandError, run, say

BAKE_LIMIT = 3600.0
SCRIPT = Path(__file__).parent / "inside" / "bake.py"


def _choose(name: str | None) -> pins.Blender:
    if name is None:
        version, _ = pythons.newest(pins.PYTHONS)
        return next(item for item in pins.BLENDERS if item.python == version)
    for which in pins.BLENDERS:
        if which.name == name:
            return which
    raise CommandError(f"there is no Blender {name} among {', '.join(item.name for item in pins.BLENDERS)}")


def bake(example: str, scene: Path | None, output: Path | None, blender: str | None) -> int:
    """Build, install, bake and render; prints where the results are."""
    which = _choose(blender)
    if scene is not None:
        source, name = scene.resolve(), scene.stem
    else:
        source, name = ROOT / "examples" / f"{example}.py", example
    if not source.is_file():
        raise CommandError(f"there is no {source}")
    folder = (output or DEV / "bake" / f"{name}-{which.name}").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / f"{name}.json"
    report.unlink(missing_ok=True)
    with extension.installed(which) as (environment_folder, env):
        say(f"baking {name} in Blender {which.bpy}")
        python = environments.python_of(environment_folder)
        code = run([python, SCRIPT, source, folder, report], timeout=BAKE_LIMIT, env=env)
    if code or not report.is_file():
        reason = "did not end in time" if code == TIMED_OUT else f"ended with exit code {code}"
        raise CommandError(f"the bake of {name} {reason}")
    result = json.loads(report.read_text(encoding="utf-8"))
    report.unlink()
    first, last = result["frames"]
    print(f"Blender {which.bpy}, frames {first} to {last}, baked in {result['seconds']:.1f} s")
    print(f"baked scene:   {result['blend']}")
    print(f"contact sheet: {result['sheet']}")
    return 0
