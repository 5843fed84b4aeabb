#include "ref/astc_encode.h"

#include <algorithm>

#include "astc_choose.h"
#include "astc_fit.h"
#include "astc_write.h"
#include "base/ensure.h"
#include "kernels/effort.h"

namespace texcast::ref {

AstcBlock encode_astc(std::span<const AstcRgba> block, int side, Method method) {
  using namespace astc;
  ENSURE(block.size() == static_cast<size_t>(side * side));
  if (std::ranges::all_of(block, [&](const AstcRgba& texel) { return texel == block[0]; })) return write_flat(block[0]);
  const Tables tables(side);
  const Texels texels = texels_of(block, side);
  const LineFinder finder(texels, tables);
  Fitted best;
  for (const Choice& choice : choose(finder, texels, tables, method)) {
    if (choice.estimate >= 3e38F) continue;
    const Fitted fitted = fit(finder, texels, tables, choice, TEXCAST_ASTC_FITS(static_cast<int>(method), side));
    if (fitted.error < best.error) best = fitted;
  }
  return write(tables, best);
}

}  // namespace texcast::ref
