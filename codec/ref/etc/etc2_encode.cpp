#include "etc2_modes.h"
#include "ref/etc2.h"

namespace texcast::ref {

Etc2Block encode_etc1(const RgbBlock& texels, Method method) {
  const int effort = static_cast<int>(method);
  return (TEXCAST_ETC_ESTIMATES(effort) ? etc::estimated_halves : etc::fitted_halves)(texels, effort).block;
}

Etc2Block encode_etc2(const RgbBlock& texels, Method method) {
  const int effort = static_cast<int>(method);
  const bool estimates = TEXCAST_ETC_ESTIMATES(effort);
  etc::Coded best = (estimates ? etc::estimated_halves : etc::fitted_halves)(texels, effort);
  for (const etc::Coded& other :
       {etc::planar(texels, effort), (estimates ? etc::estimated_pairs : etc::fitted_pairs)(texels, effort)})
    if (other.error < best.error) best = other;
  return best.block;
}

}  // namespace texcast::ref
