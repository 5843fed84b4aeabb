// astc_ends.h — end points of a line to the integers of one of the standard's modes (section 23.14).
#pragma once

#include "astc_lines.h"
#include "astc_tables_view.h"
#include "astc_texels.h"

namespace texcast::ref::astc {

// Of the texels v of a partition, their weights w being 0..64, channel by channel: what the error of any end points
// follows from. Whole numbers.
struct Sums {
  float count = 0;
  Channels v{}, vv{}, w{}, ww{}, wv{};
};

// What end points, as colours less the block's center, leave.
float error_of(const Sums& sums, const Channels& low, const Channels& high);

// One partition's end points as a block has them.
struct Ends {
  Channels low{}, high{};      // as decoded, 0..255
  int mode = 0;                // of the standard
  std::array<int, 8> codes{};  // of the mode's integers
  bool is_turned = false;      // stored the other way round: weights w are stored as 64 - w
  float error = 3e38F;
};

enum class EndsKind : uint8_t { grey, scaled, rgb };

// How end points are to be stored.
struct Storing {
  EndsKind kind = EndsKind::rgb;
  bool has_alpha = false;
  bool may_turn = true;  // else the weights' order is fixed, and what needs the other one becomes one colour
  int range = 0;         // of the integers
};

// The best of a kind's modes for end points `low` and `high`, any values; colours less `center`.
Ends store_ends(const Tables& tables, const Sums& sums, const Channels& center, const Line& line, const Storing& how);
// The same by base and offset, for EndsKind::rgb; of infinite error where the colours are too far apart for it.
Ends store_offset_ends(const Tables& tables, const Sums& sums, const Channels& center, const Line& line,
                       const Storing& how);

}  // namespace texcast::ref::astc
