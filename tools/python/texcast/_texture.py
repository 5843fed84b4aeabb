"""Textures, the formats that they have, and the devices that encode them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np

from . import _native
from ._errors import InputError, UsageError
from ._frames import checked_size
from ._types import Array, Bytes

__all__ = ["Device", "Format", "Texture", "decode", "devices", "formats", "load"]


@dataclass(frozen=True)
class Format:
    """A texture format: one row of ``texcast.formats()``."""

    name: str
    """As every call takes it: "bc7"."""
    channels: int
    """Of a decoded picture. 1: gray; 2: red, green; 3: R G B; 4: R G B and straight alpha."""
    dtype: str
    """Type of decoded samples: "uint8", "uint16" or "float16"."""
    bits_per_pixel: float
    """Nominal size."""
    block_width: int
    """Texels of a block, in the first plane."""
    block_height: int
    """Texels of a block, in the first plane."""
    planes: int
    """Number of planes of blocks, 1 to 3."""
    is_encoded: bool
    """Whether texcast encodes it. The others are only received, stored and decoded."""
    qualities: tuple[str, ...]
    """The qualities that ``encode()`` takes for it, fastest first."""
    vulkan: int
    """VkFormat of its blocks (UNORM or SFLOAT); 0: it has none."""
    dxgi: int
    """DXGI_FORMAT of its blocks; 0: it has none."""


@dataclass(frozen=True)
class Device:
    """An OpenCL device: one row of ``texcast.devices()``."""

    index: int
    """As ``device="0"`` takes it."""
    platform: str
    """Name of the OpenCL platform."""
    name: str
    """A part of it, in any case, is a value for ``device=``."""
    vendor: str
    """As the driver says it."""
    version: str
    """OpenCL's version of the device."""
    driver: str
    """The driver's version."""
    is_gpu: bool
    """A GPU, not a CPU."""
    shares_host_memory: bool
    """Frames and blocks need no copy to the device."""
    compute_units: int
    """As the driver counts them."""
    memory_bytes: int
    """Global memory."""
    usable: bool
    """Whether texcast can encode on it."""
    why_not: str
    """The reason if it is not usable."""


def formats() -> list[Format]:
    """All texture formats: first those that texcast encodes, then those that it only receives and decodes."""
    return [Format(**row) for row in _native.formats()]


def devices() -> list[Device]:
    """Every OpenCL device, in the order of the indices. Empty if there is none."""
    return [Device(**row) for row in _native.devices()]


