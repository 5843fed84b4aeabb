#include "portal_session.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/errno_text.h"
#include "base/poll_until.h"
#include "no_capture.h"

namespace texcast::screen::wayland {
namespace {

using std::chrono::seconds;

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kScreenCast = "org.freedesktop.portal.ScreenCast";
// For calls that need nobody's decision. The bus may have to start the portal, and that its backend, which takes many
// seconds on a slow machine that has just started.
constexpr seconds kAnswerWithin{30};
constexpr size_t kMostStreams = 16;  // of monitors; further ones are ignored

std::string unreachable_bus(int error) {
  return fmt::format(
      "no D-Bus session bus ({}), which is needed for the desktop portal; start texcast inside the desktop's session, "
      "or "
      "set DBUS_SESSION_BUS_ADDRESS",
      error == ENOMEDIUM ? "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set" : errno_text(error));
}

constexpr const char* kInstallBackend =
    "install the one of your desktop (xdg-desktop-portal-gnome, -kde, or -wlr for sway and others of wlroots), and log "
    "in again";

std::string in_words(const sd_bus_error& error, const char* to_do) {
  const std::string_view name = error.name ? error.name : "";
  if (name == SD_BUS_ERROR_SERVICE_UNKNOWN || name == SD_BUS_ERROR_NAME_HAS_NO_OWNER ||
      name.starts_with("org.freedesktop.DBus.Error.Spawn"))
    return "no desktop portal is running; install xdg-desktop-portal and the backend of your desktop "
           "(xdg-desktop-portal-gnome, -kde, or -wlr for sway and others of wlroots), and log in again";
  // GDBus reports InvalidArgs for properties of a missing interface.
  if (name == SD_BUS_ERROR_UNKNOWN_INTERFACE || name == SD_BUS_ERROR_UNKNOWN_METHOD ||
      name == SD_BUS_ERROR_INVALID_ARGS)
    return fmt::format("the desktop portal has no backend that captures screens; {}", kInstallBackend);
  if (name == SD_BUS_ERROR_NO_REPLY || name == SD_BUS_ERROR_TIMEOUT)
    return fmt::format("the desktop portal does not answer ({}); log in again, or restart xdg-desktop-portal", to_do);
  return fmt::format("the desktop portal could not {}: {}", to_do, error.message ? error.message : name);
}

// Iterates over a dictionary a{sv}: `value(key, type of its value)` reads the value, or skips it. False: the message
// has another type.
template <typename Value>
bool for_each_entry(sd_bus_message* message, const Value& value) {
  if (sd_bus_message_enter_container(message, 'a', "{sv}") < 0) return false;
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char* key = nullptr;
    const char* contents = nullptr;
    char kind = 0;
    if (sd_bus_message_read_basic(message, 's', &key) < 0 || sd_bus_message_peek_type(message, &kind, &contents) < 0 ||
        sd_bus_message_enter_container(message, 'v', contents) < 0 || !value(std::string_view(key), contents) ||
        sd_bus_message_exit_container(message) < 0 || sd_bus_message_exit_container(message) < 0)
      return false;
  }
  return sd_bus_message_exit_container(message) >= 0;
}

// For entries that are not used.
bool skip(sd_bus_message* message, const char* contents) { return sd_bus_message_skip(message, contents) >= 0; }

bool read_number(sd_bus_message* message, const char* contents, uint32_t& number) {
  return contents[0] == 'u' && contents[1] == 0 ? sd_bus_message_read_basic(message, 'u', &number) >= 0
                                                : skip(message, contents);
}

// A string or an object's path: session handles are either, by an accident of the interface.
bool read_text(sd_bus_message* message, const char* contents, std::string& text) {
  const char* found = nullptr;
  if ((contents[0] != 's' && contents[0] != 'o') || contents[1] != 0) return skip(message, contents);
  if (sd_bus_message_read_basic(message, contents[0], &found) < 0) return false;
  text = found;
  return true;
}

bool read_pair(sd_bus_message* message, const char* contents, int& first, int& second) {
  return std::string_view(contents) == "(ii)" ? sd_bus_message_read(message, "(ii)", &first, &second) >= 0
                                              : skip(message, contents);
}

// a(ua{sv}). False: there is none, or the message has another type.
bool read_streams(sd_bus_message* message, std::vector<SharedStream>& streams) {
  if (sd_bus_message_enter_container(message, 'a', "(ua{sv})") < 0) return false;
  while (sd_bus_message_enter_container(message, 'r', "ua{sv}") > 0) {
    SharedStream stream;
    Rect place;
    if (sd_bus_message_read_basic(message, 'u', &stream.node) < 0 ||
        !for_each_entry(message,
                        [&](std::string_view key, const char* contents) {
                          if (key == "position") {
                            stream.says_where = true;
                            return read_pair(message, contents, place.x, place.y);
                          }
                          if (key == "size") return read_pair(message, contents, place.width, place.height);
                          return skip(message, contents);
                        }) ||
        sd_bus_message_exit_container(message) < 0)
      return false;
    if (place.width > 0 && place.height > 0) stream.place = place;
    if (streams.size() < kMostStreams) streams.push_back(stream);
  }
  return !streams.empty() && sd_bus_message_exit_container(message) >= 0;
}

}  // namespace

