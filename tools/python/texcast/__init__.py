"""Video as GPU texture blocks: arrays to textures and back, streams over a network, texture files.

    import texcast

    texcast.encode(array, "bc7").save("picture.ktx2")

    for frame in texcast.receive("rtp://:5004"):
        picture = frame.pixels()

Pictures are numpy arrays of shape (height, width) or (height, width, channels), top row first. Times are seconds, as
floating point. Textures have any format of ``texcast.formats()``, and any OpenCL device encodes them.
"""

import atexit as _atexit

from . import _native
from ._codec import Decoder, Encoder, encode
from ._discovery import FoundStream, StreamWatch, find_streams, watch_streams
from ._errors import (CorruptError, Error, InputError, MisuseError, NameTaken, NetworkError, NoDevice, RecordingFull,
                      UsageError)
from ._files import FileFrame, FileReader, FileReport, FileWriter
from ._log import log_to, set_log_function
from ._receiver import Frame, FrameTimes, Receiver, ReceiverStatus, receive
from ._sender import ReceiverReport, Sender, SenderStatus, presets
from ._sound import SoundBlock, SoundFormat
from ._texture import Device, Format, Texture, decode, devices, formats, load
from ._transcoder import Transcoder, transcode

__all__ = [
    "CorruptError", "Decoder", "Device", "Encoder", "Error", "FileFrame", "FileReader", "FileReport", "FileWriter",
    "Format", "FoundStream", "Frame", "FrameTimes", "InputError", "MisuseError", "NameTaken", "NetworkError",
    "NoDevice", "Receiver", "ReceiverReport", "ReceiverStatus", "RecordingFull", "Sender", "SenderStatus",
    "SoundBlock", "SoundFormat", "StreamWatch", "Texture", "Transcoder", "UsageError", "decode", "devices",
    "encode", "find_streams", "formats", "load", "log_to", "presets", "receive", "set_log_function", "transcode",
    "watch_streams",
]
__version__: str = _native.version

for _name in __all__:
    globals()[_name].__module__ = "texcast"
_atexit.register(_native.end_of_interpreter)
