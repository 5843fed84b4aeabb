// clip_reader.h — reads the blocks of compressed-texture files: Hap, the coded stream and texcast's own codecs in .mov
// and .mkv, and .dds, .ktx2, .astc. The public interface is texcast/file_reader.h, which is built on this one.
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

// Reading and decompressing are separate, so that one thread reads while others decompress:
//     while (auto stored = reader->next_stored(); stored && *stored) reader->unpack(**stored, blocks);
// Not thread-safe except for unpack().
class ClipReader {
 public:
  virtual ~ClipReader() = default;
  virtual const ClipInfo& info() const = 0;
  // Returns the next frame, or nothing at the end. A Failure names a damaged frame; reading then goes on after it.
  virtual Result<std::optional<StoredFrame>> next_stored() = 0;
  // Decompresses the frame's blocks into `blocks`, which has texture_layout(info().texture).total_bytes (else misuse).
  // A Failure names the damaged frame, and the contents of `blocks` are unspecified. If the frame has `damage`,
  // `blocks` gets the correct blocks and elsewhere the closest substitute. Thread-safe on distinct `blocks`, also
  // concurrently with the other calls.
  virtual Result<void> unpack(const StoredFrame& stored, MutableBytes blocks) const = 0;
  // Reads every image of a frame, as container::each_image() does for .dds and .ktx2 files. Other files have one, which
  // is that of unpack().
  virtual void each_image(const StoredFrame& stored, const container::TakeImage& take);
  // The next frame will be the last one at or before `pts`, or the first one if there is none.
  virtual void seek(nanoseconds pts) = 0;
  // The next frame will be the one with this number, from 0, or the last one if there are not so many. Exact if the
  // file has an index of its frames (every .mov, sequences), else by the frame rate.
  virtual void seek_to_frame(int64_t number) = 0;
  // Lossy frames of a coded stream are reconstructed by the backend that `make` returns. `make` is called on its own
  // thread; until it returns, or if it returns nullptr, the CPU reconstructs. It is not called for files without such
  // frames. Call it once, before the first frame.
  using MakeRebuilder = std::function<std::unique_ptr<compact::ReconstructionBackend>(const TextureDesc&)>;
  virtual void use_backend(const MakeRebuilder&) {}
  // From here on unpack() need not fill other bytes than these of the blocks: Hap's chunks without one of them are not
  // decompressed. Call it before the first frame.
  virtual void want_only(const std::vector<MemoryRange>&) {}
  // From here on next_stored() decodes nothing, and unpack() must not be called.
  virtual void only_look() {}

  // next_stored() and unpack() in one, into memory of the reader.
  Result<std::optional<ClipFrame>> next();

 private:
  std::vector<std::byte> blocks_;
};

// A .dds, .ktx2 or .astc may be a sequence: a path with one %d or %0Nd in it, whose numbers begin at 0 or 1. `part`
// selects an image of such a file, or of each file of the sequence. Throws Error{input} if the file cannot be opened,
// has other contents (the message tells if it is a recording that was never closed), or does not have the part;
// Error{corrupt} if its header is inconsistent; Error{usage} for parts of other files.
std::unique_ptr<ClipReader> open_clip(const std::string& path, const StillPart& part = {});
// Whether the file looks like one that open_clip() reads, so that `play` and `decode` can distinguish it from ordinary
// video. False if it cannot be read. Thread-safe.
bool is_clip(const std::string& path);

}  // namespace texcast::media