PortalSession::PortalSession(const WakeEvent& waker, std::stop_token stop) : waker_(waker), stop_(std::move(stop)) {
  sd_bus* bus = nullptr;
  if (const int error = sd_bus_open_user(&bus); error < 0) fail(unreachable_bus(-error));
  bus_.reset(bus);
  watch("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
        [](sd_bus_message* message, void* user, sd_bus_error*) {
          auto& self = *static_cast<PortalSession*>(user);
          const char *name = nullptr, *before = nullptr, *now = nullptr;
          if (sd_bus_message_read(message, "sss", &name, &before, &now) >= 0 && std::strcmp(name, kPortal) == 0 &&
              *before != 0 && self.ended_.empty()) {
            self.ended_ = "the desktop portal has ended; start the capture again, and if that fails log in again";
            self.has_failed_ = true;
          }
          return 0;
        });
  ask_what_it_can();
}

PortalSession::~PortalSession() {
  // When a caller leaves the bus, the portal ends what it has begun: a dialogue, a session.
  watches_.clear();
}

void PortalSession::ask_what_it_can() {
  const Message question = make_call("org.freedesktop.DBus.Properties", "GetAll");
  sd_bus_message_append(question.get(), "s", kScreenCast);
  const Message answer = call(question, "report what can be captured");
  for_each_entry(answer.get(), [&](std::string_view key, const char* contents) {
    if (key == "version") return read_number(answer.get(), contents, version_);
    if (key == "AvailableSourceTypes") return read_number(answer.get(), contents, source_types_);
    if (key == "AvailableCursorModes") return read_number(answer.get(), contents, cursor_modes_);
    return skip(answer.get(), contents);
  });
  if (source_types_ == 0)
    fail(fmt::format("the desktop portal's backend, which captures screens, is not running; {}", kInstallBackend));
}

PortalSession::Message PortalSession::make_call(const char* interface, const char* method) const {
  sd_bus_message* message = nullptr;
  if (sd_bus_message_new_method_call(bus_.get(), &message, kPortal, kPath, interface, method) < 0)
    throw std::bad_alloc();
  return Message(message);
}

void PortalSession::watch(const char* sender, const char* path, const char* interface, const char* member,
                          sd_bus_message_handler_t handler) {
  sd_bus_slot* slot = nullptr;
  // It is active before any later call, as the bus handles our messages in order.
  const int error = sd_bus_match_signal_async(
      bus_.get(), &slot, sender, path, interface, member, handler,
      [](sd_bus_message*, void*, sd_bus_error*) { return 0; }, this);
  if (error < 0) fail(unreachable_bus(-error));
  watches_.emplace_back(slot);
}

short PortalSession::events() const { return static_cast<short>(std::max(0, sd_bus_get_events(bus_.get()))); }

