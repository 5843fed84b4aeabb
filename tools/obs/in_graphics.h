// in_graphics.h — OBS's graphics context, held while this lives. Locks of the plugin are taken inside of it, never
// around it.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <obs.h>

namespace texcast::obs {

class InGraphics {
 public:
  InGraphics() { obs_enter_graphics(); }
  ~InGraphics() { obs_leave_graphics(); }
  InGraphics(const InGraphics&) = delete;
  InGraphics& operator=(const InGraphics&) = delete;
};

}  // namespace texcast::obs
