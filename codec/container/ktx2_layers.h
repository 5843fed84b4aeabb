// ktx2_layers.h — converts the planes of a texture to the layers of an array texture and back. Every layer is as large
// as the first plane. A smaller plane lies in its layer's top left corner, and a smaller block takes the first bytes of
// a layer's block (BC4 in the alpha half of BC3).
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "texcast/format.h"

namespace texcast::container::ktx2 {

struct LayerLayout {
  int layers = 1;
  size_t layer_bytes = 0;
  size_t total_bytes = 0;
  bool is_verbatim = true;  // the texture's blocks, unchanged
};
LayerLayout layer_layout(const TextureDesc& desc);

// Sizes are those of the layouts (else misuse). Bytes that no block covers are zero.
void planes_to_layers(const TextureView& texture, MutableBytes layers);
void layers_to_planes(const TextureDesc& desc, Bytes layers, MutableBytes blocks);

}  // namespace texcast::container::ktx2
