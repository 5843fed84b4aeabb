// zstd_memory.h — Zstandard's contexts, freed by themselves.
#pragma once

#include <zstd.h>

#include <memory>

namespace texcast::container {

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using ZstdCompressor = std::unique_ptr<ZSTD_CCtx, FreeZstd>;
using ZstdDecompressor = std::unique_ptr<ZSTD_DCtx, FreeZstd>;

}  // namespace texcast::container
