#include <limits>

#include "bc7_bits.h"
#include "bc7_encode.h"
#include "bc7_indices.h"
#include "bc7_likely.h"
#include "kernels/effort.h"

namespace texcast::ref::bc7 {
namespace {

class RefineEncoder {
 public:
  RefineEncoder(const Texels16& texels, bool is_opaque, int method)
      : texels_(texels), is_opaque_(is_opaque), method_(method) {
    for (size_t i = 0; i < 16; ++i) {
      colors_[i] = texels[i];
      colors_[i][kAlpha] = 0;
      alone_[i] = {texels[i][kAlpha], 0, 0, 0};
    }
  }

  Bc7Block encode() {
    try_joint(6, 0);
    if (!is_opaque_) {
      try_apart(5, 0);
      try_apart(4, 0);
      try_apart(4, 1);
    }
    const int first = is_opaque_ ? TEXCAST_BC7_MODE_1(method_) : TEXCAST_BC7_MODE_7(method_);
    const int third = is_opaque_ ? TEXCAST_BC7_MODE_3(method_) : 0;
    const Moments all(joint_texels(), {}, 0);
    const auto likely = likely_pairs(joint_texels(), all, TEXCAST_BC7_ESTIMATES(method_), first);
    for (int n = 0; n < first; ++n) {
      const int partition = likely[static_cast<size_t>(n)];
      try_joint(is_opaque_ ? 1 : 7, partition);
      if (n < third) try_joint(3, partition);
    }
    if (choice_.mode != 4 && choice_.mode != 5)
      for (int n = 0; n < TEXCAST_BC7_LAST_FITS(method_); ++n) fit_again(set_, best_);
    choice_.ends = best_.ends;
    choice_.apart = apart_.ends[0];
    if (is_opaque_)
      for (Ends& ends : choice_.ends) ends.low[kAlpha] = ends.high[kAlpha] = 255;
    return pack(choice_, best_.indices, apart_.indices);
  }

 private:
  const Texels16& joint_texels() const { return is_opaque_ ? colors_ : texels_; }

  void try_joint(int number, int partition) {
    const Bc7Mode& m = kBc7Modes[static_cast<size_t>(number)];
    const Set set{
        &joint_texels(),
        m.subsets,
        subsets_of(m.subsets, partition),
        {m.color_bits + 1, m.p_bits, is_opaque_ && m.alpha_bits > 0, m.index_bits, {true, true, true, !is_opaque_}}};
    const Refined refined = fit(set);
    keep_better(set, refined, refined.error, {.mode = number, .partition = partition});
  }

  // For modes 4 and 5: colours, or the separate alpha.
  Set plane_of(const Choice& choice, bool apart) const {
    const Bc7Mode& m = kBc7Modes[static_cast<size_t>(choice.mode)];
    const bool is_second = apart != (choice.selector == 1);
    return {apart ? &alone_ : &colors_,
            1,
            {},
            {apart ? m.alpha_bits : m.color_bits,
             PBits::none,
             false,
             is_second ? m.second_index_bits : m.index_bits,
             {true, !apart, !apart, false}}};
  }

  void try_apart(int number, int selector) {
    const Choice choice{.mode = number, .selector = selector};
    const Set set = plane_of(choice, false);
    const Refined color = fit(set), alpha = fit(plane_of(choice, true));
    if (keep_better(set, color, color.error + alpha.error, choice)) apart_ = alpha;
  }

  bool keep_better(const Set& set, const Refined& refined, float error, const Choice& choice) {
    if (error >= error_) return false;
    error_ = error;
    best_ = refined;
    set_ = set;
    choice_ = choice;
    return true;
  }

  const Texels16& texels_;
  bool is_opaque_;
  int method_;
  Texels16 colors_, alone_;
  Set set_{};
  Choice choice_;
  float error_ = std::numeric_limits<float>::max();
  Refined best_, apart_;
};

}  // namespace

Bc7Block refine(const Texels16& texels, bool is_opaque, int method) {
  return RefineEncoder(texels, is_opaque, method).encode();
}

}  // namespace texcast::ref::bc7
