// x_display.h — a connection to an X server that has what capturing needs, and its replies as objects.
#pragma once

#include <xcb/xcb.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "screen/screen_capture.h"

namespace texcast::screen {

struct XFree {
  void operator()(void* reply) const { std::free(reply); }
};
template <typename T>
using XReply = std::unique_ptr<T, XFree>;

// Not thread-safe.
class XDisplay {
 public:
  // Connects to DISPLAY. Throws Error{input}, which says what to do.
  XDisplay();
  ~XDisplay();
  XDisplay(const XDisplay&) = delete;
  XDisplay& operator=(const XDisplay&) = delete;

  xcb_connection_t* get() const { return connection_; }
  const std::string& name() const { return name_; }  // ":0"
  const xcb_screen_t& screen() const { return *screen_; }
  xcb_window_t root() const { return screen_->root; }
  int descriptor() const { return xcb_get_file_descriptor(connection_); }

  // The server's reply; null if it refuses, as it does for windows that are gone. Throws Error{input} once the server
  // itself is gone.
  template <typename Reply, typename Cookie>
  XReply<Reply> reply(Reply* (*wait)(xcb_connection_t*, Cookie, xcb_generic_error_t**), Cookie cookie) const {
    xcb_generic_error_t* error = nullptr;
    XReply<Reply> reply(wait(connection_, cookie, &error));
    const XReply<xcb_generic_error_t> refusal(error);
    if (!reply && !refusal) require_alive();
    return reply;
  }
  // Whether the server executed a request of the kind xcb_…_checked. Throws as reply() does.
  bool accepted(xcb_void_cookie_t cookie) const;
  // The next event; null: there is none. Does not block. Throws as reply() does.
  XReply<xcb_generic_event_t> next_event() const;
  void require_alive() const;

  xcb_atom_t atom(const char* name) const;  // XCB_ATOM_NONE if the server does not know it
  // Throws Error{input} if pixels of the visual are not stored as PixelFormat::bgra.
  void require_bgra(xcb_visualid_t visual, uint8_t depth) const;

  bool has_monitors() const { return has_monitors_; }        // RANDR 1.5
  bool has_shared_memory() const { return has_shared_; }     // by passing descriptors
  bool is_damage(const xcb_generic_event_t& event) const;    // something was drawn
  bool is_cursor(const xcb_generic_event_t& event) const;    // the pointer's image changed
  bool is_monitors(const xcb_generic_event_t& event) const;  // RANDR: any change

 private:
  void look_for_extensions();
  bool has(xcb_extension_t& extension) const;

  std::string name_;
  xcb_connection_t* connection_ = nullptr;
  const xcb_screen_t* screen_ = nullptr;
  bool has_monitors_ = false, has_shared_ = false;
  uint8_t damage_event_ = 0, cursor_event_ = 0, monitors_event_ = 0;
};

}  // namespace texcast::screen
