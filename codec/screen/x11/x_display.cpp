#include "x_display.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/randr.h>
#include <xcb/shm.h>
#include <xcb/xfixes.h>

#include <cstring>
#include <utility>

#include "texcast/error.h"

namespace texcast::screen {
namespace {

constexpr uint8_t kSentByOthers = 0x80;  // SendEvent sets it in the type

uint8_t type_of(const xcb_generic_event_t& event) { return event.response_type & ~kSentByOthers; }

// Descriptors can only be passed through sockets of this machine.
bool passes_descriptors(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  return getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 && address.ss_family == AF_UNIX;
}

std::string why_not_connected(const std::string& display, int code) {
  switch (code) {
    case XCB_CONN_CLOSED_PARSE_ERR:
      return fmt::format("DISPLAY is '{}', which does not name an X display; an example is :0", display);
    case XCB_CONN_CLOSED_INVALID_SCREEN: return fmt::format("the X display '{}' has no such screen", display);
    case XCB_CONN_CLOSED_MEM_INSUFFICIENT: return "out of memory";
    default:
      return fmt::format(
          "the X display '{}' does not answer, or refuses this user; is it running, and is XAUTHORITY its own?",
          display);
  }
}

}  // namespace

XDisplay::XDisplay() {
  const char* name = std::getenv("DISPLAY");
  if (!name || !*name)
    throw Error(ErrorKind::input,
                "there is no screen to capture: DISPLAY is not set; start texcast inside an X "
                "session, or set it (export DISPLAY=:0)");
  name_ = name;
  int number = 0;
  connection_ = xcb_connect(name, &number);
  if (const int code = xcb_connection_has_error(connection_); code != 0) {
    xcb_disconnect(connection_);
    throw Error(ErrorKind::input, "cannot open 'screen': " + why_not_connected(name_, code));
  }
  try {
    xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection_));
    for (; number > 0 && screens.rem > 1; --number) xcb_screen_next(&screens);
    screen_ = screens.data;
    look_for_extensions();
  } catch (...) {
    xcb_disconnect(connection_);
    throw;
  }
}

XDisplay::~XDisplay() { xcb_disconnect(connection_); }

bool XDisplay::has(xcb_extension_t& extension) const {
  const xcb_query_extension_reply_t* reply = xcb_get_extension_data(connection_, &extension);
  require_alive();
  return reply != nullptr && reply->present != 0;
}

// Each must be asked for its version before it works.
void XDisplay::look_for_extensions() {
  const auto need = [&](xcb_extension_t& extension, const char* called) {
    if (has(extension)) return xcb_get_extension_data(connection_, &extension)->first_event;
    throw Error(
        ErrorKind::input,
        fmt::format("cannot open the X display '{0}': it lacks the extension {1}; x11grab::{0} does not need it", name_,
                    called));
  };
  damage_event_ = need(xcb_damage_id, "DAMAGE") + XCB_DAMAGE_NOTIFY;
  reply(xcb_damage_query_version_reply, xcb_damage_query_version(connection_, 1, 1));
  cursor_event_ = need(xcb_xfixes_id, "XFIXES") + XCB_XFIXES_CURSOR_NOTIFY;
  reply(xcb_xfixes_query_version_reply, xcb_xfixes_query_version(connection_, 5, 0));
  if (has(xcb_randr_id)) {
    monitors_event_ = xcb_get_extension_data(connection_, &xcb_randr_id)->first_event;
    const auto version = reply(xcb_randr_query_version_reply, xcb_randr_query_version(connection_, 1, 5));
    has_monitors_ = version && std::pair(version->major_version, version->minor_version) >= std::pair(1U, 5U);
  }
  if (has(xcb_composite_id)) reply(xcb_composite_query_version_reply, xcb_composite_query_version(connection_, 0, 4));
  if (passes_descriptors(descriptor()) && has(xcb_shm_id)) {
    const auto version = reply(xcb_shm_query_version_reply, xcb_shm_query_version(connection_));
    has_shared_ = version && std::pair<int, int>(version->major_version, version->minor_version) >= std::pair(1, 2);
  }
}

void XDisplay::require_alive() const {
  if (xcb_connection_has_error(connection_) == 0) return;
  throw Error(ErrorKind::input,
              fmt::format("the X display '{}' closed the connection: its session has ended, or it refuses this program",
                          name_));
}

bool XDisplay::accepted(xcb_void_cookie_t cookie) const {
  const XReply<xcb_generic_error_t> refusal(xcb_request_check(connection_, cookie));
  require_alive();
  return refusal == nullptr;
}

XReply<xcb_generic_event_t> XDisplay::next_event() const {
  XReply<xcb_generic_event_t> event(xcb_poll_for_event(connection_));
  if (!event) require_alive();
  return event;
}

xcb_atom_t XDisplay::atom(const char* name) const {
  const auto found =
      reply(xcb_intern_atom_reply, xcb_intern_atom(connection_, 1, static_cast<uint16_t>(std::strlen(name)), name));
  return found ? found->atom : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
}

void XDisplay::require_bgra(xcb_visualid_t visual, uint8_t depth) const {
  const xcb_setup_t* setup = xcb_get_setup(connection_);
  bool is_bgra = setup->image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST;
  for (auto format = xcb_setup_pixmap_formats_iterator(setup); format.rem > 0; xcb_format_next(&format))
    if (format.data->depth == depth) is_bgra = is_bgra && format.data->bits_per_pixel == 32;
  for (auto depths = xcb_screen_allowed_depths_iterator(screen_); depths.rem > 0; xcb_depth_next(&depths))
    for (auto visuals = xcb_depth_visuals_iterator(depths.data); visuals.rem > 0; xcb_visualtype_next(&visuals))
      if (visuals.data->visual_id == visual)
        is_bgra = is_bgra && visuals.data->red_mask == 0xff0000 && visuals.data->green_mask == 0xff00 &&
                  visuals.data->blue_mask == 0xff;
  if (is_bgra) return;
  throw Error(ErrorKind::input,
              fmt::format("cannot open the X display '{0}': its pixels of {1} bits are not 8 of each colour; "
                          "x11grab::{0} supports them",
                          name_, depth));
}

bool XDisplay::is_damage(const xcb_generic_event_t& event) const { return type_of(event) == damage_event_; }
bool XDisplay::is_cursor(const xcb_generic_event_t& event) const { return type_of(event) == cursor_event_; }
bool XDisplay::is_monitors(const xcb_generic_event_t& event) const {
  return monitors_event_ != 0 && (type_of(event) == monitors_event_ + XCB_RANDR_SCREEN_CHANGE_NOTIFY ||
                                  type_of(event) == monitors_event_ + XCB_RANDR_NOTIFY);
}

}  // namespace texcast::screen
