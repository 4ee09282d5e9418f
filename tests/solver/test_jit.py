"""The compile cache and its traps: stale code, other package names, folders that cannot be written, a child process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tendril.solver import compile_cache, jit, warm_up

# A small package with the solver's own jit in it, compiled in a second, whose callee lies in another file.
CALLEE = """
from .jit import helper


@helper
def factor(x):
    return {factor} * x
"""
ENTRY = """
from .jit import entry
from .callee import factor


@entry("float64(float64)")
def scaled(x):
    return factor(x) + 1.0
"""
PROBE = """
import sys
sys.path.insert(0, {place!r})
from {package}.solver import jit, simulation
print(simulation.scaled(2.0), simulation.scaled.was_cached, jit.cache_folder)
"""


def make_package(place: Path, package: str, factor: float = 3.0) -> Path:
    """Lay out ``package.solver`` under ``place``."""
    folder = place / package / "solver"
    folder.mkdir(parents=True)
    (place / package / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("")
    for name in ("jit", "compile_cache", "warm_up"):
        shutil.copy(Path(jit.__file__).with_name(f"{name}.py"), folder)
    (folder / "callee.py").write_text(CALLEE.format(factor=factor))
    (folder / "simulation.py").write_text(ENTRY)
    return folder


def run(code: str, cache, **variables) -> str:
    """Run ``code`` in a Python of its own."""
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment.update(TENDRIL_CACHE_DIR=str(cache), PYTHONDONTWRITEBYTECODE="1", **variables)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def probe(place, package, cache, **variables):
    result, cached, folder = run(PROBE.format(place=str(place), package=package), cache, **variables).split(" ", 2)
    return float(result), cached == "True", folder


def test_second_process_loads_what_the_first_compiled(tmp_path):
    make_package(tmp_path, "rods")
    assert probe(tmp_path, "rods", tmp_path / "cache")[:2] == (7.0, False)
    assert probe(tmp_path, "rods", tmp_path / "cache")[:2] == (7.0, True)


def test_a_changed_callee_in_another_file_is_compiled_again(tmp_path):
    folder = make_package(tmp_path, "rods")
    probe(tmp_path, "rods", tmp_path / "cache")
    (folder / "callee.py").write_text(CALLEE.format(factor=5.0))
    assert probe(tmp_path, "rods", tmp_path / "cache")[:2] == (11.0, False)


def test_another_package_name_has_a_cache_of_its_own(tmp_path):
    make_package(tmp_path, "rods")
    first = probe(tmp_path, "rods", tmp_path / "cache")
    (tmp_path / "rods").rename(tmp_path / "sticks")  # the very same files
    second = probe(tmp_path, "sticks", tmp_path / "cache")
    assert second[:2] == (7.0, False)
    assert first[2] != second[2]


def test_options_and_versions_are_in_the_key():
    names = {compile_cache.folder_name("a.solver", versions, "0" * 16) for versions in ("numba 1 x", "numba 1 y")}
    assert len(names) == 2
    assert "fastmath" in jit._VERSIONS


def test_no_place_that_can_be_written_is_no_error(tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise PermissionError("read-only")

    monkeypatch.setattr(compile_cache, "_can_write", lambda folder: False)
    monkeypatch.setattr(compile_cache.tempfile, "mkdtemp", refuse)
    assert compile_cache.choose("x") is None
    monkeypatch.setattr(jit, "cache_folder", None)

    def plus_one(x):
        return x + 1.0

    one = jit.Entry(plus_one, "float64(float64)")
    assert one(1.0) == 2.0
    assert not jit.Entry(plus_one, "float64(float64)").is_warm()


def test_a_file_in_the_place_of_the_folder_falls_back(tmp_path):
    """Root may write anywhere, so that permissions prove nothing here: a file cannot be a folder for anybody."""
    make_package(tmp_path, "rods")
    (tmp_path / "cache").write_text("in the way")
    result, _, folder = probe(tmp_path, "rods", tmp_path / "cache", XDG_CACHE_HOME=str(tmp_path / "home"),
                              LOCALAPPDATA=str(tmp_path / "home"), HOME=str(tmp_path / "home"))
    assert result == 7.0
    assert not folder.startswith(str(tmp_path / "cache"))


def test_temporary_cache_is_private_and_goes_with_the_process(tmp_path):
    make_package(tmp_path, "rods")
    for name in ("cache", "home"):
        (tmp_path / name).write_text("in the way")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    result, _, folder = probe(
        tmp_path, "rods", tmp_path / "cache", XDG_CACHE_HOME=str(tmp_path / "home"), HOME=str(tmp_path / "home"),
        LOCALAPPDATA=str(tmp_path / "home"), TMPDIR=str(temporary), TMP=str(temporary), TEMP=str(temporary),
    )
    assert result == 7.0
    assert folder.startswith(str(temporary))
    assert not list(temporary.glob("tendril-*"))


def test_spoilt_cache_is_compiled_over(tmp_path):
    make_package(tmp_path, "rods")
    folder = Path(probe(tmp_path, "rods", tmp_path / "cache")[2])
    files = [*folder.rglob("*.nbc"), *folder.rglob("*.nbi")]
    assert files
    for file in files:
        file.write_bytes(b"rubbish")
    assert probe(tmp_path, "rods", tmp_path / "cache")[:2] == (7.0, False)
    assert probe(tmp_path, "rods", tmp_path / "cache")[:2] == (7.0, True)


def test_other_users_of_numba_do_not_hear_of_the_folder(tmp_path):
    make_package(tmp_path, "rods")
    code = PROBE + "import numba\nprint(repr(numba.config.CACHE_DIR))"
    out = run(code.format(place=str(tmp_path), package="rods"), tmp_path / "cache")
    assert str(tmp_path) not in out.splitlines()[-1]


def test_child_process_warms_the_parent(tmp_path):
    """A package whose parent packages cannot be imported outside Blender: the child must do without them."""
    make_package(tmp_path, "rods")
    (tmp_path / "rods" / "__init__.py").write_text("import a_module_of_blender_alone")
    code = """
        import sys, types
        sys.path.insert(0, {place!r})
        above = types.ModuleType("rods")
        above.__path__ = [{folder!r}]
        sys.modules["rods"] = above
        from rods.solver import jit, warm_up
        assert not jit.is_warm()
        steps, seen = warm_up.warm_up(), 0
        while True:
            try:
                next(steps)
                seen += 1
            except StopIteration as done:
                assert done.value is True, done.value
                break
        assert seen and jit.is_warm()
        jit.compile_all()
        print([one.was_cached for one in jit.ENTRIES], list(warm_up.warm_up()))
    """.format(place=str(tmp_path), folder=str(tmp_path / "rods"))
    assert run(code, tmp_path / "cache") == "[True] []"


def test_closing_the_warm_up_ends_the_child(tmp_path):
    folder = make_package(tmp_path, "rods")
    (folder / "simulation.py").write_text(ENTRY + "\nimport sys, time\nif sys.argv[0] == '-c' and sys.argv[1:]:\n"
                                                  "    time.sleep(60)\n")
    code = f"""
        import sys, time
        sys.path.insert(0, {str(tmp_path)!r})
        from rods.solver import warm_up
        began = time.perf_counter()
        steps = warm_up.warm_up()
        next(steps)
        steps.close()
        print(time.perf_counter() - began < 20)
    """
    assert run(code, tmp_path / "cache") == "True"


def test_no_python_at_hand(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/blender/blender")
    assert warm_up.child_command() is None
    monkeypatch.setattr(sys, "executable", "")
    assert warm_up.child_command() is None


def test_old_folders_are_thrown_away(tmp_path):
    mine, young, old, foreign = (tmp_path / name for name in ("kernels-a", "kernels-b", "kernels-c", "precious"))
    for folder in (mine, young, old, foreign):
        folder.mkdir()
    past = time.time() - 2 * compile_cache.OLD
    for folder in (mine, old, foreign):
        os.utime(folder, (past, past))
    assert compile_cache.clean(mine) == ["kernels-c"]
    assert mine.exists() and young.exists() and foreign.exists() and not old.exists()


def test_every_compiled_entry_is_registered():
    jit.load_entries()
    assert {"step_frame", "measure"} <= {one.__name__ for one in jit.ENTRIES}


def test_wrong_arguments_do_not_compile_again():
    def plus_one(x):
        return x + 1.0

    one = jit.Entry(plus_one, "float64(float64)")
    with pytest.raises(TypeError):
        one((1.0, 2.0))
