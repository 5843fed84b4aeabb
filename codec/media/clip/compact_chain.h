// compact_chain.h — decodes frames of the coded stream in order, as each depends on the previous one, into memory that
// may be lent out meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/built_later.h"
#include "base/bytes.h"
#include "base/workers.h"
#include "compact/reconstruction_backend.h"
#include "container/compact_frame.h"
#include "texcast/format.h"

namespace texcast::media {

// Not thread-safe, but textures may be given back on any thread, also after this is destroyed.
class CompactChain {
 public:
  // `workers` share a frame's tiles, and must outlive this.
  CompactChain(const TextureDesc& texture, Workers& workers);

  struct Frame {
    std::shared_ptr<const std::byte> blocks{};  // of the texture's size; null: the packet could not be decoded at all
    std::string damage{};                       // empty: every block is correct
  };
  // Decodes the next packet. Reuses memory that nobody uses any more.
  Frame follow(Bytes packet);
  // Lossy slices are reconstructed by the backend that `make` returns (compact/reconstruction_backend.h). `make` is
  // called after the first lossy frame, on its own thread. Until it returns, or if it returns nullptr, throws Error or
  // the backend fails, the workers reconstruct. Call it once, before the first packet.
  using MakeRebuilder = std::function<std::unique_ptr<compact::ReconstructionBackend>(const TextureDesc&)>;
  void use_backend(MakeRebuilder make) { make_rebuilder_ = std::move(make); }
  // A frame was lost.
  void lose() { reader_.lose(); }
  // Begins again, at a key frame.
  void restart() { last_.reset(); }
  size_t texture_bytes() const { return bytes_; }

 private:
  class Memory;

  void take_rebuilder();

  container::CompactFrameReader reader_;
  size_t bytes_;
  std::shared_ptr<Memory> memory_;
  std::shared_ptr<std::byte> last_;  // the reference of the next frame
  const TextureDesc texture_;
  MakeRebuilder make_rebuilder_;  // until it was called
  BuiltLater<std::unique_ptr<compact::ReconstructionBackend>> rebuilder_;
};

}  // namespace texcast::media
