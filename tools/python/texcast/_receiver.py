"""Receiving of streams as textures and arrays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

import numpy as np

from . import _native
from ._errors import MisuseError
from ._frames import apply
from ._sound import SoundBlock, SoundFormat
from ._texture import Texture, decode
from ._types import Array

__all__ = ["Frame", "FrameTimes", "Receiver", "ReceiverStatus", "receive"]

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class FrameTimes:
    """When a frame passed which place, in seconds since 1970 (UTC), as ``time.time()``; None: not known.

    The first three are in the sender's clock, the others in the receiver's.
    """

    available: float | None
    """The frame was there: captured, decoded or sent by a program."""
    encoded: float | None
    """Its first blocks were encoded."""
    sent: float | None
    """Its first packet was sent."""
    first_packet: float | None
    """The receiver got its first packet."""
    assembled: float | None
    """The receiver had the whole frame, or stopped waiting for the rest."""


@dataclass(frozen=True)
class Frame:
    """A received frame. It may be kept for any time."""

    texture: Texture
    """Its blocks are read-only, in the receiver's memory or a copy of it."""
    pts: float
    """The sender's time of the frame in the stream, in seconds."""
    number: int
    """Counts the frames of the stream from 0, including lost ones."""
    fps: float
    """The stream's nominal frames per second."""
    times: FrameTimes
    """When it passed which place."""
    lost: int
    """How many frames since the last one that was returned never arrived."""
    skipped: int
    """How many frames since the last one that was returned were replaced by newer ones, as nobody took them."""
    concealed_blocks: int
    """Blocks that never arrived; they are those of the frame before, or zero."""
    new_stream: bool
    """The first frame of another sender, or of another size or format."""

    def pixels(self) -> Array:
        """Decodes the texture, as ``texcast.decode()``: shape (height, width) or (height, width, 2 to 4).

        The dtype is that of the format: uint8, uint16 or float16.
        """
        return decode(self.texture)


@dataclass(frozen=True)
class ReceiverStatus:
    """Figures of a ``Receiver``, since it was opened."""

    frames: int
    """Received."""
    frames_concealed: int
    """Of these: with blocks of the frame before."""
    frames_lost: int
    """Nothing of them arrived."""
    frames_unbuffered: int
    """There was no memory for them."""
    frames_undecoded: int
    """Decoding was too slow."""
    frames_unsupported: int
    """Of an unknown coding."""
    packets: int
    """Accepted."""
    bytes: int
    """Their payload."""
    packets_lost: int
    """On the way."""
    packets_recovered: int
    """Lost ones that parity or another sending recovered."""
    packets_refused: int
    """By encryption."""
    packets_foreign: int
    """From other senders, and from hosts that are not accepted."""
    packets_malformed: int
    """No RTP, or contradictory."""
    pictures_too_large: int
    """Packets of pictures beyond ``max_size``."""
    dropped_by_system: int
    """The socket's buffer was full."""
    sound_packets: int
    """Accepted, with parity."""
    sound_packets_lost: int
    """Neither arrived nor recovered."""
    sound_concealed: float
    """Seconds of sound that were lost and replaced by a guess."""
    refusal: str
    """Why the latest refused packet was refused, such as "wrong passphrase"; "": none was."""
    sender: str
    """HOST:PORT; "": none yet."""


