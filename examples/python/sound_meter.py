"""Sends tones with pictures, or shows how loud a stream is: sound_meter.py [send | receive] [URL [SECONDS]]

Without arguments it receives what it sends itself.
"""
import math
import sys
import threading
import time

import numpy as np
import texcast
from numpy.typing import NDArray

FPS, RATE = 30, 48000


def send(url: str, seconds: float, receiver: texcast.Receiver | None = None) -> None:
    """A wave as a picture and as sound: 440 Hz on the left, which swells, and 660 Hz on the right, which fades.

    A receiver of this program is closed at the end.
    """
    with texcast.Sender(url, size=(320, 180), fps=FPS, sound=texcast.SoundFormat(RATE, 2)) as sender:
        begin = time.monotonic()
        for number in range(int(seconds * FPS)):
            t = (number * RATE // FPS + np.arange(RATE // FPS)) / RATE
            swell = 0.5 - 0.5 * np.cos(2 * np.pi * t / 4)
            left, right = swell * np.sin(2 * np.pi * 440 * t), (1 - swell) * np.sin(2 * np.pi * 660 * t)
            sender.send_sound(np.stack([left, right], -1).astype(np.float32), number / FPS)
            inside = np.abs(np.arange(-90, 90)[:, None]) < 80 * np.abs(left[:320])  # of the wave, mirrored
            picture = np.where(inside[:, :, None], (90, 220, 255), (20, 24, 40)).astype(np.uint8)
            sender.send(picture, number / FPS)
            time.sleep(max(0, begin + (number + 1) / FPS - time.monotonic()))
    if receiver is not None:
        receiver.close()


def bar(samples: NDArray[np.float32]) -> str:
    """The level of one channel from -48 to 0 dB, of a sine of full scale."""
    level = 10 * math.log10(max(1e-9, 2 * float(np.mean(samples ** 2))))
    return "#" * max(0, min(24, round(24 + level / 2))) + f" {level:.1f} dB"


def receive(receiver: texcast.Receiver) -> None:
    """Two bars for each picture that comes with sound."""
    for frame in receiver:
        blocks = [block.samples for block in receiver.sounds(timeout=0)]
        if blocks:
            left_and_right = np.concatenate(blocks).T
            print(f"{frame.pts:6.2f} s |" + " |".join(f"{bar(channel):34}" for channel in left_and_right), flush=True)


mode = sys.argv[1] if len(sys.argv) > 1 else "both"
url = sys.argv[2] if len(sys.argv) > 2 else {"send": "rtp://127.0.0.1:5004", "receive": "rtp://:5004"}.get(mode, "")
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
if mode == "send":
    send(url, seconds)
else:
    limit = seconds if mode == "receive" else None
    with texcast.receive(url or "rtp://127.0.0.1:0", timeout=limit, sound=True) as receiver:
        print("send to", " or ".join(receiver.urls), flush=True)
        if mode == "both":
            threading.Thread(target=send, args=(receiver.urls[0], seconds, receiver)).start()
        receive(receiver)
