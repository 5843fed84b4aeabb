#include "hap_section.h"

#include <fmt/core.h>

namespace texcast::container {

Result<HapSection> take_hap_section(ByteReader& reader) {
  const auto header = reader.take(kHapShortHeader);
  if (!header) return Failure{fmt::format("a section header needs 4 bytes and {} are left", reader.remaining())};
  uint64_t size = load_le<3>(*header, 0);
  if (size == 0) {
    const auto long_size = reader.take_le<4>();
    if (!long_size)
      return Failure{fmt::format("a long section header breaks off with {} bytes left", reader.remaining())};
    size = *long_size;
  }
  const size_t left = reader.remaining();
  const auto body = size <= left ? reader.take(static_cast<size_t>(size)) : std::nullopt;
  const uint8_t type = load_u8(*header, 3);
  if (!body) return Failure{fmt::format("section 0x{:02X} claims {} bytes and {} are left", type, size, left)};
  return HapSection{type, *body};
}

void store_hap_header(MutableBytes out, uint8_t type, size_t body_bytes) {
  const bool is_short = hap_header_bytes(body_bytes) == kHapShortHeader;
  store_le<3>(out, 0, is_short ? body_bytes : 0);
  store_le<1>(out, 3, type);
  if (!is_short) store_le32(out, 4, static_cast<uint32_t>(body_bytes));
}

}  // namespace texcast::container
