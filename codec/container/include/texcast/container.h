// container.h — textures as frames of Hap video and as DDS, KTX2 and .astc files, bytes in and bytes out: for programs
// that have a muxer, an archive or a network of their own. Files on a disk: file_reader.h, file_writer.h.
//
//     std::vector<std::byte> buffer;  // of the caller's, reused from frame to frame
//     const auto packet = texcast::pack_hap_frame(texture, {.chunks = 4}, buffer);
//     my_muxer.write(texcast::hap_fourcc(texture.desc.format).value(), packet);
//     …
//     blocks.resize(texcast::texture_layout(desc).total_bytes);
//     texcast::unpack_hap_frame(desc, packet, blocks);
//
//     save(texcast::pack_still(texcast::StillKind::ktx2, texture));
//     const texcast::Still still = texcast::unpack_still(texcast::StillKind::ktx2, file);
//
// All functions are thread-safe on distinct buffers, and do their work on the calling thread.
//
// Errors. Error{corrupt}: bytes that are no such frame or file, or one that nobody here can read; the message says what
// is wrong. Error{usage}: the container has no form for the format or for frames of that size. Error{misuse}: blocks of
// another size than texture_layout's, null pointers, numbers of formats that there are not, options out of range.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/format.h"

namespace texcast {

// Frames of Hap video. The bits: docs/format.md, "Recordings", and the Hap specification.

// FourCC of the video track, as .mov has it ("Hap1" of bc1); nothing for formats that Hap does not have.
TEXCAST_API std::optional<std::array<char, 4>> hap_fourcc(TextureFormat format);

struct HapOptions {
  bool snappy = true;  // compress the blocks, where that makes them smaller
  // In how many pieces an image is compressed, as many threads can unpack it: 1 to 64, lowered to what divides the
  // blocks evenly. 0: as the picture's size suggests.
  int chunks = 0;
};

// Writes one frame into `buffer`, which grows on the first calls and is reused afterwards, and returns the part of it
// that is the frame; valid until `buffer` changes. `texture.blocks` do not lie in `buffer` (else misuse). Error{usage}
// besides: frames of two images (ycocg_dxt5_alpha) of 16 MiB and more, which players refuse.
TEXCAST_API std::span<const std::byte> pack_hap_frame(const TextureView& texture, const HapOptions& options,
                                                      std::vector<std::byte>& buffer);

// Any legal frame, whoever wrote it, into `blocks`, which has texture_layout(desc).total_bytes (else misuse) and must
// be memory that can be read too. On Error{corrupt} it has unspecified contents. Of `desc`, format and size count.
// Allocates nothing.
TEXCAST_API void unpack_hap_frame(const TextureDesc& desc, std::span<const std::byte> packet,
                                  std::span<std::byte> blocks);

// Files that hold one texture. docs/format.md, ".dds", ".ktx2" and ".astc", tells which formats each can hold, and how.

enum class StillKind { dds, ktx2, astc };

inline constexpr double kMinStillFps = 0.001, kMaxStillFps = 4294;  // what a sequence's rate is believed to be

struct StillOptions {
  bool zstd = true;  // KTX2: compress the blocks with Zstandard, where that makes them smaller
  double fps = 0;    // of the sequence that the file is a part of, kMinStillFps to kMaxStillFps; 0: none
};

// DDS holds every format, KTX2 those that a VkFormat says, .astc those of ASTC.
TEXCAST_API bool can_hold(StillKind kind, TextureFormat format);

// Which image of a file with several: a mip level, 0 being the largest; an element of an array; a face of a cube map,
// in the order +X, -X, +Y, -Y, +Z, -Z.
struct StillPart {
  int level = 0;
  int layer = 0;
  int face = 0;
  bool operator==(const StillPart&) const = default;
};

// What is in a file, without its blocks.
struct StillInfo {
  TextureDesc desc;    // of the image that was asked for
  std::string coding;  // of the file, for a person: "BC3, Zstandard"
  std::string fourcc;  // DDS: "DXT5", "DX10"
  double fps = 0;      // of its sequence; 0: it does not say
  int levels = 1;
  int layers = 1;  // of an array; planes of one picture are none
  int faces = 1;   // 6 of a cube map; a DDS may have fewer, which then count from 0
};

struct Still {
  StillInfo info;
  std::vector<std::byte> blocks;  // texture_layout(info.desc).total_bytes
};

// The whole file.
TEXCAST_API std::vector<std::byte> pack_still(StillKind kind, const TextureView& texture,
                                              const StillOptions& options = {});
// With mip levels: at least the first, each one's description level_of() of that one's (else misuse). An .astc has one
// level (Error{usage}).
TEXCAST_API std::vector<std::byte> pack_still(StillKind kind, std::span<const TextureView> levels,
                                              const StillOptions& options = {});

// One image of a whole file, whose others are left alone. Volumes, unknown formats and images that the file does not
// have are Error{corrupt} too, with a message that says so. No memory is taken before the file is known to have blocks
// enough.
TEXCAST_API Still unpack_still(StillKind kind, std::span<const std::byte> file, const StillPart& part = {});
// The same without the blocks, whether or not they are there.
TEXCAST_API StillInfo still_info(StillKind kind, std::span<const std::byte> file, const StillPart& part = {});

}  // namespace texcast
