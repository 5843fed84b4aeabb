"""What the checks of by-hand put into OBS Studio, and what they send to it."""
import contextlib

import numpy as np


def source(port, filters=(), **settings):
    """The plugin's source, receiving at a port of this machine."""
    return {"id": "texcast_source", "versioned_id": "texcast_source", "name": "Stream", "enabled": True,
            "settings": {"address": f"rtp://127.0.0.1:{port}", **settings}, "filters": list(filters)}


def to_port(port, **settings):
    """Settings of the filter and the output, which send to a port of this machine."""
    return {"destination": f"rtp://127.0.0.1:{port}", **settings}


def send_filter(settings):
    return {"id": "texcast_filter", "versioned_id": "texcast_filter", "name": "Send", "enabled": True,
            "settings": settings}


@contextlib.contextmanager
def test_picture(studio, port, size="640x360", fps=30):
    """A process that sends FFmpeg's test picture until the end of the scope."""
    process = studio.run(studio.build / "tools/texcast", "-q", "send", f"lavfi:testsrc2=size={size}:rate={fps}",
                         f"127.0.0.1:{port}", "--format", "bc1", "--audio", "none")
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def gray(size, level):
    """A picture of one gray, R G B of eight bits."""
    width, height = size
    return np.full((height, width, 3), level, np.uint8)
