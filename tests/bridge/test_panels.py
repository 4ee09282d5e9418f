"""Every panel draws, on any object and none: what it asks for exists, and it changes nothing."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
import scenes

from bl_ext.user_default.tendril.bridge import bake
from bl_ext.user_default.tendril.bridge.problems import Problem, fill_list
from bl_ext.user_default.tendril.panels import physics, sidebar, wrapping
from bl_ext.user_default.tendril.solver.joints.types import JOINT_TYPES

PANELS = (*physics.CLASSES, *sidebar.CLASSES)
ICONS = set(bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys())


class Layout:
    """Records what is drawn, and refuses properties, operators and icons that Blender does not know."""

    def __init__(self, record=None):
        self.record = [] if record is None else record

    def _part(self, *arguments, **options):
        return Layout(self.record)

    row = column = box = split = _part

    def label(self, text="", icon="NONE"):
        assert icon in ICONS, icon
        self.record.append(text)

    def prop(self, data, name, text=None, icon="NONE", placeholder="", expand=False, index=-1):
        assert name in data.bl_rna.properties, name
        assert icon in ICONS, icon
        self.record.append(data.bl_rna.properties[name].name if text is None else text)

    def operator(self, name, text=None, icon="NONE"):
        assert icon in ICONS, icon
        operator = getattr(bpy.ops.tendril, name.removeprefix("tendril."))
        known = operator.get_rna_type().properties.keys()
        self.record.append(operator.get_rna_type().name if text is None else text)
        return Options(known)

    def menu(self, name, text=""):
        assert issubclass(getattr(bpy.types, name), bpy.types.Menu)
        self.record.append(text)

    def progress(self, factor=0.0, text=""):
        assert 0.0 <= factor <= 1.0
        self.record.append(text)


class Options:
    """The options of an operator's button."""

    def __init__(self, known):
        object.__setattr__(self, "known", known)

    def __setattr__(self, name, value):
        assert name in self.known, name


def drawn(ob=None, panels=PANELS):
    """Draw every panel that shows for ``ob``; return the texts."""
    context = SimpleNamespace(
        object=ob, active_object=ob, selected_objects=[ob] if ob else [], scene=bpy.context.scene,
        region=SimpleNamespace(width=280), preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
    )
    layout = Layout()
    for panel in panels:
        poll = getattr(panel, "poll", None)
        if poll is None or poll(context):
            panel.draw(SimpleNamespace(layout=layout, settings_layout=lambda: layout), context)
    return layout.record


def test_without_an_object(clean_scene):
    texts = drawn()
    assert "Bake" in texts and "Check" in texts
    assert any("Select meshes" in text for text in texts)


@pytest.mark.parametrize("make", [scenes.body, scenes.rod, scenes.empty])
def test_without_a_role(clean_scene, make):
    ob = make()
    ob.tendril.role = "NONE"
    assert any(text.startswith("Make it a") for text in drawn(ob, physics.CLASSES))


def test_not_for_a_light(clean_scene):
    lamp = scenes.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    assert drawn(lamp, physics.CLASSES) == []


def test_a_light_with_a_role_can_be_mended(clean_scene):
    lamp = scenes.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    lamp.tendril.role = "ROD"
    assert "Remove" in drawn(lamp, physics.CLASSES)


@pytest.mark.parametrize("kind", ["ACTIVE", "STATIC", "ANIMATED"])
def test_body(clean_scene, kind):
    box = scenes.body()
    box.tendril.body.kind = kind
    box.tendril.body.use_given_inertia = True
    assert ("Velocity" in drawn(box)) == (kind == "ACTIVE")


def test_rod(clean_scene):
    rope = scenes.rod()
    assert {"Elements", "Radius", "Start", "End"} <= set(drawn(rope))
    rope.tendril.rod.use_bevel_radius = True
    rope.tendril.rod.start.hold = "PINNED"
    assert "Radius" not in drawn(rope, physics.CLASSES)
    assert "Attach To" in drawn(rope)
    assert {"Aspect", "Stiffness (MPa)", "Shear Correction"} <= set(drawn(rope))


def test_rest_curve_is_asked_for_where_it_counts(clean_scene):
    rope, other = scenes.rod(), scenes.rod("Other")
    assert "Rest Curve" not in drawn(rope)
    rope.tendril.rod.rest, rope.tendril.rod.rest_curve = "CURVE", other
    assert "Rest Curve" in drawn(rope)
    bpy.data.objects.remove(other)
    assert "Deleted" in drawn(rope)


@pytest.mark.parametrize(("end", "shown"), [("NEAREST", set()), ("START", {"Spline"}), ("ALONG", {"Along", "Spline"})])
def test_place_along_a_rod(clean_scene, end, shown):
    hinge = scenes.joint("Hinge", scenes.rod())
    hinge.tendril.joint.partner_1.end = end
    texts = set(drawn(hinge))
    assert "Place" in texts
    assert texts & {"Along", "Spline"} == shown


@pytest.mark.parametrize("kind", [name.upper() for name in JOINT_TYPES])
def test_joint(clean_scene, kind):
    hinge = scenes.joint("Hinge", scenes.body(), scenes.rod(), kind)
    hinge.tendril.joint.partner_2.end = "END"
    texts = drawn(hinge, physics.CLASSES)
    assert {"First", "Second", "Spline"} <= set(texts)
    for coordinate in JOINT_TYPES[kind.lower()].coordinates:
        assert any(text.startswith(f"{coordinate.label} Limit") for text in texts)


def test_problems_are_listed(clean_scene):
    fill_list(clean_scene, [Problem("Box", "It is made of cheese. Take another"), Problem("", "There is no time")])
    texts = drawn()
    assert {"Box", "Scene", "There is no time"} <= set(texts)
    fill_list(clean_scene, [])
    assert "All is well" in drawn()


def test_own_range_and_status(clean_scene):
    clean_scene.tendril.use_own_range, clean_scene.tendril.status = True, "Baked 24 frames"
    assert "Baked 24 frames" in drawn()


def test_while_baking(clean_scene, monkeypatch):
    status = bake.Status(phase="SOLVE", fraction=0.25, frame=7, text="Baking")
    monkeypatch.setattr(bake, "running", SimpleNamespace(status=status))
    texts = drawn()
    assert any("frame 7" in text for text in texts)
    assert any("ESC" in text for text in texts)
    assert "Bake" not in texts


def test_long_sentences_wrap(clean_scene):
    layout = Layout()
    context = SimpleNamespace(
        region=SimpleNamespace(width=200), preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)))
    wrapping.sentence(context, layout, "word " * 40, "INFO")
    assert len(layout.record) > 5
    assert max(map(len, layout.record)) < 30
