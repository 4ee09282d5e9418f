"""Saves a file with one falling box; run without a window: `blender -b --python save_scene.py -- FILE.blend`."""

import sys

import bpy

for ob in list(bpy.data.objects):
    bpy.data.objects.remove(ob)
bpy.ops.mesh.primitive_cube_add()
bpy.context.object.tendril.role = "RIGID_BODY"
bpy.context.scene.frame_end = 12
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
