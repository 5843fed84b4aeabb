#include "container/compact_frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "container/journal.h"
#include "texcast/frame.h"

namespace texcast::container {
namespace {

using compact::TileGrid;

constexpr std::array<char, 4> kSetupMagic = {'T', 'X', 'C', 'P'};
constexpr uint8_t kTables = 1;  // which set of probability tables the slices are coded with
constexpr size_t kSetupBytes = 20;
constexpr size_t kHeadBytes = 9;
constexpr uint8_t kKeyFlag = 1;
constexpr size_t kLengthBytes = 4;

CompactFrameHead head_of(Bytes packet) {
  return {
      .is_key = (load_u8(packet, 4) & kKeyFlag) != 0, .check = load_le32(packet, 0), .before = load_le32(packet, 5)};
}

bool is_side(uint32_t side) { return side >= 1 && side <= static_cast<uint32_t>(kMaxFrameSize); }

}  // namespace

std::vector<std::byte> write_compact_setup(const TextureDesc& texture, bool lossy, bool transform) {
  std::vector<std::byte> setup(kSetupBytes);
  std::copy_n(as_bytes_of(kSetupMagic).begin(), kSetupMagic.size(), setup.begin());
  store_le<1>(setup, 4, TileGrid::codec_version(texture.format, lossy, transform));
  store_le<1>(setup, 5, static_cast<uint8_t>(texture.format));
  store_le<1>(setup, 6, compact::kTileWidth);
  store_le<1>(setup, 7, compact::kTileHeight);
  store_le<1>(setup, 8, kTables);
  store_le32(setup, 12, static_cast<uint32_t>(texture.width));
  store_le32(setup, 16, static_cast<uint32_t>(texture.height));
  return setup;
}

Result<TextureDesc> read_compact_setup(Bytes setup) {
  if (setup.size() < kSetupBytes || !std::ranges::equal(setup.first(4), as_bytes_of(kSetupMagic)))
    return Failure{"its track has no valid description of its frames"};
  if (load_u8(setup, 4) < compact::kLosslessVersion || load_u8(setup, 4) > compact::kNewestVersion ||
      load_u8(setup, 6) != compact::kTileWidth || load_u8(setup, 7) != compact::kTileHeight ||
      load_u8(setup, 8) != kTables)
    return Failure{fmt::format("its frames are of version {}, which needs a newer texcast", load_u8(setup, 4))};
  const uint8_t number = load_u8(setup, 5);
  const auto known = std::ranges::find_if(formats(), [&](const Format& row) {
    return static_cast<uint8_t>(row.id) == number && TileGrid::can_cut(row.id);
  });
  const uint32_t width = load_le32(setup, 12), height = load_le32(setup, 16);
  if (known == formats().end()) return Failure{fmt::format("its frames are of unknown format {}", number)};
  if (!is_side(width) || !is_side(height))
    return Failure{fmt::format("its frames have the invalid size {}x{}", width, height)};
  return TextureDesc{.format = known->id, .width = static_cast<int>(width), .height = static_cast<int>(height)};
}

uint8_t compact_setup_version(Bytes setup) { return load_u8(setup, 4); }

// A key frame has a record for every row of tiles at least, and for every 256 tiles.
size_t least_compact_bytes(const TextureDesc& texture) {
  const TileGrid grid(texture);
  const auto runs = static_cast<size_t>(grid.down()) * ((static_cast<size_t>(grid.across()) + 255) / 256);
  return kHeadBytes + kLengthBytes + compact::kPayloadHeaderBytes + runs * compact::kRecordBytes;
}

Result<CompactFrameHead> check_compact_frame(Bytes packet) {
  if (packet.size() < kHeadBytes) return Failure{"it is truncated"};
  const CompactFrameHead head = head_of(packet);
  if (head.check != crc32(packet.subspan(4))) return Failure{"its checksum is wrong"};
  return head;
}

bool split_compact_frame(Bytes packet, std::vector<Bytes>& payloads) {
  payloads.clear();
  ByteReader reader(packet);
  if (!reader.take(kHeadBytes)) return false;
  while (reader.remaining() > 0) {
    const auto length = reader.take_le<kLengthBytes>();
    const auto payload = length ? reader.take(*length) : std::nullopt;
    if (!payload) return false;
    payloads.push_back(*payload);
  }
  return true;
}

CompactFrameWriter::CompactFrameWriter(const TextureDesc& texture, Workers& workers,
                                       const std::optional<compact::RdParameters>& target,
                                       const compact::SearchEffort& effort, bool transform)
    : workers_(workers),
      target_(target),
      encoder_(texture,
               {.most_slice_bytes = compact::kMostSliceBytes,
                .lossy = target.has_value(),
                .effort = effort,
                .transform = transform},
               workers),
      // The most that one flipped bit can destroy. Each payload costs 11 bytes.
      payloads_(encoder_.grid(), kMostStoredPayloadBytes) {}

Bytes CompactFrameWriter::write(Bytes blocks, bool as_key, const FrameView* picture) {
  const bool is_first = !std::exchange(begun_, true);
  const bool is_key = as_key || is_first || is_behind_;
  if (is_key) encoder_.forget();
  is_behind_ = false;
  packet_.resize(kHeadBytes);
  add_payloads(payloads_.write(encoder_.encode({.texture = blocks, .target = target_, .picture = picture})));
  return finish(is_key);
}

Bytes CompactFrameWriter::write_key(Bytes blocks, std::span<const uint8_t> samples) {
  begun_ = true;
  is_behind_ = true;
  if (!key_encoder_) key_encoder_.emplace(encoder_.grid().texture(), compact::kMostSliceBytes, workers_);
  packet_.resize(kHeadBytes);
  add_payloads(payloads_.write(key_encoder_->encode(blocks, samples)));
  return finish(true);
}

void CompactFrameWriter::add_payloads(std::span<const Bytes> payloads) {
  for (const Bytes payload : payloads) {
    const size_t at = packet_.size();
    packet_.resize(at + kLengthBytes);
    store_le32(packet_, at, static_cast<uint32_t>(payload.size()));
    packet_.insert(packet_.end(), payload.begin(), payload.end());
  }
}

Bytes CompactFrameWriter::keep(Bytes payloads) {
  ENSURE(begun_);
  is_behind_ = true;
  packet_.resize(kHeadBytes);
  packet_.insert(packet_.end(), payloads.begin(), payloads.end());
  return finish(false);
}

Bytes CompactFrameWriter::finish(bool is_key) {
  is_key_ = is_key;
  store_le<1>(packet_, 4, is_key ? kKeyFlag : 0);
  store_le32(packet_, 5, is_key ? 0 : check_);
  check_ = crc32(Bytes(packet_).subspan(4));
  store_le32(packet_, 0, check_);
  return packet_;
}

CompactFrameReader::CompactFrameReader(const TextureDesc& texture, Workers& workers) : decoder_(texture, workers) {}

void CompactFrameReader::lose() { decoder_.lose(); }

void CompactFrameReader::use_backend(std::unique_ptr<compact::ReconstructionBackend> backend) {
  decoder_.use_backend(std::move(backend), compact::kDecoderSelfCheckSlices, compact::kLeastTilesForBackend);
}

CompactFrameReader::Picture CompactFrameReader::read(Bytes packet, const std::byte* before, MutableBytes blocks) {
  const auto checked = check_compact_frame(packet);
  if (packet.size() < kHeadBytes) {
    lose();
    return {.damage = checked.error().message};
  }
  const CompactFrameHead head = head_of(packet);
  if (!head.is_key && before == nullptr) return {.damage = "the key frame that it depends on is missing"};
  // A key frame has all tiles. If it is damaged, the tiles of the previous frame are the closest substitute.
  if (head.is_key || head.before != check_) lose();
  check_ = head.check;
  const bool makes_sense = split_compact_frame(packet, payloads_);
  const compact::DecodedCounts counts = decoder_.decode(payloads_, before, blocks);
  if (!checked || !makes_sense) lose();
  Picture picture{.is_there = true, .is_lossy = counts.lossy > 0};
  if (!checked) picture.damage = checked.error().message;
  const auto add = [&](const std::string& what) { picture.damage += (picture.damage.empty() ? "" : ", ") + what; };
  if (checked && !makes_sense) add("the lengths of its payloads are inconsistent");
  if (counts.damaged > 0) add(fmt::format("{} of its payloads are invalid", counts.damaged));
  if (counts.disagreed > 0) add(fmt::format("{} of its payloads fail their checksums", counts.disagreed));
  if (counts.wrong > 0) add(fmt::format("{} of {} tiles are wrong", counts.wrong, decoder_.grid().tiles()));
  return picture;
}

}  // namespace texcast::container
