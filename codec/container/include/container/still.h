// still.h — one texture in a file, DDS, KTX2 or .astc: whole files in memory, bytes in and bytes out. Others are given
// texcast/container.h, which stands on this.
//
//   const auto writer = container::make_still_writer(container::StillKind::ktx2, {.zstd = true});
//   for (const Bytes piece : writer->file_of(texture)) file.write(piece);
//   …
//   const auto info = container::inspect_still(container::StillKind::ktx2, file);
//   blocks.resize(texture_layout(info->desc).total_bytes);
//   container::read_still(container::StillKind::ktx2, file, blocks);
//
// Which texture formats each can hold, and how, is in docs/format.md, ".dds", ".ktx2" and ".astc".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "texcast/container.h"
#include "texcast/format.h"

namespace texcast::container {

using texcast::can_hold;
using texcast::StillInfo;
using texcast::StillKind;
using texcast::StillOptions;
using texcast::StillPart;

// Not thread-safe. Memory grows on the first calls and is reused afterwards.
class StillWriter {
 public:
  virtual ~StillWriter() = default;
  // The file, in pieces to be written one after the other. They last until the next call, and as long as the textures
  // do. `smaller`: mip levels from the second on, of DDS and KTX2. Blocks must be of texture_layout's sizes (else
  // misuse).
  virtual std::span<const Bytes> file_of(const TextureView& texture, std::span<const TextureView> smaller) = 0;
  std::span<const Bytes> file_of(const TextureView& texture) { return file_of(texture, {}); }
};
// For formats that can_hold has (others are misuse).
std::unique_ptr<StillWriter> make_still_writer(StillKind kind, const StillOptions& options = {});

// One image of a whole file from outside: its others are left alone. Volumes, unknown formats and parts that the file
// does not have are a Failure that says so. Thread-safe.
Result<StillInfo> inspect_still(StillKind kind, Bytes file, const StillPart& part = {});
// That its blocks are there, as many as its size needs: before memory is taken for them. Thread-safe.
Result<void> check_still(StillKind kind, Bytes file, const StillPart& part = {});
// The blocks. `blocks` has texture_layout's size of what inspect_still gives (else Error{misuse}), and unspecified
// contents on a Failure. Thread-safe.
Result<void> read_still(StillKind kind, Bytes file, MutableBytes blocks, const StillPart& part = {});

// Reads every image of a file from outside: all levels, layers and faces, in the order of the file. `take` gets the
// place of the image and its blocks, which are valid until it returns, or a Failure if the image is damaged; it returns
// false to end the walk. Images that cannot be located behind a damaged one are not passed to `take`: the damaged one's
// Failure says how many there are. If the header makes no sense, that is the Failure of the first image. Thread-safe.
using TakeImage = std::function<bool(const StillPart& part, const Result<TextureView>& image)>;
void each_image(StillKind kind, Bytes file, const TakeImage& take);

// How long a file is that begins so, by its header: there is no use for what lies behind. `head` has kStillHead bytes,
// or all of a file that is shorter. A Failure where the header alone says that nothing of the file can be read.
// Thread-safe.
inline constexpr size_t kStillHead = 512;
Result<uint64_t> still_bytes(StillKind kind, Bytes head);

// True when the file begins as one of this kind does.
bool looks_like(StillKind kind, Bytes start_of_file);

// "bc1, bc3, …": all that can_hold has, for messages.
std::string list_formats_of(StillKind kind);

}  // namespace texcast::container
