// decode.h — a whole texture to pixels.
#pragma once

#include <cstdint>
#include <span>

#include "texcast/decoder.h"
#include "texcast/format.h"

namespace texcast::ref {

// `pixels` has channel_count(format) * width * height bytes. Chroma at half size is interpolated bilinearly between its
// texels' centres (weights in quarters, rounded once), the edge texels going on outside; docs/format.md, "Chroma
// placement".
void decode(const TextureView& texture, EndpointExpansion expansion, std::span<uint8_t> pixels);

}  // namespace texcast::ref
