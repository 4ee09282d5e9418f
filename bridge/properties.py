"""What an artist sets: one group on every object (``Object.tendril``) and one on the scene (``Scene.tendril``).

Lengths, speeds and masses are kept in Blender's units and shown with the scene's units; ``bridge.read`` turns them
into SI. Numbers whose unit Blender has no name for (Pa, kg/m³, N/m, 1/s) are SI as they stand.
"""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import joint_properties

STILL: set[str] = set()  # options of a setting that is read once, at the start of a bake, so that keys would be ignored

ROLES = (
    ("NONE", "None", "Tendril leaves this object alone", "X", 0),
    ("RIGID_BODY", "Rigid Body", "A mesh that moves without changing its shape", "RIGID_BODY", 1),
    ("ROD", "Rod", "A curve that bends, twists, shears and stretches", "CURVE_DATA", 2),
    ("JOINT", "Joint", "An empty that joins two rigid bodies or rods, or one of them to the world", "LINKED", 3),
)
ROLE_OF_TYPE = {"MESH": "RIGID_BODY", "CURVE": "ROD", "EMPTY": "JOINT"}

BODY_KINDS = (
    ("ACTIVE", "Active", "Moved by the simulation"),
    ("STATIC", "Static", "Never moves, whatever pulls at it"),
    ("ANIMATED", "Animated", "Follows its own keys, parent, constraints or drivers, and moves what hangs on it"),
)
MASS_SOURCES = (
    ("DENSITY", "Density", "Mass is the mesh's volume times a density"),
    ("MASS", "Mass", "Give the mass itself"),
)
ORDERS = (
    ("1", "Linear", "Straight elements: fastest, needs many elements to look smooth"),
    ("2", "Quadratic", "Elements that bend evenly: a compromise"),
    ("3", "Cubic", "Elements that bend freely: the smoothest and most exact shape for its number of elements"),
    ("0", "Chain", "Rigid links with springs between them, for comparison: as fast as Linear, and less exact"),
)
REST_SHAPES = (
    ("DRAWN", "Drawn", "The rod is at rest in the shape it is drawn in, as a coil spring is"),
    ("STRAIGHT", "Straight", "The rod wants to be straight: it springs open from the shape it is drawn in"),
    ("CURVE", "Curve", "The rod wants to be as long, as bent and as twisted as another curve"),
)
HOLDS = (
    ("FREE", "Free", "Nothing holds this end"),
    ("PINNED", "Pinned", "The place of this end is held, and it can turn"),
    ("CLAMPED", "Clamped", "The place and the direction of this end are held"),
)
RESULT_FORMS = (
    ("AUTO", "Automatic", "Keys, or the compact form where there would be more than half a million of them"),
    ("KEYS", "Keys", "Keys on every control point: can be edited in the Graph Editor, big for many rods"),
    ("COMPACT", "Compact", "One shape key a frame for each rod: a small file that plays fast"),
)


def _remember_attachment(self: "RodEndSettings", context: bpy.types.Context) -> None:
    self.attach_name = self.attach_to.name if self.attach_to else ""


def _can_attach(self: "RodEndSettings", candidate: bpy.types.Object) -> bool:
    return candidate is not self.id_data and candidate.tendril.role != "ROD"


def _remember_rest(self: "RodSettings", context: bpy.types.Context) -> None:
    self.rest_name = self.rest_curve.name if self.rest_curve else ""


def _can_be_rest(self: "RodSettings", candidate: bpy.types.Object) -> bool:
    return candidate is not self.id_data and candidate.type == "CURVE"


