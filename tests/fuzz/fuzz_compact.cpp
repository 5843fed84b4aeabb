// Any payloads of coded streams through FrameDecoder, frame after frame. Input: format, width - 1, height - 1, flags
// (bit 0: the first frame has a reference; bit 1: frames are missing between the others; bit 2: the checks of histories
// are corrected, so that the fuzzer reaches the code behind them); then payloads, each after its length (2 bytes),
// where 0xFFFF ends a frame. Tiles without a slice keep their blocks. A tile is right only if it is coded, or if it was
// right and is skipped.
#include <algorithm>
#include <vector>

#include "../compact/cut_formats.h"
#include "base/ensure.h"
#include "compact/frame_decoder.h"
#include "compact/payload.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

bool is_same(const TileGrid& grid, uint32_t tile, const std::byte* a, const std::byte* b) {
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, {.tile = tile});
    for (int y = rect.y0; y < rect.y1; ++y)
      for (int x = rect.x0; x < rect.x1; ++x)
        if (std::memcmp(a + component.at(x, y), b + component.at(x, y), 8) != 0) return false;
  }
  return true;
}

class Receiver {
 public:
  Receiver(const TextureDesc& desc, bool has_reference)
      : grid_(desc), decoder_(desc, workers_), has_reference_(has_reference), reference_(grid_.texture_bytes()) {
    for (size_t i = 0; i < reference_.size(); ++i) reference_[i] = static_cast<std::byte>(i * i >> 3 ^ i * 37);
    if (!has_reference) std::ranges::fill(reference_, std::byte{0});
    texture_.resize(reference_.size());
    was_right_.resize(grid_.tiles());
  }

  void frame(const std::vector<Bytes>& payloads, uint64_t missing) {
    std::vector<uint8_t> coded(grid_.tiles()), mentioned(grid_.tiles());
    for (const Bytes payload : payloads)
      (void)parse_payload(
          grid_, payload,
          [&](uint32_t first, uint32_t count) {
            ENSURE(count <= grid_.tiles() && first <= grid_.tiles() - count);
            std::fill_n(mentioned.begin() + first, count, uint8_t{1});
          },
          [&](const ParsedSlice& slice) {
            ENSURE(slice.slice.tile < grid_.tiles() && slice.slice.sub_slice < slice.slice.sub_slices);
            coded[slice.slice.tile] = mentioned[slice.slice.tile] = 1;
          });
    const DecodedCounts counts =
        decoder_.decode(payloads, has_reference_ ? reference_.data() : nullptr, texture_, missing);
    uint32_t wrong = 0;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      const bool right = decoder_.right()[tile] != 0;
      wrong += right ? 0 : 1;
      ENSURE(coded[tile] || is_same(grid_, tile, reference_.data(), texture_.data()));
      ENSURE(!right || coded[tile] || (mentioned[tile] && was_right_[tile]));
      ENSURE(!right || decoder_.unsure()[tile] == 0);
      // An unsure tile may turn out to be right.
      was_right_[tile] = right || decoder_.unsure()[tile] != 0;
    }
    ENSURE(counts.wrong + counts.unsure == wrong);
    reference_.swap(texture_);
    has_reference_ = true;
  }

 private:
  const TileGrid grid_;
  Workers workers_{0};
  FrameDecoder decoder_;
  bool has_reference_;
  std::vector<std::byte> reference_, texture_;
  std::vector<uint8_t> was_right_;
};

// Corrects the check of a history in the first record (docs/compact.md, "History").
Bytes with_check(Bytes payload, std::vector<std::byte>& memory) {
  if (payload.size() < 12 || (load_u8(payload, 8) >> 3 & 7) != 6) return payload;
  const size_t length = (load_u8(payload, 7) | load_u8(payload, 8) << 8) & 0x7FF;
  if (length < 2 || length > payload.size() - 10) return payload;
  const auto little = [&](size_t at) {
    return static_cast<uint32_t>(load_u8(payload, at) | load_u8(payload, at + 1) << 8 | load_u8(payload, at + 2) << 16);
  };
  uint32_t h = joined_check(joined_check(0, little(0)), little(7));
  for (size_t i = 0; i < length - 2; ++i) h = joined_check(h, load_u8(payload, 10 + i));
  memory.assign(payload.begin(), payload.end());
  store_le16(memory, 10 + length - 2, static_cast<uint16_t>(h >> 16));
  return memory;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<TextureFormat> formats = textures::cut_formats();
  ByteReader reader(Bytes(reinterpret_cast<const std::byte*>(data), size));
  const auto head = reader.take(4);
  if (!head) return 0;
  const TextureDesc desc{.format = formats[load_u8(*head, 0) % formats.size()],
                         .width = 1 + load_u8(*head, 1),
                         .height = 1 + load_u8(*head, 2)};
  Receiver receiver(desc, (load_u8(*head, 3) & 1) != 0);
  const bool with_gaps = (load_u8(*head, 3) & 2) != 0, with_checks = (load_u8(*head, 3) & 4) != 0;
  uint64_t frames = 0;
  const auto missing = [&] { return with_gaps && frames > 0 ? frames % 5 : 0; };
  std::vector<Bytes> payloads;
  std::vector<std::vector<std::byte>> corrected;
  corrected.reserve(size / 2);  // the number of payloads, at most, as spans of them must stay valid
  while (const auto length = reader.take_le<2>()) {
    if (*length == 0xFFFF) {
      receiver.frame(payloads, missing());
      payloads.clear();
      ++frames;
    } else {
      const Bytes payload = *reader.take(std::min<size_t>(*length, reader.remaining()));
      payloads.push_back(with_checks ? with_check(payload, corrected.emplace_back()) : payload);
    }
  }
  receiver.frame(payloads, missing());
  return 0;
}
