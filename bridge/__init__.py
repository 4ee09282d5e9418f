"""The only translator between Blender and the solver: reads settings and scene, bakes, and writes the result back."""


def register() -> None:
    from . import properties

    properties.register()


def unregister() -> None:
    from . import properties

    properties.unregister()
