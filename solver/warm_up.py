"""Compile the solver in a child process, so that the program it is used in stays alive; only the first use needs it.

The child is this Python again. It imports the solver alone, under the same dotted name (code cached under another name
cannot be loaded), with bare stand-ins for the packages above it, whose own imports need Blender. What it compiles
is in the cache afterwards.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

from . import compile_cache, jit

PACKAGE = __package__

_CHILD = """
import importlib, json, sys, types
order = json.loads(sys.argv[1])
sys.path[:] = order["path"]
for name, path in order["packages"]:
    module = types.ModuleType(name)
    module.__path__ = path
    sys.modules[name] = module
importlib.import_module(order["solver"])
jit = importlib.import_module(order["solver"] + ".jit")
jit.compile_all(lambda done, count, name: print(done, count, name, flush=True))
"""


def child_command() -> list[str] | None:
    """Return the command that compiles everything, or None where no Python is at hand."""
    if not sys.executable or not os.path.basename(sys.executable).lower().startswith("python"):
        return None
    parts = PACKAGE.split(".")
    above = [".".join(parts[:length]) for length in range(1, len(parts))]
    packages = [(name, list(getattr(sys.modules.get(name), "__path__", []))) for name in above]
    order = {"path": [place for place in sys.path if place], "packages": packages, "solver": PACKAGE}
    return [sys.executable, "-I", "-c", _CHILD, json.dumps(order)]


def warm_up():
    """Yield progress 0…1 while a child process compiles; closing the generator ends the child.

    Returns whether everything is in the cache now. Where it is not, the first call compiles, which only takes longer.
    """
    if jit.is_warm():
        return True
    folder = jit.cache_folder
    command = child_command() if folder is not None else None
    if folder is None or command is None:
        return False
    environment = dict(os.environ)
    environment[compile_cache.FOLDER_VARIABLE] = str(folder.parent)
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would show a console
    try:
        child = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, creationflags=hidden,
        )
    except OSError:
        return False
    state = {"progress": 0.0}
    reader = threading.Thread(target=_follow, args=(child.stdout, state), name="tendril-warm-up", daemon=True)
    reader.start()
    try:
        while child.poll() is None:
            yield state["progress"]
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        reader.join()
        if child.stdout is not None:
            child.stdout.close()
    compile_cache.clean(folder)
    return child.returncode == 0 and jit.is_warm()


def _follow(lines, state) -> None:
    for line in lines:
        done, count = line.split()[:2]
        state["progress"] = int(done) / int(count)
