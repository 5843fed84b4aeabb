"""Sends a camera through OpenCV, or bars that numpy draws without one: opencv_to_stream.py [rtp://HOST:PORT [FRAMES]]"""
import sys
import time
from collections.abc import Iterator

import numpy as np
import texcast
from numpy.typing import NDArray

Pictures = Iterator[NDArray[np.uint8]]


def camera() -> Pictures:
    """Frames of OpenCV's first camera: uint8 of shape (height, width, 3), in the order B G R."""
    import cv2

    capture = cv2.VideoCapture(0)
    while (read := capture.read())[0]:
        yield read[1]


def bars() -> Pictures:
    """The same without OpenCV or a camera: bars that move by 8 pixels a frame, 30 frames a second."""
    bar = np.repeat(np.arange(8, dtype=np.uint8) * 32, 80)
    picture = np.broadcast_to(bar[:, None], (360, 640, 3))
    while True:
        yield picture
        picture = np.roll(picture, 8, axis=1)
        time.sleep(1 / 30)


def frames() -> Pictures:
    """Of the camera, if there is one."""
    try:
        yield from camera()
    except ImportError:
        pass
    yield from bars()


url = sys.argv[1] if len(sys.argv) > 1 else "rtp://127.0.0.1:5004"
count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
with texcast.Sender(url, fps=30, format="bc1", pixel_format="bgr24") as sender:
    for number, frame in enumerate(frames(), 1):
        sender.send(frame)
        if number == count:
            break
    sender.finish()
    print(sender.status.frames, "frames sent,", sender.status.dropped, "dropped")
