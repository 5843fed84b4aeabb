// mosaic.h — several monitors as one picture: each at its place on the desktop, all at one scale.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen::wayland {

// A monitor as it is captured.
struct MosaicTile {
  Rect place{};               // on the desktop, in its units
  int width = 0, height = 0;  // pixels
  bool operator==(const MosaicTile&) const = default;
};

// The picture has the greatest scale (pixels per unit) of the monitors, so that one with that scale keeps its pixels;
// others are enlarged. If a side became longer than kMaxFrameSize, all are reduced.
struct MosaicLayout {
  Rect desktop{};             // around all monitors, in the desktop's units
  int width = 0, height = 0;  // of the picture, pixels
  std::vector<Rect> targets;  // of the monitors in the picture; never beyond it
  bool operator==(const MosaicLayout&) const = default;
};

// At least one tile, none of them empty.
MosaicLayout lay_out(std::span<const MosaicTile> tiles);

// A row from the left, for monitors whose places are not known.
std::vector<Rect> in_a_row(std::span<const MosaicTile> tiles);

// Draws a part of a monitor's picture into `canvas` (BGRA, rows of `stride` texels), where `target` is the place of the
// whole monitor. Returns what was drawn over. Multiples of the size repeat pixels; other sizes interpolate between
// them.
Rect draw_tile(std::span<uint32_t> canvas, int stride, const Rect& target, const FrameView& picture, const Rect& part);

}  // namespace texcast::screen::wayland
