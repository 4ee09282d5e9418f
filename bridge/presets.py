"""Presets of rods, bodies and joints: what they may hold, whether it is in range, and applying it to objects.

What a setting is, its type, unit and bounds, is asked of Blender's properties (``bridge.properties``), so that there is
no second list. Presets come from ``presets/`` and from the artist's own folder. In a file lengths are in m and angles
in degrees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ..solver.joints.types import JOINT_TYPES, RANGE, Coordinate, JointType
from . import properties
from .joint_properties import COORDINATES, JointSettings, is_lockable, joint_type, limit_names
from .preset_files import (
    Preset,
    PresetError,
    Setting,
    checked_name,
    file_name,
    is_alone,
    read_file,
    read_folder,
    remove_file,
    write_file,
)

SHIPPED = Path(__file__).parent.parent / "presets"
SAME = 1e-5  # relative: Blender keeps numbers in single precision


def coordinate_settings(coordinate: Coordinate, kind: JointType | None = None) -> tuple[str, ...]:
    """Return the names of the properties of one coordinate of the joint table, of one joint type or of all."""
    name = coordinate.identifier
    names = (f"use_{name}_limits", *limit_names(coordinate), f"use_{name}_target", f"{name}_target",
             f"{name}_stiffness", f"{name}_damping", f"use_{name}_motor", f"{name}_speed", f"use_{name}_maximum",
             f"{name}_maximum", *((f"lock_{name}",) if kind is None or is_lockable(kind, coordinate) else ()))
    return tuple(name for name in names if name in JointSettings.__annotations__)


@dataclass(frozen=True)
class Kind:
    """What the presets of one role are made of."""

    file: str  # in presets/ without suffix, and the folder of the artist's own
    path: str  # of the settings in Object.tendril
    group: Any  # a class of property group
    settings: tuple[str, ...]
    always: dict[str, Setting] = field(default_factory=dict)  # set along with every preset


KINDS = {
    "RIGID_BODY": Kind("bodies", "body", properties.BodySettings,
                       ("density", "linear_damping", "angular_damping"), {"mass_source": "DENSITY"}),
    "ROD": Kind("rods", "rod", properties.RodSettings,
                ("stiffness", "poisson_ratio", "density", "damping", "drag")),
    "JOINT": Kind("joints", "joint", JointSettings,
                  ("kind", *(name for found in COORDINATES.values() for name in coordinate_settings(found)))),
}


@dataclass(frozen=True)
class Library:
    """The presets of one role, the artist's own last, and a sentence for everything that was left out."""

    presets: tuple[Preset, ...]
    problems: tuple[str, ...]

    def find(self, name: str) -> Preset | None:
        return next((preset for preset in self.presets if preset.name == name), None)


_libraries: dict[str, Library] = {}  # panels ask with every redraw, which must not read files


def library(role: str, fresh: bool = False) -> Library:
    """Return the presets of a role; ``fresh`` reads the files again."""
    if fresh or role not in _libraries:
        _libraries[role] = _read_library(role)
    return _libraries[role]


def _read_library(role: str) -> Library:
    kind = KINDS[role]
    shipped, wrong = read_file(SHIPPED / f"{kind.file}.toml")
    folder = own_folder(role)
    own, wrong_own = read_folder(folder) if folder else ([], [])
    presets, problems = {}, [*wrong, *wrong_own]
    for preset in (*shipped, *own):
        if preset.name in presets:
            problems.append(f"{preset.path.name} was left out: there is another {preset.name}")
            continue
        try:
            check(role, preset)
        except PresetError as error:
            problems.append(f"{preset.name} of {preset.path.name} was left out: {error}")
        else:
            presets[preset.name] = preset
    return Library(tuple(presets.values()), tuple(problems))


def own_folder(role: str) -> Path | None:
    """Return the folder of the artist's own presets of a role, which may not exist; None where none can be had."""
    try:
        package = __package__.rpartition(".")[0]
        return Path(bpy.utils.extension_path_user(package, path="presets", create=False)) / KINDS[role].file
    except (ValueError, OSError):
        return None  # not installed as an extension


def check(role: str, preset: Preset) -> None:
    """Raise ``PresetError`` where a preset names what it may not, or a value is not one that Blender takes."""
    kind = KINDS[role]
    for name, value in preset.values.items():
        if name not in kind.settings:
            raise PresetError(f"there is no setting {name[:40]!r}")
        _check_value(kind.group.bl_rna.properties[name], value)
    if role == "JOINT":
        _check_joint(preset)


def _check_value(setting: Any, value: Setting) -> None:
    name = setting.identifier
    if setting.type == "BOOLEAN":
        if not isinstance(value, bool):
            raise PresetError(f"{name} has to be true or false")
    elif setting.type == "ENUM":
        if not isinstance(value, str) or value not in setting.enum_items:
            raise PresetError(f"{name} has to be one of {', '.join(setting.enum_items.keys())}")
    elif isinstance(value, (bool, str)):
        raise PresetError(f"{name} has to be a number")
    else:
        scale = math.degrees(1.0) if setting.unit == "ROTATION" else 1.0
        low, high = setting.hard_min * scale, setting.hard_max * scale
        if not low - SAME * abs(low) <= value <= high + SAME * abs(high):  # also refuses what is not a number
            raise PresetError(f"{name} is {str(value)[:20]}, which is not between {low:g} and {high:g}")


