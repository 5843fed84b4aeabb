#include "ref/bc3.h"

#include <algorithm>

#include "base/ensure.h"
#include "ref/bc1.h"
#include "ref/bc4.h"

namespace texcast::ref {
namespace {

Bc1Block encode_color(const RgbBlock& texels, Method method) {
  switch (method) {
    case Method::refine_once: return encode_bc1_refined_once(texels);
    case Method::refine: return encode_bc1_refined(texels);
    case Method::cluster: return encode_bc1_cluster(texels);
    case Method::cluster_search: return encode_bc3_color_cluster_search(texels);
    default: ENSURE(!"a method of bc3");
  }
  return {};
}

}  // namespace

Bc3Block encode_bc3(const RgbBlock& texels, const ChannelBlock& alpha, Method method) {
  const Bc4Block first = encode_bc4_channel(alpha, method);
  const Bc1Block second = encode_color(texels, method);
  Bc3Block block;
  std::copy(first.begin(), first.end(), block.begin());
  std::copy(second.begin(), second.end(), block.begin() + 8);
  return block;
}

}  // namespace texcast::ref
