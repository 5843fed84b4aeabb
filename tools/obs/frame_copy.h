// frame_copy.h — copies pictures of OBS into frames of a Sender.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstring>

#include "sender.h"
#include "texcast/frame.h"

namespace texcast::obs {

// Does nothing if the sender has no frame to spare.
inline void submit_copy(Sender& sender, const FrameFormat& format, const std::array<PlaneView, 3>& planes,
                        nanoseconds pts) {
  FrameLease frame = sender.lend(format);
  if (!frame) return;
  for (int p = 0; p < plane_count(format.pixel_format); ++p) {
    const PlaneView& from = planes.at(static_cast<size_t>(p));
    const std::ptrdiff_t stride = frame.view().planes.at(static_cast<size_t>(p)).stride_bytes;
    const auto bytes = static_cast<size_t>(plane_row_bytes(format, p));
    for (int y = 0; y < plane_rows(format, p); ++y)
      std::memcpy(frame.plane(p) + y * stride, from.data + y * from.stride_bytes, bytes);
  }
  sender.submit(std::move(frame), pts);
}

}  // namespace texcast::obs
