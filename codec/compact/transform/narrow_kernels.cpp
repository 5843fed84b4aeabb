#include "compact/ranks.h"
#include "dct_basis.h"
#include "lanes.h"
#include "transform_kernels.h"

namespace texcast::compact {
namespace narrow {
namespace {

#include "dct_kernel.h"
#include "filter_kernel.h"
#include "fit_kernel.h"

inline void fit(const U8x16* wanted, int count, uint64_t* sub_blocks, U8x16* fitted) {
  if (count <= kLanes / 2)
    fit_folded<2>(wanted, count, sub_blocks, fitted);
  else
    fit_folded<1>(wanted, count, sub_blocks, fitted);
}

inline void decode_row(const std::byte* blocks, size_t block_bytes, int count, uint8_t* texels, ptrdiff_t stride) {
  for (int i = 0; i < count; ++i) {
    const auto rows =
        reinterpret_cast<U32x4>(nearest_texels(load_sub_block(blocks + static_cast<size_t>(i) * block_bytes)));
    for (int y = 0; y < 4; ++y) store_vector<uint32_t>(texels + y * stride + i * 4, rows[y]);
  }
}

}  // namespace
}  // namespace narrow

const TransformKernels& narrow_kernels() {
  static constexpr TransformKernels kKernels{narrow::fit,    narrow::decode_row, narrow::half,
                                             narrow::eighth, narrow::inverse,    narrow::forward};
  return kKernels;
}

}  // namespace texcast::compact
