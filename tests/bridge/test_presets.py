"""Presets: all that are shipped can be baked with, own ones are kept and removed, and bad files complain."""

from __future__ import annotations

import math
import os

import bpy
import pytest
import scenes
from test_properties import select

from bl_ext.user_default.tendril.bridge import preset_files, presets
from bl_ext.user_default.tendril.bridge.check import check
from bl_ext.user_default.tendril.bridge.preset_files import Preset, PresetError, read_file
from bl_ext.user_default.tendril.bridge.read import read_now
from bl_ext.user_default.tendril.panels.presets import CLASSES as MENUS
from bl_ext.user_default.tendril.panels.presets import preset_row
from bl_ext.user_default.tendril.solver import Simulation

SHIPPED = [(role, preset) for role in presets.KINDS for preset in presets.library(role, fresh=True).presets]
CASES = pytest.mark.parametrize("role, preset", SHIPPED, ids=[preset.name for _, preset in SHIPPED])


@pytest.fixture(autouse=True)
def no_own(tmp_path, monkeypatch):
    """A folder of the artist's own presets that is empty at first."""
    monkeypatch.setattr(presets, "own_folder", lambda role: tmp_path / presets.KINDS[role].file)
    presets.forget()
    yield tmp_path
    presets.forget()


def own_file(folder, content, name="mine.toml", role="ROD"):
    path = folder / presets.KINDS[role].file / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def subject(role):
    if role == "ROD":
        return scenes.rod()
    box = scenes.body()
    return box if role == "RIGID_BODY" else scenes.joint("Hinge", box)


def test_shipped_files_are_whole():
    for role in presets.KINDS:
        found = presets.library(role, fresh=True)
        assert found.problems == () and len(found.presets) > 15
        assert all(preset.group and preset.about and not preset.about.endswith(".") for preset in found.presets)
    names = {preset.name for _, preset in SHIPPED}
    assert {"Steel wire", "Nylon rope", "Climbing rope", "Hemp rope", "Rubber band", "Silicone tube", "Spring steel",
            "Human hair", "Spaghetti (cooked)", "Electric cable", "Wood stick", "Gold", "Shock absorber"} <= names


@CASES
def test_shipped_can_be_baked_with(clean_scene, role, preset):
    ob = subject(role)
    select(ob)
    assert bpy.ops.tendril.apply_preset(role=role, name=preset.name) == {"FINISHED"}
    assert presets.current(role, ob, 1.0) == preset
    assert check(clean_scene) == []
    scene = read_now(clean_scene).scene.validated()
    if role == "ROD":
        material = scene.rods[0].material
        assert material.young_modulus == pytest.approx(1.0e6 * preset.values["stiffness"])
        assert material.density == pytest.approx(preset.values["density"])
    elif role == "RIGID_BODY":
        assert scene.bodies[0].mass == pytest.approx(preset.values["density"], rel=1e-5)  # a cube of 1 m
    else:
        assert scene.joints[0].kind == preset.values["kind"].lower()


@CASES
def test_shipped_say_all_that_matters(role, preset):
    if role == "ROD":
        assert set(preset.values) == {"stiffness", "poisson_ratio", "density", "damping"}
    elif role == "RIGID_BODY":
        assert set(preset.values) == {"density"}
    else:
        for name in presets.KINDS[role].settings:
            coordinate = name.removeprefix("use_").partition("_")[0]
            if name.startswith("use_") and any(f"_{coordinate}_" in f"_{used}" for used in preset.values):
                assert name in preset.values


@pytest.mark.parametrize("name", ["Shock absorber", "Stiff hinge", "Joystick", "Spring-loaded hinge"])
def test_a_joint_as_preset_moves(clean_scene, name):
    hinge = scenes.joint("Hinge", None, scenes.body(location=(0.5, 0, 0), size=0.2))
    select(hinge)
    bpy.ops.tendril.apply_preset(role="JOINT", name=name)
    simulation = Simulation(read_now(clean_scene).scene)
    for _ in range(10):
        frame = simulation.advance()
    assert abs(frame.positions).max() < 1.0


def test_no_two_shipped_are_the_same():
    for role in presets.KINDS:
        values = [tuple(sorted(preset.values.items())) for found, preset in SHIPPED if found == role]
        assert len(set(values)) == len(values)


