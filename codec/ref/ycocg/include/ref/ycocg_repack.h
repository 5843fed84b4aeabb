// ycocg_repack.h — YCoCg-BC4 as scaled YCoCg (Hap Q), block by block: docs/format.md, "Hap Q from YCoCg-BC4".
#pragma once

#include <cstddef>
#include <span>

#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::ref {

// Luma halves are the blocks of `texture` as they are. Colour halves are fitted to its decoded Co and Cg, interpolated
// to the luma texels, with the effort of ycocg-dxt5's `method`. `blocks` has room for a ycocg-dxt5 texture of its size.
void repack_ycocg(const TextureView& texture, Method method, std::span<std::byte> blocks);

// Its block in this column and row alone, of 16 bytes, without decoding the rest of `texture`.
void repack_ycocg_block(const TextureView& texture, Method method, std::span<std::byte> block, int column, int row);

}  // namespace texcast::ref
