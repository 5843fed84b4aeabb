// kernel_table.h — which kernels encode which texture format, and which decode one: plain rows, from which plans are
// made (kernel_plan.h).
//
// A new format is a row of kFormats, and rows of kKernels if no existing kernel produces its blocks. A row of kDecoders
// makes it a source for transcoding.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "stages/stage.h"
#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::stages {

// The output of a kernel: blocks of 4x4 texels, except ASTC's.
enum class Encoding : uint8_t {
  none,
  bc1,         // 8 bytes
  bc4,         // 8 bytes, one channel
  bc5,         // 16 bytes: red, green
  ycocg_bc4,   // 8 bytes in each of three planes
  ycocg_dxt5,  // 16 bytes
  eac_r11,     // 8 bytes, one channel
  eac_rg11,    // 16 bytes: red, green
  etc1,        // 8 bytes
  etc2,        // 8 bytes
  eac_alpha,   // 8 bytes, one channel
  bc7,         // 16 bytes
  bc6h,        // 16 bytes
  astc,        // 16 bytes, SIDE x SIDE texels
};

// The channel of the frame that an encoding of one channel holds.
enum class Channel : uint8_t {
  alpha,          // 255 if the source has none
  alpha_or_luma,  // luma if the source has no alpha
};

// One kernel's part of a texture.
struct Pass {
  Encoding encoding = Encoding::none;
  Channel channel = Channel::alpha;
  int first_plane = 0, planes = 1;  // planes of the texture that it writes
  int half = kWholeBlock;           // 0 or 1 if it writes one half of blocks of 16 bytes
  bool is_signed = false;           // SIGNED_CODES: for samplers that return -1..1
  static constexpr int kWholeBlock = -1;
};

// The passes that encode a texture, in order. Empty if the format is not encoded.
std::span<const Pass> format_passes(TextureFormat format);

// A set of methods.
class Methods {
 public:
  constexpr Methods(std::initializer_list<Method> methods) {
    for (const Method method : methods) bits_ |= bit(method);
  }
  constexpr bool has(Method method) const { return (bits_ & bit(method)) != 0; }

 private:
  static constexpr uint32_t bit(Method method) { return uint32_t{1} << static_cast<uint32_t>(method); }
  uint32_t bits_ = 0;
};

struct KernelTraits {
  bool has_effort = false;        // compiled for one method (METHOD); kernels/effort.h defines its effort
  bool has_local_memory = false;  // compiled for one size of work-groups (GROUP_ITEMS)
  bool deals_blocks = false;      // StageSettings::deal_blocks
  bool reads_alpha = false;       // compiled with HAS_ALPHA=1 if the source has it
  bool writes_halves = false;     // can write every other 8 bytes
  const char* half_defines = "";  // defines for that
  // A kernel of the same file that fills a table of 16-byte entries, one work-item per entry. It runs once. The table
  // is the main kernel's fifth argument.
  const char* table_kernel = "";
  size_t table_entries = 0;
  // A kernel that runs before it, on the same frame and blocks, with the same arguments.
  const char* file_before = "";
  const char* kernel_before = "";
  // Computes the table on the host instead, for blocks of side x side texels, which the kernel is compiled for (SIDE).
  std::span<const uint32_t> (*host_table)(int side) = nullptr;
};

struct KernelRow {
  Encoding encoding;
  Form form;
  Methods methods;
  const char* file;  // in cl_kernels
  const char* name;
  KernelTraits traits{};
};

std::span<const KernelRow> kernel_rows();
// Null if there is none.
const KernelRow* find_kernel(Encoding encoding, Form form, Method method);

// A kernel that decodes a coding's blocks to texels (cl_kernels/decode), compiled for their size (BLOCK_WIDTH,
// BLOCK_HEIGHT) and, if it has local memory, for one size of work-groups (GROUP_ITEMS).
struct DecoderRow {
  CodingId coding;
  const char* file;
  const char* name;
  int item_bytes = 0;       // local memory per work-item, its fourth argument
  bool knows_srgb = false;  // compiled with IS_SRGB=1 if the texture is in sRGB's curve
};
std::span<const DecoderRow> decoder_rows();

}  // namespace texcast::stages
