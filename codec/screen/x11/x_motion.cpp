#include "x_motion.h"

#include <sys/uio.h>
#include <xcb/xcbext.h>

#include <array>

namespace texcast::screen {
namespace {

// The two requests of "The X Input Extension 2.x" that are used; fields that xcb sets are zero. They do not justify
// another library (libxcb-xinput).
struct QueryVersion {
  static constexpr uint8_t kOpcode = 47;
  uint8_t opcodes[2]{};
  uint16_t length = 0;
  uint16_t major = 2, minor = 2;  // from 2.1 on raw events are sent even if another client has grabbed the pointer
};
struct SelectEvents {
  static constexpr uint8_t kOpcode = 46;
  static constexpr uint16_t kAllMasterDevices = 1;
  uint8_t opcodes[2]{};
  uint16_t length = 0;
  uint32_t window = 0;
  uint16_t mask_count = 1, unused = 0;
  uint16_t device = kAllMasterDevices, mask_words = 1;
  uint32_t mask = 0;
};
static_assert(sizeof(QueryVersion) == 8 && sizeof(SelectEvents) == 20);

constexpr uint16_t kRawMotion = 17;

xcb_extension_t& input_extension() {
  static xcb_extension_t extension{"XInputExtension", 0};
  return extension;
}

template <typename Request>
unsigned send_to_input(xcb_connection_t* connection, Request& request, bool is_void) {
  // xcb needs room for two parts of its own in front.
  std::array<iovec, 3> parts{};
  parts[2] = {&request, sizeof request};
  const xcb_protocol_request_t kind{
      .count = 1, .ext = &input_extension(), .opcode = Request::kOpcode, .isvoid = static_cast<uint8_t>(is_void)};
  return xcb_send_request(connection, XCB_REQUEST_CHECKED, &parts[2], &kind);
}

}  // namespace

XMotion::XMotion(const XDisplay& display) {
  const xcb_query_extension_reply_t* found = xcb_get_extension_data(display.get(), &input_extension());
  if (found == nullptr || found->present == 0) return;
  QueryVersion version;
  const unsigned asked = send_to_input(display.get(), version, false);
  const auto answer = display.reply(
      +[](xcb_connection_t* connection, unsigned request, xcb_generic_error_t** error) {
        return static_cast<xcb_generic_error_t*>(xcb_wait_for_reply(connection, request, error));
      },
      asked);
  if (!answer) return;
  SelectEvents select{.window = display.root(), .mask = 1U << kRawMotion};
  if (display.accepted({send_to_input(display.get(), select, true)})) opcode_ = found->major_opcode;
}

bool XMotion::is_motion(const xcb_generic_event_t& event) const {
  if (opcode_ == 0 || (event.response_type & 0x7F) != XCB_GE_GENERIC) return false;
  const auto& told = reinterpret_cast<const xcb_ge_generic_event_t&>(event);
  return told.extension == opcode_ && told.event_type == kRawMotion;
}

}  // namespace texcast::screen
