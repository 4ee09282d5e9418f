#!/usr/bin/env python3
"""The developer's commands: `python3 dev.py --help`. Needs Python 3.11 or newer and pip, and makes the rest itself."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dev.py", description="Build, bake and test Tendril.")
    commands = parser.add_subparsers(dest="command", required=True)

    bake = commands.add_parser("bake", help="bake a scene headless and render six frames of it")
    source = bake.add_mutually_exclusive_group()
    source.add_argument("--example", default="hanging_sign", metavar="NAME", help="a script in examples/ (%(default)s)")
    source.add_argument("--scene", type=Path, metavar="FILE.blend", help="any Blender file instead of an example")
    bake.add_argument("--output", type=Path, metavar="FOLDER", help="where the results go (.dev/bake/NAME)")
    bake.add_argument("--blender", metavar="VERSION", help="4.5 or 5.2 (default: the newest whose Python is here)")

    test = commands.add_parser("test", help="all tests, ruff and the type check; what is unknown goes to pytest")
    parts = ("solver", "4.5", "5.2", "pip", "ruff", "types", "window")
    test.add_argument("--only", action="append", choices=parts, help="this part; can be given more than once")
    test.add_argument("--window", action="store_true", help="then the tests in a real Blender, if there is one")

    validate = commands.add_parser("validate", help="theory and the paper against Tendril: makes docs/validation.md")
    validate.add_argument("names", nargs="*", metavar="NAME", help="studies in benchmarks/validation/ (all)")
    validate.add_argument("--output", type=Path, metavar="FOLDER", help="where page and plots go instead of docs/")
    validate.add_argument("--list", action="store_true", help="the names of the studies")

    commands.add_parser("build", help="release zips for each platform, in dist/")
    commands.add_parser("ui", help="tests in a real Blender window; what is unknown goes to pytest")
    return parser


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036  this is what tells the user
        sys.exit("dev.py needs Python 3.11 or newer")
    parser = _arguments()
    options, words = parser.parse_known_args()
    if words and options.command not in ("test", "ui"):
        parser.error(f"unknown arguments: {' '.join(words)}")

    from devtools.processes import CommandError

    try:
        if options.command == "bake":
            from devtools import bake

            return bake.bake(options.example, options.scene, options.output, options.blender)
        if options.command == "build":
            from devtools import extension

            for file in extension.release_zips():
                print(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
            return 0
        if options.command == "validate":
            from devtools import validate

            if options.list:
                print("\n".join(validate.names()))
                return 0
            return validate.validate(options.names, options.output)
        from devtools import testing

        if options.command == "ui":
            return testing.run_parts(["window"], words)
        return testing.run_parts(options.only or testing.PARTS + options.window * ("window",), words)
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
