"""Preset files: named lists of settings in TOML. Whoever wrote one, it is data: its size and types are checked here.

A file is a list of ``[[presets]]``, each with a ``name``, perhaps a ``group`` (its heading in the menu) and ``about``
(a sentence), and settings: numbers, words, true or false. Nothing here knows Blender, or what a setting means.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

FILE_SIZE = 64 * 1024  # bytes: the largest file that is read
FILES = 500  # of one folder
PRESETS = 200  # of one file
NAME_LENGTH = 60
TEXT_LENGTH = 300
TEXTS = {"name": NAME_LENGTH, "group": NAME_LENGTH, "about": TEXT_LENGTH}

Setting = bool | int | float | str


class PresetError(ValueError):
    """What is wrong with a preset or its file, as one sentence for the artist."""


@dataclass(frozen=True)
class Preset:
    """Settings with a name. ``values`` are as in the file: lengths in m, angles in degrees."""

    name: str
    values: dict[str, Setting]
    group: str = ""
    about: str = ""
    path: Path = field(default=Path(), compare=False)
    is_own: bool = field(default=False, compare=False)  # saved by the artist, not shipped


def checked_name(name: str) -> str:
    """Return a name as it is kept, or raise ``PresetError``."""
    name = name.strip()
    if not name:
        raise PresetError("The preset has no name. Give it one")
    if len(name) > NAME_LENGTH:
        raise PresetError(f"The name is longer than {NAME_LENGTH} letters. Give it a shorter one")
    if not name.isprintable():
        raise PresetError("The name has letters that cannot be shown. Give it another")
    return name


def read_file(path: Path, is_own: bool = False) -> tuple[list[Preset], list[str]]:
    """Return the presets of a file, and a sentence for each that is left out."""
    try:
        entries = _entries(path)
    except PresetError as error:
        return [], [f"{path.name} was left out: {error}"]
    presets, problems = [], []
    for number, entry in enumerate(entries, start=1):
        try:
            presets.append(_preset(entry, path, is_own))
        except PresetError as error:
            problems.append(f"Preset {number} of {path.name} was left out: {error}")
    return presets, problems


def _entries(path: Path) -> list:
    """Return the list in a file; raises ``PresetError``."""
    try:
        if not path.is_file():  # opening a pipe would wait for ever
            raise PresetError("it is not a file")
        with path.open("rb") as file:
            content = file.read(FILE_SIZE + 1)
    except OSError as error:
        raise PresetError(f"it cannot be read ({error.strerror})") from error
    if len(content) > FILE_SIZE:
        raise PresetError(f"it is larger than {FILE_SIZE // 1024} KiB")
    try:
        data = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise PresetError("it is not text in UTF-8") from error
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0][:80] if isinstance(error, tomllib.TOMLDecodeError) else "out of bounds"
        raise PresetError(f"it is not TOML ({reason})") from error
    entries = data.get("presets")
    if not isinstance(entries, list) or set(data) != {"presets"}:
        raise PresetError("it has to be a list of [[presets]] and nothing else")
    if len(entries) > PRESETS:
        raise PresetError(f"it holds more than {PRESETS} presets")
    return entries


def _preset(entry: object, path: Path, is_own: bool) -> Preset:
    """Return one entry of a file as a preset; raises ``PresetError``."""
    if not isinstance(entry, dict):
        raise PresetError("it is not a table")
    texts = {}
    for key, length in TEXTS.items():
        text = entry.get(key, "")
        if not isinstance(text, str) or len(text) > length or not text.isprintable():
            raise PresetError(f"its {key} has to be at most {length} letters in one line")
        texts[key] = text
    texts["name"] = checked_name(texts["name"])
    values = {}
    for key, value in entry.items():
        if key in TEXTS:
            continue
        if not isinstance(value, Setting) or (isinstance(value, str) and len(value) > NAME_LENGTH):
            raise PresetError(f"its {key[:NAME_LENGTH]!r} has to be a number, a word, true or false")
        values[key] = value
    if not values:
        raise PresetError("it has no settings")
    return Preset(**texts, values=values, path=path, is_own=is_own)


def read_folder(folder: Path) -> tuple[list[Preset], list[str]]:
    """Return the artist's own presets in a folder, and a sentence for each that is left out."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".toml")
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [f"The folder of your own presets cannot be read ({error.strerror})"]
    presets, problems = [], []
    if len(paths) > FILES:
        problems.append(f"Only {FILES} of the {len(paths)} files of your own presets were read")
    for path in paths[:FILES]:
        found, wrong = read_file(path, is_own=True)
        presets += found
        problems += wrong
    return presets, problems


def file_name(name: str) -> str:
    """Return the name of the file for a preset: legible, allowed on every system, and another for every name."""
    legible = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "preset"
    return f"{legible}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}.toml"


def written(preset: Preset) -> str:
    """Return a preset as the text of a file."""
    lines = ["[[presets]]", f"name = {_text(preset.name)}"]
    lines += [f"{key} = {_text(value) if isinstance(value, str) else _number(value)}"
              for key, value in preset.values.items()]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # what JSON quotes, TOML reads, of printable letters


def _number(value: bool | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def write_file(preset: Preset) -> None:
    """Write a preset to its path, whole or not at all; raises ``PresetError``."""
    unfinished = preset.path.with_suffix(".part")
    try:
        preset.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(written(preset), encoding="utf-8", newline="\n")
        os.replace(unfinished, preset.path)
    except (OSError, UnicodeEncodeError) as error:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise PresetError(f"It could not be written ({getattr(error, 'strerror', None) or error})") from error


def is_alone(preset: Preset) -> bool:
    """Tell whether a preset has its file to itself, as those that were saved have."""
    found, problems = read_file(preset.path)
    return len(found) + len(problems) <= 1


def remove_file(preset: Preset) -> None:
    """Remove the file of one of the artist's own presets; raises ``PresetError``."""
    if not preset.is_own:
        raise PresetError(f"{preset.name} comes with Tendril, so it stays")
    if not is_alone(preset):
        raise PresetError(f"{preset.name} shares {preset.path.name} with others. Remove it from that file")
    try:
        preset.path.unlink(missing_ok=True)
    except OSError as error:
        raise PresetError(f"{preset.name} could not be removed ({error.strerror})") from error
