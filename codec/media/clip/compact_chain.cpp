#include "compact_chain.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/log.h"
#include "texcast/error.h"

namespace texcast::media {

// Unused textures, kept for reuse: as many as were ever in use at the same time.
class CompactChain::Memory {
 public:
  static std::shared_ptr<std::byte> lend(const std::shared_ptr<Memory>& memory, size_t bytes) {
    std::unique_ptr<std::byte[]> texture;
    {
      const std::lock_guard lock(memory->mutex_);
      if (!memory->free_.empty()) {
        texture = std::move(memory->free_.back());
        memory->free_.pop_back();
      }
    }
    if (!texture) texture = std::make_unique_for_overwrite<std::byte[]>(bytes);
    return {texture.release(), [memory](std::byte* given_back) {
              const std::lock_guard lock(memory->mutex_);
              memory->free_.emplace_back(given_back);
            }};
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::byte[]>> free_;
};

CompactChain::CompactChain(const TextureDesc& texture, Workers& workers)
    : reader_(texture, workers),
      bytes_(texture_layout(texture).total_bytes),
      memory_(std::make_shared<Memory>()),
      texture_(texture) {}

void CompactChain::take_rebuilder() {
  try {
    if (auto built = rebuilder_.take(); built && *built != nullptr) reader_.use_backend(std::move(*built));
  } catch (const Error& error) {
    log_warning("decoding the coded stream on the CPU: {}", error.what());
  }
}

CompactChain::Frame CompactChain::follow(Bytes packet) {
  take_rebuilder();
  std::shared_ptr<std::byte> blocks = Memory::lend(memory_, bytes_);
  auto picture = reader_.read(packet, last_.get(), {blocks.get(), bytes_});
  if (!picture.is_there) return {.damage = std::move(picture.damage)};
  if (picture.is_lossy && make_rebuilder_)
    rebuilder_.build([make = std::exchange(make_rebuilder_, {}), texture = texture_] { return make(texture); });
  last_ = blocks;
  return {.blocks = std::move(blocks), .damage = std::move(picture.damage)};
}

}  // namespace texcast::media
