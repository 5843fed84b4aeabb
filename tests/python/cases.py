"""What the tests of the Python package share: a runner, pictures, PSNR, and the program."""

import math
import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("SKIP: the Python package: numpy is not installed (Debian: python3-numpy)")
    sys.exit(77)

import texcast

PATIENCE = 300  # seconds; ends waits that hang, and never one on a slow machine
PROGRAM = os.environ.get("TEXCAST_PROGRAM", "texcast")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


def picture(width=128, height=96, channels=3, shift=0):
    """A smooth picture with a few edges: uint8 of shape (height, width, channels), or (height, width) for one."""
    y, x = np.mgrid[0:height, 0:width]
    x = x + shift
    planes = [127 + 100 * np.sin(x / 23 + k) * np.cos(y / 17 - k) + 20 * ((x // 32 + y // 24 + k) % 2)
              for k in range(channels)]
    pixels = np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)
    return pixels[:, :, 0].copy() if channels == 1 else pixels


def psnr(a, b, peak=255.0):
    """In dB."""
    error = np.mean((a.astype(np.float64) - b.astype(np.float64)) ** 2)
    return math.inf if error == 0 else 10 * math.log10(peak * peak / error)


def write_png(path, pixels):
    """uint8 or uint16 of shape (height, width), or uint8 with 3 or 4 channels."""
    height, width = pixels.shape[:2]
    color = {2: 0, 3: 2}[pixels.ndim] if pixels.ndim == 2 or pixels.shape[2] == 3 else 6
    rows = b"".join(b"\0" + row.astype(row.dtype.newbyteorder(">")).tobytes() for row in pixels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8 * pixels.itemsize, color, 0, 0, 0)
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) +
                           chunk(b"IEND", b""))


def run_program(*arguments):
    """The program texcast; its output if it succeeds."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_python(code, *arguments, **environment):
    """Another interpreter; returns (exit status, stdout, stderr)."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def resident_bytes():
    """Memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Case(unittest.TestCase):
    """A case with a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def assert_raises(self, kind, part, call):
        """The call raises exactly `kind`, with one line that contains `part`."""
        with self.assertRaises(kind) as caught:
            call()
        message = str(caught.exception)
        self.assertIs(type(caught.exception), kind)
        self.assertIn(part, message)
        self.assertNotIn("\n", message)


class _Result(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        self.begin = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        print(f"{time.monotonic() - self.begin:.1f} s: {test.id().removeprefix('__main__.')}", flush=True)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"SKIP: {test.id().removeprefix('__main__.')}: {reason}")


def main():
    """Runs the cases of the calling file; an argument chooses those whose name contains it."""
    suite = unittest.TestSuite()
    for test in unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]):
        for case in test:
            if all(word in case.id() for word in sys.argv[1:]):
                suite.addTest(case)
    result = unittest.TextTestRunner(stream=sys.stdout, resultclass=_Result, verbosity=0).run(suite)
    bad = len(result.failures) + len(result.errors)
    # As doctest counts, for tests/summary.
    print(f"[doctest] test cases: {result.testsRun} | {result.testsRun - bad} passed | {bad} failed")
    sys.exit(0 if bad == 0 and result.testsRun else 1)
