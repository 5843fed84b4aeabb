"""Receives a stream as numpy arrays, and prints their mean colours: stream_to_numpy.py [rtp://:5004 [FRAMES]]"""
import sys

import texcast

url = sys.argv[1] if len(sys.argv) > 1 else "rtp://:5004"
count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
with texcast.receive(url, timeout=60) as receiver:
    print("send to", " or ".join(receiver.urls), flush=True)
    for received, frame in enumerate(receiver, 1):
        picture = frame.pixels()  # uint8 of shape (height, width, 3)
        mean = picture.reshape(-1, picture.shape[-1]).mean(axis=0).round(1)
        print(f"frame {frame.number} at {frame.pts:.3f} s: {frame.texture.width}x{frame.texture.height}, mean {mean}")
        if received == count:
            break
