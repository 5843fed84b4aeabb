"""Messages of libtexcast besides results and errors."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from typing import cast

from . import _native

__all__ = ["log_to", "set_log_function"]

_lock = threading.Lock()
_current: tuple[_native.Log, threading.Thread] | None = None


def set_log_function(function: Callable[[str, str], object] | None, level: str = "info") -> None:
    """Calls ``function(level, line)`` for messages from now on, such as that nobody listens; None: for none.

    level: the lowest that is reported, "debug", "info", "warning" or "error". The function is called on a thread of its
    own, one line at a time. An exception in it goes to ``sys.unraisablehook``, and the next line is reported.
    """
    global _current
    new: tuple[_native.Log, threading.Thread] | None = None
    if function is not None:
        log = _native.Log(str(level))  # takes the place of the one before
        new = log, threading.Thread(target=_report, args=(log, function), name="texcast log", daemon=True)
    with _lock:
        if new is not None:
            new[1].start()
        before, _current = _current, new
    if new is None:
        _native.stop_log()
    if before is not None:
        before[0].close()
        if threading.current_thread() is not before[1]:
            before[1].join()  # without the lock, as its function may call this


def log_to(logger: logging.Logger | str | None = "texcast", level: str = "info") -> None:
    """Sends messages from now on to a logger of Python's ``logging``; None: to none. level: the lowest."""
    if logger is None:
        set_log_function(None)
        return
    target = logging.getLogger(logger) if isinstance(logger, str) else logger
    set_log_function(lambda of, line: target.log(getattr(logging, of.upper()), "%s", line), level)


def _report(log: _native.Log, function: Callable[[str, str], object]) -> None:
    while (taken := log.take()) is not None:
        try:
            function(*taken)
        except Exception as failure:
            report_failure(failure, function, "Exception ignored in the log function of texcast")


def report_failure(failure: Exception, function: object, message: str) -> None:
    """Passes an exception in a function of the program to ``sys.unraisablehook``."""
    sys.unraisablehook(cast("sys.UnraisableHookArgs", _Unraisable(failure, function, message)))


class _Unraisable:
    """As ``sys.unraisablehook`` takes it."""

    def __init__(self, failure: Exception, function: object, message: str) -> None:
        self.exc_type = type(failure)
        self.exc_value = failure
        self.exc_traceback = failure.__traceback__
        self.err_msg = message
        self.object = function
