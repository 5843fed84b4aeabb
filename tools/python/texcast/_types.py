"""Types of arrays, for the type hints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__: list[str] = []

Array = NDArray[Any]
"""Of pixels, whose type is that of the format: uint8, uint16, float16 or float32."""
Bytes = NDArray[np.uint8]
"""Of blocks."""
Float32 = NDArray[np.float32]
"""Of sound."""
