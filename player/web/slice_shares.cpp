#include "slice_shares.h"

#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "compact/sub_block.h"

namespace texcast::player {
namespace {

using compact::ReceivedSlice;

// The time that a tile takes besides that for its bytes, in coded bytes.
constexpr size_t kLosslessTile = 16, kLossyTile = 128;

template <int kSize>
void put(std::vector<std::byte>& message, uint64_t value) {
  message.resize(message.size() + kSize);
  store_le<kSize>(message, message.size() - kSize, value);
}
void put(std::vector<std::byte>& message, Bytes bytes) { message.insert(message.end(), bytes.begin(), bytes.end()); }

void put_slice(std::vector<std::byte>& message, const compact::ParsedSlice& parsed) {
  put<4>(message, parsed.slice.tile);
  put<1>(message, parsed.slice.sub_slices);
  put<1>(message, parsed.slice.sub_slice);
  put<2>(message, parsed.slice.tiles);
  put<1>(message, static_cast<uint8_t>(parsed.coding));
  put<2>(message, parsed.bytes.size());
  put(message, parsed.bytes);
}

// Calls call(sample, bytes of the message) for each sub-block of a slice.
template <typename Planes, typename Call>
void for_each_samples(const compact::TileGrid& grid, const compact::Slice& slice, Planes& planes, const Call& call) {
  size_t used = 0;
  for (uint32_t tile = 0; tile < slice.tiles; ++tile)
    for (int c = 0; c < compact::kTransformComponents; ++c) {
      const compact::BlockRect rect = grid.blocks(grid.component(c), slice.only(tile));
      for (int y = rect.y0; y < rect.y1; ++y)
        for (int x = rect.x0; x < rect.x1; ++x)
          for (int row = 0; row < 4; ++row, used += 4) call(planes.at(c, x * 4, y * 4 + row), used);
    }
}

}  // namespace

void put_samples(const compact::TileGrid& grid, const compact::Slice& slice, const compact::SamplePlanes& planes,
                 MutableBytes message) {
  for_each_samples(grid, slice, planes,
                   [&](const uint8_t* from, size_t at) { std::memcpy(message.data() + at, from, 4); });
}
void take_samples(const compact::TileGrid& grid, const compact::Slice& slice, Bytes message,
                  compact::SamplePlanes& planes) {
  for_each_samples(grid, slice, planes, [&](uint8_t* to, size_t at) { std::memcpy(to, message.data() + at, 4); });
}

size_t decoding_cost(const compact::ParsedSlice& slice) {
  const size_t tile = compact::is_lossy(slice.coding) ? kLossyTile : kLosslessTile;
  return slice.bytes.size() + tile * slice.slice.tiles / slice.slice.sub_slices;
}

size_t SliceShares::add_helper(size_t least_share) {
  helpers_.push_back({.least_share = least_share});
  return helpers_.size() - 1;
}

void SliceShares::lose_helper(size_t helper) {
  if (helper >= helpers_.size()) return;
  on_answer(helper, {});
  helpers_[helper].is_lost = true;
}

size_t SliceShares::helpers() const {
  return static_cast<size_t>(std::ranges::count(helpers_, false, &Helper::is_lost));
}

// Chooses the helpers for a frame, and returns how many. With equal shares, none of them gets less than it wants.
size_t SliceShares::choose(size_t cost) {
  size_t count = 0;
  for (Helper& helper : helpers_) {
    if (helper.is_lost || cost / (count + 2) < helper.least_share) continue;
    helper.state = State::ready;
    ++count;
  }
  return count;
}

// Neighbouring slices, which take about as long together. This player has the last of them.
bool SliceShares::begin(compact::FrameDecoder& decoder, MutableBytes texture, const RowChanges& reference) {
  ENSURE(is_complete());
  const auto slices = decoder.slices();
  size_t rest = 0;
  for (const ReceivedSlice& slice : slices) rest += decoding_cost(slice.parsed);
  size_t parts = 1 + choose(rest);
  if (parts == 1) return false;
  ++frame_;
  decoder_ = &decoder;
  texture_ = texture;
  reference_ = reference;
  size_t at = 0;
  for (Helper& helper : helpers_) {
    if (helper.state != State::ready) continue;
    const size_t share = rest / parts--;
    size_t cost = 0;
    for (helper.first = at; at < slices.size() && cost < share; ++at) cost += decoding_cost(slices[at].parsed);
    helper.end = at;
    if (helper.first == helper.end) helper.state = State::done;
    rest -= cost;
  }
  own_first_ = at;
  own_end_ = slices.size();
  return true;
}

std::optional<Bytes> SliceShares::take_share(size_t number) {
  if (number >= helpers_.size() || helpers_[number].state != State::ready) return std::nullopt;
  Helper& helper = helpers_[number];
  const compact::SliceSurroundings with = decoder_->surroundings();
  const TextureDesc& texture = with.grid.texture();
  const std::string_view format = name(texture.format);
  share_.clear();
  put<8>(share_, frame_);
  put<1>(share_, format.size());
  put(share_, as_bytes_of(format));
  put<4>(share_, static_cast<uint32_t>(texture.width));
  put<4>(share_, static_cast<uint32_t>(texture.height));
  put<1>(share_, with.reference != nullptr ? 1 : 0);
  if (with.reference != nullptr) {
    const size_t count_at = share_.size();
    uint32_t pieces = 0;
    put<4>(share_, 0);
    for_each_changed_rows(texture, reference_, helper.held,
                          [&](size_t /*plane*/, size_t /*first*/, size_t /*end*/, size_t at, size_t bytes) {
                            ++pieces;
                            put<4>(share_, at);
                            put<4>(share_, bytes);
                            put(share_, Bytes(with.reference + at, bytes));
                          });
    store_le32(share_, count_at, pieces);
    put(share_, as_bytes_of(with.reference_right));
    helper.held = {reference_.sequence, reference_.number};
    if (with.samples.reference != nullptr)
      put_reference_samples(helper, *with.samples.reference);
    else
      put<4>(share_, 0);
  }
  put<4>(share_, helper.end - helper.first);
  for (const ReceivedSlice& slice : decoder_->slices().subspan(helper.first, helper.end - helper.first))
    put_slice(share_, slice.parsed);
  helper.state = State::taken;
  return share_;
}

// The rows of tiles in which they changed, plane by plane.
void SliceShares::put_reference_samples(Helper& helper, const compact::SamplePlanes& samples) {
  const compact::TileGrid& grid = decoder_->grid();
  const RowChanges changes = decoder_->sample_changes();
  const bool knows = changes.know_since(helper.held_samples.sequence, helper.held_samples.number);
  const size_t count_at = share_.size();
  uint32_t pieces = 0;
  put<4>(share_, 0);
  for (int row = 0; row < grid.down(); ++row) {
    if (knows && changes.changed_in[static_cast<size_t>(row)] <= helper.held_samples.number) continue;
    for (int c = 0; c < compact::kTransformComponents; ++c) {
      const int rows = grid.component(c).tile_rows() * 4, height = samples.layout().height(c);
      const size_t at = samples.layout().at(c, 0, std::min(row * rows, height)),
                   end = samples.layout().at(c, 0, std::min((row + 1) * rows, height));
      if (at == end) continue;
      ++pieces;
      put<4>(share_, at);
      put<4>(share_, end - at);
      put(share_, as_bytes_of(samples.all().subspan(at, end - at)));
    }
  }
  store_le32(share_, count_at, pieces);
  helper.held_samples = {changes.sequence, changes.number};
}

void SliceShares::decode_own() {
  decode_here(own_first_, own_end_);
  own_first_ = own_end_ = 0;
  for (Helper& helper : helpers_) {
    if (helper.state != State::ready) continue;
    decode_here(helper.first, helper.end);
    helper.state = State::done;
  }
}

void SliceShares::decode_here(size_t first, size_t end) {
  if (first == end) return;
  const compact::SliceSurroundings with = decoder_->surroundings();
  for (ReceivedSlice& slice : decoder_->slices().subspan(first, end - first))
    if (!slice.is_from_backend) compact::decode(slice, with, texture_.data());
}

void SliceShares::on_answer(size_t number, Bytes answer) {
  if (number >= helpers_.size() || helpers_[number].state == State::done) return;
  Helper& helper = helpers_[number];
  helper.state = State::done;
  const auto slices = decoder_->slices().subspan(helper.first, helper.end - helper.first);
  if (!read(slices, answer)) {
    helper.held = helper.held_samples = {};
    return decode_here(helper.first, helper.end);
  }
  for (size_t i = 0; i < slices.size(); ++i) {
    ReceivedSlice& slice = slices[i];
    const Answer& given = answers_[i];
    if (slice.is_from_backend) continue;
    slice.decoded = (given.outcome & kDecoded) != 0;
    slice.refers_right = (given.outcome & kRefersRight) != 0;
    slice.changed = (given.outcome & kChanged) != 0;
    slice.check = given.check;
    if (!given.samples.empty())
      take_samples(decoder_->grid(), slice.parsed.slice, given.samples, *decoder_->surroundings().samples.made);
    if (given.blocks.empty()) continue;
    size_t used = 0;
    decoder_->grid().for_each_sub_block(slice.parsed.slice, [&](size_t at) {
      compact::store_sub_block(texture_.data() + at, compact::load_sub_block(given.blocks.data() + used));
      used += 8;
    });
  }
}

// All of an answer, before anything of it is used.
bool SliceShares::read(std::span<const ReceivedSlice> slices, Bytes answer) {
  ByteReader reader(answer);
  if (reader.take_le<8>() != frame_) return false;
  const bool has_reference = decoder_->surroundings().reference != nullptr;
  answers_.clear();
  for (const ReceivedSlice& slice : slices) {
    const auto outcome = reader.take_le<1>();
    const auto check = reader.take_le<4>();
    if (!outcome || !check || *outcome > kAllOutcomes) return false;
    const size_t bytes =
        has_blocks(static_cast<unsigned>(*outcome), has_reference) ? decoder_->grid().raw_bytes(slice.parsed.slice) : 0;
    const bool has_samples =
        slice.has_samples() && (*outcome & kDecoded) != 0 && decoder_->surroundings().samples.made != nullptr;
    const auto blocks = reader.take(bytes);
    const auto samples = reader.take(has_samples ? sample_bytes(decoder_->grid(), slice.parsed.slice) : 0);
    if (!blocks || !samples) return false;
    answers_.push_back({static_cast<unsigned>(*outcome), static_cast<uint32_t>(*check), *blocks, *samples});
  }
  return reader.remaining() == 0;
}

bool SliceShares::is_complete() const {
  return own_first_ == own_end_ &&
         std::ranges::all_of(helpers_, [](const Helper& helper) { return helper.state == State::done; });
}

}  // namespace texcast::player
