#include <limits>

#include "bc7_bits.h"
#include "bc7_encode.h"
#include "bc7_fit.h"
#include "bc7_rank.h"
#include "bc7_walk.h"
#include "kernels/effort.h"

namespace texcast::ref::bc7 {
namespace {

struct Trial {
  int mode = 0, partition = 0, rotation = 0, selector = 0;
  Fitted color, apart;  // apart: the channel with its own indices
  int error = std::numeric_limits<int>::max();
};

class SearchEncoder {
 public:
  SearchEncoder(const Texels16& texels, bool is_opaque, int method)
      : texels_(texels), is_opaque_(is_opaque), method_(method) {}

  Bc7Block encode() {
    try_joint(6, 0);
    if (is_opaque_) {
      try_partitions(1, TEXCAST_BC7_MODE_1(method_));
      try_partitions(3, TEXCAST_BC7_MODE_3(method_));
      try_partitions(0, TEXCAST_BC7_MODE_0(method_));
      try_partitions(2, TEXCAST_BC7_MODE_2(method_));
      try_rotations(TEXCAST_BC7_ROTATIONS);
    } else {
      try_partitions(7, TEXCAST_BC7_MODE_7(method_));
      try_rotations(TEXCAST_BC7_ROTATIONS);
    }
    improve();
    return packed();
  }

 private:
  const Bc7Mode& mode(int number) const { return kBc7Modes[static_cast<size_t>(number)]; }
  Fitted search(const Plane& plane) const {
    Fitted best = fit(plane, TEXCAST_BC7_FITS);
    walk(plane, TEXCAST_BC7_WALKS(method_), best);
    return best;
  }

  Plane joint_plane(const Trial& trial) const {
    const Bc7Mode& m = mode(trial.mode);
    const int p = m.p_bits == PBits::none ? 0 : 1;
    const int color = m.color_bits + p, alpha = m.alpha_bits > 0 && !is_opaque_ ? m.alpha_bits + p : 0;
    const bool p_is_1 = m.alpha_bits > 0 && is_opaque_;
    return {texels_,
            subsets_of(m.subsets, trial.partition),
            m.subsets,
            {{color, color, color, alpha}, m.p_bits, p_is_1, m.index_bits}};
  }

  // Modes 4 and 5: three channels with one set of indices; alpha, or the channel that is rotated with it, with the
  // other.
  Plane rotated_plane(const Trial& trial, const Texels16& texels, bool apart) const {
    const Bc7Mode& m = mode(trial.mode);
    const bool second = apart != (trial.selector == 1);
    const Channels bits =
        apart ? Channels{m.alpha_bits, 0, 0, 0} : Channels{m.color_bits, m.color_bits, m.color_bits, 0};
    return {texels, {}, 1, {bits, PBits::none, false, second ? m.second_index_bits : m.index_bits}};
  }
  Texels16 rotated_colors(int rotation) const {
    Texels16 rotated = texels_;
    for (Channels& texel : rotated) {
      if (rotation > 0) texel[static_cast<size_t>(rotation - 1)] = texel[kAlpha];
      texel[kAlpha] = 0;
    }
    return rotated;
  }
  Texels16 channel_apart(int rotation) const {
    Texels16 alone{};
    for (size_t i = 0; i < 16; ++i) alone[i][0] = texels_[i][rotation > 0 ? static_cast<size_t>(rotation - 1) : kAlpha];
    return alone;
  }

  void keep_better(const Trial& trial) {
    if (trial.error < best_.error) best_ = trial;
  }

  void try_joint(int number, int partition) {
    Trial trial{.mode = number, .partition = partition, .color = {}, .apart = {}};
    const Plane plane = joint_plane(trial);
    trial.color = search(plane);
    trial.error = trial.color.total(plane.subset_count);
    keep_better(trial);
  }

  void try_partitions(int number, int count) {
    if (count == 0) return;
    for (const int partition : likely_partitions(texels_, mode(number), count)) try_joint(number, partition);
  }

  void try_rotated(int number, int rotation, int selector) {
    Trial trial{.mode = number, .rotation = rotation, .selector = selector, .color = {}, .apart = {}};
    const Texels16 colors = rotated_colors(rotation), alone = channel_apart(rotation);
    trial.color = search(rotated_plane(trial, colors, false));
    trial.apart = search(rotated_plane(trial, alone, true));
    trial.error = trial.color.total(1) + trial.apart.total(1);
    keep_better(trial);
  }

  void try_rotations(int count) {
    for (int rotation = 0; rotation < count; ++rotation) {
      try_rotated(5, rotation, 0);
      try_rotated(4, rotation, 0);
      try_rotated(4, rotation, 1);
    }
  }

  void improve() {
    const int rounds = TEXCAST_BC7_LAST_WALKS(method_);
    if (mode(best_.mode).rotation_bits == 0) return walk(joint_plane(best_), rounds, best_.color);
    const Texels16 colors = rotated_colors(best_.rotation), alone = channel_apart(best_.rotation);
    walk(rotated_plane(best_, colors, false), rounds, best_.color);
    walk(rotated_plane(best_, alone, true), rounds, best_.apart);
  }

  Bc7Block packed() const {
    const bool rotated = mode(best_.mode).rotation_bits > 0;
    Choice choice{best_.mode, best_.partition, best_.rotation, best_.selector, best_.color.ends, best_.apart.ends[0]};
    const Texels16 colors = rotated ? rotated_colors(best_.rotation) : texels_;
    const Texels16 alone = channel_apart(best_.rotation);
    const Indices indices = (rotated ? rotated_plane(best_, colors, false) : joint_plane(best_)).indices(choice.ends);
    if (!rotated) return pack(choice, indices, {});
    return pack(choice, indices, rotated_plane(best_, alone, true).indices(best_.apart.ends));
  }

  const Texels16& texels_;
  bool is_opaque_;
  int method_;
  Trial best_;
};

}  // namespace

Bc7Block search(const Texels16& texels, bool is_opaque, int method) {
  return SearchEncoder(texels, is_opaque, method).encode();
}

}  // namespace texcast::ref::bc7
