// Reconstruction of transform slices by a device, compared with the CPU's decoder: the same textures and samples, and
// the same flags of each slice.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "check.h"
#include "compact/macroblock_grid.h"
#include "compact/sample_planes.h"
#include "compact/sub_block.h"
#include "compact/transform_syntax.h"
#include "component_argument.h"
#include "device_samples.h"
#include "kernel_calls.h"
#include "kernels/compact.h"
#include "slice_decoder.h"
#include "textures.h"
#include "transform_slices.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

// Reconstructs frame after frame on the device and on the CPU.
class BothReconstruct {
 public:
  explicit BothReconstruct(const TextureDesc& desc)
      : grid_(desc), kernels_("compact/reconstruct_transform.cl"), samples_(grid_) {
    for (int i = 0; i < grid_.component_count(); ++i)
      components_.push_back(
          {.component = component_argument(grid_, grid_.component(i)), .tables = 0, .least_range = {}});
  }
  const TileGrid& grid() const { return grid_; }
  // Replaces the reference frame. Its samples are not those of its sub-blocks, as after transform slices.
  void show(const textures::Texture& texture, std::mt19937& random) {
    shown_ = texture;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) samples_.decode(grid_, {.tile = tile}, texture.data());
    for (uint8_t& sample : samples_.all()) sample = static_cast<uint8_t>(sample ^ (random() % 8));
  }
  int not_right() const { return not_right_; }
  int unchanged() const { return unchanged_; }

  // Whether both give the same results for slices of random macroblocks, some of which are not valid.
  bool same(const std::vector<Slice>& slices, const std::vector<uint8_t>& right, std::mt19937& random) {
    const textures::Texture before = shown_.empty() ? textures::Texture(grid_.texture_bytes()) : shown_;
    textures::Texture want = before, got = before;
    SamplePlanes wanted_samples = samples_;
    std::vector<check::BlockSamples> samples = check::device_samples(grid_, samples_), new_samples(samples.size());
    std::vector<texcast_decoded_part> parts;
    std::vector<texcast_macroblock> macroblocks;
    std::vector<int16_t> levels;
    std::vector<texcast_decoded_slice> results(slices.size()), wanted_results(slices.size());
    for (size_t i = 0; i < slices.size(); ++i) {
      const bool intra = shown_.empty() || random() % 4 == 0, is_valid = random() % 8 != 0;
      const transform_slices::Wishes wishes = transform_slices::random_wishes(intra, random);
      std::vector<transform_slices::Coded> coded;
      const auto bytes = transform_slices::random_slice(grid_, slices[i], wishes, random, &coded);
      if (is_valid) wanted_results[i].flags = decode(slices[i], bytes, intra, right, want, wanted_samples);
      parts.push_back({.slice = static_cast<int>(i),
                       .tile = static_cast<int>(slices[i].tile),
                       .sub_slices = slices[i].sub_slices,
                       .sub_slice = slices[i].sub_slice,
                       .intra = intra,
                       .is_valid = is_valid,
                       .quantiser = is_valid ? wishes.quantiser : -1,
                       .copied = 0,
                       .vectors = {}});
      append(slices[i], coded, macroblocks, levels);
    }
    const int has_reference = !shown_.empty();
    kernels_.run("reconstruct_transform", slices.size() * TEXCAST_TRANSFORM_DECODE_ITEMS,
                 TEXCAST_TRANSFORM_DECODE_ITEMS, sizeof(texcast_transform_group), samples, components_, parts,
                 macroblocks, levels, right, new_samples, results);
    kernels_.run("fit_transform", slices.size() * TEXCAST_FIT_ITEMS, TEXCAST_FIT_ITEMS, sizeof(texcast_fit_group),
                 before, components_, parts, macroblocks, new_samples, has_reference, got, samples, results);
    shown_ = want;
    samples_ = wanted_samples;
    return got == want && samples == check::device_samples(grid_, samples_) &&
           std::ranges::equal(results, wanted_results, {}, &texcast_decoded_slice::flags,
                              &texcast_decoded_slice::flags);
  }

 private:
  // The flags of a slice that the CPU decodes.
  uint32_t decode(const Slice& slice, Bytes bytes, bool intra, const std::vector<uint8_t>& right,
                  textures::Texture& texture, SamplePlanes& samples) {
    ReferenceReads reads(grid_, right);
    REQUIRE(decode_slice(grid_, slice, bytes, true, intra ? nullptr : shown_.data(), texture.data(), &reads,
                         {.reference = &samples_, .made = &samples}));
    bool changed = false;
    grid_.for_each_sub_block(slice, [&](size_t at) {
      changed = changed || (!shown_.empty() && load_sub_block(&texture[at]) != load_sub_block(&shown_[at]));
    });
    not_right_ += !reads.all_right();
    unchanged_ += !changed;
    return (changed ? TEXCAST_DECODED_CHANGED : 0) | (reads.all_right() ? 0 : TEXCAST_DECODED_INVALID_REFERENCE);
  }
  // Appends the macroblocks of a part. Levels and macroblocks that the kernel must not use have values of their own.
  void append(const Slice& slice, const std::vector<transform_slices::Coded>& coded,
              std::vector<texcast_macroblock>& macroblocks, std::vector<int16_t>& levels) {
    const MacroblockGrid geometry(grid_, slice);
    const size_t first = macroblocks.size(), first_level = levels.size();
    macroblocks.resize(first + TEXCAST_MACROBLOCKS, {.mode = 1, .vector = {9999, -9999}, .coded = 0xFFF});
    levels.resize(first_level + TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS, 4711);
    size_t next = 0;
    for (int row = 0; row < geometry.rows(); ++row)
      for (int column = 0; column < geometry.columns(); ++column) {
        const auto& [macroblock, of_macroblock] = coded[next++];
        const auto at = static_cast<size_t>(row * kMacroblockColumns + column);
        uint32_t bits = 0;
        for (size_t c = 0; c < kTransformComponents; ++c) {
          bits |= uint32_t{macroblock.coded[c]} << (4 * c);
          for (size_t i = 0; i < kMostTransformBlocks; ++i)
            if ((macroblock.coded[c] >> i & 1) != 0)
              std::ranges::copy(
                  of_macroblock[c][i],
                  &levels[first_level + ((at * kTransformComponents + c) * kMostTransformBlocks + i) * kCoefficients]);
        }
        macroblocks[first + at] = {.mode = static_cast<int>(macroblock.mode),
                                   .vector = {macroblock.vector.x, macroblock.vector.y},
                                   .coded = bits};
      }
    REQUIRE(next == coded.size());
  }

  const TileGrid grid_;
  check::KernelCalls kernels_;
  std::vector<texcast_decoded_component> components_;
  textures::Texture shown_;  // the reference frame; empty: none
  SamplePlanes samples_;     // of it
  int not_right_ = 0, unchanged_ = 0;
};