class Texture:
    """A block-compressed picture: a format, a size in texels, and its blocks.

    ``encode()``, receivers and files return textures. To make one of blocks that are somewhere else, give any object
    with the buffer protocol; its memory is used in place, and kept alive:

        texture = texcast.Texture("bc1", 1920, 1080, blocks)
    """

    __slots__ = ("_blocks", "_desc")

    def __init__(self, format: str, width: int, height: int, blocks: object) -> None:
        """``width`` and ``height``: 1 to 16384 texels. ``blocks``: exactly the bytes of such a texture, contiguous.

        Raises UsageError for others.
        """
        desc = _native.TextureDesc(str(format), *checked_size((width, height)))
        try:
            flat: Array = blocks if isinstance(blocks, np.ndarray) else np.frombuffer(cast(bytes, blocks), np.uint8)
        except (TypeError, ValueError):
            raise UsageError(f"blocks of type {type(blocks).__name__}; they are one contiguous buffer") from None
        if not flat.flags.c_contiguous or flat.dtype.hasobject:
            raise UsageError("the blocks of a texture must be one contiguous array")
        flat = flat.reshape(-1).view(np.uint8)
        if flat.nbytes != desc.total_bytes:
            raise UsageError(f"{flat.nbytes} bytes of blocks; {desc.format} of {desc.width} x {desc.height} has "
                         f"{desc.total_bytes}")
        self._desc = desc
        self._blocks = flat

    @classmethod
    def _of(cls, desc: _native.TextureDesc, blocks: Bytes) -> Texture:
        texture = cls.__new__(cls)
        texture._desc = desc
        texture._blocks = blocks
        return texture

    @property
    def format(self) -> str:
        """Name of the texture format, such as "bc7"."""
        return self._desc.format

    @property
    def width(self) -> int:
        """Texels of the picture, without the rest of the last blocks."""
        return self._desc.width

    @property
    def height(self) -> int:
        """Texels of the picture, without the rest of the last blocks."""
        return self._desc.height

    @property
    def blocks(self) -> Bytes:
        """All blocks: uint8 of shape (bytes,), plane by plane, top block row first, without gaps; a view, no copy."""
        return self._blocks

    @property
    def planes(self) -> tuple[Bytes, ...]:
        """The blocks of each plane: uint8 of shape (block rows, blocks in a row, bytes of a block); views, no copies."""
        return tuple(self._blocks[offset:offset + rows * columns * size].reshape(rows, columns, size)
                     for offset, rows, columns, size in self._desc.planes)

    @property
    def pixel_aspect(self) -> tuple[int, int]:
        """Width of a pixel : its height; (1, 1) for nearly every picture."""
        return self._desc.aspect

    @property
    def orientation(self) -> int:
        """EXIF's number; 1, upright, except in recordings of other programs."""
        return self._desc.orientation

    def pixels(self) -> Array:
        """Decodes, as ``texcast.decode()``: shape (height, width) or (height, width, 2 to 4), in the format's dtype."""
        return decode(self)

    def to_bytes(self, kind: str, *, zstd: bool = True, mipmaps: Iterable[Texture] = ()) -> bytes:
        """The contents of a file of the ``kind`` "dds", "ktx2" or "astc". ``zstd``: compress a KTX2's blocks.

        ``mipmaps``: the further mip levels, for "dds" and "ktx2", as many as there are. Each is as wide and high as
        half of the one before, rounded down, but at least 1, in the same format.
        Raises UsageError if such files cannot hold the format or the levels.
        """
        levels = [self, *mipmaps]
        for level in levels:
            if not isinstance(level, Texture):
                raise TypeError(f"a mip level is a texcast.Texture, not {type(level).__name__}")
        return _native.pack([(level._desc, level._blocks) for level in levels], str(kind), bool(zstd))

    def save(self, path: str | os.PathLike[str], *, if_exists: str = "overwrite", zstd: bool = True) -> None:
        """Writes a .dds, .ktx2 or .astc file, by the path's extension.

        ``if_exists``: "overwrite", "refuse" (NameTaken) or "number" (x-2.ktx2). ``zstd``: compress a KTX2's blocks.
        A file with mip levels is what ``to_bytes()`` returns.
        Raises UsageError if such files cannot hold the format, and Error with the system's reason.
        """
        from ._files import FileWriter

        with FileWriter(path, if_exists=if_exists, zstd=zstd) as file:
            file.write(self)

    def __repr__(self) -> str:
        return f"<texcast.Texture {self.format} {self.width}x{self.height}, {self._blocks.nbytes} bytes>"


def load(path: str | os.PathLike[str]) -> Texture:
    """The texture in a .dds, .ktx2 or .astc file, or the first frame of a .mov or .mkv.

    Raises InputError if there is no such file or it is none of these, and CorruptError if it is damaged.
    """
    from ._files import FileReader

    with FileReader(path) as file:
        frame = file.read()
        if frame is None:
            raise InputError(f"{os.fspath(path)} has no frames")
        return frame.texture


_decoder = _native.Decoder()


def decode(texture: Texture) -> Array:
    """Decodes a texture to pixels, on the CPU.

    Returns an array of shape (height, width) for gray formats, else (height, width, channels), with the channels and
    dtype of the format (``Format.channels``, ``Format.dtype``): RGB in full range, alpha straight; half floats are
    linear light. The array is the caller's and may be changed. Memory of arrays that ended is used again.
    """
    if not isinstance(texture, Texture):
        raise TypeError(f"decode() takes a texcast.Texture, not {type(texture).__name__}")
    return _decoder.decode(texture._desc, texture._blocks)
