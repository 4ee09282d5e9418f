"""A real Blender with its window, the extension installed in a profile of its own, and scripts that use it.

Where it comes from, first that is there:

* ``TENDRIL_UI_RUNNER``: a program that brings its own screen. ``RUNNER run ARGS…`` is ``blender ARGS…``, and
  ``RUNNER ui SCRIPT.py OUT.png ARGS…`` runs SCRIPT with a ``ui`` object in it, photographs the screen and quits.
* ``BLENDER``: a command that starts a Blender; it opens on the screen there is, or on a virtual one (xvfb-run).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import extension, pins
from .folders import DEV, ROOT
from .processes import CommandError, environment, run

FOLDER = DEV / "ui"
DRIVER = Path(__file__).parent / "inside" / "window_driver.py"
SETUP_LIMIT = 1800.0
COMMAND_LIMIT = 300.0
TOOL = "real-blender.sh"  # a runner that may lie beside the project
PROBE = "import sys, bpy; print('BLENDER-IS', bpy.app.version_string.split()[0], 'cp%d%d' % sys.version_info[:2])"


class NoBlenderError(RuntimeError):
    """There is no real Blender to test in; the message says why."""


def locate() -> tuple[list[str], bool]:
    """The command that starts Blender, and whether it is a runner with a screen of its own."""
    words = shlex.split(os.environ.get("BLENDER", ""))
    if words and Path(words[0]).name == TOOL:
        return words[:1], True
    if os.environ.get("TENDRIL_UI_RUNNER"):
        return shlex.split(os.environ["TENDRIL_UI_RUNNER"]), True
    if words:
        return words, False
    beside = ROOT.parent / "shared" / "tools" / TOOL
    if os.access(beside, os.X_OK):
        return [str(beside)], True
    raise NoBlenderError("neither BLENDER nor TENDRIL_UI_RUNNER names a Blender")


def _screen() -> list[str]:
    """What to put in front of Blender so that it has a screen."""
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return []
    virtual = shutil.which("xvfb-run")
    if virtual is None:
        raise NoBlenderError("this machine has neither a screen nor xvfb-run")
    return [virtual, "-a", "-s", "-screen 0 1600x1000x24"]


@dataclass(frozen=True)
class Session:
    """What a script in the window left behind."""

    code: int
    log: str
    picture: Path


class Window:
    """A Blender with Tendril installed; use it from one process at a time."""

    def __init__(self) -> None:
        self.command, self.is_runner = locate()
        extension.remove_abandoned(FOLDER)
        self.folder = FOLDER / f"run-{os.getpid()}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.profile, self.home = self.folder / "profile", self.folder / "home"
        for folder in (self.profile, self.home):
            folder.mkdir(parents=True)
        self.variables = environment(
            BLENDER_USER_RESOURCES=str(self.profile), REAL_BLENDER_PROFILE=str(self.home), NUMBA_CACHE_DIR=None
        )
        if not self.is_runner:
            self.screen = _screen()
        self.version, self.abi = self._probe()

    def run(self, words: Sequence[str | Path], name: str, limit: float = COMMAND_LIMIT) -> tuple[int, str]:
        """`blender WORDS…` without a window: exit code and text."""
        start = [*self.command, "run"] if self.is_runner else self.command
        return self._logged([*start, *words], name, limit)

    def _logged(self, command: Sequence[str | Path], name: str, limit: float) -> tuple[int, str]:
        log = self.folder / f"{name}.log"
        code = run(command, timeout=limit, env=self.variables, cwd=ROOT, output=log)
        return code, log.read_text(encoding="utf-8", errors="replace")

    def _probe(self) -> tuple[str, str]:
        """Version and ABI; sets the runner up where that is needed."""
        try:
            words = ["-b", "--factory-startup", "--python-expr", PROBE]
            code, text = self.run(words, "probe", SETUP_LIMIT)
        except OSError as error:
            raise NoBlenderError(f"{shlex.join(self.command)} cannot be run: {error}") from error
        found = re.search(r"BLENDER-IS (\S+) (\S+)", text)
        if found is None:
            last = (text.strip().splitlines() or ["it printed nothing"])[-1]
            raise NoBlenderError(f"{shlex.join(self.command)} gives no Blender (exit code {code}): {last}")
        version, abi = found.groups()
        if ("numba", abi, extension.this_platform()) not in pins.WHEELS:
            raise NoBlenderError(f"Blender {version} has a Python for which there are no wheels: {abi}")
        return version, abi

    def install(self) -> None:
        """Install the extension by Blender's own command line, from a zip with this Blender's ABI."""
        archive = extension.test_zip(self.abi)
        try:
            inside = self.profile / archive.name
            shutil.move(archive, inside)
            words = ["--command", "extension", "install-file", "-r", "user_default", "-e", inside]
            code, text = self.run(words, "install")
            installed = self.profile / "extensions/user_default/tendril/__init__.py"
            if code or not installed.is_file() or "Traceback" in text:
                raise CommandError(f"installing into Blender {self.version} ended with {code}:\n{text}")
            inside.unlink()
        finally:
            archive.unlink(missing_ok=True)

    def script(self, file: Path, name: str, words: Sequence[str | Path] = (), limit: float = COMMAND_LIMIT) -> Session:
        """Run the UI script ``file`` in the window; ``words`` go to Blender.

        Its picture and log, and whatever it puts beside the picture, are in `.dev/ui/` once the window is closed.
        """
        picture = self.folder / f"{name}.png"
        picture.unlink(missing_ok=True)
        if self.is_runner:
            command = [*self.command, "ui", file, picture, *words]
        else:
            command = [*self.screen, *self.command, "--enable-event-simulate", "--window-geometry", "0", "0"]
            command += ["1600", "1000", *words, "--python", DRIVER, "--", file, picture]
        code, text = self._logged(command, name, limit)
        return Session(code, text, picture)

    def close(self) -> None:
        """Leave what can be looked at in `.dev/ui/`, and nothing else; another run may be doing the same."""
        for file in self.folder.iterdir():
            if file.is_file():
                file.replace(FOLDER / file.name)
        shutil.rmtree(self.folder, ignore_errors=True)