class Receiver:
    """Receives a stream, from its construction on. Iterating gives its frames; ``texcast.receive()`` makes one.

    The frames that wait for Python are at most ``queue`` ones, the newest: by default a loop that is slower than the
    stream gets the newest frame each time, and skips others. Any thread may call; each frame goes to one of them.
    Sound waits beside them, at most two seconds of it: ``read_sound()``, ``sounds()``, or a function ``on_sound``.
    """

    def __init__(self, url: str = "rtp://:5004", *, timeout: float | None = None, queue: int = 1,
                 passphrase: str = "", cipher: str = "texcast", max_age: float = 60, accept: Sequence[str] = (),
                 interface: str = "", max_size: tuple[int, int] | None = None, name: str = "", sound: bool = False,
                 on_frame: Callable[[Frame], object] | None = None,
                 on_sound: Callable[[SoundBlock], object] | None = None) -> None:
        """Opens the port, without waiting for a sender. See ``texcast.receive()`` for the arguments.

        on_frame: is called with each frame on a thread of its own; the receiver is then not iterated.
        on_sound: is called with each block of sound, in order, on another thread of its own; it sets ``sound``.

        An exception in one of these functions ends the reception; ``wait()`` and the end of a ``with`` block raise it.
        """
        width, height = (0, 0) if max_size is None else max_size
        settings = apply(
            _native.StreamReceiverSettings(), listen=url, passphrase=passphrase, cipher=cipher, max_age=max_age,
            from_hosts=[accept] if isinstance(accept, str) else list(accept), interface=interface, max_width=width,
            max_height=height, name=name)
        self.timeout = timeout
        self._native = _native.Receiver(settings, int(queue), bool(sound) or on_sound is not None)
        self._failure: BaseException | None = None
        self._frames: threading.Thread | None = None
        self._sounds: threading.Thread | None = None
        self._frames = self._start(on_frame, self)
        self._sounds = self._start(on_sound, self.sounds())

    def read(self, timeout: float | None = None) -> Frame | None:
        """Waits for the next frame, at most ``timeout`` seconds; None: without a limit.

        Returns None if the time is over, or if the receiver is closed. The GIL is released meanwhile.
        """
        row = self._native.take(None if timeout is None else float(timeout))
        if row is None:
            return None
        times = FrameTimes(**{name: row.pop(name) for name in FrameTimes.__dataclass_fields__})
        return Frame(texture=Texture._of(row.pop("desc"), row.pop("blocks")), times=times, **row)

    def __iter__(self) -> Iterator[Frame]:
        """The frames, until none comes for ``timeout`` seconds, or ``close()``. Ctrl-C is KeyboardInterrupt."""
        return self

    def __next__(self) -> Frame:
        if self._frames is not None and threading.current_thread() is not self._frames:
            raise MisuseError("the frames of this receiver go to its on_frame function")
        frame = self.read(self.timeout)
        if frame is None:
            raise StopIteration
        return frame

    def read_sound(self, timeout: float | None = None) -> SoundBlock | None:
        """Waits for the next block of sound, at most ``timeout`` seconds; None: without a limit, 0: not at all.

        Returns None if the time is over, or if the receiver is closed. The GIL is released meanwhile. MisuseError
        without ``sound=True``.
        """
        row = self._native.take_sound(None if timeout is None else float(timeout))
        if row is None:
            return None
        format = SoundFormat(row.pop("sample_rate"), row.pop("channels"))
        samples = row.pop("samples").view(np.float32).reshape(-1, format.channels)
        return SoundBlock(samples=samples, format=format, **row)

    def sounds(self, timeout: float | None = None) -> Iterator[SoundBlock]:
        """The blocks of sound, until none comes for ``timeout`` seconds (None: for ever), or ``close()``.

        With 0 these are the blocks that wait, as a loop over frames takes them beside each frame. Needs ``sound=True``.
        """
        if self._sounds is not None and threading.current_thread() is not self._sounds:
            raise MisuseError("the sound of this receiver goes to its on_sound function")
        while (block := self.read_sound(timeout)) is not None:
            yield block

    def _start(self, function: Callable[[_Item], object] | None, items: Iterator[_Item]) -> threading.Thread | None:
        """A thread that calls the function with each item."""
        if function is None:
            return None
        thread = threading.Thread(target=self._call, args=(function, items), name="texcast receiver", daemon=True)
        thread.start()
        return thread

    def _call(self, function: Callable[[_Item], object], items: Iterator[_Item]) -> None:
        try:
            for item in items:
                function(item)
        except BaseException as failure:  # raised by wait()
            self._failure = failure
        finally:
            self._native.close()

    def _threads(self) -> list[threading.Thread]:
        return [thread for thread in (self._frames, self._sounds) if thread is not None]

    def wait(self, timeout: float | None = None) -> bool:
        """With ``on_frame`` or ``on_sound``: waits until the reception ends, and raises what ended it.

        timeout: the most seconds; None: without a limit. False: it goes on. It ends by ``close()``, by an exception,
        or if ``on_frame`` gets no frame for the receiver's timeout.
        """
        threads = self._threads()
        if not threads:
            raise MisuseError("wait() is for receivers with an on_frame or on_sound function")
        end = None if timeout is None else time.monotonic() + timeout
        for thread in threads:
            thread.join(None if end is None else max(0.0, end - time.monotonic()))
        self._raise_failure()
        return not any(thread.is_alive() for thread in threads)

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def close(self) -> None:
        """Ends the reception, and loops over the frames on other threads. Frames stay valid. May be called again."""
        self._native.close()
        if threading.current_thread() not in self._threads():
            for thread in self._threads():
                thread.join()

    @property
    def urls(self) -> list[str]:
        """Where a sender can send to, the likeliest first, such as "rtp://192.168.1.20:5004"."""
        return self._native.urls()

    @property
    def status(self) -> ReceiverStatus:
        """Figures so far; after ``close()`` the last ones."""
        return ReceiverStatus(**self._native.status())

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()
        if kind is None:
            self._raise_failure()


def receive(url: str = "rtp://:5004", *, timeout: float | None = None, queue: int = 1, passphrase: str = "",
            cipher: str = "texcast", max_age: float = 60, accept: Sequence[str] = (), interface: str = "",
            max_size: tuple[int, int] | None = None, name: str = "", sound: bool = False) -> Receiver:
    """Receives a stream of texcast or UltraGrid:

        for frame in texcast.receive("rtp://:5004", timeout=10):
            picture = frame.pixels()             # uint8 of shape (height, width, 3)

    url: "rtp://[ADDRESS][:PORT]" of this machine, a multicast group, or "rtp://SOURCE@GROUP"; port 0: any free one. Or
        the name of an announced stream that goes to a group; the search takes up to five seconds.
    timeout: the iteration ends if no frame comes for so many seconds; None: it goes on for ever.
    queue: how many frames may wait for the loop, 1 to 1000. If there are more, the oldest is skipped.
    passphrase: accepts only packets that are encrypted with it.
    cipher: for the passphrase: "texcast", or UltraGrid's "ultragrid-gcm", "-cbc", "-ctr", "-cfb", "-ecb".
    max_age: of an encrypted stream at its first packet, in seconds; 0: any.
    accept: the only hosts or networks ("192.168.1.0/24") that may send; empty: all.
    interface: name or address of a network interface; "": any.
    max_size: the largest accepted (width, height); None: sixteen megapixels.
    name: announces this receiver on the local network, so that ``Sender(name)`` finds it; 1 to 63 bytes. "": not.
    sound: receives the sound too, at the port after the next one: ``Receiver.sounds()``, ``Receiver.read_sound()``.

    Raises NetworkError if the port is in use or there is no such address, and UsageError.
    """
    return Receiver(url, timeout=timeout, queue=queue, passphrase=passphrase, cipher=cipher, max_age=max_age,
                    accept=accept, interface=interface, max_size=max_size, name=name, sound=sound)
