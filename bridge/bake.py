"""The bake as a state machine without a window: the operators, the command line and the tests drive the same one.

``poll()`` never waits, so that a window stays alive: reading and writing go in small slices on the main thread, frames
are solved by a worker thread whose compiled code holds no GIL. ``run()`` does all at once. Nothing in the scene
changes before there are frames to write; objects are found by name when they are needed, never kept.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

import bpy

from ..solver.scene import SceneError
from . import result, write
from .cache import FrameStore
from .problems import Problem, ReadError

SLICE = 0.02  # seconds of main thread that one poll takes for reading and writing
PHASES = ("READ", "COMPILE", "SOLVE", "WRITE", "DONE")


class BakeBusy(RuntimeError):
    """A second bake while one is running."""

    def __init__(self):
        super().__init__("A bake is running already: wait for it, or cancel it with ESC")


@dataclass
class Status:
    """How far a bake is: ``fraction`` 0…1 of its phase, Blender's ``frame`` while it solves."""

    phase: str = "READ"
    fraction: float = 0.0
    frame: int = 0
    text: str = ""
    seconds_left: float | None = None

    def line(self) -> str:
        """Return one line for the status bar and the panel."""
        if self.phase != "SOLVE":
            return f"{self.text}: {self.fraction:.0%}"
        left = "" if self.seconds_left is None else f", {duration(self.seconds_left)} left"
        return f"Baking frame {self.frame}: {self.fraction:.0%}{left}"


def duration(seconds: float) -> str:
    """Return a time as an artist reads it."""
    if seconds < 60.0:
        return f"{seconds:.0f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


