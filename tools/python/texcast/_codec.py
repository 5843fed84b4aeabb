"""Encoding of arrays as textures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType

import numpy as np

from . import _native
from ._errors import MisuseError, UsageError
from ._frames import Layout, apply, as_array
from ._texture import Texture
from ._types import Array

__all__ = ["Decoder", "Encoder", "encode"]


def encode(array: object, format: str = "bc1", *, quality: str = "fast", method: str | None = None, device: str = "",
           pixel_format: str | None = None, matrix: str | None = None, full_range: bool | None = None) -> Texture:
    """Encodes one picture; for many of one size, an ``Encoder`` is quicker.

    array: anything with the buffer protocol or the array interface. uint8 of shape (height, width) is gray,
        (height, width, 3) R G B, (height, width, 4) R G B and straight alpha; uint16 of shape (height, width) is gray
        with 16 bits; float16 or float32 of shape (height, width, 3 or 4) is linear light in which 1 is white, for
        "bc6h". Rows may be any distance apart; other strides cost a copy.
    format: a name of ``texcast.formats()``.
    quality: "fast", "normal", "high" or "best", those that the format has.
    method: overrides the method of the quality (docs/textures.md).
    device: an index, a part of a name, "cpu-reference" (no OpenCL), or "" for the best device.
    pixel_format: the array's layout if its shape does not tell: "bgr24" (as OpenCV's), "bgra", or YCbCr as OpenCV lays
        it out: "nv12", "yuv420p", "p010", "yuv420p10" of shape (height * 3 / 2, width), "yuv422p" (2 * height, width),
        "yuv444p" (3, height, width), "yuyv422", "uyvy422" (height, width, 2).
    matrix, full_range: colours of YCbCr, by default "bt709" and False; RGB and gray have full range.

    Raises UsageError for an array or a setting that does not fit, NoDevice without a usable device.
    """
    frame = as_array(array, pixel_format)
    layout = Layout.of(frame, pixel_format, matrix, full_range)
    settings = _settings(format, quality, method, device)
    settings.wait_for_kernels = True
    encoder = _native.Encoder(settings, layout.format_of(frame), layout.native)
    encoder.submit(frame, 0.0)
    desc, blocks, _ = encoder.next()
    encoder.close()
    return Texture._of(desc, blocks)


class Encoder:
    """Encodes many frames of one size and type, several at a time on the device.

        with texcast.Encoder((1920, 1080), "bc7") as encoder:
            for texture in encoder.encode_all(frames):
                ...

    Calls of several threads are made one after another. Until the device's kernels are built, which takes seconds on
    the first use ever, the CPU encodes; the bytes are the same.
    """

    def __init__(self, size: tuple[int, int], format: str = "bc1", *, quality: str = "fast", method: str | None = None,
                 device: str = "", pixel_format: str = "rgb24", matrix: str | None = None,
                 full_range: bool | None = None, frames_in_flight: int = 4) -> None:
        """size: (width, height) in pixels. frames_in_flight: 1 to 16, submitted and not yet taken.

        The other arguments are those of ``texcast.encode()``; ``pixel_format`` may also be "rgb24", "rgba", "gray",
        "gray16" or "rgba_half". Raises UsageError and NoDevice.
        """
        self._pixel_format = str(pixel_format)
        self._layout = Layout(self._pixel_format, matrix, full_range)
        settings = _settings(format, quality, method, device)
        apply(settings, frames_in_flight=frames_in_flight)
        self._format = self._layout.format_of_size(size)
        self._native = _native.Encoder(settings, self._format, self._layout.native)

    def submit(self, array: object, pts: float = 0.0) -> None:
        """Starts a frame: an array of the encoder's size and type. It is copied, unless ``lend()`` lent it.

        pts: its time in seconds, which ``next()`` returns with the texture. Raises UsageError for another array, and
        MisuseError if ``in_flight == capacity``.
        """
        self._native.submit(as_array(array, self._pixel_format), float(pts))

    def next(self) -> tuple[Texture, float]:
        """Waits for the oldest frame, and returns its texture and its time. MisuseError if none is in flight.

        Memory of textures that ended is used again.
        """
        desc, blocks, pts = self._native.next()
        return Texture._of(desc, blocks), pts

    def encode(self, array: object) -> Texture:
        """Encodes one frame and waits for it. MisuseError if others are in flight."""
        if self.in_flight:
            raise MisuseError("encode() while other frames are in flight; take them by next()")
        self.submit(array)
        return self.next()[0]

    def encode_all(self, arrays: Iterable[object]) -> Iterator[Texture]:
        """The texture of each array, in order, while the device encodes the following ones."""
        for array in arrays:
            if self.in_flight == self.capacity:
                yield self.next()[0]
            self.submit(array)
        while self.in_flight:
            yield self.next()[0]

    def lend(self) -> Array:
        """An array to draw the next frame into, which ``submit()`` then need not copy.

        It has unspecified contents and the shape and type of the encoder's frames. Do not write to it after
        ``submit()``; lend another one for the next frame. If the device gains nothing from it, or all such memory is in
        use, it is an ordinary array.
        """
        lent = self._native.lend()
        return new_array(self._format, self._pixel_format) if lent is None else lent

    @property
    def ready(self) -> bool:
        """Whether ``next()`` would return at once."""
        return self._native.ready()

    @property
    def in_flight(self) -> int:
        """Number of frames that are submitted and not yet taken."""
        return self._native.in_flight()

    @property
    def capacity(self) -> int:
        """The most frames that can be in flight: ``frames_in_flight`` for each device."""
        return self._native.capacity()

    @property
    def device(self) -> str:
        """Name of the device that encodes; several are separated by commas."""
        return self._native.device_name()

    def close(self) -> None:
        """Ends the encoder; frames in flight are dropped. Textures stay valid. May be called again."""
        self._native.close()

    def __enter__(self) -> Encoder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


class Decoder:
    """Decodes many textures. It keeps memory of its own for the pictures, as ``texcast.decode()`` does for all.

        decoder = texcast.Decoder(pixel_format="nv12")            # for a video encoder, on the device
        for frame in texcast.receive("rtp://:5004"):
            encode(decoder.decode(frame.texture))

    Threads that each have a decoder do not share anything.
    """

    def __init__(self, *, pixel_format: str | None = None, matrix: str | None = None, full_range: bool | None = None,
                 device: str = "") -> None:
        """A decoder without memory; it takes what the first pictures need.

        pixel_format: "nv12", "yuv420p", "yuyv422" or "bgra", by a device or, with the same bytes, by the threads of the
            CPU. Alpha is dropped. None: all channels of the texture as they are, by one thread of the CPU.
        matrix, full_range: colours of YCbCr, by default "bt709" and False.
        device: an index, a part of a name, "cpu-reference" (no OpenCL), or "" for the best device. Its kernels are
            built for the first texture, which takes up to seconds, and once more for textures of another size.

        Raises UsageError for another layout, and NoDevice without a device of that name.
        """
        self._native: _native.Decoder | _native.PictureDecoder
        device = str(device)
        if pixel_format is None:
            if device not in ("", "cpu-reference"):
                raise UsageError(f"device={device!r} needs a pixel_format; all channels are decoded by the CPU")
            self._native = _native.Decoder()
            return
        layout = Layout(str(pixel_format), matrix, full_range)
        self._native = _native.PictureDecoder(layout.native, layout.color, device)

    @property
    def device(self) -> str:
        """Name of the device, or "cpu-reference"; with a pixel_format, "" before the first texture."""
        return "cpu-reference" if isinstance(self._native, _native.Decoder) else self._native.device_name()

    def decode(self, texture: Texture) -> Array:
        """As ``texcast.decode()``: shape (height, width) or (height, width, 2 to 4), in the format's dtype.

        With a pixel_format, uint8 of the shape that ``encode()`` takes for it; UsageError if the size does not fit.
        """
        if not isinstance(texture, Texture):
            raise TypeError(f"decode() takes a texcast.Texture, not {type(texture).__name__}")
        return self._native.decode(texture._desc, texture._blocks)


def new_array(format: _native.FrameFormat, pixel_format: str) -> Array:
    """An array for a frame of that size."""
    shape, dtype = _native.array_shape(format, _native.ArrayLayout(pixel_format))
    return np.empty(shape, dtype)


def _settings(format: str, quality: str, method: str | None, device: str) -> _native.EncoderSettings:
    return apply(_native.EncoderSettings(), format=format, quality=quality, method=method, device=device)
