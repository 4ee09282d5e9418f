"""MuJoCo: hinges in reduced coordinates, and its discrete elastic rods (no stretch, no shear)."""

import math

import mujoco
from blocks import Case, gather, serve
from scenes import (
    DENSITY,
    GRAVITY,
    LINK_LENGTH,
    LINK_MASS,
    LINKS,
    PENDULUM_STEP,
    POISSON,
    ROD_LENGTH,
    ROD_RADIUS,
    ROD_STEP,
    SEGMENTS,
    START_ANGLE,
    YOUNG,
    link_inertia,
)
from settle import settle


def case(model, steps: int, time_step: float, nodes: int, remark: str, tip, start=None) -> Case:
    data = mujoco.MjData(model)
    if start is not None:
        data.qpos[0] = start

    def place():
        at = tip(data)
        return [float(at[0]), float(at[2])]

    def rest():
        def kinetic():
            mujoco.mj_energyVel(model, data)
            return data.energy[1]

        return settle(lambda: mujoco.mj_step(model, data), kinetic, lambda: data.qvel.fill(0.0), place)

    wanted = rest if start is None else None
    return Case(lambda: mujoco.mj_step(model, data, steps), steps, nodes, remark, time_step, place, wanted)


def pendulum() -> Case:
    across, _, along = link_inertia()
    body, end = "", ""
    for k in range(LINKS):
        body += (
            f'<body pos="0 0 {-LINK_LENGTH if k else 0.0}"><joint type="hinge" axis="0 1 0"/>'
            f'<inertial mass="{LINK_MASS}" pos="0 0 {-0.5 * LINK_LENGTH}" diaginertia="{across} {across} {along}"/>'
        )
        end += "</body>"
    xml = (
        f'<mujoco><option timestep="{PENDULUM_STEP}" gravity="0 0 {-GRAVITY}" integrator="Euler">'
        f'<flag contact="disable" energy="disable"/></option><worldbody>{body}{end}</worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(xml)
    return case(model, 200, PENDULUM_STEP, LINKS, "reduced coordinates, semi-implicit Euler",
                lambda data: data.xipos[LINKS], -START_ANGLE)  # fmt: skip


def rod(segments: int) -> Case:
    points = " ".join(f"{k * ROD_LENGTH / segments} 0 0" for k in range(segments + 1))
    elements = " ".join(f"{k} {k + 1}" for k in range(segments))
    mass = DENSITY * math.pi * ROD_RADIUS**2 * ROD_LENGTH
    xml = f"""<mujoco><option timestep="{ROD_STEP}" gravity="0 0 {-GRAVITY}" integrator="discrete" solver="Newton">
      <flag contact="disable"/></option><worldbody>
      <flexcomp name="rod" type="direct" dim="1" point="{points}" element="{elements}"
        radius="{ROD_RADIUS}" mass="{mass}"><edge equality="true" solref="{2 * ROD_STEP} 1" solimp="0.95 0.999 1e-4"/>
        <elasticity young="{YOUNG}" poisson="{POISSON}"/><contact selfcollide="none"/>
        <pin id="0 1"/></flexcomp></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    return case(model, 20, ROD_STEP, segments + 1, "discrete elastic rod, implicit, edges kept by constraints",
                lambda data: data.flexvert_xpos[-1])  # fmt: skip


if __name__ == "__main__":
    makers = {"pendulum": pendulum}
    makers |= {f"rod {n}": lambda n=n: rod(n) for n in SEGMENTS}
    serve(*gather(makers), f"MuJoCo {mujoco.__version__}")