def test_units(clean_scene):
    """A drawer of 45 cm and an angle of 110°, whatever Blender's unit is."""
    clean_scene.unit_settings.scale_length = 0.01
    drawer = scenes.joint("Drawer", scenes.body())
    select(drawer)
    bpy.ops.tendril.apply_preset(role="JOINT", name="Drawer")
    assert drawer.tendril.joint.travel_upper == pytest.approx(45.0)
    assert presets.current("JOINT", drawer, 0.01).name == "Drawer"
    assert presets.save("JOINT", "Mine", drawer, 0.01).values["travel_upper"] == 0.45
    bpy.ops.tendril.apply_preset(role="JOINT", name="Door hinge with stops")
    assert drawer.tendril.joint.angle_upper == pytest.approx(math.radians(110.0))
    assert presets.save("JOINT", "Door", drawer, 0.01).values["angle_upper"] == 110.0


def test_applies_to_all_selected_of_the_role(clean_scene):
    one, two, other, box = scenes.rod("One"), scenes.rod("Two"), scenes.rod("Other"), scenes.body()
    density = box.tendril.body.density
    select(one, two, box, active=box)
    assert bpy.ops.tendril.apply_preset(role="ROD", name="Steel wire") == {"FINISHED"}
    assert [ob.tendril.rod.density for ob in (one, two, other)] == [7850.0, 7850.0, 1000.0]
    assert box.tendril.body.density == density
    select(box)
    assert bpy.ops.tendril.apply_preset(role="ROD", name="Steel wire") == {"CANCELLED"}
    with pytest.raises(RuntimeError, match="no preset Cheese"):
        bpy.ops.tendril.apply_preset(role="ROD", name="Cheese")


def test_applying_can_be_undone(clean_scene):
    select(scenes.rod())
    bpy.ops.ed.undo_push(message="Made")
    bpy.ops.tendril.apply_preset("EXEC_DEFAULT", True, role="ROD", name="Steel wire")
    assert bpy.data.objects["Rope"].tendril.rod.density == 7850.0
    bpy.ops.ed.undo()
    assert bpy.data.objects["Rope"].tendril.rod.density == 1000.0
    bpy.ops.ed.redo()
    assert bpy.data.objects["Rope"].tendril.rod.density == 7850.0


@pytest.mark.parametrize("role", presets.KINDS)
def test_nothing_is_named_before_it_is_picked(clean_scene, role):
    ob = subject(role)
    if role == "JOINT":
        ob.tendril.joint.property_unset("kind")
    assert presets.current(role, ob, 1.0) is None


def test_current_follows_the_settings(clean_scene):
    rope = scenes.rod()
    assert presets.current("ROD", rope, 1.0) is None
    presets.apply("ROD", presets.library("ROD").find("Spring steel"), rope, 1.0)
    rope.tendril.rod.drag = 3.0  # not of the material
    assert presets.current("ROD", rope, 1.0).name == "Spring steel"
    rope.tendril.rod.damping *= 2.0
    assert presets.current("ROD", rope, 1.0) is None


@pytest.mark.parametrize("role", presets.KINDS)
@pytest.mark.parametrize("name", ["Mein Stück «1»", 'a"b\\c', "../../etc/passwd", "CON", "名前", "x" * 60])
def test_own_are_kept_and_removed(clean_scene, no_own, role, name):
    ob = subject(role)
    select(ob)
    settings, setting = presets.settings_of(ob, role), presets.KINDS[role].settings[-1]
    if role == "JOINT":
        setting = "angle_stiffness"
    setattr(settings, setting, 0.345)
    assert bpy.ops.tendril.save_preset(role=role, name=f" {name} ") == {"FINISHED"}
    files = list(no_own.rglob("*.toml"))
    assert [path.parent for path in files] == [no_own / presets.KINDS[role].file]
    presets.forget()  # as another session
    found = presets.library(role).find(name)
    assert found.is_own and found.path == files[0] and presets.library(role).problems == ()
    setattr(settings, setting, 0.1)
    bpy.ops.tendril.apply_preset(role=role, name=name)
    assert getattr(settings, setting) == pytest.approx(0.345)
    assert presets.current(role, ob, 1.0) == found
    assert bpy.ops.tendril.remove_preset(role=role, name=name) == {"FINISHED"}
    assert list(no_own.rglob("*.*")) == [] and presets.library(role).find(name) is None


