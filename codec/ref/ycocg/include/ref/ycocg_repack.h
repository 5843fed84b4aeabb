// ycocg_repack.h — converts YCoCg-BC4 to scaled YCoCg (Hap Q), block by block: docs/format.md, "Hap Q from YCoCg-BC4".
#pragma once

#include <cstddef>
#include <span>

#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::ref {

// Luma blocks are those of `texture`, unchanged. Colour blocks are fitted to its decoded Co and Cg, interpolated to the
// luma texels, with the effort of ycocg-dxt5's `method`. `blocks` has room for a ycocg-dxt5 texture of its size.
void repack_ycocg(const TextureView& texture, Method method, std::span<std::byte> blocks);

// Converts only the block in this column and row, of 16 bytes, without decoding the rest of `texture`.
void repack_ycocg_block(const TextureView& texture, Method method, std::span<std::byte> block, int column, int row);

}  // namespace texcast::ref
