"""How a curve looks beside its shape: what an artist sets on a baked curve belongs to the drawn one as well."""

from __future__ import annotations

from . import actions

SETTINGS = (
    "bevel_depth", "bevel_factor_end", "bevel_factor_mapping_end", "bevel_factor_mapping_start", "bevel_factor_start",
    "bevel_mode", "bevel_object", "bevel_resolution", "extrude", "offset", "taper_object", "taper_radius_mode",
    "use_fill_caps", "use_map_taper",
)  # fmt: skip


def carry_over(baked, drawn) -> None:
    """Give ``drawn`` what has been changed about the looks of its copy ``baked``; animated settings stay."""
    if not drawn.is_editable:
        return
    bag, data = actions.assigned_bag(baked), baked.animation_data
    animated = {curve.data_path for curve in (*(bag.fcurves if bag else ()), *(data.drivers if data else ()))}
    for name in SETTINGS:
        value = getattr(baked, name)
        if name not in animated and getattr(drawn, name) != value:
            setattr(drawn, name, value)
    # slot by slot: clearing the list would take the splines' indices with it
    for index, material in enumerate(baked.materials):
        if index == len(drawn.materials):
            drawn.materials.append(material)
        elif drawn.materials[index] != material:
            drawn.materials[index] = material
    while len(drawn.materials) > len(baked.materials):
        drawn.materials.pop()