def test_saving_again_replaces(clean_scene, no_own):
    rope = scenes.rod()
    presets.save("ROD", "Mine", rope, 1.0)
    rope.tendril.rod.density = 123.0
    presets.save("ROD", "Mine", rope, 1.0)
    assert presets.library("ROD").find("Mine").values["density"] == 123.0
    assert len(list(no_own.rglob("*.toml"))) == 1


def test_what_cannot_be_saved(clean_scene, no_own, monkeypatch):
    rope, box = scenes.rod(), scenes.body()
    for name, words in (("", "no name"), ("a\nb", "cannot be shown"), ("y" * 61, "longer"),
                        ("Steel wire", "comes with Tendril")):
        with pytest.raises(PresetError, match=words):
            presets.save("ROD", name, rope, 1.0)
    box.tendril.body.mass_source = "MASS"
    with pytest.raises(PresetError, match="Set Mass From to Density"):
        presets.save("RIGID_BODY", "Mine", box, 1.0)
    (no_own / "rods").write_text("a file where the folder should be")
    with pytest.raises(PresetError, match="could not be written"):
        presets.save("ROD", "Mine", rope, 1.0)
    monkeypatch.setattr(presets, "own_folder", lambda role: None)
    with pytest.raises(PresetError, match="not installed as an extension"):
        presets.save("ROD", "Mine", rope, 1.0)
    select(box)
    with pytest.raises(RuntimeError, match="no such settings"):
        bpy.ops.tendril.save_preset(role="ROD", name="Mine")


def test_shipped_cannot_be_removed(clean_scene):
    with pytest.raises(RuntimeError, match="comes with Tendril"):
        bpy.ops.tendril.remove_preset(role="ROD", name="Steel wire")
    with pytest.raises(PresetError, match="no preset"):
        presets.remove("ROD", "Cheese")
    assert presets.library("ROD", fresh=True).find("Steel wire")


def test_own_folder_is_the_extensions(monkeypatch):
    monkeypatch.undo()
    folder = presets.own_folder("ROD")
    assert folder.is_relative_to(os.path.realpath(os.environ["BLENDER_USER_RESOURCES"])) or folder.is_relative_to(
        os.environ["BLENDER_USER_RESOURCES"])
    assert folder.parts[-2:] == ("presets", "rods")


GOOD = '[[presets]]\nname = "Good"\ndensity = 900\n'
BROKEN = {
    "not TOML": "[[presets]\nname = 1",
    "out of bounds": "a = " + "[" * 20000,
    "not TOML, a long number": "a = " + "9" * 10000,
    "not text": b"\xff\xfe\x00",
    "larger": "#" * 70000,
    "list of": "presets = 3",
    "nothing else": GOOD + "[more]\nx = 1\n",
    "more than 200": GOOD * 201,
    "not a table": "presets = [3]",
    "no name": "[[presets]]\ndensity = 900.0",
    "name has to be": "[[presets]]\nname = 3\ndensity = 900.0",
    "in one line": '[[presets]]\nname = "a"\nabout = "a\\nb"\ndensity = 900.0',
    "no settings": '[[presets]]\nname = "a"',
    "a number, a word": '[[presets]]\nname = "a"\ndensity = [1]',
    "no setting 'colour'": '[[presets]]\nname = "a"\ncolour = 1',
    "no setting 'elements'": '[[presets]]\nname = "a"\nelements = 100000000',
    "no setting '__class__'": '[[presets]]\nname = "a"\n__class__ = 1',
    "has to be a number": '[[presets]]\nname = "a"\ndensity = "heavy"',
    "has to be a number, not true": '[[presets]]\nname = "a"\ndensity = true',
    "between": '[[presets]]\nname = "a"\npoisson_ratio = 0.51',
    "between, nan": '[[presets]]\nname = "a"\ndensity = nan',
    "between, inf": '[[presets]]\nname = "a"\ndensity = inf',
    "between, negative": '[[presets]]\nname = "a"\ndensity = -5',
    "between, huge": f'[[presets]]\nname = "a"\ndensity = {"9" * 4000}',
    "another Steel wire": '[[presets]]\nname = "Steel wire"\ndensity = 5',
}


