// astc_ends.h — encodes the end points of a line as the integers of one of the standard's modes (section 23.14).
#pragma once

#include "astc_lines.h"
#include "astc_tables_view.h"
#include "astc_texels.h"

namespace texcast::ref::astc {

// Sums over the texels v of a partition and their weights w (0..64), per channel, from which the error of any end
// points follows. Whole numbers.
struct Sums {
  float count = 0;
  Channels v{}, vv{}, w{}, ww{}, wv{};
};

// The squared error of end points, which are colours minus the block's center.
float error_of(const Sums& sums, const Channels& low, const Channels& high);

// One partition's end points as they are stored.
struct Ends {
  Channels low{}, high{};      // as decoded, 0..255
  int mode = 0;                // of the standard
  std::array<int, 8> codes{};  // the mode's integers
  bool is_turned = false;      // stored in reverse order: weights w are stored as 64 - w
  float error = 3e38F;
};

enum class EndsKind : uint8_t { grey, scaled, rgb };

// Constraints on how end points are stored.
struct Storing {
  EndsKind kind = EndsKind::rgb;
  bool has_alpha = false;
  bool may_turn = true;  // else the weights' order is fixed, and end points that need the other order become one colour
  int range = 0;         // of the integers
};

// The best of a kind's modes for the end points `low` and `high` of the line, which may have any values; colours minus
// `center`.
Ends store_ends(const Tables& tables, const Sums& sums, const Channels& center, const Line& line, const Storing& how);
// The same as base and offset, for EndsKind::rgb; its error is infinite if the colours are too far apart for that.
Ends store_offset_ends(const Tables& tables, const Sums& sums, const Channels& center, const Line& line,
                       const Storing& how);

}  // namespace texcast::ref::astc
