"""OBS Studio starts, runs for long and ends: what it leaks, whether its memory grows, and how long its end takes."""
import os
import socket
import tempfile
import threading
import time

import parts
import studio
import texcast

FOREVER = 3600


def check_leaks(build, folder, _options):
    """libobs's count of allocations that nobody has freed, at the end of OBS."""
    port, to_filter, to_output = (studio.free_port() for _ in range(3))
    send = parts.send_filter(parts.to_port(to_filter))
    program = {"automatic": True, **parts.to_port(to_output)}
    cases = {
        "OBS without the plugin": {"plugin": False},
        "with the plugin, unused": {},
        "with a source": {"sources": [parts.source(port)]},
        "with source and filter": {"sources": [parts.source(port, [send])]},
        "with the output": {"program": program},
        "with source, filter and output": {"sources": [parts.source(port, [send])], "program": program},
    }
    for name, case in cases.items():
        with studio.Studio(build, folder, **case) as obs, parts.test_picture(obs, port):
            time.sleep(4)
            if case.get("sources"):
                open_dialogues(obs)
            milliseconds, status = obs.close()
            print(f"{name}: {obs.leaks()} leaks, OBS ended with {status} after {milliseconds} ms")


def open_dialogues(obs):
    """Opens OBS's dialogues for the source and its filters, and closes them."""
    for request in ("OpenInputPropertiesDialog", "OpenInputFiltersDialog"):
        obs.remote(request, inputName="Stream")
        time.sleep(1.5)
        obs.tool("xdotool", "key", "Escape")
        time.sleep(0.5)


def feed(port, size, seconds, done=lambda: False):
    """Sends a picture until `done` or the time is over."""
    end = time.monotonic() + seconds
    with texcast.Sender(f"rtp://127.0.0.1:{port}", size=size, fps=30, device="cpu-reference") as sender:
        while time.monotonic() < end and not done():
            sender.send(parts.gray(size, int(time.monotonic() * 60) % 200 + 20))
            time.sleep(1 / 30)
    return done()


