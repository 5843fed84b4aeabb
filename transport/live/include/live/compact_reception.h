// compact_reception.h — what came of a compact stream's frames, to textures in the pool's memory; and what to ask the
// sender for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/built_later.h"
#include "base/line_limit.h"
#include "base/workers.h"
#include "compact/frame_decoder.h"
#include "live/block_pool.h"
#include "live/payload_decoder.h"
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
  uint64_t refuted = 0;    // rows of tiles that were taken for right, and are not what the sender sent
};

class CompactReception final : public PayloadDecoder {
 public:
  // `device`: as choose_devices() takes it. Where the first of those that are quicker than threads (a GPU) can rebuild
  // a stream with loss, it does so once its kernels are built. Nothing: threads decode all.
  explicit CompactReception(int threads = Workers::suggested_threads(), std::optional<std::string> device = {});

  // There is nothing to show until the first whole picture, but for a second at most; of a large picture (1 MiB) not
  // before a quarter of it was right once either.
  std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef& out) override;
  // Rows of tiles that add up to something else are not right. Sums hold for their own frame only.
  void compare(const transport::TileSums& sums) override;
  uint64_t work() const override { return work_; }
  // All that is not right, with every frame; less and less often where nothing comes of it. Nothing where all is right.
  // Valid until the next call.
  std::optional<transport::TileQuery> query(SteadyTime now) override;
  std::optional<SteadyTime> next_query() const override;
  const CompactReceived& counts() const { return counts_; }
  // A byte a tile: 1 where it is known to be right. Of the frame decoded last; there has been one.
  std::span<const uint8_t> right() const { return decoder_->right(); }

 private:
  void note_seen();
  bool is_worth_showing(SteadyTime now) const;
  void compare_rows();
  nanoseconds pause_at(SteadyTime now) const;
  void take_device(bool is_lossy);
  void keep_payloads(const transport::ReceivedFrame& frame, PooledFrame& out) const;
  Workers workers_;
  std::optional<compact::FrameDecoder> decoder_;
  TextureDesc texture_{};
  FrameRef latest_;  // that was decoded
  uint64_t latest_number_ = 0;
  uint32_t latest_buffer_id_ = 0;
  bool was_whole_ = false;
  std::vector<uint8_t> seen_;  // tiles that were right once
  size_t seen_count_ = 0;
  SteadyTime begun_{};
  std::optional<SteadyTime> asked_at_;
  std::optional<SteadyTime> hopes_since_;  // tiles are wrong, and none was mended
  bool is_news_ = false;                   // a frame was decoded since asked_at_
  std::vector<transport::PacketRange> ranges_;
  std::optional<transport::TileSums> sums_;  // of a frame that has not been decoded yet
  std::vector<std::byte> sum_bytes_;
  CompactReceived counts_;
  uint64_t work_ = 0;
  const std::optional<std::string> device_;
  bool has_asked_ = false;  // for the device, for this decoder
  TextureDesc built_for_{};
  LineLimit failures_;                                                     // of builds
  BuiltLater<std::unique_ptr<compact::ReconstructionBackend>> rebuilder_;  // null: there is no such device
};

}  // namespace texcast::stream
