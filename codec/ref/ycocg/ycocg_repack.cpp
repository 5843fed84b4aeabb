#include "ref/ycocg_repack.h"

#include <cstring>

#include "base/ensure.h"
#include "ref/ycocg_planes.h"
#include "ycocg_chroma.h"

namespace texcast::ref {
namespace {

// The fit weighs Co and Cg as if luma took up its part of their error. With luma given, dCo2^2 and dCg4^2 count 8:3
// instead of 3:1, which changes PSNR by less than 0.01 dB: not worth a fit of its own.

// Sixteenths of a code that has 128 for 0 to twice Co and four times Cg, rounded to the nearest, halves up.
int twice_co(int sixteenths) { return (sixteenths - 16 * 128 + 4) >> 3; }
int four_times_cg(int sixteenths) { return (sixteenths - 16 * 128 + 2) >> 2; }

}  // namespace

void repack_ycocg(const TextureView& texture, Method method, std::span<std::byte> blocks) {
  const TextureDesc& desc = texture.desc;
  ENSURE(is_planar_ycocg(desc.format));
  const TextureLayout from = texture_layout(desc);
  const PlaneLayout to = texture_layout(TextureFormat::ycocg_dxt5, desc.width, desc.height).planes[0];
  ENSURE(texture.blocks.size() == from.total_bytes && blocks.size() == to.bytes);
  const Bc4Plane orange(texture, 1), green(texture, 2);
  const std::byte* luma = texture.blocks.data();
  std::byte* out = blocks.data();
  for (int block_y = 0; block_y < to.blocks_y; ++block_y)
    for (int block_x = 0; block_x < to.blocks_x; ++block_x, luma += 8, out += 16) {
      ChromaBlock chroma{};
      for (int i = 0; i < 16; ++i) {
        const int x = 4 * block_x + i % 4, y = 4 * block_y + i / 4;
        chroma.co2[static_cast<size_t>(i)] = twice_co(orange.sixteenths_at_luma(x, y));
        chroma.cg4[static_cast<size_t>(i)] = four_times_cg(green.sixteenths_at_luma(x, y));
      }
      const Bc1Block color = pack_chroma(fit_chroma(chroma, chroma_effort(method)));
      std::memcpy(out, luma, 8);
      std::memcpy(out + 8, color.data(), 8);
    }
}

}  // namespace texcast::ref
