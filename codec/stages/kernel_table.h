// kernel_table.h — which kernels make which texture format, and which decode one: plain rows, from which plans are made
// (kernel_plan.h).
//
// A new format is a row of kFormats; and rows of kKernels where no kernel that is there makes its blocks. A row of
// kDecoders lets other formats be made of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "stages/stage.h"
#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::stages {

// What a kernel makes of a frame's blocks, of 4x4 texels but for ASTC's.
enum class Encoding : uint8_t {
  none,
  bc1,         // 8 bytes
  bc4,         // 8 bytes, of one channel
  bc5,         // 16 bytes: red, green
  ycocg_bc4,   // 8 bytes in each of three planes
  ycocg_dxt5,  // 16 bytes
  eac_r11,     // 8 bytes, of one channel
  eac_rg11,    // 16 bytes: red, green
  etc1,        // 8 bytes
  etc2,        // 8 bytes
  eac_alpha,   // 8 bytes, of one channel
  bc7,         // 16 bytes
  bc6h,        // 16 bytes
  astc,        // 16 bytes, of SIDE x SIDE texels
};

// What of the frame an encoding of one channel holds.
enum class Channel : uint8_t {
  alpha,          // 255 where the source has none
  alpha_or_luma,  // luma where the source has no alpha
};

// One kernel's part of a texture.
struct Pass {
  Encoding encoding = Encoding::none;
  Channel channel = Channel::alpha;
  int first_plane = 0, planes = 1;  // of the texture: those that it writes
  int half = kWholeBlock;           // 0 or 1 where it writes one half of blocks of 16 bytes
  bool is_signed = false;           // SIGNED_CODES: for samplers of -1..1
  static constexpr int kWholeBlock = -1;
};

// Those that make a texture together, one after the other. Empty where the format is not encoded.
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
  bool has_effort = false;        // compiled for one method (METHOD): kernels/effort.h says how hard that tries
  bool has_local_memory = false;  // compiled for one size of work-groups (GROUP_ITEMS)
  bool reads_alpha = false;       // compiled with HAS_ALPHA=1 where the source has it
  bool writes_halves = false;     // can write every other 8 bytes
  const char* half_defines = "";  // where it does
  // A kernel of the same file that fills a table of 16-byte entries, one work-item an entry. It runs once; the table is
  // the main kernel's fifth argument.
  const char* table_kernel = "";
  size_t table_entries = 0;
  // A kernel that runs before, on the same frame and blocks, with the same arguments.
  const char* file_before = "";
  const char* kernel_before = "";
  // Tables of the host's instead, for blocks of so many texels across and down, which the kernel is compiled for
  // (SIDE).
  std::span<const uint32_t> (*host_table)(int side) = nullptr;
};

struct KernelRow {
  Encoding encoding;
  Form form;
  Methods methods;
  const char* file;  // of cl_kernels
  const char* name;
  KernelTraits traits{};
};

std::span<const KernelRow> kernel_rows();
// Null where there is none.
const KernelRow* find_kernel(Encoding encoding, Form form, Method method);

// A kernel that makes texels of a coding's blocks (cl_kernels/decode), compiled for their size (BLOCK_WIDTH,
// BLOCK_HEIGHT) and, where it has local memory, for one size of work-groups (GROUP_ITEMS).
struct DecoderRow {
  CodingId coding;
  const char* file;
  const char* name;
  int item_bytes = 0;       // of local memory, its fourth argument
  bool knows_srgb = false;  // compiled with IS_SRGB=1 where the texture is in sRGB's curve
};
std::span<const DecoderRow> decoder_rows();

}  // namespace texcast::stages