@pytest.mark.parametrize("words", BROKEN)
def test_a_broken_file_gives_one_sentence(no_own, words):
    own_file(no_own, BROKEN[words], "a.toml")
    own_file(no_own, GOOD, "b.toml")
    found = presets.library("ROD", fresh=True)
    assert len(found.problems) == 1 and words.partition(",")[0] in found.problems[0], found.problems
    assert "a.toml" in found.problems[0] and len(found.problems[0]) < 250 and "\n" not in found.problems[0]
    assert found.find("Good") and found.find("Steel wire")


@pytest.mark.parametrize("lines, words", [
    ('use_angle_limits = true', "which kind"),
    ('kind = "WELD"', "has to be one of"),
    ('kind = "REVOLUTE"\nuse_angle_limits = 1', "true or false"),
    ('kind = "REVOLUTE"\nswing_limit = 10', "has no swing_limit"),
    ('kind = "REVOLUTE"\nangle_lower = 10\nangle_upper = -10', "above"),
    ('kind = "SPHERICAL"\nswing_limit = 181', "between 0 and 180"),
    ('kind = "FIXED"\npartner_1 = "Box"', "no setting"),
])
def test_a_broken_joint(no_own, lines, words):
    own_file(no_own, f'[[presets]]\nname = "a"\n{lines}\n', role="JOINT")
    (problem,) = presets.library("JOINT", fresh=True).problems
    assert words in problem


def test_extreme_values_can_be_applied(clean_scene, no_own):
    """What passes the check never raises."""
    own_file(no_own, '[[presets]]\nname = "a"\nkind = "PRISMATIC"\ntravel_upper = 3.4e38\n', role="JOINT")
    drawer = scenes.joint("Drawer", scenes.body())
    presets.apply("JOINT", presets.library("JOINT", fresh=True).find("a"), drawer, 1e-4)
    assert drawer.tendril.joint.kind == "PRISMATIC"


def test_a_preset_that_shares_its_file_stays(clean_scene, no_own):
    path = own_file(no_own, GOOD + GOOD.replace("Good", "Better"))
    rope = scenes.rod()
    with pytest.raises(PresetError, match=r"shares mine\.toml"):
        presets.remove("ROD", "Good")
    with pytest.raises(PresetError, match=r"shares mine\.toml"):
        presets.save("ROD", "Better", rope, 1.0)
    assert path.read_text().count("name") == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_what_is_not_a_file(no_own):
    folder = no_own / "rods"
    (folder / "folder.toml").mkdir(parents=True)
    os.mkfifo(folder / "pipe.toml")
    (folder / "gone.toml").symlink_to(folder / "nowhere")
    assert len(presets.library("ROD", fresh=True).problems) == 3


def test_what_is_written_is_read(tmp_path):
    values = {"yes": True, "no": False, "count": 3, "small": 1e-7, "large": 2.1e11, "word": "A\"b\\ü"}
    preset = Preset("Näme \"x\"", values, path=tmp_path / "a.toml")
    preset_files.write_file(preset)
    assert read_file(preset.path) == ([preset], [])


class MenuLayout:
    """Records the choices of a menu."""

    def __init__(self, choices):
        self.choices = choices

    def row(self, align=False):
        return self

    column = row

    def label(self, text="", icon="NONE"):
        self.choices.append(text)

    def separator(self):
        pass

    def operator(self, name, text="", icon="NONE"):
        self.choices.append(text)
        return type("Options", (), {})()

    def menu(self, name, text=""):
        self.choices.append(text)


@pytest.mark.parametrize("menu", MENUS)
def test_menus_offer_all(no_own, menu):
    own_file(no_own, "broken", "a.toml", menu.role)
    choices = []
    menu.draw(type("Self", (), {"role": menu.role, "layout": MenuLayout(choices)}), None)
    assert {preset.name for role, preset in SHIPPED if role == menu.role} <= set(choices)
    assert any(text.startswith("a.toml was left out") for text in choices)


def test_the_row_names_the_current_preset(clean_scene):
    rope, texts = scenes.rod(), []
    preset_row(bpy.context, MenuLayout(texts), rope)
    presets.apply("ROD", presets.library("ROD").find("Bamboo"), rope, 1.0)
    preset_row(bpy.context, MenuLayout(texts), rope)
    assert "Presets" in texts and "Bamboo" in texts
