"""The wheels that the extension carries: downloaded as they are on the package index, and checked."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from . import pins
from .folders import DEV, WHEELS
from .processes import CommandError, lock, must_run, say


def _intact(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == pins.wheel_checksum(file.name)


def fetch(python: Path, abi: str, platform: str) -> list[Path]:
    """The wheels of one ABI and platform, in `wheels/`; ``python`` is any with pip."""
    files = [WHEELS / name for name in pins.wheel_names(abi, platform)]
    WHEELS.mkdir(exist_ok=True)
    with lock(DEV / "wheels.lock"):
        if all(_intact(file) for file in files):
            return files
        say(f"downloading the wheels for {abi} on {platform}")
        with tempfile.TemporaryDirectory(dir=DEV) as folder:
            requirements = Path(folder) / "requirements.txt"
            requirements.write_text(
                "".join(
                    f"{package}=={version} --hash=sha256:{pins.WHEELS[package, abi, platform]}\n"
                    for package, version in pins.CARRIED
                )
            )
            target = ["--implementation", "cp", "--python-version", abi[2:], "--abi", abi]
            target += ["--platform", pins.PLATFORMS[platform][0], "--only-binary=:all:", "--no-deps"]
            command = [python, "-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--require-hashes"]
            must_run(
                [*command, *target, "--dest", folder, "--requirement", requirements],
                timeout=1800,
                log=DEV / "wheels.log",
                what=f"downloading the wheels for {abi} on {platform}",
            )
            for file in files:
                shutil.move(Path(folder) / file.name, file)
        for file in files:
            if not _intact(file):
                raise CommandError(f"{file} is not the file that is pinned")
    return files
