// x_motion.h — events of the server for pointer motion (XInput 2), which replace polling.
#pragma once

#include "x_display.h"

namespace texcast::screen {

class XMotion {
 public:
  // From now on events come, wherever the pointer is; but not if a program moves it.
  explicit XMotion(const XDisplay& display);
  bool is_told() const { return opcode_ != 0; }  // else the server is too old
  bool is_motion(const xcb_generic_event_t& event) const;

 private:
  uint8_t opcode_ = 0;  // of the extension
};

}  // namespace texcast::screen
