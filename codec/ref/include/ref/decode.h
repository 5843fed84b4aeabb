// decode.h — a whole texture to pixels.
#pragma once

#include "texcast/format.h"
#include "texcast/image.h"

namespace texcast::ref {

// `image` takes on the texture's size, channel_count(format) and the coding's samples. Chroma at half size is
// interpolated bilinearly between its texels' centres (weights in quarters, rounded once), the edge texels going on
// outside; docs/format.md, "Chroma placement". Error{misuse} for blocks of another size than texture_layout's.
void decode(const TextureView& texture, EndpointExpansion expansion, DecodedImage& image);

}  // namespace texcast::ref
