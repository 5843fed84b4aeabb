// stream_format.h — converts a texture's description to the one in the stream header, and back.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "compact/tile_grid.h"
#include "texcast/format.h"
#include "transport/receive_session.h"
#include "transport/stream.h"

namespace texcast::stream {

// Coding versions of coded streams (compact/tile_grid.h).
inline constexpr uint8_t kLosslessCoding = compact::kLosslessVersion, kLossyCoding = compact::kLossyVersion;
inline constexpr uint8_t kTransformCoding = compact::kTransformVersion;
inline constexpr uint8_t kNewestCoding = compact::kNewestVersion;

// Whether streams of that version may have lossy slices.
constexpr bool is_lossy_coding(uint8_t coding) { return coding == kLossyCoding || coding == kTransformCoding; }

// SDES TOOL of texcast's receivers: "texcast/0.1.0 compact/1", with the newest version of the coding; they decode all
// versions up to it.
std::string rtcp_tool();

transport::StreamDesc stream_of(const TextureDesc& texture, double fps);

// Anybody may have sent the description: it is validated, and a Failure says why a stream cannot be shown.
Result<TextureDesc> texture_of(const transport::StreamDesc& stream);

// The same for a frame, whose size or coding may also be one that texcast does not show.
Result<TextureDesc> texture_of(const transport::ReceivedFrame& frame);

// Sets the largest picture to `width` x `height`, and the largest frame accordingly. At most the largest texture; 0:
// sixteen megapixels of any shape.
void limit_pictures(transport::ReceiveSettings& settings, int width = 0, int height = 0);

// The number of blocks with at least one byte in one of the ranges, which are sorted, disjoint, and inside the texture.
uint32_t blocks_in(const TextureDesc& texture, std::span<const transport::ByteRange> ranges);

}  // namespace texcast::stream
