"""Encodes an array as BC7 and writes a KTX2 file: array_to_ktx2.py [picture.ktx2]"""
import sys

import numpy as np
import texcast

path = sys.argv[1] if len(sys.argv) > 1 else "picture.ktx2"
y, x = np.mgrid[0:256, 0:256]
array = np.stack([x, y, 255 - x, np.where((x - 128) ** 2 + (y - 128) ** 2 < 120 ** 2, 255, 0)], -1).astype(np.uint8)
texture = texcast.encode(array, "bc7", quality="normal")
texture.save(path)
error = texture.pixels().astype(float) - array
print(f"{path}: {texture}, PSNR {10 * np.log10(255 ** 2 / np.mean(error ** 2)):.1f} dB")
