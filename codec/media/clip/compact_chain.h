// compact_chain.h — compact frames rebuilt one after the other, as each needs the one before, into memory that may be
// lent out meanwhile.
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

// Not thread-safe, but textures may be given back on any thread, also when this is gone.
class CompactChain {
 public:
  // `workers` share a frame's tiles, and must outlive this.
  CompactChain(const TextureDesc& texture, Workers& workers);

  struct Frame {
    std::shared_ptr<const std::byte> blocks{};  // of the texture's size; null: nothing could be made of the packet
    std::string damage{};                       // empty: every block is right
  };
  // The next packet. Takes memory again that nobody uses any more.
  Frame follow(Bytes packet);
  // Lossy units are rebuilt by what `make` makes (compact/reconstruction_backend.h), which is asked behind the first of
  // them, on a thread of its own; until it is made, where it is nullptr, throws Error or fails, by the workers. Once,
  // before the first packet.
  using MakeRebuilder = std::function<std::unique_ptr<compact::ReconstructionBackend>(const TextureDesc&)>;
  void use_backend(MakeRebuilder make) { make_rebuilder_ = std::move(make); }
  // A frame was lost.
  void lose() { reader_.lose(); }
  // Begins anew, at a key frame.
  void restart() { last_.reset(); }
  size_t texture_bytes() const { return bytes_; }

 private:
  class Memory;

  void take_rebuilder();

  container::CompactFrameReader reader_;
  size_t bytes_;
  std::shared_ptr<Memory> memory_;
  std::shared_ptr<std::byte> last_;  // what the next frame needs
  const TextureDesc texture_;
  MakeRebuilder make_rebuilder_;  // until it is asked
  BuiltLater<std::unique_ptr<compact::ReconstructionBackend>> rebuilder_;
};

}  // namespace texcast::media
