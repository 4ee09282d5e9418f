"""Extension zips, made by Blender's own builder, and clean profiles into which they are installed."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from . import environments, pins, wheels
from .folders import DEV, DIST, PACKAGE_FILES, PACKAGE_FOLDERS, PROFILES, ROOT, ZIPS
from .processes import CommandError, alive, environment, must_run, say

BUILD_LIMIT = 600.0
INSTALL_LIMIT = 600.0
INSTALL_SCRIPT = Path(__file__).parent / "inside" / "install.py"


def this_platform() -> str:
    """Blender's name of the platform that this is."""
    system = {"linux": "linux", "win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine())
    name = f"{system}-{machine}"
    if name not in pins.PLATFORMS:
        raise CommandError(f"Tendril has no wheels for {name}; it has them for {', '.join(pins.PLATFORMS)}")
    return name


def manifest() -> dict:
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


def stage(folder: Path) -> Path:
    """Copy what the package is made of into ``folder``."""
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")
    for name in PACKAGE_FOLDERS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for name in PACKAGE_FILES:
        if (ROOT / name).is_file():
            shutil.copy2(ROOT / name, folder / name)
    return folder


def _builder(folder: Path) -> tuple[list[str | Path], Path]:
    """The command line of Blender's extension tool in an environment with bpy, and its list of tags."""
    tools = sorted(folder.glob("**/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not tools:
        raise CommandError(f"found no extension builder in {folder}")
    tags = tools[0].parents[3] / "modules/_bpy_internal/extensions/tags.py"
    return [environments.python_of(folder), tools[0]], tags


def test_zip(abi: str) -> Path:
    """A zip for this platform and one ABI only: quick to make and to install, otherwise as it is released."""
    _, blender_folder = environments.any_blender()
    tool, tags = _builder(blender_folder)
    system = this_platform()
    files = wheels.fetch(environments.python_of(blender_folder), abi, system)
    ZIPS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=DEV) as name:
        source = stage(Path(name) / "tendril")
        (source / "wheels").mkdir()
        for file in files:
            _link(file, source / "wheels" / file.name)
        text = (source / "blender_manifest.toml").read_text(encoding="utf-8")
        rows = "".join(f'  "./wheels/{file.name}",\n' for file in files)
        text, count = re.subn(r"^wheels = \[\n.*?^\]", f"wheels = [\n{rows}]", text, flags=re.DOTALL | re.MULTILINE)
        text, platforms = re.subn(r"^platforms = .*$", f'platforms = ["{system}"]', text, flags=re.MULTILINE)
        if (count, platforms) != (1, 1):
            raise CommandError("blender_manifest.toml: expected one list of wheels and one line of platforms")
        (source / "blender_manifest.toml").write_text(text, encoding="utf-8")
        output = Path(name) / "tendril.zip"
        command = [*tool, "build", "--source-dir", source, "--output-filepath", output, "--valid-tags", tags]
        must_run(command, timeout=BUILD_LIMIT, log=ZIPS / "build.log", what="building the extension")
        result = ZIPS / f"tendril-{manifest()['version']}-{system}-{abi}-{os.getpid()}.zip"
        shutil.move(output, result)
    check_contents(result)
    return result


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)


def release_zips() -> list[Path]:
    """The zips of a release, one a platform with every released ABI, validated, in `dist/`."""
    _, blender_folder = environments.any_blender()
    tool, tags = _builder(blender_folder)
    expected = {f"./wheels/{name}" for abi in pins.RELEASE_ABIS for system in pins.PLATFORMS
                for name in pins.wheel_names(abi, system)}  # fmt: skip
    difference = expected ^ set(manifest()["wheels"])
    if difference:
        raise CommandError(f"blender_manifest.toml and devtools/pins.py differ in {', '.join(sorted(difference))}")
    with tempfile.TemporaryDirectory(dir=DEV) as name:
        source = stage(Path(name) / "tendril")
        (source / "wheels").mkdir()
        for system in pins.PLATFORMS:
            for abi in pins.RELEASE_ABIS:
                for file in wheels.fetch(environments.python_of(blender_folder), abi, system):
                    _link(file, source / "wheels" / file.name)
        output = Path(name) / "zips"
        output.mkdir()
        command = [*tool, "build", "--source-dir", source, "--output-dir", output, "--split-platforms"]
        must_run([*command, "--valid-tags", tags], timeout=BUILD_LIMIT, log=DEV / "build.log", what="building the zips")
        DIST.mkdir(exist_ok=True)
        results = []
        for file in sorted(output.glob("*.zip")):
            command = [*tool, "validate", "--valid-tags", tags, file]
            must_run(command, timeout=BUILD_LIMIT, log=DEV / "build.log", what=f"validating {file.name}")
            check_contents(file)
            shutil.move(file, DIST / file.name)
            results.append(DIST / file.name)
    if len(results) != len(pins.PLATFORMS):
        raise CommandError(f"expected a zip for each of {', '.join(pins.PLATFORMS)}, got {len(results)}")
    return results


def check_contents(file: Path) -> None:
    """Refuse a zip with anything but the package, its data and its wheels."""
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
    allowed = {*PACKAGE_FOLDERS, "wheels"}
    strays = [name for name in names if name.split("/")[0] not in allowed and name not in PACKAGE_FILES]
    if strays:
        raise CommandError(f"{file.name} holds what does not belong into it: {', '.join(strays[:5])}")
    missing = {"__init__.py", "blender_manifest.toml", "LICENSE"} - set(names)
    if missing:
        raise CommandError(f"{file.name} lacks {', '.join(sorted(missing))}")


@contextlib.contextmanager
def installed(which: pins.Blender) -> Iterator[tuple[Path, dict[str, str]]]:
    """The extension in a clean profile of one Blender: yields the environment's folder and its variables."""
    folder = environments.blender(which)
    profile = PROFILES / f"{which.name}-{os.getpid()}"
    remove_abandoned(PROFILES)
    shutil.rmtree(profile, ignore_errors=True)
    profile.mkdir(parents=True)
    archive = test_zip(which.abi)
    variables = environment(
        BLENDER_USER_RESOURCES=str(profile), PYTHONNOUSERSITE="1", NUMBA_CACHE_DIR=None, TENDRIL_CACHE_DIR=None
    )
    try:
        say(f"installing {archive.name} into a clean profile of Blender {which.name}")
        must_run(
            [environments.python_of(folder), INSTALL_SCRIPT, archive],
            env=variables,
            timeout=INSTALL_LIMIT,
            log=PROFILES / f"{profile.name}.log",
            what=f"installing the extension into Blender {which.name}",
        )
        yield folder, variables
    finally:
        archive.unlink(missing_ok=True)
        shutil.rmtree(profile, ignore_errors=True)


def remove_abandoned(folder: Path) -> None:
    """Remove the profiles, their logs and the zips of runs that ended without doing so."""
    for entry in [*folder.glob("*-*"), *ZIPS.glob("*-*.zip")]:
        if entry.is_dir() or entry.suffix in (".log", ".zip"):
            name = entry.name if entry.is_dir() else entry.stem
            owner = name.rsplit("-", 1)[1]
            if owner.isdigit() and not alive(int(owner)):
                shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink(missing_ok=True)
