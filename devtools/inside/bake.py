"""Runs in an environment with bpy and the installed extension: opens or makes a scene, bakes it, saves and renders it.

    bake.py SOURCE OUTPUT-FOLDER REPORT      SOURCE is a .blend, or an example script with build()
"""

from __future__ import annotations

import json
import math
import os
import runpy
import sys
import time
from pathlib import Path

import bpy
import numpy as np

import addon_utils
from mathutils import Vector

MODULE = "bl_ext.user_default.tendril"
PICTURES = 6
COLUMNS = 3
WIDTH = 480  # of one picture, in pixels; the height follows the scene's own proportions
SAMPLES = 16


def enable() -> None:
    def complain(error: BaseException) -> None:
        raise error

    addon_utils.enable(MODULE, handle_error=complain)


def open_scene(source: Path, folder: Path) -> None:
    """Open the file, or run the example, save what it made and open that: what is baked is what a file holds."""
    if source.suffix == ".py":
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        runpy.run_path(str(source))["build"]()
        drawn = folder / f"{source.stem}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(drawn), check_existing=False)
        source = drawn
    bpy.ops.wm.open_mainfile(filepath=str(source), load_ui=False)


def frame_objects(camera: bpy.types.Object, scene: bpy.types.Scene, frames: list[int]) -> None:
    """Point a camera so that everything visible is in the picture in all of ``frames``."""
    corners = []
    for frame in frames:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for item in scene.objects:
            if item.type in {"MESH", "CURVE", "CURVES"} and not item.hide_render:
                evaluated = item.evaluated_get(depsgraph)
                corners += [evaluated.matrix_world @ Vector(corner) for corner in evaluated.bound_box]
    box = np.array(corners or [(-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)])
    center, radius = (box.min(0) + box.max(0)) / 2, float(np.linalg.norm(box.max(0) - box.min(0)) / 2) or 1.0
    direction = Vector((0.35, -1.0, 0.25)).normalized()
    render = scene.render
    half_angle = math.atan(math.tan(camera.data.angle / 2) * min(1.0, render.resolution_y / render.resolution_x))
    camera.location = Vector(center) + direction * (radius / math.sin(half_angle))
    camera.rotation_euler = direction.to_track_quat("Z", "Y").to_euler()
    camera.data.clip_end = 10 * radius / math.sin(half_angle)


def prepare_render(scene: bpy.types.Scene, frames: list[int]) -> None:
    """Light and frame the scene where it brings no camera or light of its own."""
    if scene.camera is None:
        camera = bpy.data.objects.new("Contact Sheet Camera", bpy.data.cameras.new("Contact Sheet Camera"))
        scene.collection.objects.link(camera)
        scene.camera = camera
        frame_objects(camera, scene, frames)
    if not any(item.type == "LIGHT" for item in scene.objects):
        sun = bpy.data.objects.new("Contact Sheet Sun", bpy.data.lights.new("Contact Sheet Sun", "SUN"))
        sun.data.energy, sun.data.angle = 3.0, 0.1
        sun.rotation_euler = (0.9, 0.1, 0.6)
        scene.collection.objects.link(sun)
        if scene.world is None:
            scene.world = bpy.data.worlds.new("Contact Sheet World")
            scene.world.color = (0.6, 0.65, 0.7)
    render = scene.render
    # Cycles needs no graphics card, which the other engines do.
    render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = SAMPLES
    scene.cycles.use_denoising = True
    render.resolution_y = round(WIDTH * render.resolution_y / render.resolution_x)
    render.resolution_x, render.resolution_percentage = WIDTH, 100
    render.image_settings.file_format = "PNG"
    render.film_transparent, render.use_border = False, False
    render.use_stamp = True
    for part in ("date", "time", "render_time", "camera", "scene", "filename", "memory", "hostname", "note", "lens"):
        if hasattr(render, f"use_stamp_{part}"):
            setattr(render, f"use_stamp_{part}", False)
    render.use_stamp_frame = True
    render.stamp_font_size = 14


def pixels_of(file: Path) -> np.ndarray:
    image = bpy.data.images.load(str(file))
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    rows = pixels.reshape(image.size[1], image.size[0], 4)
    bpy.data.images.remove(image)
    return rows


def contact_sheet(scene: bpy.types.Scene, frames: list[int], sheet: Path) -> None:
    """Render ``frames`` and lay them out in rows, first frame at the top left."""
    pictures = []
    for frame in frames:
        scene.frame_set(frame)
        file = sheet.with_name(f"{sheet.stem}-{frame}.png")
        scene.render.filepath = str(file)
        bpy.ops.render.render(write_still=True)
        pictures.append(pixels_of(file))
        file.unlink()
    rows = [np.hstack(pictures[at : at + COLUMNS]) for at in range(0, len(pictures), COLUMNS)]
    whole = np.vstack(rows[::-1])  # Blender's images start at the bottom
    image = bpy.data.images.new("Contact Sheet", whole.shape[1], whole.shape[0])
    image.pixels.foreach_set(np.ascontiguousarray(whole, np.float32).ravel())
    image.filepath_raw, image.file_format = str(sheet), "PNG"
    image.save()


def main(source: Path, folder: Path, report: Path) -> None:
    enable()
    open_scene(source, folder)
    scene = bpy.context.scene
    start = time.monotonic()
    result = bpy.ops.tendril.bake()
    if "FINISHED" not in result:
        raise RuntimeError(f"bpy.ops.tendril.bake() ended with {result}")
    seconds = time.monotonic() - start
    blend = folder / f"{source.stem}-baked.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend), check_existing=False)
    first, last = scene.frame_start, scene.frame_end
    frames = [round(first + (last - first) * step / (PICTURES - 1)) for step in range(PICTURES)]
    sheet = folder / f"{source.stem}.png"
    # Rendered from the file as it was saved: what the picture shows is what the artist opens.
    bpy.ops.wm.open_mainfile(filepath=str(blend), load_ui=False)
    scene = bpy.context.scene
    prepare_render(scene, frames)
    contact_sheet(scene, frames, sheet)
    report.write_text(
        json.dumps({"frames": [first, last], "seconds": seconds, "blend": str(blend), "sheet": str(sheet)}),
        encoding="utf-8",
    )


code = 1
try:
    main(*(Path(word) for word in sys.argv[1:4]))
    code = 0
finally:
    # What is still registered when Blender 4.5's module exits makes it hang.
    addon_utils.disable(MODULE)
    sys.stdout.flush()
    sys.stderr.flush()
    if code:
        import traceback

        traceback.print_exc()
        os._exit(code)
