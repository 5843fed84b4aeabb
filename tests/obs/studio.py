"""OBS Studio with the plugin, under an Xvfb of its own and in a home of its own, driven by obs-websocket."""
import base64
import contextlib
import ctypes
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import time

SCREEN = (1280, 800)
ROOT = pathlib.Path(__file__).resolve().parents[2]


def until(what, done, seconds=60):
    """Waits until done() is true, and returns what it returns."""
    end = time.monotonic() + seconds
    while not (result := done()):
        if time.monotonic() > end:
            raise RuntimeError(f"timeout waiting for {what}")
        time.sleep(0.02)
    return result


def free_port():
    """An even port whose next seven are likely to be free as well."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1] & ~7


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, at the size of XEvent."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("padding", ctypes.c_long * 12)]


def ask_to_close(display, window):
    """What a window manager does when somebody clicks on the button in a window's title."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    x11.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    connection = x11.XOpenDisplay(display.encode())
    atoms = [x11.XInternAtom(connection, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW")]
    message = ClientMessage(type=33, window=window, message_type=atoms[0], format=32)
    message.data[0] = atoms[1]
    x11.XSendEvent(connection, window, 0, 0, ctypes.byref(message))
    x11.XCloseDisplay(connection)


class Remote:
    """A client of obs-websocket 5, without a password."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                            f"Sec-WebSocket-Protocol: obswebsocket.json\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline() not in (b"\r\n", b""):
            pass
        self.receive()  # Hello
        self.send(1, {"rpcVersion": 1, "eventSubscriptions": 0})
        self.receive()  # Identified
        self.count = 0

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.stream.close()
        self.socket.close()

    def send(self, operation, data):
        text = json.dumps({"op": operation, "d": data}).encode()
        length = bytes([0x80 | len(text)]) if len(text) < 126 else struct.pack(">BH", 0x80 | 126, len(text))
        self.socket.sendall(b"\x81" + length + bytes(4) + text)  # masked with zeros

    def receive(self):
        text = b""
        while True:
            first, length = self.stream.read(2)
            if length == 126:
                length, = struct.unpack(">H", self.stream.read(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.stream.read(8))
            text += self.stream.read(length)
            if first & 0x80:
                return json.loads(text)["d"]

    def __call__(self, request, **data):
        self.count += 1
        self.send(6, {"requestType": request, "requestId": str(self.count), "requestData": data})
        while (answer := self.receive()).get("requestId") != str(self.count):
            pass
        status = answer["requestStatus"]
        if not status["result"]:
            raise RuntimeError(f"{request}: {status.get('comment', status['code'])}")
        return answer.get("responseData") or {}

    def when(self, request, seconds=30, **data):
        """Asks again until OBS can: objects of the last second may still be on their way out."""
        def asked():
            with contextlib.suppress(RuntimeError):
                return [self(request, **data)]
            return None
        return until(request, asked, seconds)[0]


class Studio:
    """OBS Studio. `sources` and `program` are what the scene and the output of the program begin with."""

    def __init__(self, build, folder, *, width=640, height=360, fps=30, plugin=True, sources=(), program=None,
                 env=None, color="I444", prefix=()):
        self.build, self.folder = pathlib.Path(build).resolve(), pathlib.Path(folder).resolve()
        self.log_path = self.folder / "obs.log"
        self.processes, self.obs, self.remote = [], None, None
        self.prefix = prefix  # of the command line of OBS
        home = self.folder / "home"
        shutil.rmtree(home, ignore_errors=True)
        run = home / "run"
        run.mkdir(parents=True, mode=0o700)
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # compiled kernels
        unwanted = ("WAYLAND_DISPLAY", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY")
        self.env = {name: value for name, value in os.environ.items() if name not in unwanted}
        self.env.update(HOME=str(home), XDG_RUNTIME_DIR=str(run), XDG_CACHE_HOME=cache, QT_QPA_PLATFORM="xcb")
        self.env.update(env or {})
        self.port = free_port() + 7
        self.configure(home / ".config/obs-studio", width, height, fps, color, sources)
        if plugin:
            self.install(home / ".config/obs-studio", program)

    def configure(self, config, width, height, fps, color, sources):
        for part in ("basic/scenes", "basic/profiles/texcast"):
            (config / part).mkdir(parents=True)
        (config / "global.ini").write_text(
            "[General]\nFirstRun=true\nLastVersion=486539266\nInfoIncrement=999\nConfirmOnExit=false\n"
            "[Basic]\nProfile=texcast\nProfileDir=texcast\nSceneCollection=texcast\nSceneCollectionFile=texcast\n"
            "ConfigOnNewProfile=false\n"
            f"[OBSWebSocket]\nFirstLoad=false\nServerEnabled=true\nServerPort={self.port}\nAuthRequired=false\n"
            "AlertsEnabled=false\nServerPassword=none\n")
        (config / "basic/profiles/texcast/basic.ini").write_text(
            f"[General]\nName=texcast\n[Output]\nMode=Simple\n"
            f"[SimpleOutput]\nFilePath={self.folder}\nRecFormat=mkv\nRecQuality=Lossless\n"
            f"[Video]\nBaseCX={width}\nBaseCY={height}\nOutputCX={width}\nOutputCY={height}\n"
            f"FPSType=1\nFPSInt={fps}\nColorFormat={color}\n")
        items = [{"name": source["name"], "id": n + 1, "visible": True, "pos": {"x": 0, "y": 0},
                  "scale": {"x": 1, "y": 1}} for n, source in enumerate(sources)]
        scene = {"id": "scene", "versioned_id": "scene", "name": "Scene", "enabled": True,
                 "settings": {"id_counter": len(items), "custom_size": False, "items": items}}
        (config / "basic/scenes/texcast.json").write_text(json.dumps(
            {"name": "texcast", "current_scene": "Scene", "current_program_scene": "Scene",
             "scene_order": [{"name": "Scene"}], "sources": [*sources, scene]}))

    def install(self, config, program):
        binaries = config / "plugins/obs-texcast/bin/64bit"
        binaries.mkdir(parents=True)
        shutil.copy(self.build / "tools/obs/obs-texcast.so", binaries)
        shutil.copytree(ROOT / "tools/obs/data", config / "plugins/obs-texcast/data")
        settings = config / "plugin_config/obs-texcast"
        settings.mkdir(parents=True)
        if program:
            (settings / "program.json").write_text(json.dumps(program))

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_):
        self.kill()

    def run(self, *argv, log=os.devnull, **more):
        with open(log, "wb") as output:
            process = subprocess.Popen([str(word) for word in argv], stdout=output, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, env=self.env, **more)
        self.processes.append(process)
        return process

    def start(self):
        reading, writing = os.pipe()
        self.run("Xvfb", "-displayfd", writing, "-screen", "0", "{}x{}x24".format(*SCREEN), "-nolisten", "tcp", "-noreset",
                 pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as display:
            self.env["DISPLAY"] = ":" + display.readline().strip()
        self.obs = self.run(*self.prefix, "obs", "--multi", "--collection", "texcast", "--profile", "texcast", log=self.log_path)

        def connected():
            if self.obs.poll() is not None:
                raise RuntimeError(f"OBS ended with {self.obs.returncode}: {self.log()[-2000:]}")
            with contextlib.suppress(OSError, ValueError):
                return Remote(self.port)
            return None
        self.remote = until("obs-websocket", connected)
        self.remote.when("GetSceneList")

    def kill(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.kill()
                process.wait()

    def close(self, limit=20):
        """Closes OBS's window. Milliseconds until its process has ended (nothing: it has not), and its exit status."""
        self.remote.close()
        window = int(self.tool("xdotool", "search", "--name", "^OBS ").split()[0])
        begin = time.monotonic()
        ask_to_close(self.env["DISPLAY"], window)
        try:
            self.obs.wait(limit)
        except subprocess.TimeoutExpired:
            return None, None
        return round(1000 * (time.monotonic() - begin)), self.obs.returncode

    def tool(self, *argv):
        return subprocess.run([str(word) for word in argv], env=self.env, check=True, capture_output=True,
                              text=True).stdout

    def log(self):
        return self.log_path.read_text(errors="replace")

    def said(self):
        """The lines of the plugin in OBS's log."""
        return [line.split("[texcast] ", 1)[1] for line in self.log().splitlines() if "[texcast] " in line]

    def said_last(self, words):
        """The last line of the plugin with these words."""
        return [line for line in self.said() if words in line][-1]

    def wait_for_line(self, words, seconds=60):
        """Waits until the plugin has said these words in OBS's log."""
        until(f"'{words}' in OBS's log", lambda: any(words in line for line in self.said()), seconds)

    def leaks(self):
        """What libobs's own count of allocations was at the end, or nothing."""
        found = re.findall(r"Number of memory leaks: (-?\d+)", self.log())
        return int(found[-1]) if found else None

    def resident_mib(self):
        status = pathlib.Path(f"/proc/{self.obs.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def screenshot(self, name):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "x11grab", "-video_size", "{}x{}".format(*SCREEN), "-i",
                        self.env["DISPLAY"], "-frames:v", "1", str(self.folder / f"{name}.png")], check=True)
