"""Streams that senders announce on the local network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType

from . import _native
from ._errors import MisuseError
from ._log import report_failure

__all__ = ["FoundStream", "StreamWatch", "find_streams", "watch_streams"]


@dataclass(frozen=True)
class FoundStream:
    """A stream that its sender announces, by ``Sender(name=…)`` or ``texcast send``."""

    name: str
    """As announced. ``receive(stream.name)`` receives it, if it has a ``url``."""
    url: str
    """The multicast group, for ``receive()``; "": it goes to fixed addresses, where alone it can be received."""
    interface: str
    """Of this machine, on which it was found: for ``receive(…, interface=stream.interface)``."""
    host: str
    """The sender's machine, such as "studio.local"."""
    format: str
    """Texture format, such as "bc1"; "": not known."""
    width: int
    """Pixels; 0: not known."""
    height: int
    """Pixels; 0: not known."""
    fps: float
    """Frames per second; 0: not known."""
    sound: str
    """Coding of its sound, "pcm" or "opus"; "": it has none."""
    encrypted: bool
    """A passphrase is needed."""
    paused: bool
    """It is announced, but nothing is sent at present."""


def find_streams(seconds: float = 1.0) -> list[FoundStream]:
    """The streams that are announced on the local network, by name.

    seconds: how long it waits for answers; a second finds those of a usual network. 0: until the daemon considers the
        search complete. The GIL is released meanwhile.

    Raises NetworkError if there is no Avahi daemon, no system bus, or no Avahi client library.
    """
    return [FoundStream(**row) for row in _native.find_streams(float(seconds))]


class StreamWatch:
    """Watches which streams are announced, from its construction on. ``texcast.watch_streams()`` makes one.

    Iterating gives the list of all streams each time one came, changed or went. A loop that is slower than the changes
    gets the newest list. Any thread may call.
    """

    def __init__(self, on_change: Callable[[list[FoundStream]], object] | None = None) -> None:
        """Neither waits nor fails: without an Avahi daemon it keeps trying; see ``problem``.

        on_change: is called with the list of all streams after each change, on a thread of its own; the watch is then
            not iterated. An exception in it goes to ``sys.unraisablehook``, and the next change is reported.
        """
        self._native = _native.StreamWatch()
        self._thread: threading.Thread | None = None
        if on_change is not None:
            self._thread = threading.Thread(target=self._call, args=(on_change,), name="texcast watch", daemon=True)
            self._thread.start()

    def read(self, timeout: float | None = None) -> list[FoundStream] | None:
        """Waits for the next change, at most ``timeout`` seconds, and returns all streams; None: without a limit.

        Returns None if the time is over, or if the watch is closed. The GIL is released meanwhile.
        """
        rows = self._native.take(None if timeout is None else float(timeout))
        return None if rows is None else [FoundStream(**row) for row in rows]

    def __iter__(self) -> Iterator[list[FoundStream]]:
        """The list of all streams after each change, until ``close()``. Ctrl-C is KeyboardInterrupt."""
        return self

    def __next__(self) -> list[FoundStream]:
        if self._thread is not None and threading.current_thread() is not self._thread:
            raise MisuseError("the changes of this watch go to its on_change function")
        streams = self.read()
        if streams is None:
            raise StopIteration
        return streams

    def _call(self, on_change: Callable[[list[FoundStream]], object]) -> None:
        for streams in self:
            try:
                on_change(streams)
            except Exception as failure:
                report_failure(failure, on_change, "Exception ignored in the function for found streams of texcast")

    @property
    def streams(self) -> list[FoundStream]:
        """The streams that are announced at present, by name; empty after ``close()``."""
        return [FoundStream(**row) for row in self._native.streams()]

    @property
    def problem(self) -> str:
        """Why nothing can be found, for a person, such as that there is no daemon; "": all is well."""
        return self._native.problem()

    def close(self) -> None:
        """Ends the watch, and loops over its changes on other threads. May be called again."""
        self._native.close()
        if self._thread is not None and threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> StreamWatch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


def watch_streams(on_change: Callable[[list[FoundStream]], object] | None = None) -> StreamWatch:
    """Watches which streams are announced on the local network:

        for streams in texcast.watch_streams():
            print([stream.name for stream in streams])

    on_change: is called with the list of all streams after each change, on a thread of its own, until the result is
        closed; see ``StreamWatch``.
    """
    return StreamWatch(on_change)
