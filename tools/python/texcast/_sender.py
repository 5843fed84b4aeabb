"""Sending of arrays and textures over a network."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from . import _native
from ._codec import new_array
from ._errors import MisuseError, UsageError
from ._frames import Layout, apply, as_array
from ._texture import Texture

__all__ = ["ReceiverReport", "Sender", "SenderStatus"]


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
    encode_seconds: float
    """Median, from ``send()`` until a frame is encoded."""
    send_seconds: float
    """Median, from ``send()`` until the last packet of a frame has left."""
    receivers: tuple[ReceiverReport, ...]
    """The latest report of each."""


class Sender:
    """Encodes arrays and sends them, on threads of its own. It holds a frame or two, so that latency does not grow.

        with texcast.Sender("rtp://192.168.1.20:5004", fps=30, format="bc1") as sender:
            for frame in frames:                 # uint8 of shape (height, width, 3)
                sender.send(frame)

    Calls of several threads are made one after another. At the end of the ``with`` block all frames have left.
    """

    def __init__(self, destinations: str | Sequence[str], *, size: tuple[int, int] | None = None, fps: float = 60,
                 format: str = "bc1", quality: str = "fast", device: str = "", pixel_format: str | None = None,
                 matrix: str | None = None, full_range: bool | None = None, crf: float | None = None,
                 bitrate: float = 0, least_bitrate: float = 0, passphrase: str = "", compact: bool = True,
                 transform: str = "auto", fec: str = "auto", retransmit: bool = True, refresh_seconds: float = 0,
                 interface: str = "", multicast_ttl: int = 1, mtu: int = 0, spread: float = 0,
                 max_bits_per_s: float = 0) -> None:
        """Opens the stream. With ``size`` addresses and devices are checked now, without it at the first frame.

        destinations: "rtp://HOST[:PORT]", one or several, hosts or one multicast group; the port is 5004 if not given.
        size: (width, height) of the frames in pixels; None: those of the first frame.
        fps: frames per second, by which packets are paced.
        format, quality, device, pixel_format, matrix, full_range: as for ``texcast.encode()``. With ``size`` the
            pixel format is "rgb24" if not given.
        crf: lossy at a constant quality, from 0, the best, to 51; 23 is usual. None: lossless, or by ``bitrate``.
        bitrate: lossy at this rate, in bits per second to each destination; 0: no limit. With ``least_bitrate`` the
            rate adapts to the network between the two.
        passphrase: encrypts the stream.
        compact: sends only what changed. False: a raw stream, which UltraGrid reads too.
        transform: "auto", "on" or "off": transform coding of lossy streams.
        fec: parity, as ``texcast send --fec``: "auto", "none", "20%".
        retransmit: sends lost packets again if receivers ask.
        refresh_seconds: period in which a coded stream sends everything anew; 0: 5 in groups, else never.
        interface: name or address of the network interface; "": by the routing table.
        multicast_ttl: 0 to 255. mtu: bytes of an IP packet, 0: of the path. spread: part of the frame time over which
            packets are spread, 0: automatic. max_bits_per_s: limit on the line, 0: none.

        Raises UsageError, NetworkError and NoDevice.
        """
        addresses = [destinations] if isinstance(destinations, str) else list(destinations)
        if not addresses:
            raise UsageError("a sender needs a destination, such as rtp://192.168.1.20:5004")
        settings = apply(
            _native.StreamSenderSettings(), destinations=addresses, fps=fps, quality=quality, crf=crf, bitrate=bitrate,
            least_bitrate=least_bitrate, passphrase=passphrase, compact=compact, transform=transform, fec=fec,
            retransmit=retransmit, refresh_seconds=refresh_seconds, interface=interface, multicast_ttl=multicast_ttl,
            mtu=mtu, spread=spread, max_bits_per_s=max_bits_per_s)
        encoder = apply(_native.EncoderSettings(), format=format, quality=quality, device=device)
        self._settings = settings
        self._encoder = encoder
        self._colors = (matrix, full_range)
        self._pixel_format = None if pixel_format is None else str(pixel_format)
        self._format: _native.FrameFormat | None = None
        self._native: _native.Sender | None = None
        self._begin: float | None = None
        self._last = -1.0
        self._is_closed = False
        if size is not None:
            self._pixel_format = self._pixel_format or "rgb24"
            layout = Layout(self._pixel_format, matrix, full_range)
            self._open_frames(layout, layout.format_of_size(size))

    def send(self, frame: object, pts: float | None = None) -> bool:
        """Sends a frame without waiting: an array, as for ``texcast.encode()``, or a ``Texture``.

        All frames of a stream have the size and type of the first one. The array is copied, unless ``lend()`` lent it.
        pts: the frame's time in the stream in seconds, which must rise; None: the time since the first frame.

        Returns False if the frame was dropped, because the device or the network is a whole frame behind. Raises
        UsageError for a frame that does not fit, and NoDevice or NetworkError if the device or the network failed.
        """
        if self._is_closed:
            raise MisuseError("the sender is closed")
        if isinstance(frame, Texture):
            return self._send_texture(frame, pts)
        array = as_array(frame, self._pixel_format)
        if self._native is None:
            layout = Layout.of(array, self._pixel_format, *self._colors)
            self._pixel_format = layout.native.name
            self._open_frames(layout, layout.format_of(array))
        elif self._format is None:
            raise UsageError("this sender sends textures, as the first call did, not arrays")
        return self._send_at(pts, lambda at: self._native.send_array(array, at))

    def _send_texture(self, texture: Texture, pts: float | None) -> bool:
        if self._native is None:
            self._native = _native.Sender(self._settings, texture._desc)
        elif self._format is not None:
            raise UsageError("this sender sends arrays, not textures")
        elif texture._desc != self._native.texture_desc():
            raise UsageError(f"{texture!r} is not of the stream's format, size and colours")
        return self._send_at(pts, lambda at: self._native.send_texture(texture._desc, texture.blocks, at))

    def _open_frames(self, layout: Layout, format: _native.FrameFormat) -> None:
        self._native = _native.Sender(self._settings, self._encoder, format, layout.native)
        self._format = format

    def _send_at(self, pts: float | None, send: Callable[[float], bool]) -> bool:
        if pts is None:
            now = time.monotonic()
            if self._begin is None:
                self._begin = now
            pts = max(now - self._begin, self._last + 1e-6)
        if not pts > self._last:
            raise UsageError(f"pts={pts!r} does not rise; the last frame was at {self._last!r} s")
        sent = send(float(pts))  # a frame that is refused does not count
        self._last = float(pts)
        return sent

    def lend(self) -> np.ndarray:
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
        self._is_closed = True
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