@dataclass
class Outcome:
    """What has come of a bake; ``as_json`` is the result line of the command line.

    ``status``: FINISHED, CANCELLED (by the artist), DIVERGED (the solve), REFUSED (a scene with problems). Frames
    ``frame_start`` … ``frame_end`` are in the scene now where ``frames`` is not 0, also of a bake that was stopped.
    """

    status: str = "RUNNING"
    frames: int = 0
    frame_start: int = 0
    frame_end: int = 0
    form: str = ""
    seconds: float = 0.0
    solve_seconds: float = 0.0
    write_seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return plain data."""
        plain = asdict(self)
        plain["problems"] = [{"object": name, "sentence": sentence} for name, sentence in self.problems]
        for name in ("seconds", "solve_seconds", "write_seconds"):
            plain[name] = round(plain[name], 3)
        return plain

    def sentence(self) -> str:
        """Return what to tell the artist."""
        kept = f"frames {self.frame_start} to {self.frame_end} are kept" if self.frames else "nothing was changed"
        if self.status == "FINISHED":
            return f"Baked frames {self.frame_start} to {self.frame_end} in {self.seconds:.1f} s"
        if self.status == "CANCELLED":
            return f"Bake cancelled: {kept}"
        first = str(self.problems[0]) if self.problems else "the bake failed"
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        return f"{first}{more}; {kept}" if self.status == "DIVERGED" else f"{first}{more}"


running: Bake | None = None  # there is one at a time
latest: Bake | None = None  # the one that runs, or ran last: panels show it


class Bake:
    """One bake of ``scene``.

    ``frames`` (first, last) stands in for the scene's range. ``make_simulation`` is given the ``solver.Scene``;
    ``keep_frames`` leaves ``store`` filled afterwards, for whoever wants the frames themselves.
    """

    def __init__(self, scene, view_layer=None, frames=None, form=None, make_simulation=None, keep_frames=False):
        global running, latest
        if running is not None:
            raise BakeBusy
        self.scene_name = scene.name
        self._scene_key = scene.session_uid  # stays the same when it is renamed, and through an undo
        self.status = Status()
        self.outcome = Outcome()
        self.reading = None
        self.store: FrameStore | None = None
        self._layer_name = view_layer.name if view_layer else ""
        self._frames = frames
        self._form = form
        self._make_simulation = make_simulation
        self._keep_frames = keep_frames
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self._worker: threading.Thread | None = None
        self._began = time.perf_counter()
        self._steps = self._run()
        running = latest = self

    # what callers do

    @property
    def is_running(self) -> bool:
        """Say whether there is more to poll."""
        return running is self

    @property
    def scene(self):
        """The scene, wherever it is now."""
        scene = self.find_scene()
        if scene is None:
            raise ReadError([Problem("", f"The scene {self.scene_name} was deleted while it was baked")])
        return scene

    def find_scene(self):
        """Return the scene, or None where it was deleted."""
        return next((scene for scene in bpy.data.scenes if scene.session_uid == self._scene_key), None)

    def cancel(self) -> None:
        """Stop soon; what is solved by then is kept. Poll on until the bake is over."""
        self._stop.set()

    def abandon(self) -> None:
        """Stop now and write nothing: the file is being closed, or the extension goes."""
        self._stop.set()
        self._steps.close()
        if self.outcome.status == "RUNNING":
            self.outcome.status = "CANCELLED"
        self._finish()

    def poll(self) -> bool:
        """Go on for a moment; return whether there is more to do."""
        if not self.is_running:
            return False
        until = time.perf_counter() + SLICE
        while True:
            try:
                next(self._steps)
            except StopIteration:
                self._finish()
                return False
            except BaseException:
                self.outcome.status = "REFUSED" if self.outcome.status == "RUNNING" else self.outcome.status
                self._finish()
                raise
            if self._is_waiting or time.perf_counter() > until:
                return True

    def run(self) -> Outcome:
        """Bake to the end."""
        while self.poll():
            if self._is_waiting:
                self._wait(0.05)
        return self.outcome

    # the phases

    @property
    def _is_waiting(self) -> bool:
        return self.status.phase in ("COMPILE", "SOLVE")

    def _wait(self, seconds: float) -> None:
        if self._worker is not None and self._worker.is_alive():
            self._worker.join(seconds)
        elif self.status.phase == "COMPILE":
            time.sleep(seconds)

    def _enter(self, phase: str, text: str) -> None:
        self.status = Status(phase, text=text)

    def _run(self):
        try:
            yield from self._read()
            if not self._stop.is_set():
                yield from self._compile()
            if not self._stop.is_set():
                yield from self._solve()
            yield from self._write()
        except ReadError as error:
            self._refuse(error.problems)
        except write.WriteError as error:
            self._refuse([Problem(error.object_name, error.sentence)])
        except SceneError as error:
            self._refuse([Problem(self._owner(error.object), error.message)])
        finally:
            self._stop.set()
            if self._worker is not None:
                self._worker.join()

    def _refuse(self, problems) -> None:
        self.outcome.status = "REFUSED"
        self.outcome.frames = 0
        self.outcome.problems.extend(problems)

    def _owner(self, name: str) -> str:
        return self.reading.owners.get(name, name) if self.reading is not None else name

    def _read(self):
        from .read import read

        self._enter("READ", "Reading the scene")
        scene = self.scene
        layer = scene.view_layers.get(self._layer_name)
        with result.suspended(scene), _range(scene, self._frames):
            steps = read(scene, layer)
            try:
                while not self._stop.is_set():
                    self.status.fraction, self.status.text = next(steps)
                    yield
            except StopIteration as done:
                self.reading = done.value
            finally:
                steps.close()
        if self.reading is None:
            return
        problems = [Problem(*problem) for problem in write.problems(scene, self.reading)]
        if problems:
            raise ReadError(problems)
        self.outcome.frame_start = self.reading.frame_start
        self.status.frame = self.reading.frame_start

    def _compile(self):
        from ..solver import warm_up

        if self._make_simulation is not None:
            return
        self._enter("COMPILE", "Compiling, the first time only")
        steps = warm_up.warm_up()
        try:
            for fraction in steps:
                self.status.fraction = fraction
                yield
                if self._stop.is_set():
                    return
        finally:
            steps.close()

    def _solve(self):
        self._enter("SOLVE", "Solving")
        began = time.perf_counter()
        self._worker = threading.Thread(target=self._work, name="tendril-bake", daemon=True)
        self._worker.start()
        total = self.reading.scene.settings.frame_count
        try:
            while self._worker.is_alive():
                count = self.store.count if self.store else 0
                self.status.frame = self.reading.frame_start + max(count - 1, 0)
                self.status.fraction = count / total
                self.outcome.solve_seconds = time.perf_counter() - began
                if count > 1:
                    self.status.seconds_left = self.outcome.solve_seconds / (count - 1) * (total - count)
                yield
        finally:
            self._stop.set()
            self._worker.join()
        self.outcome.solve_seconds = time.perf_counter() - began

    def _work(self) -> None:
        """Solve frame after frame; in the worker thread, where no Blender data may be touched."""
        try:
            make = self._make_simulation
            if make is None:
                from ..solver import Simulation as make

            simulation = make(self.reading.scene)
            frame = simulation.frame()
            total = self.reading.scene.settings.frame_count
            self.store = FrameStore(total, len(frame.positions), simulation.bodies, simulation.rods)
            self.store.append(frame)
            while self.store.count < total and not self._stop.is_set():
                self.store.append(simulation.advance())
        except BaseException as error:  # carried over to the main thread
            self._failure = error

    def _write(self):
        outcome = self.outcome
        count = self.store.count if self.store else 0
        if self._failure is not None:
            self._take_failure()
        elif self.reading is None or count < self.reading.scene.settings.frame_count:
            outcome.status = "CANCELLED"
        if count < 2 and outcome.status != "RUNNING":
            return  # the start alone is nothing to keep
        self._enter("WRITE", "Writing keys")
        began = time.perf_counter()
        form = write.resolved_form(self._form or self.scene.tendril.result_form, self.reading, self.store, count)
        for fraction in write.write(self.scene, self.reading, self.store, count, form):
            self.status.fraction = fraction
            yield
        outcome.frames, outcome.form = count, form
        outcome.frame_end = self.reading.frame_start + count - 1
        outcome.write_seconds = time.perf_counter() - began
        if outcome.status == "RUNNING":
            outcome.status = "FINISHED"

    def _take_failure(self) -> None:
        """Turn a divergence into a problem; pass on everything else."""
        failure = self._failure
        if not (hasattr(failure, "frame") and hasattr(failure, "object")):
            raise failure
        self.outcome.status = "DIVERGED"
        frame = self.reading.frame_start + failure.frame
        self.outcome.problems.append(Problem(
            self._owner(failure.object),
            f"The simulation became unstable before frame {frame}. Raise the substeps, or look for extreme masses, "
            "stiffness or speeds",
        ))

    def _finish(self) -> None:
        global running
        self.outcome.seconds = time.perf_counter() - self._began
        self.status = Status("DONE", 1.0, self.status.frame, self.outcome.sentence())
        if self.store is not None and not self._keep_frames:
            self.store.close()
            self.store = None
        if running is self:
            running = None


@contextmanager
def _range(scene, frames):
    """Let ``frames`` (first, last) be the scene's own range for a while."""
    own = scene.tendril
    before = own.use_own_range, own.frame_start, own.frame_end
    if frames is not None:
        own.use_own_range = True
        own.frame_start, own.frame_end = frames
    try:
        yield
    finally:
        if frames is not None:
            own.use_own_range, own.frame_start, own.frame_end = before


def abandon_running(*_) -> None:
    """End a bake at once: a file is loaded, or the extension is disabled."""
    if running is not None:
        running.abandon()
