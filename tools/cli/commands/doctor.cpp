// doctor.cpp — `texcast doctor`: checks this machine, and prints a fix for each problem.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "clock/examine_clock.h"
#include "common/unused_options.h"
#include "lazy/lazy_library.h"
#include "ocl/cache.h"
#include "player/window.h"
#include "prepare_kernels.h"
#include "stream/transcoding_presenter.h"
#include "texcast/device.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "transport/address.h"
#include "transport/finder.h"
#include "transport/network_check.h"
#include "transport/stream_ports.h"
#include "transport/udp_socket.h"

namespace texcast::cli {
namespace {

constexpr int kEthernetMtu = 1500;
constexpr int kJumboMtu = 9000;
constexpr const char* kInstallOpenCl = "apt-get install pocl-opencl-icd   # or your GPU's own driver";

enum class Health { good, poor, bad };  // poor: works, but with limits

struct Finding {
  std::string what;
  Health health;
  std::string text;
  std::string mend;                    // the fix; empty if good
  ErrorKind kind = ErrorKind::failed;  // exit code if bad
};

Finding check_opencl() {
  try {
    const DeviceChoice choice = choose_device("");
    const size_t alike = choose_devices("all").size();
    const std::string several = alike > 1 ? fmt::format("; {} devices with --device all", alike) : "";
    return {"OpenCL", Health::good, fmt::format("{} ({}{})", choice.device.name, choice.reason, several), ""};
  } catch (const Error& error) {
    const bool is_cache = !ocl::driver_cache_complaint().empty();
    return {"OpenCL", Health::bad, error.what(),
            is_cache ? "export XDG_CACHE_HOME=DIRECTORY   # a writable one; and unset POCL_CACHE_DIR" : kInstallOpenCl,
            ErrorKind::no_device};
  }
}

// The cache of compiled programs.
Finding check_cache() {
  const ocl::CacheChoice choice = ocl::choose_cache();
  if (choice.usual) return {"cache", Health::good, choice.path, ""};
  if (choice.path.empty())
    return {"cache", Health::poor, fmt::format("none, because {}; kernels are compiled at every start", choice.why),
            choice.mend};
  return {"cache", Health::poor,
          fmt::format("{}, because {}; kernels are compiled again after a reboot", choice.path, choice.why),
          choice.mend};
}

// PoCL's cache, unless it is empty.
std::vector<Finding> check_driver_cache() {
  const ocl::DriverCacheState found = ocl::examine_driver_cache();
  if (!found.danger.empty())
    return {{"kernels", Health::poor, fmt::format("PoCL runs programs from {}, but {}", found.folder, found.danger),
             "unset POCL_CACHE_DIR   # or set it to a directory of your own"}};
  const std::string whole =
      fmt::format("{}: {} intact", found.folder, plural(static_cast<uint64_t>(found.programs), "program"));
  if (found.removed > 0)
    return {{"kernels", Health::poor,
             fmt::format("{}; {} damaged and removed", whole, plural(static_cast<uint64_t>(found.removed), "other")),
             "texcast doctor --prepare   # else the next start compiles what it needs"}};
  if (found.programs == 0) return {};
  return {{"kernels", Health::good, whole, ""}};
}

// Formats that the display's GPU does not support, by name.
struct Others {
  std::map<std::string, std::vector<std::string>> transcoded;  // by the target format
  std::vector<std::string> transcoded_if, missing;             // transcoded_if: needs an OpenCL device
};

Others others_of(const player::Presenter& display, const std::optional<DeviceInfo>& device) {
  Others others;
  for (const Format& format : formats()) {
    if (stream::takes(display, format.id)) continue;
    const std::string name(format.name);
    const auto to = stream::shown_as(format.id, display, device && device->is_gpu);
    if (!to)
      others.missing.push_back(name);
    else if (!device)
      others.transcoded_if.push_back(name);
    else
      others.transcoded[std::string(texcast::name(*to))].push_back(name);
  }
  return others;
}

// The device on which `play` would transcode.
std::optional<DeviceInfo> transcoding_device() {
  try {
    return choose_device("").device;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Finding check_formats(const std::string& where, const player::Presenter& display) {
  const auto device = transcoding_device();
  const Others others = others_of(display, device);
  Finding finding{"formats", Health::good, where + ": all are shown without transcoding", ""};
  std::vector<std::string> exceptions;
  for (const auto& [to, names] : others.transcoded)
    exceptions.push_back(fmt::format("transcoded to {} on {}: {}", to, device->name, joined(names, ", ")));
  if (!others.transcoded_if.empty()) {
    exceptions.push_back("not shown without an OpenCL device: " + joined(others.transcoded_if, ", "));
    finding.mend = kInstallOpenCl;
  }
  if (!others.missing.empty()) {
    exceptions.push_back("not shown: " + joined(others.missing, ", "));
    finding.mend = "update the GPU's driver, or set LIBGL_ALWAYS_SOFTWARE=1   # Mesa's software renderer, slow";
  }
  if (!exceptions.empty()) finding.text += ", but " + joined(exceptions, "; ");
  if (!finding.mend.empty()) finding.health = Health::poor;
  return finding;
}

// Whether Mesa renders on the CPU.
bool is_software(const std::string& renderer) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"llvmpipe", "softpipe", "swrast"},
                             [&](std::string_view name) { return renderer.find(name) != std::string::npos; });
}

// The display and the formats that it shows.
std::vector<Finding> check_presenter(const std::string& what, player::PresenterKind kind, const std::string& mend,
                                     Health when_missing) {
  try {
    const auto presenter = player::make_presenter({.kind = kind, .width = 16, .height = 16});
    Finding display{what, Health::good, presenter->renderer(), ""};
    if (kind == player::PresenterKind::window && is_software(display.text)) {
      display.health = Health::poor;
      display.text += ", which renders on the CPU";
      display.mend = "install the driver of this machine's GPU, if it has one: Mesa's, or its vendor's";
    }
    return {display, check_formats(what, *presenter)};
  } catch (const Error& error) {
    return {{what, when_missing, error.what(), mend, ErrorKind::no_display}};
  }
}

Finding check_sockets() {
  try {
    const transport::UdpReceiver receiver({.address = transport::resolve_address("rtp://127.0.0.1:0", true)});
    const std::string size = fmt::format("receive buffer {}", file_size(receiver.buffer_bytes()));
    const std::string advice = receiver.buffer_advice();
    return {"sockets", advice.empty() ? Health::good : Health::poor, size, advice};
  } catch (const Error& error) {
    return {"sockets", Health::bad, error.what(), "ip link set lo up", ErrorKind::network};
  }
}

Finding check_trains() {
  const bool send = transport::has_udp_segment(), receive = transport::has_udp_gro();
  if (send && receive)
    return {"trains", Health::good, "many packets per system call in both directions (UDP_SEGMENT, UDP_GRO)", ""};
  return {"trains", Health::poor,
          fmt::format("one packet per system call when it {}: 1 Gbit/s takes most of a core",
                      send      ? "receives (no UDP_GRO)"
                      : receive ? "sends (no UDP_SEGMENT)"
                                : "sends and receives"),
          "update to Linux 5.0 or newer"};
}

// Every interface that a stream could use: its MTU and queueing discipline. `send` paces by itself, in batches 0.5 ms
// apart; a fair queue keeps other traffic from waiting behind them.
void check_interfaces(std::vector<Finding>& found) {
  const auto queues = transport::interface_queues();
  for (const transport::NetworkInterface& one : transport::network_interfaces()) {
    if (!one.up || one.loopback) continue;
    const auto queue = std::ranges::find(queues, one.index, &transport::InterfaceQueue::interface_index);
    const std::string kind = queue == queues.end() ? "queue unknown" : "queue " + queue->kind;
    Finding finding{"network", Health::good, fmt::format("{}: MTU {}, {}", one.name, one.mtu, kind), ""};
    if (one.mtu > 0 && one.mtu < kEthernetMtu) {
      finding.health = Health::poor;
      finding.text += fmt::format("; `send` limits packets to {} bytes", one.mtu);
      finding.mend =
          fmt::format("ip link set {} mtu {}   # if the whole network path supports it", one.name, kEthernetMtu);
    } else if (one.mtu >= kJumboMtu) {
      finding.text += "; use `send --mtu 9000` if the whole network path supports it";
    }
    if (!one.multicast) finding.text += "; no multicast";
    found.push_back(finding);
  }
}

Finding check_font() {
  const std::string file = player::PresenterSettings{}.font_file;
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return {"font", Health::good, file, ""};
  return {"font", Health::poor, fmt::format("{} is missing: no on-screen display", file),
          "apt-get install fonts-dejavu-core"};
}

// The daemon may be installed and stopped. A service manager starts it again at every boot, if there is one.
std::string mend_names() {
  std::error_code ignored;
  const bool installed =
      std::ranges::any_of(std::initializer_list<const char*>{"/usr/sbin/avahi-daemon", "/usr/local/sbin/avahi-daemon"},
                          [&](const char* file) { return std::filesystem::exists(file, ignored); });
  if (!installed) return "apt-get install avahi-daemon";
  return std::filesystem::exists("/run/systemd/system", ignored) ? "systemctl enable --now avahi-daemon"
                                                                 : "service dbus start; service avahi-daemon start";
}

Finding check_names() {
  const std::string complaint = transport::daemon_complaint(std::chrono::seconds(1));
  if (complaint.empty()) return {"names", Health::good, "the Avahi daemon answers; see `texcast list`", ""};
  return {"names", Health::poor, complaint + "; addresses work without it", mend_names()};
}

// The ports of a stream to the usual port. A port that another texcast has is no fault.
Finding check_ports() {
  Finding finding{"ports", Health::good, "UDP " + transport::stream_ports_text(transport::kDefaultPort) + ": ", ""};
  std::vector<std::string> taken;
  for (const transport::StreamPort& one : transport::kStreamPorts) {
    const auto port = static_cast<uint16_t>(transport::kDefaultPort + one.offset);
    const transport::PortState state = transport::udp_port_state(port);
    if (state.free) continue;
    if (!state.why.empty())
      taken.push_back(fmt::format("{} cannot be opened: {}", port, state.why));
    else if (state.holder.empty())
      taken.push_back(fmt::format("{} is in use by a program of another user", port));
    else
      taken.push_back(fmt::format("{} is in use by {} (process {})", port, state.holder, state.process));
    if (state.holder == "texcast") continue;
    finding.health = Health::poor;
    finding.mend = fmt::format("stop that program (ss -ulpn shows it), or listen at another port: texcast play :{}",
                               transport::kDefaultPort + 100);
  }
  finding.text += taken.empty() ? "free; a firewall must let them in" : joined(taken, "; ");
  return finding;
}

// Libraries that are loaded on first use. Without one of them everything else works.
std::vector<Finding> check_libraries() {
  const std::vector<lazy::LibraryFile> files = lazy::library_files();
  std::vector<Finding> missing;
  for (const lazy::LibraryFile& file : files)
    if (const std::string complaint = lazy::load_complaint(file); !complaint.empty())
      missing.push_back({"library", Health::poor, complaint, "apt-get install " + file.package});
  if (!missing.empty() || files.empty()) return missing;
  return {{"libraries", Health::good, fmt::format("{} can be loaded on first use", files.size()), ""}};
}

// Players of a wall are in step by it, and so are latencies between machines.
Finding check_clock() {
  const clock::ClockQuality quality = clock::examine_clock();
  return {"clock", quality.synchronised() ? Health::good : Health::poor, clock::text_of(quality),
          clock::mend_of(quality)};
}

std::vector<Finding> examine() {
  using player::PresenterKind;
  std::vector<Finding> found;
  found.push_back(check_opencl());
  found.push_back(check_cache());
  const auto add = [&](const std::vector<Finding>& findings) {
    found.insert(found.end(), findings.begin(), findings.end());
  };
  add(check_driver_cache());
  add(check_presenter("window", PresenterKind::window, "on a machine without a screen, use --offscreen or --no-window",
                      Health::poor));
  add(check_presenter("off-screen", PresenterKind::offscreen, "apt-get install libegl1 libgl1-mesa-dri", Health::poor));
  found.push_back(check_sockets());
  found.push_back(check_trains());
  check_interfaces(found);
  found.push_back(check_ports());
  found.push_back(check_names());
  found.push_back(check_clock());
  found.push_back(check_font());
  add(check_libraries());
  return found;
}

const char* mark(Health health) {
  switch (health) {
    case Health::good: return "ok";
    case Health::poor: return "poor";
    case Health::bad: return "BAD";
  }
  return "?";
}

}  // namespace

int run_doctor(const DoctorOptions& o) {
  reject_unused(o);
  const EndsAtOnceIfInterrupted at_once;
  if (o.prepare) {
    prepare_kernels(o.encoding.device, o.format);
    return 0;
  }
  const std::vector<Finding> found = examine();
  int exit_code = 0;
  Json json = Json::array();
  for (const Finding& f : found) {
    if (f.health == Health::bad && exit_code == 0) exit_code = static_cast<int>(f.kind);
    json.push(Json::object({{"check", f.what}, {"health", mark(f.health)}, {"found", f.text}, {"mend", f.mend}}));
    if (o.json) continue;
    fmt::print("{:<5}{:<12}{}\n", mark(f.health), f.what, f.text);
    if (!f.mend.empty()) fmt::print("{:<17}-> {}\n", "", f.mend);
  }
  if (o.json) fmt::print("{}\n", Json::object({{"usable", exit_code == 0}, {"checks", json}}).text(2));
  return exit_code;
}

}  // namespace texcast::cli
