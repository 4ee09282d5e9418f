"""Presets with pointer and keyboard: open the menu, pick, save, remove, undo; every menu is looked at."""

import bpy
import hands as hand

ADD, REMOVE = 0.835, 0.9  # where the two small buttons are, of the width


def point_and_click(ui, x, y):
    """Click as a hand does, which is there before it presses."""
    ui.move(x, y)
    yield 0.4
    ui.click(x, y)
    yield 0.6


def steps(ui):
    presets, properties = hand.part("bridge.presets"), ui.area("PROPERTIES")
    hands = hand.Hands(ui)
    hand.empty_scene()
    with ui.override():
        objects = {"RIGID_BODY": hand.add_head(), "JOINT": hand.add_empty((0, 0, 1)),
                   "ROD": hand.add_rope([(-1, 0, 1), (0, 0, 0.5), (1, 0, 1)])}
    for role, ob in objects.items():
        ob.tendril.role = role
    hands.push("Drawn")
    for role, ob in objects.items():
        yield from hands.choose(ob)
        properties.spaces.active.context = "PHYSICS"
        yield from hands.shot(f"row_{role.lower()}")
        found = yield from hands.find("bpy.ops.tendril.save_preset(", "PROPERTIES", "WINDOW", at=ADD)
        yield from point_and_click(ui, found[0] - 120, found[1])
        yield from hands.shot(f"menu_{role.lower()}")
        ui.key("Down")
        yield 0.2
        ui.key("Return")
        yield 0.5
        picked = presets.current(role, ob, 1.0)
        ui.log("picked", role, picked is not None and not picked.is_own)
        yield from hands.shot(f"picked_{role.lower()}")

    rope = objects["ROD"]
    yield from point_and_click(ui, *found)
    yield from hands.shot("save")
    ui.key("Return")
    yield from ui.wait(lambda: presets.library("ROD").find("My Preset") is not None, 10)
    ui.log("saved", presets.current("ROD", rope, 1.0).name)
    yield from hands.rest()
    yield from hands.shot("saved")
    minus = yield from hands.find("bpy.ops.tendril.remove_preset(", "PROPERTIES", "WINDOW", at=REMOVE)
    yield from point_and_click(ui, *minus)
    yield from hands.shot("remove")
    ui.key("Return")
    yield from ui.wait(lambda: presets.library("ROD").find("My Preset") is None, 10)
    ui.log("removed", True)
    yield from hands.rest()
    density = rope.tendril.rod.density
    ui.key("ctrl+z")
    yield 1.0
    rope = bpy.data.objects["Rope"]
    ui.log("undone", density, rope.tendril.rod.density)
    yield from hands.shot("undone")
