#include "own_desktop.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace texcast::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

void write_file(const std::string& path, const std::string& text, mode_t mode = 0644) {
  std::ofstream(path) << text;
  chmod(path.c_str(), mode);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool can_connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::strcpy(address.sun_path, path.c_str());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return connected;
}

bool has_owner(const char* name) {
  sd_bus* bus = nullptr;
  if (sd_bus_open_user(&bus) < 0) return false;
  const bool there = sd_bus_call_method(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                        "GetNameOwner", nullptr, nullptr, "s", name) >= 0;
  sd_bus_flush_close_unref(bus);
  return there;
}

}  // namespace

OwnDesktop::OwnDesktop() {
  chmod(folder_.path.c_str(), 0755);  // readable for sway's user
  for (const char* name : {"run", "home", "config", "state", "data"}) fs::create_directory(folder_.path / name);
  chmod((folder_ / "run").c_str(), 0700);
  set("XDG_RUNTIME_DIR", folder_ / "run");
  set("HOME", folder_ / "home");
  set("XDG_CONFIG_HOME", folder_ / "config");
  set("XDG_STATE_HOME", folder_ / "state");
  set("XDG_DATA_HOME", folder_ / "data");
  set("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + folder_ / "run/bus");
  set("XDG_CURRENT_DESKTOP", "sway");
  set("XDG_SESSION_TYPE", "wayland");
  set("WAYLAND_DISPLAY", "wayland-1");
  for (const auto& [variable, value] : {std::pair("WLR_BACKENDS", "headless"),
                                        {"WLR_RENDERER", "pixman"},
                                        {"WLR_LIBINPUT_NO_DEVICES", "1"},
                                        {"LIBGL_ALWAYS_SOFTWARE", "1"}})
    set(variable, value);
  for (const char* variable : {"DISPLAY", "PIPEWIRE_REMOTE", "PIPEWIRE_RUNTIME_DIR"}) {
    set(variable, "");
    unsetenv(variable);
  }
}

OwnDesktop::~OwnDesktop() {
  while (!children_.empty()) end(children_.back().first);
  for (const auto& [variable, value] : before_)
    value ? setenv(variable.c_str(), value->c_str(), 1) : unsetenv(variable.c_str());
}

void OwnDesktop::set(const char* variable, const std::string& value) {
  const char* before = std::getenv(variable);
  before_.emplace(variable, before ? std::optional<std::string>(before) : std::nullopt);
  setenv(variable, value.c_str(), 1);
}

bool OwnDesktop::lacks(const std::string& what) {
  missing_ = what;
  return false;
}

bool OwnDesktop::has(const std::string& program) {
  if (program.starts_with('/')) return access(program.c_str(), X_OK) == 0 || lacks(program);
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');)
    if (access((folder + '/' + program).c_str(), X_OK) == 0) return true;
  return lacks(program);
}

bool OwnDesktop::start(const std::string& program, std::vector<std::string> arguments, bool never_as_root,
                       const char* preload) {
  if (!has(program)) return false;
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string log = folder_ / fs::path(program).filename().string() + ".log";
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int nowhere = open("/dev/null", O_RDONLY);
    const int said = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(nowhere, 0);
    dup2(said, 1);
    dup2(said, 2);
    if (preload) setenv("LD_PRELOAD", preload, 1);
    if (never_as_root && geteuid() == 0 &&
        (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0 ||
         prctl(PR_SET_PDEATHSIG, SIGKILL) != 0))
      _exit(127);
    execvp(program.c_str(), argv.data());
    _exit(127);
  }
  children_.emplace_back(program, child);
  return child > 0;
}

void OwnDesktop::end(const std::string& program) {
  const auto found =
      std::find_if(children_.rbegin(), children_.rend(), [&](const auto& one) { return one.first == program; });
  if (found == children_.rend()) return;
  kill(found->second, SIGKILL);
  waitpid(found->second, nullptr, 0);
  children_.erase(std::next(found).base());
}

