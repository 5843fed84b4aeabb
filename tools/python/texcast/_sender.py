"""Sending of arrays and textures over a network."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType

from . import _native
from ._codec import new_array
from ._errors import MisuseError, UsageError
from ._frames import Layout, apply, as_array, given
from ._sound import SoundFormat, as_sound
from ._texture import Texture
from ._types import Array

__all__ = ["ReceiverReport", "Sender", "SenderStatus", "presets"]


def presets() -> dict[str, str]:
    """The names that ``Sender(preset=…)`` takes, as ``texcast send --for``, and what each is for."""
    return _native.presets()


@dataclass(frozen=True)
class ReceiverReport:
    """What one receiver reports about a stream (RTCP). Receivers of encrypted streams send none."""

    address: str
    """HOST:PORT"""
    left: bool
    """It has said goodbye; the values are its last ones."""
    packets_lost: int
    """So far; negative if there are more duplicates."""
    loss: float
    """Part of the packets lost between its last two reports, 0 to 1."""
    jitter: float
    """Seconds."""
    round_trip: float | None
    """Seconds; from its second report on."""


@dataclass(frozen=True)
class SenderStatus:
    """Figures of a ``Sender``, since its first frame."""

    frames: int
    """Sent."""
    dropped: int
    """``send()`` returned False."""
    packets: int
    """With parity, without those sent again."""
    bytes: int
    """UDP payload of these packets."""
    packets_refused: int
    """By the system: the port is closed, or there is no route."""
    requests: int
    """For lost packets, from receivers."""
    packets_again: int
    """Sent again."""
    bits_per_s: float | None
    """The current limit of a lossy stream with a bit rate."""
    crf: float | None
    """The approximate current quality of a lossy stream."""
    sound_packets: int
    """Of sound, with parity."""
    sound_bytes: int
    """UDP payload of these packets."""
    sound_dropped: int
    """Samples of each channel for which ``send_sound()`` returned False."""
    encode_seconds: float
    """Median, from ``send()`` until a frame is encoded."""
    send_seconds: float
    """Median, from ``send()`` until the last packet of a frame has left."""
    receivers: tuple[ReceiverReport, ...]
    """The latest report of each."""


class Times:
    """The clock of a stream, which begins with the first use. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begin: float | None = None

    def now(self) -> float:
        """Seconds since the first call."""
        now = time.monotonic()
        with self._lock:
            if self._begin is None:
                self._begin = now
            return max(0.0, now - self._begin)


