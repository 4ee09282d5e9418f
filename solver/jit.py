"""How the solver is compiled: the only importer of numba's decorators.

Four kinds of compiled function, and nothing else:

* ``helper``: small algebra on scalars and tuples, always inlined, without a Python wrapper. Calling one from Python
  crashes the process: test it through a jitted wrapper.
* ``kernel``: inner loops over arrays, called by other compiled code only; compiled into each entry, never cached alone.
* ``stage``: a part of a larger function that has one caller and is written apart to be read apart. Numba pastes it into
  the caller, so that the optimiser does not go over the same code once for every level (it takes seconds each time).
* ``entry``: what Python calls. Compiled at its first call, for one explicit signature; cached on disk; runs without
  the GIL.

``fastmath={"contract"}`` allows fused multiply-add and nothing that changes results between two runs. ``_nrt=False``
leaves out Numba's counting of references to arrays, which no function here needs because none makes or keeps one:
measured, it halves the time of a rod element.
The cache's folder is this package's alone (see ``compile_cache``), and no other user of Numba hears of it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import shutil
import threading

import numba
from llvmlite import binding

from . import compile_cache

_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "_nrt": False}
_VERSIONS = f"numba {numba.__version__} {sorted(_OPTIONS.items(), key=str)}"

ENTRIES: list[Entry] = []  # everything that has to be compiled before the first step
cache_folder = compile_cache.choose(_VERSIONS)  # None: nothing can be kept


def helper(function):
    """Compile a small function that is inlined wherever it is used."""
    return numba.njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


def kernel(function):
    """Compile an inner kernel, called by compiled code only."""
    return numba.njit(nogil=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


def stage(function):
    """Paste a function into its only caller."""
    return numba.njit(inline="always", nogil=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


def entry(signature):
    """Compile what Python calls: ``signature`` is Numba's, as text or types, so that no call compiles again."""

    def decorate(function):
        made = Entry(function, signature)
        ENTRIES.append(made)
        return made

    return decorate


class Entry:
    """A compiled function that Python calls; compiled, or loaded from the cache, at its first call."""

    __name__: str  # these two are the function's
    __module__: str

    def __init__(self, function, signature):
        self.function = function
        self.signature = signature
        self.was_cached = False
        self._lock = threading.Lock()
        self._compiled = None
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        return (self._compiled or self.compile())(*arguments)

    @property
    def is_compiled(self) -> bool:
        """Say whether the code is in memory."""
        return self._compiled is not None

    def compile(self):
        """Compile or load the code; return what can be called."""
        with self._lock:
            if self._compiled is None:
                self._compiled = self._compile()
        return self._compiled

    def _compile(self):
        if cache_folder is not None:
            for _ in range(2):
                try:
                    return self._dispatcher(cached=True)
                except Exception:
                    # Files that were cut short, by another version, or may not be written fail in untold ways. Start
                    # again without them; an error of the code itself comes back below.
                    shutil.rmtree(cache_folder, ignore_errors=True)
        return self._dispatcher(cached=False)

    def _dispatcher(self, cached):
        dispatcher = numba.njit(nogil=True, **_OPTIONS)(self.function)
        if cached and cache_folder is not None:
            compile_cache.use(cache_folder)
            with _FOLDER_LOCK:
                before = numba.config.CACHE_DIR
                numba.config.CACHE_DIR = str(cache_folder)
                try:
                    dispatcher.enable_caching()  # looks for its place here and now
                finally:
                    numba.config.CACHE_DIR = before
        dispatcher.compile(self.signature)
        dispatcher.disable_compile()
        self.was_cached = bool(sum(dispatcher.stats.cache_hits.values()))
        if cached:
            self._marker().touch()
        return dispatcher

    def _marker(self):
        assert cache_folder is not None
        return cache_folder / f"{self.__module__.rpartition('.')[2]}.{self.__name__}.{_processor()}.done"

    def is_warm(self) -> bool:
        """Say whether the first call will be quick: in memory, or in the cache for this processor."""
        return self.is_compiled or (cache_folder is not None and self._marker().exists())


_FOLDER_LOCK = threading.Lock()


@functools.cache
def _processor() -> str:
    """Return a short name of this processor: compiled code is for one kind alone."""
    text = f"{binding.get_default_triple()} {binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def load_entries() -> None:
    """Import the modules whose entries a simulation calls: they register themselves in ``ENTRIES``."""
    importlib.import_module(".simulation", __package__)


def is_warm() -> bool:
    """Say whether no entry has to be compiled."""
    load_entries()
    return all(one.is_warm() for one in ENTRIES)


def compile_all(report=None) -> None:
    """Compile or load every entry; ``report(done, count, name)`` is called after each."""
    load_entries()
    for done, one in enumerate(ENTRIES, 1):
        one.compile()
        if report is not None:
            report(done, len(ENTRIES), one.__name__)
