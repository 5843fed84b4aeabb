#include "player/slice_helper.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compact/sub_block.h"
#include "slice_shares.h"
#include "texcast/format.h"

namespace texcast::player {
namespace {

// Room for what compact::decode() requires.
bool is_within(const compact::Slice& slice, const compact::TileGrid& grid) {
  const int parts = slice.sub_slices;
  const bool is_part = (parts == 1 || parts == 2 || parts == 4 || parts == 8) && parts <= grid.most_sub_slices() &&
                       slice.sub_slice < parts && (slice.tiles == 1 || parts == 1);
  const auto across = static_cast<uint32_t>(grid.across());
  return is_part && slice.tiles > 0 && slice.tile < grid.tiles() && slice.tiles <= across - slice.tile % across;
}

bool take_pieces(ByteReader& share, MutableBytes to) {
  const auto pieces = share.take_le<4>();
  for (uint64_t i = 0; pieces && i < *pieces; ++i) {
    const auto at = share.take_le<4>(), count = share.take_le<4>();
    if (!at || !count || *at > to.size() || *count > to.size() - *at) return false;
    const auto bytes = share.take(static_cast<size_t>(*count));
    if (!bytes) return false;
    std::ranges::copy(*bytes, to.begin() + static_cast<std::ptrdiff_t>(*at));
  }
  return pieces.has_value();
}

}  // namespace

std::optional<Bytes> SliceHelper::work(Bytes message) {
  ByteReader share(message);
  const auto frame = share.take_le<8>();
  if (!frame || !take_texture(share)) return std::nullopt;
  const auto has_reference = share.take_le<1>();
  if (!has_reference || (*has_reference != 0 && !take_reference(share))) return std::nullopt;
  const auto slices = share.take_le<4>();
  if (!slices) return std::nullopt;
  compact::SliceSurroundings with{.grid = *grid_};
  if (*has_reference != 0) {
    with.reference = reference_.data();
    with.reference_right = reference_right_;
  }
  if (samples_) with.samples = {.reference = &*reference_samples_, .made = &*samples_};
  answer_.resize(8);
  store_le64(answer_, 0, *frame);
  for (uint64_t i = 0; i < *slices; ++i)
    if (!take_slice(share, with)) return std::nullopt;
  return answer_;
}

bool SliceHelper::take_texture(ByteReader& share) {
  const auto length = share.take_le<1>();
  const auto name = share.take(length ? static_cast<size_t>(*length) : 0);
  const auto width = share.take_le<4>(), height = share.take_le<4>();
  if (!length || !name || !width || !height) return false;
  const auto format = texture_format_from_name({reinterpret_cast<const char*>(name->data()), name->size()});
  if (!format || !compact::TileGrid::can_cut(*format)) return false;
  const auto is_size = [](uint64_t side) { return side > 0 && side <= kMaxFrameSize; };
  if (!is_size(*width) || !is_size(*height)) return false;
  const TextureDesc texture{.format = *format, .width = static_cast<int>(*width), .height = static_cast<int>(*height)};
  if (grid_ && grid_->texture() == texture) return true;
  grid_.emplace(texture);
  reference_.assign(grid_->texture_bytes(), std::byte{0});
  texture_.assign(grid_->texture_bytes(), std::byte{0});
  reference_right_.assign(grid_->tiles(), 0);
  reference_samples_.reset();
  if (grid_->can_transform()) reference_samples_.emplace(*grid_);
  samples_ = reference_samples_;
  return true;
}

bool SliceHelper::take_reference(ByteReader& share) {
  if (!take_pieces(share, reference_)) return false;
  const auto right = share.take(reference_right_.size());
  if (!right) return false;
  std::ranges::transform(*right, reference_right_.begin(),
                         [](std::byte tile) { return std::to_integer<uint8_t>(tile); });
  return take_pieces(share, reference_samples_ ? std::as_writable_bytes(reference_samples_->all()) : MutableBytes());
}

bool SliceHelper::take_slice(ByteReader& share, const compact::SliceSurroundings& with) {
  compact::ReceivedSlice received{};
  compact::Slice& slice = received.parsed.slice;
  const auto tile = share.take_le<4>(), sub_slices = share.take_le<1>(), sub_slice = share.take_le<1>();
  const auto tiles = share.take_le<2>(), coding = share.take_le<1>(), length = share.take_le<2>();
  if (!length) return false;
  const auto bytes = share.take(static_cast<size_t>(*length));
  slice = {.tile = static_cast<uint32_t>(*tile),
           .sub_slices = static_cast<uint8_t>(*sub_slices),
           .sub_slice = static_cast<uint8_t>(*sub_slice),
           .tiles = static_cast<uint16_t>(*tiles)};
  if (!bytes || !is_within(slice, *grid_)) return false;
  received.parsed.coding = static_cast<compact::Coding>(*coding);
  received.parsed.bytes = *bytes;
  compact::decode(received, with, texture_.data());

  const unsigned outcome = (received.decoded ? kDecoded : 0U) | (received.refers_right ? kRefersRight : 0U) |
                           (received.changed ? kChanged : 0U);
  size_t used = answer_.size();
  answer_.resize(used + 5);
  store_le<1>(answer_, used, outcome);
  store_le32(answer_, used + 1, received.check);
  if (has_blocks(outcome, with.reference != nullptr)) put_blocks(slice);
  if (received.decoded && received.has_samples() && samples_) {
    used = answer_.size();
    answer_.resize(used + sample_bytes(*grid_, slice));
    put_samples(*grid_, slice, *samples_, MutableBytes(answer_).subspan(used));
  }
  return true;
}

void SliceHelper::put_blocks(const compact::Slice& slice) {
  size_t used = answer_.size();
  answer_.resize(used + grid_->raw_bytes(slice));
  grid_->for_each_sub_block(slice, [&](size_t at) {
    compact::store_sub_block(answer_.data() + used, compact::load_sub_block(texture_.data() + at));
    used += 8;
  });
}

}  // namespace texcast::player
