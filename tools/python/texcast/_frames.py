"""Arrays as frames: which layout an array has, and in which colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from . import _native
from ._errors import UsageError
from ._types import Array

__all__: list[str] = []

_Settings = TypeVar("_Settings")


def to_array(given: object) -> Array:
    """numpy.asarray(), without a copy of what is an array."""
    try:
        return np.asarray(given)
    except ValueError as error:  # such as rows of different lengths
        raise UsageError(f"{type(given).__name__} is no array: {str(error).splitlines()[0]}") from None


def as_array(frame: object, pixel_format: str | None) -> Array:
    """The array of a frame, in place if it can be. Linear light in float32, or without alpha, becomes RGBA of float16."""
    array = to_array(frame)
    if pixel_format is not None and str(pixel_format) != "rgba_half":
        return array
    is_rgb = array.ndim == 3 and array.shape[2] in (3, 4) and array.dtype in (np.float16, np.float32)
    if not is_rgb or (array.dtype == np.float16 and array.shape[2] == 4):
        return array
    half = np.ones(array.shape[:2] + (4,), np.float16)
    with np.errstate(over="ignore"):  # too much light for a half float is infinite
        half[:, :, :array.shape[2]] = array
    return half


class Layout:
    """How the samples of frames lie in arrays, and their colours."""

    def __init__(self, name: str, matrix: str | None, full_range: bool | None) -> None:
        self.native = _native.ArrayLayout(name)
        self.color = self.native.usual_color()
        if matrix is not None:
            self.color.matrix = matrix
        if full_range is not None:
            self.color.is_full_range = bool(full_range)

    @classmethod
    def of(cls, array: Array, name: str | None, matrix: str | None, full_range: bool | None) -> Layout:
        """By the name, or without one by the array's shape and type."""
        return cls(_native.usual_layout(array) if name is None else str(name), matrix, full_range)

    def format_of(self, array: Array) -> _native.FrameFormat:
        """Of frames such as this array."""
        return _native.frame_format(array, self.native, self.color)

    def format_of_size(self, size: tuple[int, int]) -> _native.FrameFormat:
        """Of frames of (width, height) pixels."""
        return _native.frame_format(*checked_size(size), self.native, self.color)


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """(width, height), within reach of the C++ half, which checks the rest."""
    try:
        width, height = (int(side) for side in size)
    except (TypeError, ValueError):
        raise UsageError(f"size={size!r}; it is (width, height) in pixels") from None
    return min(max(width, -1), 1 << 20), min(max(height, -1), 1 << 20)


def given(values: Mapping[str, object]) -> dict[str, object]:
    """Without those that are None, which stand for a default."""
    return {name: value for name, value in values.items() if value is not None}


def apply(settings: _Settings, **values: object) -> _Settings:
    """Sets attributes of a settings object; a value of another type is a TypeError that names it."""
    for name, value in values.items():
        try:
            setattr(settings, name, value)
        except TypeError:
            raise TypeError(f"{name}={value!r} has an unsuitable type or is out of range") from None
    return settings
