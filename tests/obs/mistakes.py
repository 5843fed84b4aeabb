"""What users do wrong, and what the plugin says about it in OBS's log, to be read."""
import contextlib
import os
import socket
import threading
import time

import parts
import studio
import texcast

SOURCES = {
    "an address that is none": {"address": "rtp//x"},
    "no address": {"address": ""},
    "a port that does not exist": {"address": "rtp://:99999"},
    "the address of another machine": {"address": "rtp://192.0.2.9:5004"},
    "a name that nobody has": {"address": "no-such-stream"},
    "a passphrase that is too long": {"passphrase": "x" * 5000},
    "an interface that does not exist": {"interface": "nope0"},
    "a name that is too long": {"name": "x" * 300},
    "a group to which nobody sends": {"address": "rtp://239.255.77.77:5004"},
}
FILTERS = {
    "no destination": {"destination": ""},
    "a destination that is none": {"destination": "foo://bar"},
    "a host that does not exist": {"destination": "rtp://no-such-host.invalid:5004"},
    "a receiver's name that nobody has": {"destination": "no-such-receiver"},
    "a port that does not exist": {"destination": "rtp://127.0.0.1:99999"},
    "a port that nobody listens at": {"destination": "rtp://127.0.0.1:9"},
    "a passphrase that is too long": {"passphrase": "x" * 5000},
    "an interface that does not exist": {"interface": "nope0"},
    "an OpenCL device that does not exist": {"device": "nope"},
    "a preset that does not exist": {"preset": "nope"},
}


def check_mistakes(build, folder, _options):
    with no_devices(build, folder) as obs, said_meanwhile(obs, "no OpenCL device"):
        send_bc7(obs)
    with studio.Studio(build, folder, sources=[parts.source(studio.free_port())]) as obs:
        for name, settings in SOURCES.items():
            with said_meanwhile(obs, f"source: {name}"):
                with_source(obs, settings, 6 if "nobody" in name else 2)
        port = studio.free_port()
        with said_meanwhile(obs, "two sources at one port"):
            obs.remote.when("CreateInput", **source_input("Other", port, {}))
            with_source(obs, {"address": f"rtp://127.0.0.1:{port}"}, 3)
            obs.remote("RemoveInput", inputName="Other")
        for name, settings in FILTERS.items():
            with said_meanwhile(obs, f"filter: {name}"):
                with_filter(obs, settings, 7 if "receiver" in name else 3)
        for name, send in {"a version of the codec that does not exist": other_version, "random bytes": random_bytes,
                           "pictures of 8192x4096": huge}.items():
            port = studio.free_port()
            with said_meanwhile(obs, f"stream: {name}"):
                with_source(obs, {"address": f"rtp://127.0.0.1:{port}"}, 2, lambda send=send, port=port: send(obs, port))
        milliseconds, status = obs.close()
    print(f"OBS ended with {status} after {milliseconds} ms; {obs.leaks()} leaks")


def no_devices(build, folder):
    """OBS without OpenCL devices and without BC7 in its OpenGL."""
    without = {"OCL_ICD_VENDORS": "/nonexistent", "MESA_EXTENSION_OVERRIDE": "-GL_ARB_texture_compression_bptc"}
    return studio.Studio(build, folder, env=without)


def send_bc7(obs):
    """To a source with a filter: neither has a device."""
    port = studio.free_port()
    obs.remote("CreateInput", **source_input("Wrong", port, {}))
    obs.remote("CreateSourceFilter", sourceName="Wrong", filterName="Send", filterKind="texcast_filter",
               filterSettings=parts.to_port(studio.free_port()))
    with texcast.Sender(f"rtp://127.0.0.1:{port}", fps=30, format="bc7", device="cpu-reference") as sender:
        for level in range(100, 160):
            sender.send(parts.gray((64, 32), level))
            time.sleep(1 / 30)


@contextlib.contextmanager
def said_meanwhile(obs, name):
    before = len(obs.said())
    yield
    print(f"{name}:")
    for line in obs.said()[before:]:
        print(f"    {line}", flush=True)
    if obs.obs.poll() is not None:
        raise RuntimeError(f"OBS ended with {obs.obs.returncode}")


def source_input(name, port, settings):
    return {"sceneName": "Scene", "inputName": name, "inputKind": "texcast_source",
            "inputSettings": {"address": f"rtp://127.0.0.1:{port}", **settings}}


def with_source(obs, settings, seconds, meanwhile=lambda: None):
    obs.remote.when("CreateInput", **source_input("Wrong", studio.free_port(), settings))
    meanwhile()
    time.sleep(seconds)
    obs.remote("RemoveInput", inputName="Wrong")
    time.sleep(0.5)


def with_filter(obs, settings, seconds):
    obs.remote.when("CreateSourceFilter", sourceName="Scene", filterName="Wrong", filterKind="texcast_filter",
                    filterSettings={"destination": f"rtp://127.0.0.1:{studio.free_port()}", **settings})
    time.sleep(seconds)
    obs.remote("RemoveSourceFilter", sourceName="Scene", filterName="Wrong")
    time.sleep(0.5)


def random_bytes(_obs, port):
    """Datagrams of no protocol, and some that begin like those of texcast and of RTP."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for n in range(3000):
            begin = (b"", b"TC\x01\x04", b"\x80\x60", b"TC\x01\x05")[n % 4]
            out.sendto(begin + os.urandom(n % 1400), ("127.0.0.1", port))
            time.sleep(0.0005)


def other_version(obs, port):
    """A stream whose descriptions name version 99 of the codec (docs/wire.md, Coded streams)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
        relay.bind(("127.0.0.1", 0))

        def forward():
            with contextlib.suppress(OSError):
                while True:
                    packet = bytearray(relay.recv(65536))
                    if packet[:4] == b"TC\x01\x04" and packet[14] & 1:
                        packet[24 + 5] = 99
                    relay.sendto(packet, ("127.0.0.1", port))
        threading.Thread(target=forward, daemon=True).start()
        with parts.test_picture(obs, relay.getsockname()[1], "64x32"):
            time.sleep(4)


def huge(_obs, port):
    texture = texcast.Texture("bc1", 8192, 4096, bytes(8192 * 4096 // 2))
    with texcast.Sender(f"rtp://127.0.0.1:{port}", fps=30) as sender:
        for _ in range(4):
            sender.send(texture)
            time.sleep(1)
