#include "base/ensure.h"
#include "kernels/effort.h"
#include "ref/bc4.h"
#include "ref/bc4_fit.h"

namespace texcast::ref {
namespace {

Bc4Effort effort_of(Method method) {
  ENSURE(has_method(TextureFormat::bc4, method));
  const auto m = static_cast<int>(method);
  return {TEXCAST_BC4_STARTS(m), TEXCAST_CHANNEL_SIX_VALUES(m) != 0, TEXCAST_BC4_WINDOW(m)};
}

}  // namespace

Bc4Block encode_bc4_channel(const ChannelBlock& texels, Method method) {
  ChannelBlock twelfths{};
  for (size_t i = 0; i < 16; ++i) twelfths[i] = 12 * texels[i];
  return encode_bc4_fitted(twelfths, effort_of(method));
}

}  // namespace texcast::ref