def _check_joint(preset: Preset) -> None:
    kind = preset.values.get("kind")
    if kind is None:
        raise PresetError("a joint's preset has to say which kind it is")
    chosen = JOINT_TYPES[str(kind).lower()]
    coordinates = chosen.coordinates
    allowed = {"kind", *(name for found in coordinates for name in coordinate_settings(found, chosen))}
    for name in preset.values:
        if name not in allowed:
            raise PresetError(f"a joint of the kind {kind} has no {name}")
    for found in coordinates:
        bounds = [float(preset.values[name]) for name in limit_names(found) if name in preset.values]
        if found.limit == RANGE and len(bounds) == 2 and bounds[0] > bounds[1]:
            raise PresetError(f"{found.identifier}_lower is above {found.identifier}_upper")


def settings_of(ob: bpy.types.Object, role: str) -> Any:
    """Return the group of settings that presets of a role are applied to."""
    return getattr(ob.tendril, KINDS[role].path)


def _scale(setting: bpy.types.Property, unit: float) -> float:
    """Return how much of a file's unit one of Blender's is: m, m/s, degrees."""
    return {"LENGTH": unit, "VELOCITY": unit, "ROTATION": math.degrees(1.0)}.get(setting.unit, 1.0)


def _in_blender(role: str, preset: Preset, unit: float) -> dict[str, Setting]:
    """Return the values that a preset gives to properties; ``unit`` is metres in one Blender unit."""
    kind = KINDS[role]
    values = {}
    for name, value in (kind.always | preset.values).items():
        setting = kind.group.bl_rna.properties[name]
        values[name] = float(value) / _scale(setting, unit) if setting.type == "FLOAT" else value
    return values


def apply(role: str, preset: Preset, ob: bpy.types.Object, unit: float) -> None:
    """Give an object the settings of a preset, and leave all others as they are."""
    settings = settings_of(ob, role)
    for name, value in _in_blender(role, preset, unit).items():
        setattr(settings, name, value)


def current(role: str, ob: bpy.types.Object, unit: float) -> Preset | None:
    """Return the preset that an object's settings are those of: of several, the one that says the most."""
    settings = settings_of(ob, role)
    fitting = [preset for preset in library(role).presets
               if all(_is_same(getattr(settings, name), value)
                      for name, value in _in_blender(role, preset, unit).items())]
    return max(fitting, key=lambda preset: len(preset.values), default=None)


def _is_same(one: Setting, other: Setting) -> bool:
    if isinstance(one, float) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=SAME, abs_tol=1e-9)
    return one == other


def save(role: str, name: str, ob: bpy.types.Object, unit: float) -> Preset:
    """Keep an object's settings as one of the artist's own presets; raises ``PresetError``."""
    name = checked_name(name)
    known = library(role, fresh=True).find(name)
    if known and not known.is_own:
        raise PresetError(f"{name} comes with Tendril. Choose another name")
    if known and not is_alone(known):
        raise PresetError(f"{name} shares {known.path.name} with others. Change it there, or choose another name")
    folder = own_folder(role)
    if folder is None:
        raise PresetError("Tendril is not installed as an extension, so there is no folder for your own presets")
    kind, settings = KINDS[role], settings_of(ob, role)
    if role == "RIGID_BODY" and settings.mass_source != "DENSITY":
        raise PresetError("A preset keeps a material's density, and this body is given its mass. Set Mass From to "
                          "Density")
    names = list(kind.settings)
    if role == "JOINT":
        chosen = joint_type(settings)
        names = ["kind", *(name for found in chosen.coordinates for name in coordinate_settings(found, chosen))]
    values = {name: _for_file(settings, name, unit) for name in names}
    preset = Preset(name, values, path=known.path if known else folder / file_name(name), is_own=True)
    check(role, preset)
    write_file(preset)
    library(role, fresh=True)
    return preset


def _for_file(settings: Any, name: str, unit: float) -> Setting:
    """Return a setting as a file has it, without the digits that single precision adds."""
    value, setting = getattr(settings, name), settings.bl_rna.properties[name]
    return float(f"{value * _scale(setting, unit):.7g}") if setting.type == "FLOAT" else value


def remove(role: str, name: str) -> None:
    """Remove one of the artist's own presets; raises ``PresetError``."""
    preset = library(role, fresh=True).find(name)
    if preset is None:
        raise PresetError(f"There is no preset {name}")
    remove_file(preset)
    library(role, fresh=True)


def forget() -> None:
    """Read the files again when they are asked for."""
    _libraries.clear()
