#include "etc2_modes.h"
#include "ref/etc2.h"

namespace texcast::ref {

Etc2Block encode_etc1(const RgbBlock& texels, Method method) {
  return etc::best_of_halves(texels, static_cast<int>(method)).block;
}

Etc2Block encode_etc2(const RgbBlock& texels, Method method) {
  const int effort = static_cast<int>(method);
  etc::Coded best = etc::best_of_halves(texels, effort);
  for (const etc::Coded& other : {etc::planar(texels, effort), etc::best_of_pairs(texels, effort)})
    if (other.error < best.error) best = other;
  return best.block;
}

}  // namespace texcast::ref
