// hap_frame.h — one frame of Hap video: a section of texture blocks, plain or Snappy-compressed, whole or in chunks.
//
// A section is a header (4 bytes: size LE24 and type; or 8 bytes: three zeros, type, size LE32) and its body. The
// type's high nibble is the compressor and its low nibble the texture. docs/format.md, "Recordings", has the layout.
// Bytes only: no file, no codec. All functions are thread-safe on distinct buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "texcast/format.h"

namespace texcast::container {

// The low nibble of a section's type. The values are Hap's.
enum class HapTexture : uint8_t {
  bc4 = 0x1,  // one or more planes of BC4; what they mean is the container's FourCC to say
  bc6h_unsigned = 0x2,
  bc6h_signed = 0x3,
  bc1 = 0xB,
  bc7 = 0xC,
  bc3 = 0xE,
  ycocg_bc3 = 0xF,  // scaled YCoCg
};
std::string_view name(HapTexture texture);

// Which section holds a texture of this format.
HapTexture hap_texture(TextureFormat format);

struct HapWriteOptions {
  bool snappy = true;
  int chunks = 1;  // 1..64; more let a player decompress on several cores. Lowered to what divides the blocks evenly.
};

// A chunk count that keeps every chunk near two million pixels, so that one core decompresses each in about a
// millisecond.
int suggested_hap_chunks(int width, int height);

// Writes one frame into `buffer`, which grows on the first calls and is reused afterwards, and returns the part of it
// that is the frame. `blocks` is not empty and below 2 GiB (else misuse). Compression that would not make a section
// or chunk smaller is left out.
Bytes write_hap_frame(HapTexture texture, Bytes blocks, const HapWriteOptions& options, std::vector<std::byte>& buffer);

// Decompresses one frame into `blocks`, which must come out filled exactly. The bytes come from outside: any legal
// frame is read (both header sizes, chunk tables in any order, with or without offsets, unknown sections skipped),
// anything else is a Failure that says what is wrong; `blocks` then has unspecified contents. Allocates nothing.
Result<void> read_hap_frame(Bytes frame, HapTexture texture, MutableBytes blocks);

}  // namespace texcast::container