class Sender:
    """Encodes arrays and sends them, on threads of its own. It holds a frame or two, so that latency does not grow.

        with texcast.Sender("rtp://192.168.1.20:5004", fps=30, format="bc1") as sender:
            for frame in frames:                 # uint8 of shape (height, width, 3)
                sender.send(frame)

    Calls of several threads are made one after another. At the end of the ``with`` block all frames have left.
    """

    def __init__(self, destinations: str | Sequence[str], *, size: tuple[int, int] | None = None, fps: float = 60,
                 format: str | None = None, quality: str = "fast", device: str = "", pixel_format: str | None = None,
                 matrix: str | None = None, full_range: bool | None = None, preset: str | None = None,
                 crf: float | None = None, bitrate: float | None = None, least_bitrate: float | None = None,
                 passphrase: str = "", compact: bool | None = None, transform: str = "auto", fec: str | None = None,
                 retransmit: bool | None = None, refresh_seconds: float = 0, sound: SoundFormat | None = None,
                 sound_coding: str = "pcm", name: str = "", interface: str = "", multicast_ttl: int = 1, mtu: int = 0,
                 spread: float = 0, max_bits_per_s: float = 0) -> None:
        """Opens the stream. With ``size`` addresses and devices are checked now, without it at the first frame.

        destinations: "rtp://HOST[:PORT]", one or several, hosts or one multicast group; the port is 5004 if not given.
            Or the name of a receiver that announces itself; the search takes up to five seconds.
        size: (width, height) of the frames in pixels; None: those of the first frame.
        fps: frames per second, by which packets are paced.
        format, quality, device, pixel_format, matrix, full_range: as for ``texcast.encode()``. With ``size`` the
            pixel format is "rgb24" if not given. Without a format it is the preset's, else "bc1".
        preset: settings for a purpose, one of ``texcast.presets()``. It sets ``crf``, ``bitrate``, ``least_bitrate``,
            ``compact``, ``fec`` and ``retransmit``, and most also ``format``, where these are None.
        crf: lossy at a constant quality, from 0, the best, to 51; 23 is usual. None: the preset's, else lossless, or by
            ``bitrate``.
        bitrate: lossy at this rate, in bits per second to each destination; 0: no limit. With ``least_bitrate`` the
            rate adapts to the network between the two. None: the preset's, else 0.
        passphrase: encrypts the stream.
        compact: sends only what changed. False: a raw stream, which UltraGrid reads too. None: the preset's, else True.
        transform: "auto", "on" or "off": transform coding of lossy streams.
        fec: parity, as ``texcast send --fec``: "auto", "none", "20%". None: the preset's, else "auto".
        retransmit: sends lost packets again if receivers ask. None: the preset's, else True.
        refresh_seconds: period in which a coded stream sends everything anew; 0: 5 in groups, else never.
        sound: what ``send_sound()`` will take; it goes to the port after the next one. None: no sound.
        sound_coding: "pcm", exact to 16 bits, or "opus": 96 kbit/s for each channel, at 48000 samples per second.
        name: announces the stream on the local network, for ``find_streams()``; 1 to 63 bytes of UTF-8. "": not.
        interface: name or address of the network interface; "": by the routing table.
        multicast_ttl: 0 to 255. mtu: bytes of an IP packet, 0: of the path. spread: part of the frame time over which
            packets are spread, 0: automatic. max_bits_per_s: limit on the line, 0: none.

        Raises UsageError, NetworkError and NoDevice.
        """
        addresses = [destinations] if isinstance(destinations, str) else list(destinations)
        if not addresses:
            raise UsageError("a sender needs a destination, such as rtp://192.168.1.20:5004")
        if sound is not None and not isinstance(sound, SoundFormat):
            raise TypeError(f"sound={sound!r}; it is a texcast.SoundFormat")
        self._preset = None if preset is None else str(preset)
        self._settings = dict(
            destinations=addresses, fps=fps, quality=quality, passphrase=passphrase, transform=transform,
            refresh_seconds=refresh_seconds, sound=None if sound is None else (sound.sample_rate, sound.channels),
            sound_coding=sound_coding, name=name, interface=interface, multicast_ttl=multicast_ttl, mtu=mtu,
            spread=spread, max_bits_per_s=max_bits_per_s)
        self._of_preset = dict(crf=crf, bitrate=bitrate, least_bitrate=least_bitrate, compact=compact, fec=fec,
                               retransmit=retransmit)
        self._of_encoder = dict(format=format, quality=quality, device=device)
        self._configure(0, 0)  # reports mistakes now
        self._colors = (matrix, full_range)
        self._pixel_format = None if pixel_format is None else str(pixel_format)
        self._format: _native.FrameFormat | None = None
        self._native: _native.Sender | None = None
        self._times = Times()
        self._last = -1.0
        self._sound = sound
        self._sound_end: float | None = None
        self._sound_lock = threading.Lock()
        self._is_closed = False
        self._lock = threading.RLock()  # of everything above but the sound
        if size is not None:
            self._pixel_format = self._pixel_format or "rgb24"
            layout = Layout(self._pixel_format, matrix, full_range)
            self._open_frames(layout, layout.format_of_size(size))

    def _configure(self, width: int, height: int) -> tuple[_native.StreamSenderSettings, _native.EncoderSettings]:
        """The settings for frames of that size: the preset's, then those that were given."""
        settings, encoder = _native.StreamSenderSettings(), _native.EncoderSettings()
        if self._preset is not None:
            _native.apply_preset(self._preset, settings, encoder, width, height)
        apply(settings, **self._settings, **given(self._of_preset))
        return settings, apply(encoder, **given(self._of_encoder))

    def send(self, frame: object, pts: float | None = None) -> bool:
        """Sends a frame without waiting: an array, as for ``texcast.encode()``, or a ``Texture``.

        All frames of a stream have the size and type of the first one. The array is copied, unless ``lend()`` lent it.
        pts: the frame's time in the stream in seconds, which must rise; None: the time since the first frame.

        Returns False if the frame was dropped, because the device or the network is a whole frame behind. Raises
        UsageError for a frame that does not fit, and NoDevice or NetworkError if the device or the network failed.
        """
        if isinstance(frame, Texture):
            with self._lock:
                return self._send_texture(frame, pts)
        array = as_array(frame, self._pixel_format)
        with self._lock:
            return self._send_array(array, pts)

    def _send_array(self, array: Array, pts: float | None) -> bool:
        self._check_open()
        native = self._native
        if native is None:
            layout = Layout.of(array, self._pixel_format, *self._colors)
            native = self._open_frames(layout, layout.format_of(array))
        elif self._format is None:
            raise UsageError("this sender sends textures, as the first call did, not arrays")
        return self._send_at(pts, partial(native.send_array, array))

    def _send_texture(self, texture: Texture, pts: float | None) -> bool:
        self._check_open()
        native = self._native
        if native is None:
            settings, _ = self._configure(texture.width, texture.height)
            native = self._open(_native.Sender(settings, texture._desc))
        elif self._format is not None:
            raise UsageError("this sender sends arrays, not textures")
        elif texture._desc != native.texture_desc():
            raise UsageError(f"{texture!r} is not of the stream's format, size and colours")
        return self._send_at(pts, partial(native.send_texture, texture._desc, texture.blocks))

    def _open_frames(self, layout: Layout, format: _native.FrameFormat) -> _native.Sender:
        settings, encoder = self._configure(format.width, format.height)
        sender = _native.Sender(settings, encoder, format, layout.native)
        self._format = format
        self._pixel_format = layout.native.name
        return self._open(sender)

    def _open(self, sender: _native.Sender) -> _native.Sender:
        self._native = sender
        if self._is_closed:  # meanwhile, by another thread
            sender.close()
            self._check_open()
        return sender

    def _check_open(self) -> None:
        if self._is_closed:
            raise MisuseError("the sender is closed")

    def _send_at(self, pts: float | None, send: Callable[[float], bool]) -> bool:
        if pts is None:
            pts = max(self._times.now(), self._last + 1e-6)
        if not pts > self._last:
            raise UsageError(f"pts={pts!r} does not rise; the last frame was at {self._last!r} s")
        sent = send(float(pts))  # a frame that is refused does not count
        self._last = float(pts)
        return sent

    def send_sound(self, samples: object, pts: float | None = None) -> bool:
        """Sends sound without waiting, from any thread, also while others send frames.

        samples: float32 of shape (samples, channels), or (samples,) for one channel, from -1 to 1, as many as there
            are. They are copied. float64 is converted, and int16, of which 32768 is 1.
        pts: the time of the first sample in seconds, on the time line of the frames. A block continues the one before
            if its time does, within 2 ms; after a gap there is silence. None: right after the one before, or, for the
            first one and if that ended more than 0.2 s ago, the time since the first frame.

        Sound begins with the first frame: of what comes earlier, two seconds are kept with ``size``, else nothing.
        Returns False if the block was dropped: more than two seconds would wait, or the stream is not open yet. Raises
        UsageError for an array that does not fit, MisuseError without ``Sender(sound=…)`` and after ``close()``.
        """
        if self._sound is None:
            raise MisuseError("this sender has no sound; it needs Sender(…, sound=texcast.SoundFormat())")
        self._check_open()
        block = as_sound(samples, self._sound)
        native = self._native
        with self._sound_lock:  # as the next block may begin where this one ends
            at = self._sound_time() if pts is None else float(pts)
            sent = native is not None and native.send_sound(block, at)
            self._sound_end = at + len(block) / self._sound.sample_rate
        return sent

    def _sound_time(self) -> float:
        now = self._times.now()
        return now if self._sound_end is None or self._sound_end < now - 0.2 else self._sound_end

    def lend(self) -> Array:
        """An array to draw the next frame into, which ``send()`` then need not copy; as ``Encoder.lend()``.

        It has unspecified contents and the shape and type of the stream's frames. Do not write to it after ``send()``.
        MisuseError before the first frame if ``size`` was not given.
        """
        if self._native is None or self._format is None or self._pixel_format is None:
            raise MisuseError("lend() needs Sender(size=…), or a first frame that is an array")
        lent = self._native.lend()
        return new_array(self._format, self._pixel_format) if lent is None else lent

    def finish(self, limit: float = 2.0) -> bool:
        """Waits until all frames have left, and a moment longer for requests of receivers, at most ``limit`` seconds.

        False: frames have not left by then. More frames may be sent afterwards.
        """
        return True if self._native is None else self._native.finish(float(limit))

    def close(self) -> None:
        """Says goodbye to receivers. Frames that have not left are dropped. May be called again."""
        self._is_closed = True  # without the lock, which a thread that stays at the end of the interpreter may hold
        if self._native is not None:
            self._native.close()

    @property
    def status(self) -> SenderStatus:
        """Figures so far. MisuseError before the stream is open, and after ``close()``."""
        if self._native is None:
            raise MisuseError("nothing was sent yet")
        row = self._native.status()
        row["receivers"] = tuple(ReceiverReport(**report) for report in row["receivers"])
        return SenderStatus(**row)

    @property
    def device(self) -> str:
        """Name of the device that encodes; "" before the first frame, and if textures are sent."""
        return "" if self._native is None else self._native.device_name()

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            if kind is None and not self._is_closed:
                self.finish()
        finally:
            self.close()
