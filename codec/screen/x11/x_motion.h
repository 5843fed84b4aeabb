// x_motion.h — that the pointer moves, told by the server (XInput 2) instead of asked for again and again.
#pragma once

#include "x_display.h"

namespace texcast::screen {

class XMotion {
 public:
  // From here on events come, wherever the pointer is; not of programs that put it somewhere.
  explicit XMotion(const XDisplay& display);
  bool is_told() const { return opcode_ != 0; }  // else the server is too old
  bool is_motion(const xcb_generic_event_t& event) const;

 private:
  uint8_t opcode_ = 0;  // of the extension
};

}  // namespace texcast::screen
