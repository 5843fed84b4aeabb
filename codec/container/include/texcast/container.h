// container.h — textures as frames of Hap video and as DDS, KTX2 and .astc files, bytes in and bytes out, for programs
// that have their own muxer, archive or network. For files on disk see file_reader.h and file_writer.h.
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
// All functions are thread-safe on distinct buffers, and work on the calling thread.
//
// Errors. Error{corrupt}: the bytes are no such frame or file, or one that texcast cannot read; the message tells what
// is wrong. Error{usage}: the container cannot hold the format, or frames of that size. Error{misuse}: blocks that do
// not have texture_layout's size, null pointers, unknown formats, options out of range.
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

// Frames of Hap video. docs/format.md, "Recordings", and the Hap specification define the bits.

// FourCC of the video track in .mov ("Hap1" for bc1), or nothing if Hap does not have the format.
TEXCAST_API std::optional<std::array<char, 4>> hap_fourcc(TextureFormat format);

struct HapOptions {
  bool snappy = true;  // compress the blocks if that makes them smaller
  // In how many pieces an image is compressed, 1 to 64; so many threads can decompress it. Lowered to a number that
  // divides the blocks evenly. 0: chosen by the picture's size.
  int chunks = 0;
};

// Writes one frame into `buffer`, which grows on the first calls and is reused afterwards, and returns the part of it
// that is the frame; valid until `buffer` changes. `texture.blocks` must not be part of `buffer` (else misuse). Frames
// of two images (ycocg_dxt5_alpha) of 16 MiB and more are Error{usage} too, as players refuse them.
TEXCAST_API std::span<const std::byte> pack_hap_frame(const TextureView& texture, const HapOptions& options,
                                                      std::vector<std::byte>& buffer);

// Decompresses any legal frame, whatever program wrote it, into `blocks`, which has texture_layout(desc).total_bytes
// (else misuse) and must be readable memory. On Error{corrupt} its contents are unspecified. Of `desc`, only format and
// size are used. Allocates nothing.
TEXCAST_API void unpack_hap_frame(const TextureDesc& desc, std::span<const std::byte> packet,
                                  std::span<std::byte> blocks);

// Files that hold one texture. docs/format.md, ".dds", ".ktx2" and ".astc", tells which formats each can hold, and how.

enum class StillKind { dds, ktx2, astc };

inline constexpr double kMinStillFps = 0.001, kMaxStillFps = 4294;  // a sequence's rate outside these limits is ignored

struct StillOptions {
  bool zstd = true;  // KTX2: compress the blocks with Zstandard if that makes them smaller
  double fps = 0;    // frame rate of the sequence that the file belongs to, kMinStillFps to kMaxStillFps; 0: none
};

// DDS holds every format, KTX2 those that have a VkFormat, .astc the ASTC formats.
TEXCAST_API bool can_hold(StillKind kind, TextureFormat format);

// Selects one image of a file with several: a mip level, 0 being the largest; an element of an array; a face of a cube
// map, in the order +X, -X, +Y, -Y, +Z, -Z.
struct StillPart {
  int level = 0;
  int layer = 0;
  int face = 0;
  bool operator==(const StillPart&) const = default;
};

// Describes the contents of a file, without its blocks.
struct StillInfo {
  TextureDesc desc;    // of the requested image
  std::string coding;  // of the file, for a person: "BC3, Zstandard"
  std::string fourcc;  // DDS: "DXT5", "DX10"
  double fps = 0;      // frame rate of its sequence; 0: not known
  int levels = 1;
  int layers = 1;  // elements of an array; the planes of one picture do not count
  int faces = 1;   // 6 for a cube map; a DDS may have fewer, which then count from 0
};

struct Still {
  StillInfo info;
  std::vector<std::byte> blocks;  // texture_layout(info.desc).total_bytes
};

// Returns the whole file.
TEXCAST_API std::vector<std::byte> pack_still(StillKind kind, const TextureView& texture,
                                              const StillOptions& options = {});
// With mip levels: at least the first; each level's description is level_of() the first one's (else misuse). An .astc
// has one level (else Error{usage}).
TEXCAST_API std::vector<std::byte> pack_still(StillKind kind, std::span<const TextureView> levels,
                                              const StillOptions& options = {});

// How the images of a file belong together.
struct StillShape {
  bool is_array = false;  // layers, of which there may be any number from 1 on
  bool is_cube = false;   // six faces, in the order +X, -X, +Y, -Y, +Z, -Z; an array has them for each layer in turn
};
// The levels of one image, as pack_still() takes them.
using StillImage = std::span<const TextureView>;

// A cube map, an array, or an array of cube maps: all images must have the same description and number of levels, and
// their number must fit the shape (else misuse). Error{usage} too for faces that are not square, formats with several
// planes, arrays in DDS of formats without a DXGI number (ETC, EAC, ASTC), and .astc.
TEXCAST_API std::vector<std::byte> pack_still_array(StillKind kind, std::span<const StillImage> images,
                                                    const StillShape& shape, const StillOptions& options = {});
// Throws the Error{usage} of pack_still_array() for images of this description.
TEXCAST_API void require_shape(StillKind kind, const TextureDesc& image, const StillShape& shape);

// Reads one image of a whole file; its other images are ignored. Volumes, unknown formats and images that the file does
// not have are Error{corrupt} too, with a message that says so. Memory is allocated only after the file is known to
// have enough blocks.
TEXCAST_API Still unpack_still(StillKind kind, std::span<const std::byte> file, const StillPart& part = {});
// As unpack_still(), without the blocks, which may be missing.
TEXCAST_API StillInfo still_info(StillKind kind, std::span<const std::byte> file, const StillPart& part = {});

}  // namespace texcast
