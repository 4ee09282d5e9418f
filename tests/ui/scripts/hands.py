"""What an artist's hands do, on top of ``ui``: find a button by pointing at it, press it, fill a field; and a pulse.

Nothing here counts pixels of a layout: a button is found by pointing at each row and copying what is under the
pointer (Ctrl C gives an operator's command, Shift Ctrl C the path of a setting), as a person would look for it.
"""

import importlib
import os
import time

import bpy

MODULE = "bl_ext.user_default.tendril"
ROW = 10  # pixels from one look to the next; a button is 20 high


def part(name):
    """Return a module of the extension."""
    return importlib.import_module(f"{MODULE}.{name}")


class Hands:
    """Pointer and keyboard over one ``ui``."""

    def __init__(self, ui):
        self.ui = ui
        self.shots = 0
        self.seen = {}  # where a button was the last time

    # looking

    def shot(self, name):
        """Photograph the window into the folder of the pictures."""
        yield from self.ui.settle()
        yield 0.2
        self.shots += 1
        prefix = os.path.splitext(self.ui.out)[0]
        self.ui.shot(f"{prefix}_{self.shots:02d}_{name}.png")

    def box(self, kind, area):
        region, height = self.ui.region(kind, area), self.ui.window.height
        return region.x, height - region.y - region.height, region.x + region.width, height - region.y

    def find(self, wanted, area="VIEW_3D", kind="UI", keys="ctrl+c", at=0.6):
        """Return (x, y) of the button whose copy begins with ``wanted``; looks again, more slowly, if there is none."""
        area = self.ui.area(area)
        for pause in (0.03, 0.15, 0.5):
            left, top, right, bottom = self.box(kind, area)
            x = left + int((right - left) * at)
            for y in self._rows(range(top + 6, bottom - 6, ROW), wanted, area.type):
                copied = yield from self._copy(x, y, keys, pause)
                if copied.startswith(wanted):
                    self.seen[wanted] = self.seen[area.type] = y
                    return x, y
        raise LookupError(f"no button {wanted!r} in {area.type}")

    def _rows(self, rows, wanted, area):
        """Return ``rows`` in the order to look at them: about where the button was, else down from the latest one."""
        if wanted in self.seen:
            return sorted(rows, key=lambda y: abs(y - self.seen[wanted]))
        latest = self.seen.get(area, 0) - ROW
        return sorted(rows, key=lambda y: (y < latest, y))

    def _copy(self, x, y, keys, pause):
        """Return what is copied from under the pointer."""
        manager = bpy.context.window_manager
        manager.clipboard = "-"
        self.ui.move(x, y)
        yield pause
        self.ui.key(keys)
        yield pause
        return manager.clipboard

    # doing

    def press(self, wanted, **where):
        """Click the operator's button."""
        found = yield from self.find("bpy.ops." + wanted, **where)
        yield 0.2
        self.ui.click(*found)
        yield 0.3

    def fill(self, path, value, area="PROPERTIES", kind="WINDOW"):
        """Put ``value`` into the field of a setting, by pasting."""
        found = yield from self.find(path, area, kind, "ctrl+shift+c", 0.72)
        bpy.context.window_manager.clipboard = str(value)
        self.ui.move(*found)
        yield 0.2
        self.ui.key("ctrl+v")
        yield 0.3

    def rest(self, x=0.3, y=0.3):
        """Put the pointer where it disturbs nothing: over the 3D view; a popup closes."""
        area = self.ui.area()
        left, top, right, bottom = self.box("WINDOW", area)
        self.ui.move(left + int((right - left) * x), top + int((bottom - top) * y))
        yield 0.3

    def choose(self, *objects):
        """Select ``objects`` and make the last one active."""
        for other in list(bpy.context.view_layer.objects):
            other.select_set(other in objects)
        bpy.context.view_layer.objects.active = objects[-1] if objects else None
        yield from self.ui.settle()

    def push(self, message):
        """End a step of the undo stack, as each of the artist's own operations does."""
        with self.ui.override():
            bpy.ops.ed.undo_push(message=message)


class Pulse:
    """How alive the window is: the time between two turns of its loop."""

    def __init__(self):
        self.gaps = []
        self._last = time.monotonic()

    def beat(self):
        now = time.monotonic()
        self.gaps.append(now - self._last)
        self._last = now

    def during(self, goes_on, seconds):
        """Beat until ``goes_on()`` says no."""
        end = time.monotonic() + seconds
        self._last = time.monotonic()
        while goes_on():
            if time.monotonic() > end:
                raise TimeoutError(f"still going on after {seconds} s")
            yield 0.01
            self.beat()

    def line(self):
        gaps = sorted(self.gaps)
        middle = gaps[len(gaps) // 2] if gaps else 0.0
        return f"{len(gaps)} turns, usual gap {middle:.3f} s, longest gap {gaps[-1] if gaps else 0.0:.3f} s"


def empty_scene():
    """Start with nothing, as after deleting all."""
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)


def add_head(location=(0.0, 0.0, 0.0), size=0.8):
    bpy.ops.mesh.primitive_monkey_add(size=size, location=location)
    return bpy.context.object


def add_rope(points, name="Rope", thickness=0.03):
    """Draw a Bézier curve through ``points``."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = thickness
    spline = curve.splines.new("BEZIER")
    spline.bezier_points.add(len(points) - 1)
    for point, place in zip(spline.bezier_points, points):
        point.co = place
        point.handle_left_type = point.handle_right_type = "AUTO"
    rope = bpy.data.objects.new(name, curve)
    bpy.context.scene.collection.objects.link(rope)
    return rope


def add_empty(location):
    bpy.ops.object.empty_add(type="ARROWS", radius=0.3, location=location)
    return bpy.context.object
