"""The sound of streams."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ._errors import UsageError
from ._frames import to_array
from ._types import Float32

__all__ = ["SoundBlock", "SoundFormat"]


@dataclass(frozen=True)
class SoundFormat:
    """The sound that a ``Sender`` sends. UsageError if a number is out of range."""

    sample_rate: int = 48000
    """Samples per second of each channel, 8000 to 192000."""
    channels: int = 2
    """1 to 16."""

    def __post_init__(self) -> None:
        for name, least, most in (("sample_rate", 8000, 192000), ("channels", 1, 16)):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or not least <= value <= most:
                raise UsageError(f"{name}={value!r}; it is a whole number from {least} to {most}")


@dataclass(frozen=True)
class SoundBlock:
    """A few milliseconds of received sound, decoded. It may be kept for any time.

    Blocks follow each other without a gap, until one has ``new_stream`` or ``skipped``.
    """

    samples: Float32 = field(repr=False)
    """float32 of shape (samples, channels), -1 to 1; read-only."""
    pts: float
    """The first sample belongs to the picture with this ``Frame.pts``, in seconds."""
    format: SoundFormat
    """Sample rate and channels, which can only change with ``new_stream``."""
    new_stream: bool
    """No earlier block belongs to it."""
    concealed: bool
    """It was lost on the network; the samples are a guess."""
    skipped: int
    """Samples of each channel before this block that nobody took within two seconds."""

    @property
    def duration(self) -> float:
        """Of the samples, in seconds."""
        return self.samples.shape[0] / self.format.sample_rate


def as_sound(samples: object, format: SoundFormat) -> Float32:
    """The samples as float32 of shape (samples, channels) without gaps, in place if they are that already."""
    array = to_array(samples)
    shape = array.shape
    wanted = f"sound of this sender is float32 of shape (samples, {format.channels})"
    if format.channels == 1:
        wanted += " or (samples,)"
        if array.ndim == 1:
            array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[1] != format.channels or array.dtype not in (np.float32, np.float64, np.int16):
        raise UsageError(f"the array has shape {shape} and type {array.dtype}; {wanted}, "
                         "or float64 or int16, which are converted")
    if array.dtype == np.int16:
        return np.ascontiguousarray(array, np.float32) / np.float32(32768)
    return np.ascontiguousarray(array, np.float32)