bool OwnDesktop::start_bus() {
  write_file(folder_ / "bus.conf",
             "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
             "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
             "<busconfig><type>session</type><listen>unix:path=" +
                 folder_ / "run/bus" +
                 "</listen>"
                 "<auth>EXTERNAL</auth><policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
                 "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>\n");
  return start("dbus-daemon", {"--nofork", "--config-file=" + folder_ / "bus.conf"}) &&
         (comes_true([] { return has_owner("org.freedesktop.DBus"); }) || lacks("an answer of dbus-daemon"));
}

bool OwnDesktop::start_pipewire(bool with_session_manager) {
  return start("pipewire") &&
         (comes_true([&] { return can_connect(folder_ / "run/pipewire-0"); }) || lacks("an answer of pipewire")) &&
         (!with_session_manager || start("wireplumber"));
}

bool OwnDesktop::start_sway() {
  // sway refuses to run as root. Its sockets are in a folder of its user then.
  if (geteuid() == 0 && chown((folder_ / "run").c_str(), kNobody, kNobody) != 0) return lacks("a folder for sway");
  write_file(folder_ / "sway.conf", "xwayland disable\noutput HEADLESS-1 mode 320x200\n");
  return start("sway", {"-c", folder_ / "sway.conf"}, true) &&
         (comes_true([&] { return can_connect(folder_ / "run/wayland-1"); }) || lacks("an answer of sway"));
}

bool OwnDesktop::start_portal() {
  fs::create_directories(folder_.path / "config/xdg-desktop-portal-wlr");
  const std::string script = folder_ / "chooser";
  choose("HEADLESS-1");
  write_file(
      script,
      "#!/bin/sh\necho >> " + folder_ / "questions\n[ ! -e " + folder_ / "refused ] && cat " + folder_ / "choice\n",
      0755);
  write_file(folder_ / "config/xdg-desktop-portal-wlr/config",
             "[screencast]\nmax_fps=60\nchooser_type=simple\nchooser_cmd=" + script + "\n");
  return start("/usr/libexec/xdg-permission-store") &&
         start("/usr/libexec/xdg-desktop-portal-wlr", {}, false, SCREENCOPY_SHIM) &&
         (comes_true([] { return has_owner("org.freedesktop.impl.portal.desktop.wlr"); }) ||
          lacks("an answer of xdg-desktop-portal-wlr")) &&
         start("/usr/libexec/xdg-desktop-portal") &&
         (comes_true([] { return has_owner("org.freedesktop.portal.Desktop"); }) ||
          lacks("an answer of xdg-desktop-portal"));
}

void OwnDesktop::choose(const std::string& monitor) const { write_file(folder_ / "choice", monitor + '\n'); }

void OwnDesktop::refuse(bool refused) const {
  refused ? write_file(folder_ / "refused", "") : static_cast<void>(fs::remove(folder_ / "refused"));
}

int OwnDesktop::questions() const {
  const std::string lines = text_of(folder_ / "questions");
  return static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
}

// sway's IPC: "i3-ipc", length, type 0 (a command), text.
void OwnDesktop::sway(const std::string& command) const {
  std::string path;
  for (const auto& entry : fs::directory_iterator(folder_.path / "run"))
    if (entry.path().filename().string().starts_with("sway-ipc")) path = entry.path();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string message = "i3-ipc";
  const std::array<uint32_t, 2> head{static_cast<uint32_t>(command.size()), 0};
  message.append(reinterpret_cast<const char*>(head.data()), sizeof head);
  message += command;
  std::array<char, 4096> answer{};
  const bool done = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                    write(fd, message.data(), message.size()) == static_cast<ssize_t>(message.size()) &&
                    read(fd, answer.data(), answer.size()) > 0;
  close(fd);
  if (!done) throw std::runtime_error("sway does not answer");
}

std::string OwnDesktop::log() const {
  std::string all;
  for (const auto& entry : fs::directory_iterator(folder_.path))
    if (entry.path().extension() == ".log") all += entry.path().filename().string() + ":\n" + text_of(entry.path());
  return all;
}

}  // namespace texcast::test
