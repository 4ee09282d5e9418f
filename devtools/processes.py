"""Running other programs: with a time limit that also ends their children, and messages that say what happened."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

TIMED_OUT = 124


class CommandError(RuntimeError):
    """A step failed; the message is all the user needs to see."""


def say(message: str) -> None:
    print(f"[dev] {message}", flush=True)


def environment(**changes: str | None) -> dict[str, str]:
    """This process's environment without what would lead another Python astray, with ``changes``."""
    result = dict(os.environ)
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__", "PYENV_VERSION"):
        result.pop(name, None)
    for name, value in changes.items():
        result.pop(name, None)
        if value is not None:
            result[name] = value
    return result


def _end(process: subprocess.Popen) -> None:
    """End a process and, where there are process groups, its children."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def run(
    command: Sequence[str | Path],
    *,
    timeout: float,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    output: Path | None = None,
) -> int:
    """Run ``command`` and return its exit code, ``TIMED_OUT`` after ``timeout`` seconds; ``output`` takes its text."""
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(output.open("wb")) if output else None
        process = subprocess.Popen(
            [str(word) for word in command],
            env=environment() if env is None else dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT if stream else None,
            start_new_session=os.name == "posix",
        )
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            say(f"ended after {timeout:.0f} s without an end: {shlex.join(str(word) for word in command)}")
            return TIMED_OUT
        except BaseException:
            _end(process)
            raise


def must_run(
    command: Sequence[str | Path],
    *,
    timeout: float,
    log: Path,
    what: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    """Run ``command`` quietly and return its text; where it fails, show the end of the text and raise."""
    log.parent.mkdir(parents=True, exist_ok=True)
    code = run(command, timeout=timeout, env=env, cwd=cwd, output=log)
    text = log.read_text(encoding="utf-8", errors="replace")
    if code:
        tail = "\n".join(text.splitlines()[-40:])
        print(tail, file=sys.stderr, flush=True)
        raise CommandError(f"{what} failed with exit code {code}; all of its output: {log}")
    return text


def alive(process: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextlib.contextmanager
def lock(path: Path, patience: float = 1800.0) -> Iterator[None]:
    """Hold ``path`` as a lock, so that two commands at once do not make the same environment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    end, told = time.monotonic() + patience, False
    while True:
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            os.write(descriptor, str(os.getpid()).encode())
            os.close(descriptor)
            break
        except FileExistsError:
            with contextlib.suppress(OSError, ValueError):
                if not alive(int(path.read_text())):
                    path.unlink(missing_ok=True)
                    continue
            if time.monotonic() > end:
                raise CommandError(f"{path} is held by another run; delete it if there is none") from None
            if not told:
                say(f"another run is at it, waiting for {path.name}")
                told = True
            time.sleep(0.5)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