class BodySettings(bpy.types.PropertyGroup):
    """A mesh that is a rigid body."""

    kind: EnumProperty(name="Type", description="What moves this body", items=BODY_KINDS, options=STILL)
    mass_source: EnumProperty(name="Mass From", description="Where the mass comes from", items=MASS_SOURCES,
                              options=STILL)
    density: FloatProperty(
        name="Density (kg/m³)", default=1000.0, min=1e-6, soft_min=1.0, soft_max=20000.0, precision=1, step=1000,
        description="Mass per volume in kg/m³: wood 600, water 1000, glass 2500, steel 7800", options=STILL)
    mass: FloatProperty(
        name="Mass", default=1.0, min=0.0, soft_min=0.001, soft_max=1000.0, precision=3, unit="MASS",
        description="Mass of the whole body", options=STILL)
    use_given_inertia: BoolProperty(
        name="Override Inertia", default=False, options=STILL,
        description="Give the center of mass and the moments of inertia instead of taking them from the mesh")
    center_of_mass: FloatVectorProperty(
        name="Center of Mass", size=3, subtype="TRANSLATION", unit="LENGTH", options=STILL,
        description="Center of mass in the object's own axes, measured from its origin")
    inertia: FloatVectorProperty(
        name="Inertia (kg·m²)", size=3, default=(1.0, 1.0, 1.0), min=0.0, precision=4, subtype="XYZ", options=STILL,
        description="Moments of inertia in kg·m² about the object's own X, Y and Z axes through the center of mass")
    velocity: FloatVectorProperty(
        name="Velocity", size=3, subtype="VELOCITY", unit="VELOCITY", options=STILL,
        description="Speed of the center of mass along the world's axes at the first frame, per second")
    spin: FloatVectorProperty(
        name="Spin", size=3, subtype="XYZ", unit="ROTATION", options=STILL,
        description="Turning about the world's axes at the first frame, as an angle per second")
    linear_damping: FloatProperty(
        name="Linear Damping (1/s)", default=0.04, min=0.0, soft_max=10.0, precision=3, step=1, options=STILL,
        description="How fast the body loses speed, per second: 1 leaves about a third of the speed after one second")
    angular_damping: FloatProperty(
        name="Angular Damping (1/s)", default=0.1, min=0.0, soft_max=10.0, precision=3, step=1, options=STILL,
        description="How fast the body loses spin, per second: 1 leaves about a third of the spin after one second")


class RodEndSettings(bpy.types.PropertyGroup):
    """What holds one end of a rod."""

    hold: EnumProperty(name="Hold", description="How this end is held", items=HOLDS, options=STILL)
    attach_to: PointerProperty(
        name="Attach To", type=bpy.types.Object, poll=_can_attach, update=_remember_attachment, options=STILL,
        description="What holds this end. A Tendril rigid body: the two are joined, and pull at each other. Any other "
        "object: the end follows it. Empty: the end stays where it is, or follows the animation of the curve object")
    attach_name: StringProperty(options={"HIDDEN"})  # to notice that the object is gone


class RodSettings(bpy.types.PropertyGroup):
    """A curve whose splines are rods."""

    order: EnumProperty(name="Shape", description="How one element can bend", items=ORDERS, default="3", options=STILL)
    elements: IntProperty(
        name="Elements", default=8, min=1, soft_max=100, max=10000, options=STILL,
        description="Number of elements along each spline: more follow tighter curls, and take longer to bake")
    use_bevel_radius: BoolProperty(
        name="Radius from Bevel", default=False, options=STILL,
        description="Take the thickness from the curve's bevel depth, so that the rod is as thick as it looks. The "
        "radius of the control points counts as well, a taper object does not")
    radius: FloatProperty(
        name="Radius", default=0.02, min=0.0, soft_min=0.001, soft_max=1.0, precision=4, subtype="DISTANCE",
        unit="LENGTH", options=STILL,
        description="Radius of the cross-section where the control points have radius 1; others make it thicker or "
        "thinner there (Alt S in Edit Mode). A thicker rod is heavier and very much stiffer")
    aspect: FloatProperty(
        name="Aspect", default=1.0, min=0.01, soft_min=0.1, max=100.0, soft_max=10.0, precision=3, step=1,
        options=STILL,
        description="Height over width of an elliptical cross-section: 1 is round, 0.1 a flat ribbon. The width, twice "
        "the Radius, lies along the X axis of a bevel profile, level on a level curve, and Tilt turns it. What the "
        "rod looks like is up to the bevel's own profile object")
    use_shear_correction: BoolProperty(
        name="Shear Correction", default=False, options=STILL,
        description="Let the cross-section give way to shear as a solid one really does (Cowper's factor, about 0.9), "
        "not evenly. It shows on short and thick rods alone")
    stiffness: FloatProperty(
        name="Stiffness (MPa)", default=10.0, min=1.0e-6, soft_min=0.01, soft_max=1.0e6, precision=1, step=100,
        options=STILL,
        description="Young's modulus of the material in MPa (N/mm²): soft rubber 1, hard rubber 100, wood 10000, steel "
        "200000")
    poisson_ratio: FloatProperty(
        name="Poisson's Ratio", default=0.4, min=-0.99, soft_min=0.0, max=0.5, precision=2, step=1, options=STILL,
        description="How much the material thins when it is pulled; a higher value twists more easily. "
        "Steel 0.3, rubber 0.5")
    density: FloatProperty(
        name="Density (kg/m³)", default=1000.0, min=1e-6, soft_min=1.0, soft_max=20000.0, precision=1, step=1000,
        description="Mass per volume in kg/m³: wood 600, rubber 1000, steel 7800", options=STILL)
    rest: EnumProperty(name="Rest Shape", description="The shape the rod springs back to", items=REST_SHAPES,
                       options=STILL)
    rest_curve: PointerProperty(
        name="Rest Curve", type=bpy.types.Object, poll=_can_be_rest, update=_remember_rest, options=STILL,
        description="The curve that the rod wants to be like: each spline like the one of the same number, or the "
        "first. Where it lies and how it is turned does not matter, its size does. It may be hidden")
    rest_name: StringProperty(options={"HIDDEN"})  # to notice that the curve is gone
    damping: FloatProperty(
        name="Damping (s)", default=0.01, min=0.0, soft_max=1.0, precision=4, step=1, options=STILL,
        description="Inner friction of the material in seconds: how fast wobbling dies away, however the rod falls")
    drag: FloatProperty(
        name="Drag (1/s)", default=0.1, min=0.0, soft_max=10.0, precision=3, step=1, options=STILL,
        description="How fast the rod loses speed, as if in air or water, per second: 1 leaves about a third of the "
        "speed after one second")
    start: PointerProperty(type=RodEndSettings)
    end: PointerProperty(type=RodEndSettings)


