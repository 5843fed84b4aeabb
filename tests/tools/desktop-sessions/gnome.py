"""GNOME Shell without a screen. Input and pictures go through Mutter's own D-Bus interfaces, which need no dialogue."""
import subprocess
import time

import dbus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

from pointing import BUTTON_LEFT, Pointing
from session import Session, until

MUTTER = "org.gnome.Mutter."
GDM = "org.gnome.DisplayManager"
# A shell without a seat permits captures of the locked screen. This makes it end them, as ui/main.js does on a seat.
EXTENSION = """
const Main = imports.ui.main;
let isInhibited = false;
function init() {}
function enable() {
  Main.sessionMode.connect("updated", () => {
    const controller = global.backend.get_remote_access_controller();
    if (Main.sessionMode.allowScreencast === !isInhibited) return;
    isInhibited = !isInhibited;
    isInhibited ? controller.inhibit_remote_access() : controller.uninhibit_remote_access();
  });
}
function disable() {}
"""
SHIFT = 0xFFE1  # symbols of X


def interface(bus, service, path, name):
    return dbus.Interface(bus.get_object(service, path), name)


class Gnome(Pointing, Session):
    ESCAPE, SUPER = 0xFF1B, 0xFFEB
    DESKTOP = "GNOME"
    BACKEND = "/usr/libexec/xdg-desktop-portal-gnome"
    BACKEND_NAME = "org.freedesktop.impl.portal.desktop.gnome"

    def start_compositor(self):
        (self.folder / "config/glib-2.0/settings").mkdir(parents=True)
        (self.folder / "config/glib-2.0/settings/keyfile").write_text(
            "[org/gnome/mutter]\nexperimental-features=['scale-monitor-framebuffer']\n"
            "[org/gnome/desktop/background]\npicture-options='none'\n"
            "[org/gnome/desktop/interface]\nenable-animations=false\n"
            "[org/gnome/shell]\nenabled-extensions=['seat@tests']\n")
        extension = self.folder / "data/gnome-shell/extensions/seat@tests"
        extension.mkdir(parents=True)
        (extension / "extension.js").write_text(EXTENSION)
        (extension / "metadata.json").write_text(
            '{"uuid": "seat@tests", "name": "seat", "description": "seat", "shell-version": ["43"], '
            '"session-modes": ["user", "unlock-dialog"]}')
        self.start_gdm()
        monitors = ["--virtual-monitor", "{}x{}".format(*self.size)] * self.monitors
        self.compositor = self.run("gnome-shell", "--headless", "--no-x11", "--wayland-display", "wayland-9", *monitors)

    def start_gdm(self):
        """The shell can be locked only if GDM is there."""
        path, manager = "/org/gnome/DisplayManager/Manager", GDM + ".Manager"
        self.run("/usr/bin/python3", "-m", "dbusmock", "--system", GDM, path, manager)
        add = ["gdbus", "call", "--system", "-d", GDM, "-o", path, "-m", "org.freedesktop.DBus.Mock.AddProperty", manager,
               "Version", "<'43.0'>"]
        until("the substitute of GDM", lambda: subprocess.run(add, env=self.env, capture_output=True).returncode == 0)

    def lock(self, locked=True):
        interface(self.bus, "org.gnome.Shell", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver").SetActive(locked)

    def await_compositor(self):
        until("GNOME Shell", lambda: self.has_owner("org.gnome.Mutter.RemoteDesktop") and self.has_owner("org.gnome.Shell"))
        time.sleep(2)
        self.connect()
        if self.scale != 1:
            self.set_scale(self.scale)
            self.reconnect()
        self.bus.get_object("org.gnome.Shell", "/org/gnome/Shell").Set(  # GNOME starts in the overview
            "org.gnome.Shell", "OverviewActive", False, dbus_interface=dbus.PROPERTIES_IFACE)

    def reconnect(self):
        """After a change of the monitors, which has ended the recording."""
        time.sleep(1)
        self.connect()

    def connect(self):
        DBusGMainLoop(set_as_default=True)
        self.bus = dbus.SessionBus()
        desktop = interface(self.bus, MUTTER + "RemoteDesktop", "/org/gnome/Mutter/RemoteDesktop", MUTTER + "RemoteDesktop")
        self.remote = interface(self.bus, MUTTER + "RemoteDesktop", desktop.CreateSession(), MUTTER + "RemoteDesktop.Session")
        ident = self.remote.Get(MUTTER + "RemoteDesktop.Session", "SessionId", dbus_interface=dbus.PROPERTIES_IFACE)
        cast = interface(self.bus, MUTTER + "ScreenCast", "/org/gnome/Mutter/ScreenCast", MUTTER + "ScreenCast")
        recorded = interface(self.bus, MUTTER + "ScreenCast", cast.CreateSession({"remote-desktop-session-id": ident}),
                             MUTTER + "ScreenCast.Session")
        self.stream = recorded.RecordMonitor("Meta-0", {"cursor-mode": dbus.UInt32(1)})
        self.node = self.node_of(self.stream, self.remote.Start)
        # The first input creates the device, which programs do not have before.
        self.key(SHIFT)
        self.move(10, 700)

    def node_of(self, stream, start):
        """The PipeWire node of a stream that start() starts."""
        loop, nodes = GLib.MainLoop(), []
        self.bus.get_object(MUTTER + "ScreenCast", stream).connect_to_signal(
            "PipeWireStreamAdded", lambda node: (nodes.append(int(node)), loop.quit()),
            dbus_interface=MUTTER + "ScreenCast.Stream")
        start()
        GLib.timeout_add(5000, loop.quit)
        loop.run()
        return nodes[0]

    def move(self, x, y):
        self.remote.NotifyPointerMotionAbsolute(self.stream, x * self.scale, y * self.scale)

    def button(self, down):
        self.remote.NotifyPointerButton(dbus.Int32(BUTTON_LEFT), down)

    def press(self, code, down):
        self.remote.NotifyKeyboardKeysym(dbus.UInt32(code), down)

    def answer(self, row=0):
        """Chooses a row of the portal's dialogue, which is at the centre below the panel, and shares it."""
        x, y = self.size[0] / self.scale / 2, (self.size[1] / self.scale + 32) / 2
        self.click(x, y + 25 + 55 * row)
        self.click(x + 212, y - 128)

    answer_window = answer

    def answer_all(self):
        """Chooses every monitor, and shares them."""
        x, y = self.size[0] / self.scale / 2, (self.size[1] / self.scale + 32) / 2
        for row in range(self.monitors):
            self.click(x, y + 25 + 55 * row)
        self.click(x + 212, y - 128)

    def shoot(self, path):
        subprocess.run(["timeout", "20", "gst-launch-1.0", "-q", "pipewiresrc", f"path={self.node}", "num-buffers=1", "!",
                        "videoconvert", "!", "pngenc", "!", "filesink", f"location={path}"], env=self.env, check=False)

    def set_scale(self, scale):
        """Scales all monitors, which stay in a row. Ends the session's own recording, and so its input."""
        self.arrange([scale] * self.monitors)

    def arrange(self, scales):
        """Switches on as many monitors, in a row."""
        config = interface(self.bus, MUTTER + "DisplayConfig", "/org/gnome/Mutter/DisplayConfig", MUTTER + "DisplayConfig")
        serial, monitors, _, _ = config.GetCurrentState()
        logical, x = [], 0
        for number, ((spec, modes, _), scale) in enumerate(zip(monitors, scales)):
            mode = next((one for one in modes if one[6].get("is-current")), modes[0])
            fitting = min(mode[5], key=lambda one: abs(one - scale))
            logical.append((dbus.Int32(x), dbus.Int32(0), dbus.Double(fitting), dbus.UInt32(0), number == 0,
                            [(spec[0], mode[0], dbus.Dictionary({}, signature="sv"))]))
            x += round(mode[1] / fitting)
        config.ApplyMonitorsConfig(serial, dbus.UInt32(1), dbus.Array(logical, signature="(iiduba(ssa{sv}))"),
                                   dbus.Dictionary({}, signature="sv"))

    def add_monitor(self):
        """Adds a virtual monitor, as if one were plugged in; returns what removes it."""
        cast = interface(self.bus, MUTTER + "ScreenCast", "/org/gnome/Mutter/ScreenCast", MUTTER + "ScreenCast")
        added = interface(self.bus, MUTTER + "ScreenCast", cast.CreateSession(dbus.Dictionary({}, signature="sv")),
                          MUTTER + "ScreenCast.Session")
        node = self.node_of(added.RecordVirtual({"cursor-mode": dbus.UInt32(0)}), added.Start)
        reader = self.run("gst-launch-1.0", "-q", "pipewiresrc", f"path={node}", "!",
                          "video/x-raw,width=800,height=600", "!", "fakesink")

        def remove():
            reader.terminate()
            added.Stop()
        return remove
