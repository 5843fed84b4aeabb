// stream_format.h — a texture's description as a stream carries it, and back.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "texcast/format.h"
#include "transport/stream.h"

namespace texcast::stream {

// The versions of the coder (codec/compact) that compact streams are of: those of the first have no lossy units.
inline constexpr uint8_t kLosslessCoding = 1, kLossyCoding = 2;
inline constexpr uint8_t kNewestCoding = kLossyCoding;

transport::StreamDesc stream_of(const TextureDesc& texture, double fps);

// Anyone may have sent the description: it is checked, and refused with a reason where we cannot show it.
Result<TextureDesc> texture_of(const transport::StreamDesc& stream);

// Blocks of the texture of which a byte lies in one of the ranges; they are in order, apart, inside the texture.
uint32_t blocks_in(const TextureDesc& texture, std::span<const transport::ByteRange> ranges);

}  // namespace texcast::stream
