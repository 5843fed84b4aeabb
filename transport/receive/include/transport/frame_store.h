// frame_store.h — the memory that a session receives frames into, lent by the code that will use the frames. A payload
// is copied once, from its datagram to its place in the frame that is shown and recorded.
//
// Access to memory on loan:
//   - Until the frame is delivered (ReceivedFrame), the session writes and reads it on its own thread.
//   - Bytes below FrameProgress::ready_bytes are final: the session never writes them again. Other threads may read
//   them
//     while the rest of the frame arrives, if they learnt the number by synchronisation (an atomic written with release
//     and read with acquire, or a lock).
//   - All bytes of a delivered frame are final. The session reads them to conceal losses of the next frame. When that
//     is delivered, the session returns the memory.
//   - To keep a frame for longer, tell the store before the next poll(), by means of the store's own. The store lends
//     that memory to nobody until every user has released it.
//   - A frame may be dropped after others have read its beginning. It is returned then, and never delivered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace texcast::transport {

struct LentMemory {
  MutableBytes bytes{};  // at least as many as requested; content undefined
  size_t place = 0;      // identifies the memory within the store
  bool is_new = true;    // false: the content is as it was when the memory was last returned
};

// A session calls it on the session's thread. Further thread safety is up to the store.
class FrameStore {
 public:
  virtual ~FrameStore() = default;
  // Nothing: there is no free memory. The session drops the frame and counts it (frames_unbuffered). The last delivered
  // frame is always on loan, so a store needs room for at least two.
  virtual std::optional<LentMemory> lend(size_t bytes) = 0;
  // The session no longer needs the memory.
  virtual void take_back(size_t place) = 0;
};

// Heap memory without a limit. Returned memory is reused if it is large enough, and at most four times as large as
// requested plus 1 MiB, so that one absurd header does not hold memory for long. Before anything is allocated, all
// memory that is not on loan is freed: the total never exceeds the largest amount that was on loan at one time. Not
// thread-safe.
class HeapFrameStore final : public FrameStore {
 public:
  std::optional<LentMemory> lend(size_t bytes) override;
  void take_back(size_t place) override;

 private:
  // True if memory of this size can hold that many bytes without wasting too much.
  static bool fits(size_t memory_bytes, size_t bytes);
  struct Block {
    std::unique_ptr<std::byte[]> memory{};
    size_t bytes = 0;
    bool lent = false;
    uint64_t used = 0;  // when it was last returned: the latest is the warmest in cache
  };
  std::vector<Block> blocks_;
  uint64_t uses_ = 0;
};

}  // namespace texcast::transport
