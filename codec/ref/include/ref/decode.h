// decode.h — decodes a whole texture to pixels.
#pragma once

#include "texcast/format.h"
#include "texcast/image.h"

namespace texcast::ref {

// `image` gets the texture's size, channel_count(format) and the coding's sample type. Chroma at half size is
// interpolated bilinearly between its texels' centres (weights in quarters, rounded once), with the edge texels
// repeated outside; docs/format.md, "Chroma placement". Throws Error{misuse} if the blocks do not have texture_layout's
// size.
void decode(const TextureView& texture, EndpointExpansion expansion, DecodedImage& image);

}  // namespace texcast::ref
