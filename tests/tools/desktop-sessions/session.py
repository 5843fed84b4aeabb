"""A desktop session of the test's own: a system bus with a logind that does nothing (python-dbusmock), a session bus,
PipeWire, a compositor without a screen, the desktop portal and the desktop's backend. Everything is kept in a temporary
folder and ends with the session. No GPU is needed (llvmpipe draws)."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

QT_QML = "usr/lib/x86_64-linux-gnu/qt5/qml"


slowness = 1.0  # of a machine that is emulated: all waits are longer by this factor


def pause(seconds):
    time.sleep(seconds * slowness)


def until(what, done, seconds=60):
    """Waits until done() is true."""
    end = time.monotonic() + seconds * slowness
    while not done():
        if time.monotonic() > end:
            raise RuntimeError(f"timeout waiting for {what}")
        time.sleep(0.1)


class Session:
    """Environment and processes of one session. The compositor is started by the subclass."""

    DESKTOP = ""
    BACKEND = ""
    SERVICES = "<standard_session_servicedirs/>"  # that the session bus starts when they are asked for
    ON_SEAT = False  # the compositor drives the machine's graphics card, which its logind grants

    def __init__(self, size=(1280, 720), monitors=1, scale=1.0):
        self.size, self.monitors, self.scale = size, monitors, scale
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="desktop-session-"))
        self.processes = []
        self.compositor = None
        self.env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "PIPEWIRE_REMOTE")}
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # compiled kernels
        for name in ("run", "home", "config", "state", "data"):
            (self.folder / name).mkdir(mode=0o700)
        self.env.update(
            XDG_RUNTIME_DIR=f"{self.folder}/run", HOME=f"{self.folder}/home", XDG_CONFIG_HOME=f"{self.folder}/config",
            XDG_STATE_HOME=f"{self.folder}/state", XDG_DATA_HOME=f"{self.folder}/data", XDG_CACHE_HOME=cache,
            XDG_SESSION_TYPE="wayland", XDG_CURRENT_DESKTOP=self.DESKTOP, WAYLAND_DISPLAY="wayland-9",
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.folder}/run/bus", GSETTINGS_BACKEND="keyfile", NO_AT_BRIDGE="1", GTK_A11Y="none", GSK_RENDERER="cairo",
            QT_QPA_PLATFORM="wayland", SDL_VIDEODRIVER="wayland")
        if not self.ON_SEAT:
            self.env.update(DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={self.folder}/run/system", LIBGL_ALWAYS_SOFTWARE="1")
        os.environ.update({k: v for k, v in self.env.items() if k.startswith(("XDG_", "DBUS_", "WAYLAND_"))})

    def reconnect(self):
        """To be called after a change of the monitors. GNOME ends its input and recording then."""

    def __enter__(self):
        try:
            self.start()
        except Exception:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def run(self, *argv, **variables):
        """Starts a process of the session, which writes into its log."""
        log = open(self.folder / (os.path.basename(argv[0]) + ".log"), "ab")
        process = subprocess.Popen(argv, env={**self.env, **variables}, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def start_bus(self, name, kind):
        services = self.SERVICES if kind == "session" else ""
        (self.folder / f"{name}.conf").write_text(
            f"<busconfig><type>{kind}</type><listen>unix:path={self.folder}/run/{name}</listen><auth>EXTERNAL</auth>"
            f'{services}<policy context="default"><allow send_destination="*" eavesdrop="true"/>'
            '<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>')
        self.run("dbus-daemon", "--nofork", f"--config-file={self.folder}/{name}.conf")
        until(f"the {kind} bus", (self.folder / "run" / name).exists)

    def has_owner(self, name):
        return subprocess.run(
            ["gdbus", "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/", "-m",
             "org.freedesktop.DBus.GetNameOwner", name], env=self.env, capture_output=True).returncode == 0

    def start_logind(self):
        self.start_bus("system", "system")
        self.run("/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "logind")
        until("logind", lambda: "login1" in subprocess.run(
            ["gdbus", "introspect", "--system", "-d", "org.freedesktop.login1", "-o", "/org/freedesktop/login1"],
            env=self.env, capture_output=True, text=True).stdout)

    def start(self):
        if not self.ON_SEAT:
            self.start_logind()
        self.start_bus("bus", "session")
        self.run("pipewire")
        until("PipeWire", (self.folder / "run/pipewire-0").exists)
        self.run("wireplumber")
        self.start_compositor()
        until("the compositor", (self.folder / "run/wayland-9").exists)
        # Before anything asks for the portal: services that the bus starts inherit this.
        activation = [f"{k}={v}" for k, v in self.env.items() if k.startswith(("XDG_", "WAYLAND_", "QT_", "QML2_", "LIBGL"))]
        subprocess.run(["dbus-update-activation-environment", "GSETTINGS_BACKEND=keyfile", *activation], env=self.env,
                       check=True, capture_output=True)
        self.run("/usr/libexec/xdg-permission-store")
        self.await_compositor()
        self.run(self.BACKEND)
        until(self.BACKEND, lambda: self.has_owner(self.BACKEND_NAME))
        self.run("/usr/libexec/xdg-desktop-portal")
        until("the portal", lambda: self.has_owner("org.freedesktop.portal.Desktop"))

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def logs(self):
        return "".join(f"== {log.name}\n{log.read_text(errors='replace')[-2000:]}\n" for log in self.folder.glob("*.[el][ro][rg]"))