// All tiles or their halves, but some are missing.
std::vector<Slice> random_parts(const TileGrid& grid, std::mt19937& random) {
  std::vector<Slice> slices;
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    const auto sub_slices = static_cast<uint8_t>(1 + random() % kMostTransformSubSlices);
    for (uint8_t sub_slice = 0; sub_slice < sub_slices; ++sub_slice)
      if (random() % 8 != 0) slices.push_back({tile, sub_slices, sub_slice});
  }
  std::ranges::shuffle(slices, random);
  return slices;
}

}  // namespace

TEST_CASE("transform slices by the device: reconstruction of random macroblocks") {
  for (const TextureFormat format :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444, TextureFormat::ycocg_bc4_422}) {
    CAPTURE(name(format));
    // The last tiles have macroblocks and transform blocks that lie in the picture only partly.
    const auto [width, height] = check::tiny_only() ? std::pair(76, 44) : std::pair(276, 140);
    const TextureDesc desc{.format = format, .width = width, .height = height};
    BothReconstruct both(desc);
    std::mt19937 random(6);
    const int frames = check::tiny_only() ? 4 : check::slow_compiler() ? 16 : 40;
    for (int frame = 0; frame < frames; ++frame) {
      CAPTURE(frame);
      if (frame % 8 == 1) both.show(textures::photograph(desc, frame, 3), random);
      if (frame % 8 == 3) both.show(textures::noise(desc, static_cast<uint32_t>(frame)), random);
      std::vector<uint8_t> right(both.grid().tiles(), 1);
      if (frame % 2 == 0)
        for (uint8_t& r : right) r = random() % 6 != 0;
      CHECK(both.same(random_parts(both.grid(), random), right, random));
    }
    if (check::tiny_only()) continue;
    CHECK(both.not_right() > 0);
    CHECK(both.unchanged() > 0);
  }
}
