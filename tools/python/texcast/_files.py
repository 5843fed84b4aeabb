"""Texture files and recordings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TypedDict

from . import _native
from ._errors import MisuseError, UsageError
from ._frames import apply
from ._texture import Texture, decode
from ._types import Array

__all__ = ["FileFrame", "FileReader", "FileReport", "FileWriter"]


class _Info(TypedDict):
    path: str
    container: str
    codec: str
    coding: str
    fourcc: str
    desc: _native.TextureDesc
    fps: float
    duration: float | None
    frame_count: int | None
    file_bytes: int


@dataclass(frozen=True)
class FileFrame:
    """A frame of a file. It may be kept for any time."""

    texture: Texture
    """Its blocks are read-only."""
    pts: float
    """Seconds since the first frame."""
    number: int
    """In the file, from 0; an estimate after a seek in a file without an index."""
    stored_bytes: int
    """Size in the file."""
    damage: str
    """Set for a frame of a coded stream that is not correct everywhere; else ""."""

    def pixels(self) -> Array:
        """Decodes the texture, as ``texcast.decode()``: shape (height, width) or (height, width, 2 to 4).

        The dtype is that of the format: uint8, uint16 or float16.
        """
        return decode(self.texture)


@dataclass(frozen=True)
class FileReport:
    """What a ``FileWriter`` has written."""

    frames: int
    """In all files."""
    bytes: int
    """Of all files."""
    files: tuple[str, ...]
    """Their actual names; for a sequence the pattern."""


class FileReader:
    """Reads the textures of .mov, .mkv, .dds, .ktx2 and .astc files. They are not decoded before ``pixels()``.

        with texcast.FileReader("show.mov") as file:
            for frame in file:
                ...

    A damaged frame raises CorruptError, which names it; the next call goes on behind it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """A .dds, .ktx2 or .astc may be a sequence: a path with %d or %05d in it. Raises InputError, CorruptError."""
        self._native = _native.FileReader(os.fspath(path))
        self._info: _Info = self._native.info()

    def read(self) -> FileFrame | None:
        """The next frame; None at the end."""
        row = self._native.read()
        return None if row is None else FileFrame(texture=Texture._of(self._info["desc"], row.pop("blocks")), **row)

    def seek(self, pts: float) -> None:
        """The next frame will be the last one at or before ``pts`` (seconds), or the first one."""
        self._native.seek(float(pts))

    def seek_to_frame(self, number: int) -> None:
        """The next frame will be the one with this number, from 0; the last one if there are not so many."""
        self._native.seek_to_frame(int(number))

    @property
    def path(self) -> str:
        """As it was opened."""
        return self._info["path"]

    @property
    def container(self) -> str:
        """Kind of file: "mov", "matroska", "dds", "ktx2" or "astc"."""
        return self._info["container"]

    @property
    def codec(self) -> str:
        """For a person: "Hap", "compact"."""
        return self._info["codec"]

    @property
    def coding(self) -> str:
        """How frames are stored: "plain", each by itself, or "compact", what changed."""
        return self._info["coding"]

    @property
    def format(self) -> str:
        """Name of the texture format, such as "bc7"."""
        return self._info["desc"].format

    @property
    def width(self) -> int:
        """Texels of each frame."""
        return self._info["desc"].width

    @property
    def height(self) -> int:
        """Texels of each frame."""
        return self._info["desc"].height

    @property
    def fps(self) -> float:
        """Nominal frames per second; 0: not known."""
        return self._info["fps"]

    @property
    def duration(self) -> float | None:
        """Seconds; None: not known."""
        return self._info["duration"]

    @property
    def frame_count(self) -> int | None:
        """Number of frames; None: not known."""
        return self._info["frame_count"]

    @property
    def file_bytes(self) -> int:
        """Size of the file; of a sequence, of all its files."""
        return self._info["file_bytes"]

    def close(self) -> None:
        """Closes the file. Frames stay valid. May be called again."""
        self._native.close()

    def __iter__(self) -> Iterator[FileFrame]:
        """The frames from the current position to the end."""
        return self

    def __next__(self) -> FileFrame:
        frame = self.read()
        if frame is None:
            raise StopIteration
        return frame

    def __enter__(self) -> FileReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


class FileWriter:
    """Writes textures to a .mov, .mkv, .dds, .ktx2 or .astc file. It encodes nothing.

        with texcast.FileWriter("show.mov", fps=30) as file:
            for texture in textures:
                file.write(texture)

    If the program is killed, a journal beside a .mov or .mkv allows ``texcast recover`` to complete it.
    """

    def __init__(self, path: str | os.PathLike[str], *, fps: float = 60, coding: str = "plain",
                 crf: float | None = None, quality: str = "fast", transform: str = "auto", snappy: bool = True,
                 zstd: bool = True, if_exists: str = "refuse") -> None:
        """The first ``write()`` creates the file, so that a recording without frames leaves none.

        path: by its extension; .dds, .ktx2 and .astc hold one picture, or a sequence if the path has %05d in it.
        fps: nominal frames per second, 0.001 to 4294.
        coding: "plain", or "compact" (.mkv): only what changed.
        crf: compact: lossy, from 0, the best, to 51; None: lossless. quality: the effort of that.
        transform: compact and lossy: "auto", "on" or "off".
        snappy: plain .mov and .mkv: compress the blocks. zstd: the same for .ktx2.
        if_exists: "refuse" (NameTaken), "overwrite" or "number" (show-2.mov).
        """
        self._settings = apply(
            _native.FileWriterSettings(), path=os.fspath(path), fps=fps, coding=coding, crf=crf, quality=quality,
            transform=transform, snappy=snappy, zstd=zstd, if_exists=if_exists)
        self._fps = float(fps)
        self._native: _native.FileWriter | None = None
        self._desc: _native.TextureDesc | None = None
        self._frames = 0
        self._report: FileReport | None = None

    def write(self, texture: Texture, pts: float | None = None) -> None:
        """Writes one frame. All have the format, size and colours of the first one.

        pts: its time in seconds, which rises from frame to frame; None: the frames' number by ``fps``.
        Raises UsageError if the file cannot hold such textures, NameTaken, RecordingFull, Error if the disk is full.
        """
        if not isinstance(texture, Texture):
            raise TypeError(f"write() takes a texcast.Texture, not {type(texture).__name__}; see texcast.encode()")
        if self._report is not None:
            raise MisuseError("the file is finished")
        if self._native is None:
            self._native = _native.FileWriter(self._settings, texture._desc)
            self._desc = texture._desc
        elif texture._desc != self._desc:
            raise UsageError(f"{texture!r} is not of the file's format, size and colours")
        self._native.write(texture._desc, texture.blocks, self._frames / self._fps if pts is None else float(pts))
        self._frames += 1

    def finish(self) -> FileReport:
        """Completes and closes the file. May be called again, and returns the same."""
        if self._report is None:
            row = self._native.finish() if self._native else {"frames": 0, "bytes": 0, "files": ()}
            self._report = FileReport(row["frames"], row["bytes"], tuple(row["files"]))
        return self._report

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if kind is None:
            self.finish()
            return
        try:  # the first exception says more
            self.finish()
        except Exception:
            pass
