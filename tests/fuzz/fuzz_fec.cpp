// UltraGrid's FEC blocks. In the first byte, bit 1 selects LDGM instead of Reed-Solomon, and bit 0 the rest of the
// input:
//   0  any block: FEC header (20 bytes), number of pieces received (1 byte), their first bytes and lengths (2 bytes
//   each,
//      in 65536ths of the block, and in bytes), then the block's bytes, repeated to its length.
//   1  a block that is written here: k, m (2 bytes each), with LDGM also c (2) and seed (4), frame length (2), then a
//   bit
//      for each lost symbol. The frame read must be the frame written. k symbols of a Reed-Solomon block must be
//      enough.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/ensure.h"
#include "transport/ultragrid_fec_block.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

constexpr uint32_t kLongestBlock = 1u << 16;

void check(const FecBlockContent& content, const FecHeader& header, size_t block_bytes) {
  const size_t room = block_bytes - size_t{header.symbol_bytes()} * header.m;
  uint64_t end = 0;
  bool first = true;
  for (const ByteRange& r : content.usable) {
    ENSURE(r.begin < r.end && (first || r.begin > end) && r.end + kFecInnerBytes <= room);
    if (content.header) ENSURE(r.end <= content.frame.size());
    end = r.end;
    first = false;
  }
  if (content.header) ENSURE(content.header->length == content.frame.size() && !content.frame.empty());
  if (content.whole) ENSURE(content.header && content.usable.size() == 1 && end == content.frame.size());
}

void any_block(FecScheme scheme, Bytes input) {
  ByteReader reader(input);
  const auto head = reader.take(kFecHeaderBytes);
  if (!head) return;
  FecHeader header = *parse_fec_header(*head);
  if (header.block_length > kLongestBlock || header.block_length == 0) return;
  std::vector<std::byte> block(header.block_length);
  ByteCoverage coverage;
  const uint64_t pieces = reader.take_le<1>().value_or(0);
  for (uint64_t i = 0; i < pieces; ++i) {
    const uint64_t begin = reader.take_le<2>().value_or(0) * block.size() >> 16;
    const uint64_t end = std::min<uint64_t>(begin + reader.take_le<2>().value_or(0), block.size());
    if (begin < end) coverage.add(static_cast<uint32_t>(begin), static_cast<uint32_t>(end));
  }
  const Bytes data = reader.rest();
  size_t filled = std::min(data.size(), block.size());
  std::copy_n(data.begin(), filled, block.begin());
  for (; filled > 0 && filled < block.size(); filled *= 2)
    std::memcpy(block.data() + filled, block.data(), std::min(filled, block.size() - filled));
  UltraGridFecReader fec;
  check(fec.read(scheme, header, block, coverage), header, block.size());
  check(fec.read(scheme, header, block, coverage), header, block.size());  // with everything kept from the first
}

void own_block(FecScheme scheme, Bytes input) {
  ByteReader reader(input);
  const auto next = [&](uint64_t most) { return static_cast<int>(1 + reader.take_le<2>().value_or(0) % most); };
  FecShape shape{.scheme = scheme};
  if (scheme == FecScheme::reed_solomon) {
    shape.k = next(254);
    shape.m = next(static_cast<uint64_t>(255 - shape.k));
  } else {
    shape.k = 1 + next(200);
    shape.m = next(200);
    shape.c = next(static_cast<uint64_t>(std::min(shape.m, 8)));
    shape.seed = 1 + static_cast<uint32_t>(reader.take_le<4>().value_or(0) % 0x7FFFFFFE);
  }
  std::vector<std::byte> frame(static_cast<size_t>(next(4000)));
  for (size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<std::byte>(i * 7 ^ i >> 5);
  if (fec_symbol_bytes(shape, frame.size()) * static_cast<size_t>(shape.k + shape.m) > kLongestBlock) return;
  UltraGridFecWriter writer(shape);
  writer.begin(frame, {.width = 64, .height = 64, .fourcc = kFourCcDxt1, .fps = 25});
  (void)writer.advance(frame.size() / 2);
  (void)writer.advance(frame.size());

  const auto symbols = static_cast<size_t>(shape.k + shape.m);
  const auto symbol = static_cast<uint32_t>(writer.symbol_bytes());
  const FecHeader header{.block_length = static_cast<uint32_t>(writer.block().size()),
                         .k = static_cast<uint16_t>(shape.k),
                         .m = static_cast<uint16_t>(shape.m),
                         .c = static_cast<uint8_t>(shape.c),
                         .seed = shape.seed};
  if (!is_plausible(scheme, header)) return;
  std::vector<std::byte> block(header.block_length, std::byte{0xEE});
  ByteCoverage coverage;
  size_t present = 0;
  const Bytes bits = reader.rest();
  for (uint32_t i = 0; i < symbols; ++i) {
    if (i / 8 < bits.size() && (bits[i / 8] >> i % 8 & std::byte{1}) != std::byte{0}) continue;
    coverage.add(i * symbol, (i + 1) * symbol);
    std::copy_n(writer.block().begin() + i * symbol, symbol, block.begin() + i * symbol);
    ++present;
  }
  UltraGridFecReader fec;
  const FecBlockContent content = fec.read(scheme, header, block, coverage);
  check(content, header, block.size());
  if (scheme == FecScheme::reed_solomon && present >= static_cast<size_t>(shape.k)) ENSURE(content.whole);
  for (const ByteRange& r : content.usable)
    for (uint32_t i = r.begin; i < std::min<size_t>(r.end, frame.size()); ++i)
      ENSURE(block[kFecInnerBytes + i] == frame[i]);
  if (content.header) ENSURE(content.frame.size() == frame.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes rest = Bytes(reinterpret_cast<const std::byte*>(data), size).subspan(1);
  const FecScheme scheme = data[0] & 2 ? FecScheme::ldgm : FecScheme::reed_solomon;
  if (data[0] & 1)
    own_block(scheme, rest);
  else
    any_block(scheme, rest);
  return 0;
}