def check_cycles(build, folder, options):
    """Source, filter and output start and stop; then the stream changes its size twenty times.

    With a single arena of malloc(), as the many short-lived threads would otherwise let new arenas grow for long. libobs
    29 does not join the thread in which an output ends, if it has ended before the next start: about 10 KiB each time.
    """
    cycles = options.cycles
    port = studio.free_port()
    with texcast.Receiver("rtp://127.0.0.1:0") as filtered, texcast.Receiver("rtp://127.0.0.1:0") as sent, \
            studio.Studio(build, folder, program={"automatic": True, "destination": sent.urls[0],
                                                  "device": "cpu-reference"}, env={"MALLOC_ARENA_MAX": "1"}) as obs:
        time.sleep(2)
        with parts.test_picture(obs, port, "320x180"):
            for n in range(cycles + 1):
                if n % max(1, cycles // 8) == 0:
                    print(f"after {n} cycles: {obs.resident_mib():.1f} MiB resident", flush=True)
                if n < cycles:
                    cycle(obs, port, filtered.urls[0], waits=n % 10 == 0)
        change_sizes(obs, port, filtered)
        frames = sent.status.frames
        milliseconds, status = obs.close()
    print(f"the output sent {frames} pictures; OBS ended with {status} after {milliseconds} ms; {obs.leaks()} leaks")


def cycle(obs, port, destination, waits):
    """One start and stop of all three; every tenth time once the source shows something, else at any moment."""
    output = "texcast: send the program"
    obs.remote.when("CreateInput", sceneName="Scene", inputName="Cycle", inputKind="texcast_source",
                    inputSettings={"address": f"rtp://127.0.0.1:{port}"})
    obs.remote("CreateSourceFilter", sourceName="Cycle", filterName="Send", filterKind="texcast_filter",
               filterSettings={"destination": destination, "device": "cpu-reference"})
    if waits:
        studio.until("a picture of the source", lambda: source_size(obs, "Cycle")[0] > 0)
    else:
        time.sleep(0.02)
    obs.remote("StopOutput", outputName=output)
    obs.remote("RemoveInput", inputName="Cycle")
    obs.remote.when("StartOutput", outputName=output)


def source_size(obs, name):
    item = obs.remote("GetSceneItemId", sceneName="Scene", sourceName=name)["sceneItemId"]
    shape = obs.remote("GetSceneItemTransform", sceneName="Scene", sceneItemId=item)["sceneItemTransform"]
    return int(shape["sourceWidth"]), int(shape["sourceHeight"])


def change_sizes(obs, port, filtered):
    obs.remote.when("CreateInput", sceneName="Scene", inputName="Sizes", inputKind="texcast_source",
                    inputSettings={"address": f"rtp://127.0.0.1:{port}"})
    obs.remote("CreateSourceFilter", sourceName="Sizes", filterName="Send", filterKind="texcast_filter",
               filterSettings={"destination": filtered.urls[0], "device": "cpu-reference"})
    before, shown, passed_on = obs.resident_mib(), 0, 0
    for n in range(20):
        size = (160 + 64 * (n % 5), 90 + 30 * (n % 3))
        last = []

        def arrived(size=size, last=last):
            frame = filtered.read(0)
            if frame:
                last[:] = [(frame.texture.width, frame.texture.height)]
            return last == [size] and source_size(obs, "Sizes") == size
        passed_on += feed(port, size, 30, arrived)
        shown += source_size(obs, "Sizes") == size
    print(f"20 changes of size: the source showed {shown} of them, the filter sent {passed_on} on; "
          f"{before:.1f} MiB before, {obs.resident_mib():.1f} MiB after")


def check_closing(build, folder, _options):
    """How long OBS takes to end while something of the plugin waits."""
    closes_without_the_plugin(build, folder)
    closes_while_nothing_arrives(build, folder)
    closes_while_the_sender_is_dead(build, folder)
    closes_while_a_kernel_compiles(build, folder)
    closes_while_a_name_is_resolved(build, folder)


def report_close(obs, what):
    milliseconds, status = obs.close()
    print(f"{what}: OBS ended with {status} after {milliseconds} ms; {obs.leaks()} leaks", flush=True)


def closes_without_the_plugin(build, folder):
    with studio.Studio(build, folder, plugin=False) as obs:
        time.sleep(2)
        report_close(obs, "without the plugin")


def closes_while_nothing_arrives(build, folder):
    with studio.Studio(build, folder, sources=[parts.source(studio.free_port())]) as obs:
        obs.wait_for_line("listening")
        time.sleep(1)
        report_close(obs, "while the receiver waits on its port")


def closes_while_the_sender_is_dead(build, folder):
    port = studio.free_port()
    send = parts.send_filter(parts.to_port(studio.free_port()))
    with studio.Studio(build, folder, sources=[parts.source(port, [send])]) as obs:
        with parts.test_picture(obs, port):
            obs.wait_for_line("a stream:")
            time.sleep(2)
        time.sleep(2)
        report_close(obs, "while the sender is dead")


def closes_while_a_kernel_compiles(build, folder):
    port = studio.free_port()
    send = parts.send_filter(parts.to_port(studio.free_port(), format="bc7", quality="best"))
    with tempfile.TemporaryDirectory() as cold:
        cache = {"XDG_CACHE_HOME": cold, "POCL_CACHE_DIR": cold + "/pocl"}
        with studio.Studio(build, folder, env=cache, sources=[parts.source(port, [send])]) as obs, \
                parts.test_picture(obs, port):
            obs.wait_for_line("compiling for")
            report_close(obs, "while a kernel compiles")


class SilentNameServer:
    """Never answers a question for studio.example. Other names do not exist: OBS looks some up itself, and waits."""

    def __init__(self):
        self.asked = threading.Event()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.153", 53))
        threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while True:
            question, sender = self.socket.recvfrom(512)
            if b"studio" in question:
                self.asked.set()
            else:
                self.socket.sendto(question[:2] + b"\x81\x83" + question[4:], sender)


def closes_while_a_name_is_resolved(build, folder):
    """In a mount namespace of OBS's own, /etc/resolv.conf names another server. Needs root."""
    if os.geteuid() != 0:
        print("while a name is being resolved: left out, as it needs root")
        return
    resolver = folder / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.153\noptions timeout:30 attempts:1\n")
    in_namespace = ["unshare", "--mount", "sh", "-c", f'mount --bind "{resolver}" /etc/resolv.conf && exec "$@"', "sh"]
    port = studio.free_port()
    send = parts.send_filter({"destination": "rtp://studio.example:5004"})
    server = SilentNameServer()
    with studio.Studio(build, folder, prefix=in_namespace, sources=[parts.source(port, [send])]) as obs, \
            parts.test_picture(obs, port):
        server.asked.wait(60)
        time.sleep(1)
        report_close(obs, "while a name is being resolved")
