// ktx2_layers.h — the planes of a texture as the layers of an array texture: every layer is as large as the first
// plane, and a smaller plane lies in its layer's top left corner. A plane of smaller blocks has each in the first bytes
// of one (BC4 in BC3's alpha half).
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "texcast/format.h"

namespace texcast::container::ktx2 {

struct LayerLayout {
  int layers = 1;
  size_t layer_bytes = 0;
  size_t total_bytes = 0;
  bool is_verbatim = true;  // the texture's blocks, as they are
};
LayerLayout layer_layout(const TextureDesc& desc);

// Sizes as the layouts say (else misuse). What no block covers is zero.
void planes_to_layers(const TextureView& texture, MutableBytes layers);
void layers_to_planes(const TextureDesc& desc, Bytes layers, MutableBytes blocks);

}  // namespace texcast::container::ktx2
