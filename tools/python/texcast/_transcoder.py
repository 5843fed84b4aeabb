"""Conversion of textures from one format to another."""

from __future__ import annotations

import threading
from types import TracebackType

from . import _native
from ._errors import MisuseError, UsageError
from ._texture import Texture

__all__ = ["Transcoder", "transcode"]


class Transcoder:
    """Converts many textures of one format and size to another format, on the device, without pixels on the host.

        with texcast.Transcoder("ycocg-dxt5") as transcoder:      # YCoCg-BC4 to what Hap Q players open
            for frame in texcast.FileReader("show.mov"):
                file.write(transcoder.transcode(frame.texture), frame.pts)

    Calls of several threads are made one after another.
    """

    def __init__(self, format: str, *, quality: str = "fast", device: str = "") -> None:
        """format, quality, device: as for ``texcast.encode()``.

        The device is opened by the first texture. YCoCg-BC4 becomes "ycocg-dxt5" with its luma bit for bit; other
        formats are decoded and encoded again, to one of the same channels.
        """
        self._arguments = (str(format), str(quality), str(device))
        self._native: _native.Transcoder | None = None
        self._desc: _native.TextureDesc | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def transcode(self, texture: Texture) -> Texture:
        """The texture in the other format. All textures have the format, size and colours of the first one.

        Raises UsageError for others, and if there is no way between the formats; the message names those that there
        are. NoDevice without a usable device, MisuseError after ``close()``.
        """
        if not isinstance(texture, Texture):
            raise TypeError(f"transcode() takes a texcast.Texture, not {type(texture).__name__}")
        with self._lock:
            if self._is_closed:
                raise MisuseError("the transcoder is closed")
            if self._native is None:
                self._native = _native.Transcoder(texture._desc, *self._arguments)
                self._desc = texture._desc
                if self._is_closed:  # meanwhile, by another thread
                    self._native.close()
            elif texture._desc != self._desc:
                raise UsageError(f"{texture!r} is not of the format, size and colours of the first texture")
            return Texture._of(*self._native.transcode(texture._desc, texture.blocks))

    @property
    def device(self) -> str:
        """Name of the device; "" before the first texture."""
        return "" if self._native is None else self._native.device_name()

    def close(self) -> None:
        """Ends the transcoder. Textures stay valid. May be called again."""
        self._is_closed = True  # without the lock, as Sender.close()
        if self._native is not None:
            self._native.close()

    def __enter__(self) -> Transcoder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


def transcode(texture: Texture, format: str, *, quality: str = "fast", device: str = "") -> Texture:
    """Converts one texture to another format; for many of one size, a ``Transcoder`` is quicker.

    format, quality, device, and what is raised: see ``Transcoder``.
    """
    with Transcoder(format, quality=quality, device=device) as transcoder:
        return transcoder.transcode(texture)
