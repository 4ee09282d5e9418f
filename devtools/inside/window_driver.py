"""Runs in Blender with a window: takes a UI script through its `steps(ui)`, photographs the window, and quits.

    blender --enable-event-simulate --python window_driver.py -- SCRIPT.py OUT.png

`steps` is a generator; each `yield SECONDS` gives the control back to Blender for that long. `ui` offers the same as
the runners that bring a screen of their own, by Blender's own means.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator

import bpy

SCRIPT, OUT = sys.argv[sys.argv.index("--") + 1 :][:2]
START = time.monotonic()
KEYS = {"escape": "ESC", "return": "RET", "tab": "TAB", "space": "SPACE", "delete": "DEL"}


class UI:
    """What a script gets. Pixels count from the top left."""

    out = OUT

    def log(self, *words: object) -> None:
        print(f"[ui {time.monotonic() - START:6.2f}]", *words, flush=True)

    @property
    def window(self):
        return bpy.context.window_manager.windows[0]

    def area(self, kind: str = "VIEW_3D"):
        return next(area for area in self.window.screen.areas if area.type == kind)

    def region(self, kind: str = "WINDOW", area=None):
        return next(region for region in (area or self.area()).regions if region.type == kind)

    def override(self, kind: str = "WINDOW", area=None):
        area = area or self.area()
        region = self.region(kind, area)
        return bpy.context.temp_override(window=self.window, screen=self.window.screen, area=area, region=region)

    def settle(self, turns: int = 3) -> Iterator[float]:
        """Until every area was drawn again."""
        for _ in range(turns):
            for area in self.window.screen.areas:
                area.tag_redraw()
            yield 0.05

    def wait(self, test: Callable[[], bool], seconds: float = 60.0, every: float = 0.1) -> Iterator[float]:
        end = time.monotonic() + seconds
        while not test():
            if time.monotonic() > end:
                raise TimeoutError(f"waited {seconds} s")
            yield every

    def sidebar(self, tab: str) -> Iterator[float]:
        self.area().spaces.active.show_region_ui = True
        yield from self.settle()
        self.region("UI").active_panel_category = tab
        yield from self.settle()

    def shot(self, path: str | None = None) -> None:
        path = path or OUT
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if shutil.which("scrot"):  # Blender's own picture is black on a virtual screen
            subprocess.run(["scrot", "-o", path], check=True)
        else:
            with bpy.context.temp_override(window=self.window):
                bpy.ops.screen.screenshot(filepath=path, check_existing=False)
        self.log("shot", path)

    def move(self, x: int, y: int) -> None:
        self._at = (x, self.window.height - y)
        self.window.event_simulate("MOUSEMOVE", "NOTHING", x=self._at[0], y=self._at[1])

    def click(self, x: int, y: int, button: int = 1) -> None:
        self.move(x, y)
        kind = {1: "LEFTMOUSE", 2: "MIDDLEMOUSE", 3: "RIGHTMOUSE"}[button]
        for value in ("PRESS", "RELEASE"):
            self.window.event_simulate(kind, value, x=self._at[0], y=self._at[1])

    def key(self, *names: str) -> None:
        """Press keys such as "Escape" or "ctrl+z"."""
        x, y = getattr(self, "_at", (self.window.width // 2, self.window.height // 2))
        for name in names:
            *modifiers, last = name.lower().split("+")
            held = {word: word in modifiers for word in ("ctrl", "shift", "alt")}
            for value in ("PRESS", "RELEASE"):
                self.window.event_simulate(KEYS.get(last, last.upper()), value, x=x, y=y, **held)


def driver() -> Iterator[float | None]:
    ui = UI()
    yield from ui.settle()
    sys.path.insert(0, os.path.dirname(SCRIPT))
    space = runpy.run_path(SCRIPT, init_globals={"ui": ui})
    if "steps" in space:
        yield from space["steps"](ui)
    yield from ui.settle()
    ui.shot()


def leave(code: int) -> None:
    if code:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    bpy.ops.wm.quit_blender()


work = driver()


def tick() -> float | None:
    try:
        pause = next(work)
    except StopIteration:
        leave(0)
    except BaseException:
        traceback.print_exc()
        leave(1)
    else:
        return 0.01 if pause is None else pause
    return None


bpy.context.preferences.view.show_splash = False
bpy.context.preferences.use_preferences_save = False
bpy.app.timers.register(tick, first_interval=0.1, persistent=True)
