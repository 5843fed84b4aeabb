"""compare.py WIDTH HEIGHT FPS SENT RECORDING...: how far recordings are from the frames that were sent.

SENT has frames of R G B. Each frame of a recording is compared with the one of SENT that is most like it, and the
PSNR in between is printed, with the number of different frames for each second.
"""

import subprocess
import sys

import numpy as np


def small(frames):
    """Means of 20 x 20 pixels, by which frames are found."""
    n, height, width, _ = frames.shape
    return frames.reshape(n, height // 20, 20, width // 20, 20, 3).mean(axis=(2, 4), dtype=np.float32).reshape(n, -1)


def frames_of(path, width, height):
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-sws_flags",
               "accurate_rnd+full_chroma_int", "-fps_mode", "passthrough", "-"]
    raw = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


def psnr(a, b):
    error = np.mean((a.astype(np.float32) - b.astype(np.float32)) ** 2)
    return 99.0 if error == 0 else float(10 * np.log10(255 * 255 / error))


def main():
    width, height, fps = (int(word) for word in sys.argv[1:4])
    sent = np.fromfile(sys.argv[4], np.uint8).reshape(-1, height, width, 3)
    marks = small(sent)
    for path in sys.argv[5:]:
        made = frames_of(path, width, height)
        made = made[made.reshape(len(made), -1).any(axis=1)]  # black: before the stream arrived
        found = [int(np.argmin(np.abs(marks - mark).mean(axis=1))) for mark in small(made)]
        last = max(found)
        moving = [n for n in range(len(found)) if found[n] < last] or range(len(found))
        values = [psnr(made[n], sent[found[n]]) for n in moving]
        different = len({found[n] for n in moving})
        print(f"{path.split('/')[-1]}: {len(made)} frames, {len(moving)} until the sender died, of which {different} "
              f"differ: {different * fps / max(1, len(moving)):.1f} a second; PSNR median {np.median(values):.1f} dB, "
              f"least {min(values):.1f} dB; order {'rises' if sorted(found) == found else 'BROKEN'}")


main()
