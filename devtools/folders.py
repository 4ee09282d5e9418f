"""Where things are: the project, and everything that the commands make."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# All that is made lies in one git-ignored folder; another place (a disk shared by clones) can be named.
DEV = Path(os.environ.get("TENDRIL_DEV") or ROOT / ".dev").resolve()
ENVIRONMENTS = DEV / "environments"
PROFILES = DEV / "profiles"
REPORTS = DEV / "reports"
ZIPS = DEV / "zips"
WHEELS = ROOT / "wheels"
DIST = ROOT / "dist"

# What the package is made of; everything else at the root is for developers.
PACKAGE_FOLDERS = ("bridge", "operators", "panels", "presets", "solver")
PACKAGE_FILES = ("__init__.py", "blender_manifest.toml", "LICENSE", "README.md", "CHANGELOG.md")
