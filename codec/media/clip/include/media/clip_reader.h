// clip_reader.h — compressed-texture files back to blocks: Hap and our own codes in .mov and .mkv, .dds, .ktx2, .astc.
// Others are given texcast/file_reader.h, which stands on this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "compact/reconstruction_backend.h"
#include "container/still.h"
#include "texcast/container.h"
#include "texcast/file_reader.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"

namespace texcast::media {

using ClipInfo = FileInfo;
using ClipFrame = FileFrame;
using texcast::StoredFrame;

// Reading and unpacking are apart, so that one thread reads while others unpack:
//     while (auto stored = reader->next_stored(); stored && *stored) reader->unpack(**stored, blocks);
// Not thread-safe but for unpack().
class ClipReader {
 public:
  virtual ~ClipReader() = default;
  virtual const ClipInfo& info() const = 0;
  // The next frame; nothing at the end; a Failure for a damaged frame, naming it, after which reading goes on.
  virtual Result<std::optional<StoredFrame>> next_stored() = 0;
  // The frame's blocks into `blocks`, which has texture_layout(info().texture).total_bytes (else misuse). A Failure
  // names the frame that is damaged; `blocks` then has unspecified contents, but where the frame has `damage`: what is
  // right of it, and elsewhere what comes nearest. Thread-safe on distinct `blocks`, also beside the other calls.
  virtual Result<void> unpack(const StoredFrame& stored, MutableBytes blocks) const = 0;
  // Every image of a frame, as container::each_image() gives those of .dds and .ktx2 files. Others have one, which is
  // what unpack() gives.
  virtual void each_image(const StoredFrame& stored, const container::TakeImage& take);
  // The next frame is then the last one at or before `pts`; the first one where none is.
  virtual void seek(nanoseconds pts) = 0;
  // The next frame is then the one with this number, from 0; the last one where there are not so many. Exact where the
  // file has an index of its frames (every .mov, sequences), else by the frame rate.
  virtual void seek_to_frame(int64_t number) = 0;
  // Compact frames with loss are rebuilt by what `make` makes on a thread of its own, once it is made; nullptr: by
  // threads. Files without such frames never ask for it. Once, before the first frame.
  using MakeRebuilder = std::function<std::unique_ptr<compact::ReconstructionBackend>(const TextureDesc&)>;
  virtual void use_backend(const MakeRebuilder&) {}
  // From here on frames are only looked at: next_stored() rebuilds nothing, and nothing may be unpacked.
  virtual void only_look() {}

  // next_stored() and unpack() in one, into memory of the reader's own.
  Result<std::optional<ClipFrame>> next();

 private:
  std::vector<std::byte> blocks_;
};

// A .dds, .ktx2 or .astc may be a sequence: a path with one %d or %0Nd in it, whose numbers begin at 0 or 1. `part`:
// which image of such a file, or of each of the sequence. Throws Error{input} where the file cannot be opened or is no
// such file (a recording that was never closed says so), or does not have the part, Error{corrupt} where its header
// contradicts itself, Error{usage} for parts of other files.
std::unique_ptr<ClipReader> open_clip(const std::string& path, const StillPart& part = {});
// Whether the file looks like one that open_clip reads, so that `play` and `decode` can tell it from ordinary video.
// False where it cannot be read. Thread-safe.
bool is_clip(const std::string& path);

}  // namespace texcast::media
