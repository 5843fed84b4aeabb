#include "bc7_encode.h"

#include <algorithm>

#include "base/ensure.h"
#include "bc7_bits.h"

namespace texcast::ref {

Bc7Block encode_bc7(const Bc7Texels& block, Method method) {
  ENSURE(has_method(TextureFormat::bc7, method));
  bc7::Texels16 texels{};
  for (size_t i = 0; i < 16; ++i) texels[i] = {block.color.r[i], block.color.g[i], block.color.b[i], block.alpha[i]};
  if (std::ranges::all_of(texels, [&](const bc7::Channels& t) { return t == texels[0]; }))
    return bc7::flat_block(texels[0]);
  const bool is_opaque = std::ranges::all_of(texels, [](const bc7::Channels& t) { return t[bc7::kAlpha] == 255; });
  const bool searches = method == Method::cluster || method == Method::cluster_search;
  return (searches ? bc7::search : bc7::refine)(texels, is_opaque, static_cast<int>(method));
}

}  // namespace texcast::ref
