// encode.h — encodes a whole frame by the reference encoders: straight loops, slow, obviously correct. It defines the
// output of the kernels, and runs for `--device cpu-reference`.
#pragma once

#include <cstddef>
#include <span>

#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/quality.h"

namespace texcast::ref {

// `blocks` has texture_layout(format, frame size).total_bytes, why_not() accepts the other arguments, and the frame is
// readable (else Error{misuse}).
void encode(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
            const MethodOptions& options = {});

// The same one row of blocks at a time, for threads that share a frame: encode() is encode_row() for each row from 0 to
// block_rows() - 1, in any order. Rows count through the planes, one after the other.
int block_rows(TextureFormat format, int width, int height);
void encode_row(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
                const MethodOptions& options, int row);

// The place of a row. encode_blocks() encodes `count` of its blocks from `first` on, as far as there are any.
struct RowPlace {
  size_t plane = 0;
  int row = 0;  // of the plane
};
RowPlace row_place(const TextureLayout& layout, int row);
void encode_blocks(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
                   const MethodOptions& options, const RowPlace& place, int first, int count);

// Encodes a single one of these blocks into `block`, which has the size of a block.
void encode_block(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> block,
                  const MethodOptions& options, const RowPlace& place, int column);

}  // namespace texcast::ref
