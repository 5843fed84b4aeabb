#include "stream/mip_encoder.h"

#include <algorithm>
#include <cstring>

#include "base/misuse.h"
#include "ref/convert.h"
#include "texture_pixels.h"

namespace texcast::stream {
namespace {

// For smaller pictures the reference encoder is faster than a device, whose kernel must be built first. The bytes are
// the same.
constexpr int kFewTexels = 64 * 64;

int rounded_up(int size, int unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

MipEncoder::MipEncoder(const EncoderSettings& settings, const MipSettings& mips, int threads)
    : top_{.format = settings.texture, .width = settings.source.width, .height = settings.source.height},
      filter_(mip_rules(mips, settings.texture, settings.source), pixels_of(settings.texture).channels,
              pixels_of(settings.texture).samples),
      workers_(threads) {
  place_levels();
  if (levels_.empty()) return;
  joint_ = filtered_format(settings.texture, settings.source, joint_.width, joint_.height);
  texels_.resize(static_cast<size_t>(plane_row_bytes(joint_, 0)) * static_cast<size_t>(joint_.height));
  EncoderSettings own = settings;
  own.source = joint_;
  own.tune = TuneMode::off;
  own.start = EncoderStart::when_built;
  own.bands = 1;
  own.compare = false;
  if (joint_.width * joint_.height <= kFewTexels) own.device = "cpu-reference";
  encoder_ = make_encoder(own);
}

// The largest level is at the left, and the others stand one below the other at its right.
void MipEncoder::place_levels() {
  int across = 1, down = 1;  // a multiple of all planes' blocks
  const Format& format = format_row(top_.format);
  for (int p = 0; p < plane_count(top_.format); ++p) {
    const FormatPlane& plane = format.planes[static_cast<size_t>(p)];
    across = std::max(across, coding(plane.coding).block_width * plane.across);
    down = std::max(down, coding(plane.coding).block_height * plane.down);
  }
  int top = 0;
  for (int n = 1; n < most_levels(top_.width, top_.height); ++n) {
    Level level{.desc = level_of(top_, n)};
    level.width = rounded_up(level.desc.width, across);
    level.height = rounded_up(level.desc.height, down);
    if (n > 1) {
      level.left = levels_[0].width;
      level.top = top;
      top += level.height;
    }
    joint_.width = std::max(joint_.width, level.left + level.width);
    joint_.height = std::max(joint_.height, level.top + level.height);
    levels_.push_back(level);
  }
}

// An encoder sees the same texels around a level's edge as if the level were a picture.
void MipEncoder::repeat_edges(const Level& level) {
  const auto row_bytes = static_cast<size_t>(plane_row_bytes(joint_, 0));
  const size_t texel = row_bytes / static_cast<size_t>(joint_.width);
  const auto width = static_cast<size_t>(level.desc.width), all = static_cast<size_t>(level.width);
  std::byte* const first =
      &texels_[static_cast<size_t>(level.top) * row_bytes + static_cast<size_t>(level.left) * texel];
  for (int y = 0; y < level.height; ++y) {
    std::byte* const row = first + static_cast<size_t>(y) * row_bytes;
    if (y >= level.desc.height) {
      std::memcpy(row, row - row_bytes, all * texel);
      continue;
    }
    for (size_t x = width; x < all; ++x) std::memcpy(row + x * texel, row + (width - 1) * texel, texel);
  }
}

void MipEncoder::submit(const FrameView& picture) {
  if (!encoder_) {
    ++in_flight_;
    return;
  }
  REQUIRE_USE(encoder_->in_flight() < encoder_->capacity(), "the encoder is full: call next() first");
  const TexturePixels pixels = pixels_of(top_.format);
  const ref::ChannelReader reader(picture, pixels.channels, pixels.samples);
  const auto row_bytes = static_cast<size_t>(plane_row_bytes(joint_, 0));
  const size_t texel = row_bytes / static_cast<size_t>(joint_.width);
  std::vector<LevelTarget> targets;
  for (const Level& level : levels_)
    targets.push_back(
        {.width = level.desc.width,
         .height = level.desc.height,
         .texel_samples = pixels.texel_samples,
         .texels = reinterpret_cast<uint8_t*>(
             &texels_[static_cast<size_t>(level.top) * row_bytes + static_cast<size_t>(level.left) * texel]),
         .stride_bytes = static_cast<std::ptrdiff_t>(row_bytes)});
  filter_.filter({.width = picture.format.width,
                  .height = picture.format.height,
                  .channels = pixels.channels,
                  .samples = pixels.samples,
                  .read = [&reader](int y, uint8_t* row) { reader.read(y, row); }},
                 targets, workers_);
  for (const Level& level : levels_) repeat_edges(level);
  FrameView frame{.format = joint_, .planes = {}};
  frame.planes[0] = {texels_.data(), static_cast<std::ptrdiff_t>(row_bytes)};
  encoder_->submit(frame, {});
}

MipLevels MipEncoder::next() {
  MipLevels made;
  if (!encoder_) {
    REQUIRE_USE(in_flight_ > 0, "no picture is in flight");
    --in_flight_;
    return made;
  }
  const TextureView joint = encoder_->next().texture;
  const TextureLayout whole = texture_layout(joint.desc);
  made.blocks.reserve(levels_.size());
  for (const Level& level : levels_) {
    const TextureLayout layout = texture_layout(level.desc);
    std::vector<std::byte>& blocks = made.blocks.emplace_back(layout.total_bytes);
    for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
      const PlaneLayout &to = layout.planes[p], &from = whole.planes[p];
      const FormatPlane& plane = format_row(top_.format).planes[p];
      const auto left = static_cast<size_t>(level.left / plane.across / to.block_width);
      const auto top = static_cast<size_t>(level.top / plane.down / to.block_height);
      const auto block = static_cast<size_t>(to.block_bytes), columns = static_cast<size_t>(to.blocks_x);
      for (size_t y = 0; y < static_cast<size_t>(to.blocks_y); ++y)
        std::memcpy(&blocks[to.offset + y * columns * block],
                    &joint.blocks[from.offset + ((top + y) * static_cast<size_t>(from.blocks_x) + left) * block],
                    columns * block);
    }
    made.views.push_back({level.desc, blocks});
  }
  return made;
}

}  // namespace texcast::stream
