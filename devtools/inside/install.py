"""Runs in an environment with bpy: installs an extension zip as a user does, and makes sure what Numba is used."""

from __future__ import annotations

import importlib.util
import os
import sys

import bpy

import addon_utils

MODULE = "bl_ext.user_default.tendril"


def main(archive: str) -> None:
    profile = os.path.realpath(os.environ["BLENDER_USER_RESOURCES"])
    for package in ("numba", "llvmlite"):
        if importlib.util.find_spec(package):
            sys.exit(f"{package} is in this environment already, so the zip's own wheels would not be tested")
    result = bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
    if result != {"FINISHED"} or not addon_utils.check(MODULE)[1]:
        # Enabling only prints what went wrong; enabling again raises it.
        addon_utils.enable(MODULE, handle_error=lambda error: sys.exit(f"enabling failed: {error!r}"))
        sys.exit(f"installing {archive} ended with {result}, the extension is not enabled")
    found = importlib.util.find_spec("numba")
    if found is None or not os.path.realpath(str(found.origin)).startswith(profile):
        sys.exit(f"numba was expected out of the zip's wheels, found {found}")
    print(f"installed and enabled, numba at {found.origin}")
    # What is still registered when Blender 4.5's module exits makes it hang.
    addon_utils.disable(MODULE)


main(sys.argv[1])
