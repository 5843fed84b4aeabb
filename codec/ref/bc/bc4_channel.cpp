#include "base/ensure.h"
#include "ref/bc4.h"
#include "ref/bc4_fit.h"

namespace texcast::ref {
namespace {

Bc4Effort effort_of(Method method) {
  switch (method) {
    case Method::refine_once: return {1, true, 0};
    case Method::refine: return {4, true, 0};
    case Method::cluster: return {8, true, 0};
    case Method::cluster_search: return {24, true, 2};
    default: ENSURE(!"a method that bc4 has");
  }
  return {};
}

}  // namespace

Bc4Block encode_bc4_channel(const ChannelBlock& texels, Method method) {
  ChannelBlock twelfths{};
  for (size_t i = 0; i < 16; ++i) twelfths[i] = 12 * texels[i];
  return encode_bc4_fitted(twelfths, effort_of(method));
}

}  // namespace texcast::ref
