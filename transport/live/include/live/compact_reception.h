// compact_reception.h — what came of a compact stream's frames, to textures in the pool's memory; and what to ask the
// sender for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/workers.h"
#include "compact/frame_decoder.h"
#include "live/block_pool.h"
#include "transport/receive_session.h"

namespace texcast::stream {

// Of a compact stream, all frames together.
struct CompactReceived {
  uint64_t passed = 0, against = 0, alone = 0, plain = 0;  // tiles, as payloads told
  uint64_t concealed = 0;                                  // tiles that no payload told of
  uint64_t repaired = 0;                                   // tiles that were not right and are
  uint64_t wrong = 0;                                      // tiles that are not right in the latest frame
  uint64_t damaged = 0, disagreed = 0;                     // payloads
  uint64_t asked = 0;                                      // requests sent
  uint64_t held_back = 0;  // frames not passed on because there was no whole picture yet
};

// Not thread-safe.
class CompactReception {
 public:
  explicit CompactReception(BlockPool& pool, int threads = Workers::suggested_threads());

  // The frame as a texture; empty where there is no memory for it, or where it is not yet worth to be seen (until the
  // first whole picture, but at most a second): status says which.
  FrameRef decode(const transport::ReceivedFrame& frame, const TextureDesc& texture, SteadyTime now);
  // The stream went on without a frame for which there was no memory.
  // What to ask for now; nothing where all is right, or was asked for just now. Valid until the next call.
  std::optional<transport::TileQuery> query(SteadyTime now);
  const CompactReceived& counts() const { return counts_; }

 private:
  BlockPool& pool_;
  Workers workers_;
  std::optional<compact::FrameDecoder> decoder_;
  TextureDesc texture_{};
  FrameRef latest_;  // that was decoded
  uint64_t latest_number_ = 0;
  uint32_t latest_buffer_id_ = 0;
  bool was_whole_ = false;
  SteadyTime begun_{};
  SteadyTime asked_at_{};
  int asked_in_vain_ = 0;
  uint64_t repaired_when_asked_ = 0;
  std::vector<transport::PacketRange> ranges_;
  CompactReceived counts_;
};

}  // namespace texcast::stream
