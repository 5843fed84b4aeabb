// frame_store.h — memory that a session receives frames into, lent by whoever will use the frames: a packet's payload
// is copied once, from its datagram to its place in the frame that is shown and recorded.
//
// Who may touch memory on loan, and when:
//   - Until the frame is given out (ReceivedFrame) the session writes to it, on its own thread, and reads it.
//   - Bytes below FrameProgress::ready_bytes are final: the session never writes them again. Others may read them while
//     the rest still comes, on any thread that has learnt of the number by way of synchronisation (an atomic written
//     with release and read with acquire, a lock).
//   - Of a frame that was given out all bytes are final. Until the next frame is given out the session goes on reading
//     them, to fill that one's holes; then it takes the memory back to the store.
//   - Whoever keeps a frame for longer tells the store, by means of its own, before the next poll(); and the store
//   lends
//     that memory to nobody until all who keep it have let go.
//   - A frame of which others have read the beginning may still come to nothing: then it is taken back, never given
//   out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace texcast::transport {

struct LentMemory {
  MutableBytes bytes{};  // as many as were asked for, or more; of any content
  size_t place = 0;      // the store's name for it
  bool is_new = true;    // else the place's memory is as it was when it was taken back
};

// What it has to do with threads is the store's matter; a session calls it on the session's own.
class FrameStore {
 public:
  virtual ~FrameStore() = default;
  // Nothing where the store has none to spare now: the session lets that frame go and counts it (frames_unbuffered). A
  // session has the frame that it gave out last on loan all the time, so a store of a single one would never see
  // another.
  virtual std::optional<LentMemory> lend(size_t bytes) = 0;
  // The session needs it no longer.
  virtual void take_back(size_t place) = 0;
};

// Plain memory, as much as is asked for. What is taken back is lent again where it is large enough, and no more than
// four times as large as asked for (with 1 MiB to spare), so that one absurd header does not hold memory for long. All
// that is not on loan is let go before more is allocated: in all it never has more than were once on loan together. Not
// thread-safe.
class HeapFrameStore final : public FrameStore {
 public:
  std::optional<LentMemory> lend(size_t bytes) override;
  void take_back(size_t place) override;

 private:
  // Whether memory of this size does for so many bytes, and is not wasted on them.
  static bool fits(size_t memory_bytes, size_t bytes);
  struct Block {
    std::unique_ptr<std::byte[]> memory{};
    size_t bytes = 0;
    bool lent = false;
    uint64_t used = 0;  // when it was taken back last: the latest is the warmest
  };
  std::vector<Block> blocks_;
  uint64_t uses_ = 0;
};

}  // namespace texcast::transport