class ObjectSettings(bpy.types.PropertyGroup):
    """Everything Tendril knows about an object."""

    role: EnumProperty(name="Role", description="What this object is in the Tendril simulation", items=ROLES,
                       default="NONE", options=STILL)
    body: PointerProperty(type=BodySettings)
    rod: PointerProperty(type=RodSettings)
    joint: PointerProperty(type=joint_properties.JointSettings)


class ProblemEntry(bpy.types.PropertyGroup):
    """One line of the list that Check fills."""

    object_name: StringProperty(name="Object")
    sentence: StringProperty(name="Problem")


class SceneSettings(bpy.types.PropertyGroup):
    """How the scene is baked, and what Check found."""

    use_own_range: BoolProperty(
        name="Own Frame Range", default=False, options=STILL,
        description="Bake another range of frames than the scene's")
    frame_start: IntProperty(name="Start", default=1, options=STILL,
                             description="First frame of the bake: here everything is as it is drawn")
    frame_end: IntProperty(name="End", default=250, options=STILL, description="Last frame of the bake")
    substeps: IntProperty(
        name="Substeps", default=20, min=1, soft_max=200, max=10000, options=STILL,
        description="Steps of the simulation for each frame: more are more exact and lose less energy. "
        "The time of a bake grows with them")
    iterations: IntProperty(
        name="Iterations", default=1, min=1, soft_max=20, max=1000, options=STILL,
        description="Passes of the solver in each substep: 1 is right for chains and trees; closed loops of rods and "
        "joints want more")
    result_form: EnumProperty(name="Result", description="How baked rods are kept in the file", items=RESULT_FORMS,
                              options=STILL)
    problems: CollectionProperty(type=ProblemEntry)
    problem_index: IntProperty(name="Problem", options={"HIDDEN"})
    is_checked: BoolProperty(options={"HIDDEN"})  # Check was pressed: an empty list means that all is well
    status: StringProperty(name="Status", options={"HIDDEN"})  # what the last bake or check has to say


CLASSES = (BodySettings, RodEndSettings, RodSettings, ObjectSettings, ProblemEntry, SceneSettings)


def frame_range(scene: bpy.types.Scene) -> tuple[int, int]:
    """First and last frame of the bake."""
    own = scene.tendril
    if own.use_own_range:
        return own.frame_start, own.frame_end
    return scene.frame_start, scene.frame_end


def unit_scale(scene: bpy.types.Scene) -> float:
    """Metres in one Blender unit, as Blender itself reckons where it shows lengths."""
    units = scene.unit_settings
    return units.scale_length if units.system != "NONE" else 1.0


def frame_duration(scene: bpy.types.Scene) -> float:
    """Seconds from one frame to the next."""
    return scene.render.fps_base / scene.render.fps


def register() -> None:
    joint_properties.register()
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.tendril = PointerProperty(type=ObjectSettings, name="Tendril")
    bpy.types.Scene.tendril = PointerProperty(type=SceneSettings, name="Tendril")


def unregister() -> None:
    del bpy.types.Scene.tendril
    del bpy.types.Object.tendril
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    joint_properties.unregister()


