"""Where compiled code is kept, and when it must not be used any more.

Numba's own key knows the file of the entry point alone: it would go on using old code after a change in a file that
the entry calls, and it cannot load under another package name what was written under this one. So every cache has
a folder of its own, named after the package, the Python and Numba in use, and a stamp of all sources of the solver.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

FOLDER_VARIABLE = "TENDRIL_CACHE_DIR"  # set by the Blender side to the extension's user folder, before the import
OLD = 14 * 24 * 3600.0  # seconds after which a folder of another stamp is thrown away
PREFIX = "kernels-"
PACKAGE = __package__
SOURCES = Path(__file__).parent


def source_stamp(folder: Path = SOURCES) -> str:
    """Return a hash over name and text of every Python file of the solver."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def folder_name(package: str, versions: str, stamp: str) -> str:
    """Return the name of a cache folder; ``versions`` names what else compiled code depends on."""
    key = hashlib.sha256(f"{package}\n{versions}".encode()).hexdigest()[:8]
    return f"{PREFIX}py{sys.version_info.major}{sys.version_info.minor}-{key}-{stamp}"


def candidates() -> list[Path]:
    """Return the places to try, best first."""
    places = [os.environ.get(FOLDER_VARIABLE), os.environ.get("NUMBA_CACHE_DIR")]
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA")
        places.append(os.path.join(home, "tendril", "cache") if home else None)
    elif sys.platform == "darwin":
        places.append(os.path.expanduser("~/Library/Caches/tendril"))
    else:
        places.append(os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tendril"))
    return [Path(place) for place in places if place]


def choose(versions: str) -> Path | None:
    """Return the folder to use, in a place that can be written; None where there is no such place at all."""
    try:
        name = folder_name(PACKAGE, versions, source_stamp())
    except OSError:
        return None  # sources inside a zip: nothing to be sure of
    for place in candidates():
        if _can_write(place):
            return place / name
    try:
        # private, and gone with the process: a shared folder of code that others may write is no cache
        place = Path(tempfile.mkdtemp(prefix="tendril-"))
    except OSError:
        return None
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    os.environ[FOLDER_VARIABLE] = str(place)  # for the child process that compiles
    return place / name


def use(folder: Path) -> None:
    """Make ``folder`` if needed, and note that it is in use; raises ``OSError``."""
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return False
    return True


def clean(folder: Path) -> list[str]:
    """Throw away the caches beside ``folder`` that have not been used for a while; return their names."""
    gone = []
    for other in folder.parent.glob(f"{PREFIX}*"):
        try:
            stale = other != folder and other.is_dir() and time.time() - other.stat().st_mtime > OLD
        except OSError:
            continue
        if stale and not other.is_symlink():
            shutil.rmtree(other, ignore_errors=True)
            gone.append(other.name)
    return gone
