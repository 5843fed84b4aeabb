"""The exceptions of texcast. The message of each is one line for a person, as the texcast program prints it."""

__all__ = ["CorruptError", "Error", "InputError", "MisuseError", "NameTaken", "NetworkError", "NoDevice",
           "RecordingFull", "UsageError"]


class Error(Exception):
    """Base of all exceptions of texcast; itself raised if the system could not do something, such as a full disk."""


class UsageError(Error, ValueError):
    """An argument that cannot work: an unknown format, an array of another shape or type, contradicting settings."""


class NoDevice(Error, RuntimeError):
    """No usable OpenCL device, none of that name, or the device was lost."""


class InputError(Error, OSError):
    """A file that cannot be opened, or that is no texture file."""


class NetworkError(Error, OSError):
    """An address that does not resolve or has no route, or a port that is in use."""


class CorruptError(Error):
    """Bytes of a file that are inconsistent. A reader goes on behind the damaged frame."""


class MisuseError(Error, RuntimeError):
    """A call that the object's state forbids, such as one on a closed object. It had no effect."""


class NameTaken(Error, FileExistsError):
    """The output file exists, and may not be replaced (``if_exists="refuse"``)."""


class RecordingFull(Error):
    """The files of a recording have reached their largest size; they are closed and complete."""
