"""KWin without a screen. Input goes through its protocol org_kde_kwin_fake_input, pictures through its D-Bus interface
ScreenShot2. The portal's dialogue needs files of plasma-workspace, which need not be installed: PLASMA_FOLDER may be
a folder with the unpacked packages plasma-workspace and plasma-workspace-data (dpkg -x). KWin 5.27 without a GPU gives no
pictures of monitors, only of windows."""
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import threading

import dbus
from PIL import Image

from pointing import BUTTON_LEFT, Pointing
from session import QT_QML, Session, pause


def wire_string(text):
    data = text.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + b"\0" * (-len(data) % 4)


class FakeInput:
    """A Wayland client by hand."""

    REGISTRY, DONE, FAKE = 2, 3, 4
    AUTHENTICATE, BUTTON, MOVE_TO, KEY = 0, 2, 9, 10

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.send(1, 1, struct.pack("=I", self.REGISTRY))
        self.send(1, 0, struct.pack("=I", self.DONE))
        name = self.find("org_kde_kwin_fake_input")
        self.send(self.REGISTRY, 0, struct.pack("=I", name) + wire_string("org_kde_kwin_fake_input") +
                  struct.pack("=II", 4, self.FAKE))
        self.send(self.FAKE, self.AUTHENTICATE, wire_string("desktop-sessions") + wire_string("tests"))

    def find(self, interface):
        data, name = b"", None
        while True:
            data += self.socket.recv(65536)
            while len(data) >= 8:
                sender, _, length = struct.unpack("=IHH", data[:8])
                if len(data) < length:
                    break
                if sender == self.REGISTRY:
                    number, size = struct.unpack("=II", data[8:16])
                    if data[16:15 + size].decode() == interface:
                        name = number
                if sender == self.DONE:
                    if name is None:
                        raise RuntimeError(f"the compositor has no {interface}")
                    return name
                data = data[length:]

    def send(self, target, request, body=b""):
        self.socket.sendall(struct.pack("=IHH", target, request, 8 + len(body)) + body)


class Kde(Pointing, Session):
    ESCAPE, SUPER = 1, 125  # evdev
    DESKTOP = "KDE"
    BACKEND = "/usr/lib/x86_64-linux-gnu/libexec/xdg-desktop-portal-kde"
    BACKEND_NAME = "org.freedesktop.impl.portal.desktop.kde"

    def start_compositor(self):
        unpacked = os.environ.get("PLASMA_FOLDER")
        if unpacked:
            self.env["XDG_DATA_DIRS"] = f"{unpacked}/usr/share:/usr/local/share:/usr/share"
            self.env["QML2_IMPORT_PATH"] = f"{unpacked}/{QT_QML}"
            self.env["QT_PLUGIN_PATH"] = f"{unpacked}/usr/lib/x86_64-linux-gnu/qt5/plugins"
        # A copy has no capabilities, which containers may forbid.
        kwin = self.folder / "kwin_wayland"
        shutil.copyfile(shutil.which("kwin_wayland"), kwin)
        kwin.chmod(0o755)
        self.compositor = self.run(
            str(kwin), *self.backend(), "--socket", "wayland-9",
            QT_QPA_PLATFORM="", KWIN_WAYLAND_NO_PERMISSION_CHECKS="1", KWIN_SCREENSHOT_NO_PERMISSION_CHECKS="1")

    def backend(self):
        return ["--virtual", "--width", str(self.size[0]), "--height", str(self.size[1]),
                "--output-count", str(self.monitors), "--scale", str(self.scale), "--no-lockscreen"]

    def await_compositor(self):
        pause(2)
        self.input = FakeInput(f"{self.folder}/run/wayland-9")
        self.bus = dbus.SessionBus()

    def move(self, x, y):
        self.input.send(FakeInput.FAKE, FakeInput.MOVE_TO, struct.pack("=ii", int(x * 256), int(y * 256)))

    def button(self, down):
        self.input.send(FakeInput.FAKE, FakeInput.BUTTON, struct.pack("=II", BUTTON_LEFT, down))

    def press(self, code, down):
        self.input.send(FakeInput.FAKE, FakeInput.KEY, struct.pack("=II", code, down))

    def centre(self):
        return self.size[0] / 2, self.size[1] / 2  # KWin takes --width and --height before the scaling

    def answer(self, row=0):
        """Chooses a card of the portal's dialogue, which is at the centre of the first monitor, and shares it. The first
        cards offer a new virtual monitor and, with several monitors, all of them as one picture."""
        x, y = self.centre()
        card = row + 1 + (self.monitors > 1)
        self.click(x + (113 if card % 2 else -117), y - 55 + card // 2 * 175)
        self.click_share()

    def answer_window(self):
        """Chooses the first window."""
        x, y = self.centre()
        self.click(x - 117, y - 55)
        self.click_share()

    def click_share(self):
        """Where the button is in the style of Breeze, in Qt's own, and in that with a title bar."""
        x, y = self.centre()
        self.click(x - 124, y + 242)
        self.click(x + 130, y + 225)
        self.click(x + 140, y + 247)

    def shoot(self, path):
        reader, writer = os.pipe()
        data = bytearray()

        def read():
            while part := os.read(reader, 1 << 20):
                data.extend(part)
            os.close(reader)
        thread = threading.Thread(target=read)
        thread.start()
        shots = dbus.Interface(self.bus.get_object("org.kde.KWin", "/org/kde/KWin/ScreenShot2"), "org.kde.KWin.ScreenShot2")
        facts = shots.CaptureWorkspace({"include-cursor": True, "native-resolution": True}, dbus.types.UnixFd(writer))
        os.close(writer)
        thread.join()
        Image.frombuffer("RGBA", (int(facts["width"]), int(facts["height"])), bytes(data), "raw", "BGRA",
                         int(facts["stride"]), 1).convert("RGB").save(path)

    def set_scale(self, scale, monitor=1):
        subprocess.run(["kscreen-doctor", f"output.{monitor}.scale.{scale}"], env=self.env, check=True, capture_output=True)


class KdeOnSeat(Kde):
    """KWin on the graphics card of this machine's seat (kde-vm), with the sizes that its monitors have."""

    ON_SEAT = True

    def start_compositor(self):
        (self.folder / "config/kscreenlockerrc").write_text("[Daemon]\nAutolock=false\n")
        super().start_compositor()

    def backend(self):
        return ["--drm"]

    def lock(self, locked=True):
        saver = dbus.Interface(self.bus.get_object("org.freedesktop.ScreenSaver", "/ScreenSaver"),
                               "org.freedesktop.ScreenSaver")
        if locked:
            saver.Lock()
        else:
            saver.SetActive(False)

    def await_compositor(self):
        super().await_compositor()
        if self.scale != 1:
            self.set_scale(self.scale)
            self.size = self.size[0] / self.scale, self.size[1] / self.scale  # the input's units

    def add_monitor(self):
        """Plugs a monitor in; returns the function that unplugs it."""
        status = next(connector for connector in sorted(pathlib.Path("/sys/class/drm").glob("card*-*/status"))
                      if connector.read_text().strip() == "disconnected")
        status.write_text("on")
        return lambda: status.write_text("off")