SteadyTime PortalSession::next_timeout() const {
  uint64_t at_us = UINT64_MAX;  // CLOCK_MONOTONIC, as steady_clock
  if (sd_bus_get_timeout(bus_.get(), &at_us) < 0 || at_us > static_cast<uint64_t>(INT64_MAX) / 1000)
    return SteadyTime::max();
  return SteadyTime(nanoseconds(static_cast<int64_t>(at_us) * 1000));
}

void PortalSession::process() {
  int handled = 1;
  while (ended_.empty() && handled > 0) handled = sd_bus_process(bus_.get(), nullptr);
  if (handled >= 0 || !ended_.empty()) return;
  ended_ = fmt::format("the D-Bus session bus is gone ({}): the session has ended", errno_text(-handled));
  has_failed_ = true;
}

void PortalSession::wait_until(const std::function<bool()>& done, SteadyTime deadline, const char* to_do) {
  for (;;) {
    const int handled = sd_bus_process(bus_.get(), nullptr);
    if (done()) return;
    if (stop_.stop_requested()) throw Stopped{};
    if (handled < 0) fail(unreachable_bus(-handled));
    if (!ended_.empty()) fail(ended_);
    if (handled > 0) continue;
    if (steady_now() >= deadline)
      fail(fmt::format("the desktop portal does not answer ({}); log in again, or restart xdg-desktop-portal", to_do));
    pollfd of_interest[] = {{fd(), events(), 0}, {waker_.fd(), POLLIN, 0}};
    poll_until(of_interest, std::min(deadline, next_timeout()));
    if (of_interest[1].revents != 0 && !stop_.stop_requested()) waker_.take();
  }
}

PortalSession::Message PortalSession::call(const Message& message, const char* to_do) {
  Message answer;
  sd_bus_slot* slot = nullptr;
  const int error = sd_bus_call_async(
      bus_.get(), &slot, message.get(),
      [](sd_bus_message* came, void* user, sd_bus_error*) {
        static_cast<Message*>(user)->reset(sd_bus_message_ref(came));
        return 0;
      },
      &answer, std::chrono::duration_cast<std::chrono::microseconds>(kAnswerWithin).count());
  if (error < 0) fail(unreachable_bus(-error));
  const Slot waiting(slot);
  wait_until([&] { return answer != nullptr; }, steady_now() + kAnswerWithin + seconds(1), to_do);
  if (sd_bus_is_open(bus_.get()) <= 0)
    fail(unreachable_bus(ECONNRESET));  // which replies with an error of sd-bus itself
  if (const sd_bus_error* refused = sd_bus_message_get_error(answer.get())) fail(in_words(*refused, to_do));
  return answer;
}

// A call whose answer comes as a signal of a request object. The object's path follows from a token that the caller
// chooses and its name on the bus, so it can be watched before the call.
PortalSession::Message PortalSession::request(const char* method, const Append& arguments, const Append& options,
                                              const char* to_do, std::optional<nanoseconds> limit) {
  const std::string token = fmt::format("texcast{}", ++requests_);
  const char* name = nullptr;
  if (sd_bus_get_unique_name(bus_.get(), &name) < 0) fail(unreachable_bus(ENOTCONN));
  std::string sender = name + 1;  // ":1.42"
  std::replace(sender.begin(), sender.end(), '.', '_');
  const std::string path = fmt::format("{}/request/{}/{}", kPath, sender, token);
  response_.reset();
  watch(kPortal, path.c_str(), "org.freedesktop.portal.Request", "Response",
        [](sd_bus_message* came, void* user, sd_bus_error*) {
          static_cast<PortalSession*>(user)->response_.reset(sd_bus_message_ref(came));
          return 0;
        });

  const Message message = make_call(kScreenCast, method);
  arguments(message.get());
  sd_bus_message_open_container(message.get(), 'a', "{sv}");
  sd_bus_message_append(message.get(), "{sv}", "handle_token", "s", token.c_str());
  options(message.get());
  if (sd_bus_message_close_container(message.get()) < 0) fail(fmt::format("cannot build the message to {}", to_do));
  call(message, to_do);
  wait_until([&] { return response_ != nullptr; }, limit ? steady_now() + *limit : SteadyTime::max(), to_do);
  watches_.pop_back();
  Message response = std::move(response_);
  uint32_t result = 0;
  if (sd_bus_message_read_basic(response.get(), 'u', &result) < 0) fail("the desktop portal's answer is invalid");
  if (result == 1) fail("it was refused in the desktop's dialogue; start again, and choose there what to share");
  if (result != 0)
    fail(
        fmt::format("the desktop portal could not {}; its backend must be running, and PipeWire (its log says more: "
                    "journalctl --user -u xdg-desktop-portal)",
                    to_do));
  return response;
}

