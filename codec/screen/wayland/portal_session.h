// portal_session.h — a session of the desktop portal's ScreenCast interface, which returns the PipeWire streams of what
// a person chose. (https://flatpak.github.io/xdg-desktop-portal, org.freedesktop.portal.ScreenCast)
//
// Not thread-safe. All waits but the one for the dialogue are bounded. All members throw Error{input}, which says what
// to do, and Stopped once stop is requested.
#pragma once

#include <systemd/sd-bus.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/wake_event.h"
#include "screen/screen_capture.h"

namespace texcast::screen::wayland {

struct Stopped {};

// Numbers of the interface.
enum SourceType : uint32_t { kMonitors = 1, kWindows = 2 };
enum PortalCursor : uint32_t { kCursorHidden = 1, kCursorEmbedded = 2, kCursorMetadata = 4 };

struct SharedStream {
  uint32_t node = 0;          // of PipeWire
  std::optional<Rect> place;  // on the desktop, in its units, if the portal reports it
  bool says_where = false;    // the position of `place` is known: KDE 5.27 reports only the size

  std::optional<Rect> place_if_known() const { return says_where ? place : std::nullopt; }
};

// The portal's answer.
struct Shared {
  std::vector<SharedStream> streams;  // at least one; one for each monitor
  std::string restore_token;          // empty: the portal remembers nothing
};

// A request to the portal.
struct ShareRequest {
  SourceType type = kMonitors;
  bool several = false;  // a person may choose several monitors
  PortalCursor cursor = kCursorHidden;
  std::string restore_token{};
};

class PortalSession {
 public:
  // Connects, and queries the portal's capabilities. `waker` ends waits when `stop` is requested; share() uses both
  // too.
  PortalSession(const WakeEvent& waker, std::stop_token stop);
  ~PortalSession();
  PortalSession(const PortalSession&) = delete;
  PortalSession& operator=(const PortalSession&) = delete;

  uint32_t source_types() const { return source_types_; }  // bits of SourceType
  uint32_t cursor_modes() const { return cursor_modes_; }  // bits of PortalCursor

  // Lets a person choose, unless the portal knows the token. Call it once.
  Shared share(const ShareRequest& wanted);
  Descriptor open_pipewire();  // a connection of its own with each call

  // For polling.
  int fd() const { return sd_bus_get_fd(bus_.get()); }
  short events() const;
  SteadyTime next_timeout() const;  // when process() must be called without an event
  // Handles incoming messages. Never blocks.
  void process();
  // Why nothing is shared any more: one line for a person; empty while something is.
  const std::string& ended() const { return ended_; }
  // It has ended because the portal or the bus has, not because the desktop ended the session.
  bool has_failed() const { return has_failed_; }

 private:
  struct Closes {
    void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
    void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  using Message = std::unique_ptr<sd_bus_message, Closes>;
  using Slot = std::unique_ptr<sd_bus_slot, Closes>;
  using Append = std::function<void(sd_bus_message*)>;

  Message make_call(const char* interface, const char* method) const;
  Message call(const Message& message, const char* to_do);
  Message request(const char* method, const Append& arguments, const Append& options, const char* to_do,
                  std::optional<nanoseconds> limit);
  void watch(const char* sender, const char* path, const char* interface, const char* member,
             sd_bus_message_handler_t handler);
  void wait_until(const std::function<bool()>& done, SteadyTime deadline, const char* to_do);
  void ask_what_it_can();

  const WakeEvent& waker_;
  std::stop_token stop_;
  std::unique_ptr<sd_bus, Closes> bus_;
  std::vector<Slot> watches_;
  std::string ended_;
  bool has_failed_ = false;
  std::string session_;  // its object path
  Message response_;     // to the pending request
  int requests_ = 0;
  uint32_t version_ = 0, source_types_ = 0, cursor_modes_ = 0;
};

}  // namespace texcast::screen::wayland
