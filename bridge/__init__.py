"""The only translator between Blender and the solver: reads settings and scene, bakes, and writes the result back."""


def register() -> None:
    from . import properties, result

    properties.register()
    result.register()


def unregister() -> None:
    from . import properties, result

    result.unregister()
    properties.unregister()