Shared PortalSession::share(const ShareRequest& wanted) {
  const auto nothing = [](sd_bus_message*) {};
  const Message created = request(
      "CreateSession", nothing,
      [](sd_bus_message* m) { sd_bus_message_append(m, "{sv}", "session_handle_token", "s", "texcast"); },
      "create a session", kAnswerWithin);
  for_each_entry(created.get(), [&](std::string_view key, const char* contents) {
    return key == "session_handle" ? read_text(created.get(), contents, session_) : skip(created.get(), contents);
  });
  if (session_.empty() || sd_bus_object_path_is_valid(session_.c_str()) <= 0)
    fail("the desktop portal's answer is invalid");
  watch(kPortal, session_.c_str(), "org.freedesktop.portal.Session", "Closed",
        [](sd_bus_message*, void* user, sd_bus_error*) {
          auto& ended = static_cast<PortalSession*>(user)->ended_;
          if (ended.empty()) ended = "the desktop has ended the capture (sharing was stopped there)";
          return 0;
        });

  const auto of_session = [&](sd_bus_message* m) { sd_bus_message_append(m, "o", session_.c_str()); };
  request(
      "SelectSources", of_session,
      [&](sd_bus_message* m) {
        sd_bus_message_append(m, "{sv}", "types", "u", static_cast<uint32_t>(wanted.type));
        sd_bus_message_append(m, "{sv}", "multiple", "b", wanted.several ? 1 : 0);
        if (version_ >= 2) sd_bus_message_append(m, "{sv}", "cursor_mode", "u", static_cast<uint32_t>(wanted.cursor));
        if (version_ < 4) return;
        sd_bus_message_append(m, "{sv}", "persist_mode", "u", 2);  // until it is revoked
        if (!wanted.restore_token.empty())
          sd_bus_message_append(m, "{sv}", "restore_token", "s", wanted.restore_token.c_str());
      },
      "select what to capture", kAnswerWithin);
  const Message started = request(
      "Start",
      [&](sd_bus_message* m) {
        of_session(m);
        sd_bus_message_append(m, "s", "");  // no parent window
      },
      nothing, "start the capture", std::nullopt);
  Shared shared;
  bool has_streams = false;
  for_each_entry(started.get(), [&](std::string_view key, const char* contents) {
    if (key == "restore_token") return read_text(started.get(), contents, shared.restore_token);
    if (key != "streams" || std::string_view(contents) != "a(ua{sv})") return skip(started.get(), contents);
    has_streams = read_streams(started.get(), shared.streams);
    return has_streams;
  });
  if (!has_streams) fail("nothing was chosen in the desktop's dialogue; start again, and choose there what to share");
  return shared;
}

Descriptor PortalSession::open_pipewire() {
  const Message message = make_call(kScreenCast, "OpenPipeWireRemote");
  sd_bus_message_append(message.get(), "oa{sv}", session_.c_str(), 0);
  const Message answer = call(message, "open PipeWire");
  int borrowed = -1;  // owned by the message
  if (sd_bus_message_read_basic(answer.get(), 'h', &borrowed) < 0) fail("the desktop portal's answer is invalid");
  Descriptor ours(fcntl(borrowed, F_DUPFD_CLOEXEC, 3));
  if (ours.get() < 0) throw Error(ErrorKind::failed, "no file descriptor is left (ulimit -n)");
  return ours;
}

}  // namespace texcast::screen::wayland
