// still.h — one texture in a file (DDS, KTX2 or .astc): whole files in memory, bytes in and bytes out. The public
// interface is texcast/container.h, which is built on this one.
//
//   const auto writer = container::make_still_writer(container::StillKind::ktx2, {.zstd = true});
//   for (const Bytes piece : writer->file_of(texture)) file.write(piece);
//   …
//   const auto info = container::inspect_still(container::StillKind::ktx2, file);
//   blocks.resize(texture_layout(info->desc).total_bytes);
//   container::read_still(container::StillKind::ktx2, file, blocks);
//
// docs/format.md, ".dds", ".ktx2" and ".astc", tells which texture formats each of them can hold, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "texcast/container.h"
#include "texcast/format.h"

namespace texcast::container {

using texcast::can_hold;
using texcast::StillImage;
using texcast::StillInfo;
using texcast::StillKind;
using texcast::StillOptions;
using texcast::StillPart;
using texcast::StillShape;

// Not thread-safe. Memory grows on the first calls and is reused afterwards.
class StillWriter {
 public:
  virtual ~StillWriter() = default;
  // Returns the file in pieces, which are to be written one after the other. They are valid until the next call and as
  // long as the textures are. Images are as pack_still_array() requires them (else misuse).
  virtual std::span<const Bytes> file_of(std::span<const StillImage> images, const StillShape& shape) = 0;
  // One image. `smaller`: mip levels from the second on, for DDS and KTX2.
  std::span<const Bytes> file_of(const TextureView& texture, std::span<const TextureView> smaller = {}) {
    levels_.assign(1, texture);
    levels_.insert(levels_.end(), smaller.begin(), smaller.end());
    const StillImage image = levels_;
    return file_of(std::span(&image, 1), {});
  }

 private:
  std::vector<TextureView> levels_;
};
// The kind must be able to hold the format (can_hold(), else misuse).
std::unique_ptr<StillWriter> make_still_writer(StillKind kind, const StillOptions& options = {});

// Describes one image of a whole file from outside; its other images are ignored. Volumes, unknown formats and parts
// that the file does not have are a Failure that says so. Thread-safe.
Result<StillInfo> inspect_still(StillKind kind, Bytes file, const StillPart& part = {});
// Checks that the file has as many blocks as the image's size needs. Call it before memory is allocated for them.
// Thread-safe.
Result<void> check_still(StillKind kind, Bytes file, const StillPart& part = {});
// Reads the blocks. `blocks` has texture_layout's size for the description that inspect_still() returns (else
// Error{misuse}); its contents are unspecified after a Failure. Thread-safe.
Result<void> read_still(StillKind kind, Bytes file, MutableBytes blocks, const StillPart& part = {});

// Reads every image of a file from outside: all levels, layers and faces, in the order of the file. `take` gets the
// place of the image and its blocks, which are valid until it returns, or a Failure if the image is damaged; it returns
// false to stop. Images after a damaged one that cannot be located are not passed to `take`: the Failure of the damaged
// one tells how many there are. If the header is invalid, that is the Failure of the first image. Thread-safe.
using TakeImage = std::function<bool(const StillPart& part, const Result<TextureView>& image)>;
void each_image(StillKind kind, Bytes file, const TakeImage& take);

// The length of the file as its header tells it; anything after that is not needed. `head` has kStillHead bytes, or the
// whole file if it is shorter. Fails if the header alone shows that nothing of the file can be read. Thread-safe.
inline constexpr size_t kStillHead = 512;
Result<uint64_t> still_bytes(StillKind kind, Bytes head);

// True if the file begins like one of this kind.
bool looks_like(StillKind kind, Bytes start_of_file);

// "bc1, bc3, …": all formats that the kind can hold, for messages.
std::string list_formats_of(StillKind kind);

}  // namespace texcast::container
