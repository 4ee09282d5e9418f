"""A scene as one file: a JSON header, then the arrays as raw little-endian float64.

    offset  size
    0       8      b"TENDRIL\\n"
    8       4      version, unsigned, little-endian
    12      4      CRC-32 of all that follows
    16      8      length of the JSON text in bytes
    24      …      JSON, UTF-8: the fields of ``Scene`` by name; an array is {"shape": [...]}
    …       …      the arrays, one after the other in the order in which the JSON names them

Nothing in a file is run or imported. Every size is checked against what the file holds before anything is made of it.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zlib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np

from .scene import CentreCurve, Joint, Material, Motion, Partner, RigidBody, Rod, RodEnd, Scene, SceneError, Settings

MAGIC = b"TENDRIL\n"
VERSION = 3
HEAD = struct.Struct("<8sIIQ")
ITEM = 8  # bytes of a float64
KINDS = {
    kind.__name__: kind
    for kind in (CentreCurve, Joint, Material, Motion, Partner, RigidBody, Rod, RodEnd, Settings)
}
GROUPS = {"tuple[RigidBody, ...]": RigidBody, "tuple[Rod, ...]": Rod, "tuple[Joint, ...]": Joint}
INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


def save_scene(path: str | os.PathLike, scene: Scene) -> None:
    """Write a scene to one file, replacing it whole. Raises ``SceneError`` if it is not valid, ``OSError``."""
    arrays: list[bytes] = []
    text = json.dumps(_plain(scene.validated(), arrays), ensure_ascii=False, allow_nan=False).encode()
    body = struct.pack("<Q", len(text)) + text + b"".join(arrays)
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(MAGIC + struct.pack("<II", VERSION, zlib.crc32(body)) + body)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def load_scene(path: str | os.PathLike) -> Scene:
    """Read a scene and validate it. Raises ``SceneError`` for whatever is wrong with the file or scene, ``OSError``."""
    data = Path(path).read_bytes()
    name = Path(path).name
    if len(data) < HEAD.size:
        raise SceneError(name, "the file is too short to be a scene of Tendril; save it again")
    magic, version, check, length = HEAD.unpack_from(data)
    if magic != MAGIC:
        raise SceneError(name, "this is not a scene file of Tendril; choose another file")
    if version != VERSION:
        raise SceneError(name, f"the file has version {version}, this Tendril reads {VERSION}; save it with this one")
    if zlib.crc32(memoryview(data)[16:]) != check:
        raise SceneError(name, "the file is damaged (its checksum differs); copy or save it again")
    if length > len(data) - HEAD.size:
        raise SceneError(name, "the header is longer than the file; save it again")
    start = HEAD.size + length
    try:
        tree = json.loads(data[HEAD.size : start].decode(), parse_constant=_refuse_constant)
    except RecursionError:
        raise SceneError(name, "the header is nested too deeply; save the file again") from None
    except ValueError as error:
        raise SceneError(name, f"the header cannot be read ({error}); save the file again") from None
    reader = _Reader(name, data, start)
    scene = reader.object("the scene", Scene, tree)
    reader.finish()
    return scene.validated()


def _refuse_constant(word: str):
    raise ValueError(f"{word} is no JSON")


def _plain(value, arrays: list[bytes]):
    """Turn a valid scene's value into what JSON can hold; put its arrays aside, in order."""
    if isinstance(value, np.ndarray):
        arrays.append(np.ascontiguousarray(value, dtype="<f8").tobytes())
        return {"shape": list(value.shape)}
    if isinstance(value, tuple):
        return [_plain(item, arrays) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0.0 else "-Infinity"
    if value is None or isinstance(value, (str, int, float)):
        return value
    return {item.name: _plain(getattr(value, item.name), arrays) for item in fields(value)}


class _Reader:
    """Makes dataclasses of JSON, by the types their fields are declared with."""

    def __init__(self, name: str, data: bytes, start: int):
        self.name = name
        self.data = data
        self.offset = start

    def fail(self, where: str, what: str) -> SceneError:
        """Return the error that says where the file is wrong."""
        return SceneError(self.name, f"{where} {what}; the file is damaged or made by other means, save it again")

    def finish(self) -> None:
        """Refuse bytes that belong to nothing."""
        if self.offset != len(self.data):
            raise self.fail(f"the last {len(self.data) - self.offset} bytes of the file", "belong to no array")

    def object(self, where: str, kind: type, tree):
        """Return a dataclass; its fields must be there, all and no others."""
        if not isinstance(tree, dict):
            raise self.fail(where, f"should be the fields of a {kind.__name__}")
        wanted = {item.name: str(item.type) for item in fields(kind)}
        if set(tree) != set(wanted):
            odd = sorted(set(tree) ^ set(wanted))[0][:40]
            raise self.fail(where, f"lacks or has too much: the field {odd!r} of a {kind.__name__}")
        # In the order of the file: that is the order of its arrays.
        return kind(**{name: self.value(f"{where}, {name}", wanted[name], item) for name, item in tree.items()})

    def value(self, where: str, declared: str, item):
        """Return one field's value."""
        if declared.endswith(" | None"):
            return None if item is None else self.value(where, declared.removesuffix(" | None"), item)
        if declared in GROUPS:
            if not isinstance(item, list):
                raise self.fail(where, "should be a list")
            kind = GROUPS[declared]
            return tuple(self.object(f"{where} number {n}", kind, one) for n, one in enumerate(item, start=1))
        if declared in KINDS:
            return self.object(where, KINDS[declared], item)
        if declared == "float | np.ndarray":
            declared = "np.ndarray" if isinstance(item, dict) else "float"
        readers: dict[str, Callable] = {
            "np.ndarray": self.array, "float": self.real, "int": self.whole, "bool": self.truth,
        }  # fmt: skip
        return readers.get(declared, self.text)(where, item)

    def array(self, where: str, item) -> np.ndarray:
        """Return the next array of the file."""
        shape = item.get("shape") if isinstance(item, dict) and len(item) == 1 else None
        if not isinstance(shape, list) or not 1 <= len(shape) <= 2:
            raise self.fail(where, "should be an array of one or two dimensions")
        left = (len(self.data) - self.offset) // ITEM
        if not all(type(size) is int and 0 < size <= left for size in shape):
            raise self.fail(where, "has a size that the file cannot hold")
        count = math.prod(shape)
        if count > left:
            raise self.fail(where, f"needs {count} numbers, of which the file has {left}")
        values = np.frombuffer(self.data, dtype="<f8", count=count, offset=self.offset)
        self.offset += count * ITEM
        return values.astype(np.float64).reshape(shape)

    def real(self, where: str, item) -> float:
        """Return a number; infinite ones are written as words."""
        if isinstance(item, str) and item in INFINITIES:
            return INFINITIES[item]
        if type(item) not in (int, float):
            raise self.fail(where, "should be a number")
        try:
            return float(item)
        except OverflowError:
            raise self.fail(where, "is too large") from None

    def whole(self, where: str, item) -> int:
        """Return a whole number."""
        if type(item) is not int:
            raise self.fail(where, "should be a whole number")
        return item

    def truth(self, where: str, item) -> bool:
        """Return true or false."""
        if type(item) is not bool:
            raise self.fail(where, "should be true or false")
        return item

    def text(self, where: str, item) -> str:
        """Return a text."""
        if not isinstance(item, str):
            raise self.fail(where, "should be a text")
        return item
