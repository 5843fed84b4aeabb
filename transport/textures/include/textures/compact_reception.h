// compact_reception.h — decodes the frames of a coded stream into textures in the pool's memory, and requests tiles
// from the sender.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/workers.h"
#include "compact/frame_decoder.h"
#include "textures/block_pool.h"
#include "textures/payload_decoder.h"
#include "transport/receive_session.h"

namespace texcast::stream {

// Totals over all frames of coded streams.
struct CompactReceived {
  uint64_t skipped = 0, inter = 0, intra = 0, plain = 0;  // tiles, as coded
  uint64_t transform = 0;                                 // of the inter and intra tiles, with transform coding
  uint64_t concealed = 0;                                 // tiles that no payload contained
  uint64_t repaired = 0;                                  // wrong tiles that became right
  uint64_t wrong = 0;                                     // tiles that are wrong in the latest frame
  uint64_t damaged = 0, disagreed = 0;                    // payloads
  uint64_t asked = 0;                                     // requests sent
  uint64_t held_back = 0;                                 // frames not delivered because no picture was complete yet
  uint64_t refuted = 0;  // rows of tiles that seemed right, but differ from the sender's checksums
};

// Builds reconstruction backends while frames are decoded without one.
class BackendBuilder {
 public:
  virtual ~BackendBuilder() = default;
  // Begins to build a backend for textures of that description, if none is being built. False: one is being built.
  virtual bool begin(const TextureDesc& texture) = 0;
  // The backend once it is built; nothing before that, and if there is none.
  virtual std::unique_ptr<compact::ReconstructionBackend> take() = 0;
};

class CompactReception final : public PayloadDecoder {
 public:
  // `builder`: its backend takes over lossy streams once it is built. nullptr: threads decode everything.
  explicit CompactReception(int threads = Workers::suggested_threads(), std::unique_ptr<BackendBuilder> builder = {});

  // From now on the first right frame of a stream with transform coding has PooledFrame::samples, so that a recording
  // can begin with it.
  void give_samples_first() { gives_samples_first_ = true; }
  // Returns nothing until the first complete picture, but for at most a second; for a large picture (1 MiB) also until
  // a quarter of it has been right.
  std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef& out) override;
  // decode() in two steps, for a caller that has slices decoded elsewhere: between them it decodes those of decoder()
  // (FrameDecoder::begin()). Both get the arguments of decode(); the frame's payloads stay valid and unchanged in
  // between. False: there is nothing to decode or finish. Nothing is requested in between.
  bool begin(const transport::ReceivedFrame& frame, const FrameRef& out);
  std::optional<uint32_t> finish(const transport::ReceivedFrame& frame, const FrameRef& out);
  compact::FrameDecoder& decoder() { return *decoder_; }
  const FrameRef& latest() const { return latest_; }  // decoded last, the next frame's reference; empty: there is none
  // Marks rows of tiles as wrong if their checksums differ. The checksums are valid for their own frame only.
  void compare(const transport::TileSums& sums) override;
  uint64_t work() const override { return work_; }
  // Requests all wrong tiles, after each frame; less and less often while no tile is repaired. Nothing if all tiles are
  // right. Valid until the next call.
  std::optional<transport::TileQuery> query(SteadyTime now) override;
  std::optional<SteadyTime> next_query() const override;
  const CompactReceived& counts() const { return counts_; }
  // A byte for each tile of the frame decoded last: 1 if it is known to be right. Requires a decoded frame.
  std::span<const uint8_t> right() const { return decoder_->right(); }

 private:
  void note_seen();
  bool is_worth_showing(SteadyTime now) const;
  void compare_rows();
  nanoseconds pause_at(SteadyTime now) const;
  void take_backend(bool is_lossy);
  void keep_payloads(const transport::ReceivedFrame& frame, PooledFrame& out) const;
  void give_samples(PooledFrame& out);
  Workers workers_;
  std::optional<compact::FrameDecoder> decoder_;
  TextureDesc texture_{};
  bool is_under_way_ = false;  // a frame, between begin() and finish()
  FrameRef latest_;            // decoded last
  uint64_t latest_number_ = 0;
  uint32_t latest_buffer_id_ = 0;
  bool was_whole_ = false;
  std::vector<uint8_t> seen_;  // tiles that have been right
  size_t seen_count_ = 0;
  SteadyTime begun_{};
  std::optional<SteadyTime> asked_at_;
  std::optional<SteadyTime> no_success_since_;  // tiles are wrong, and none was repaired
  bool is_news_ = false;                        // a frame was decoded since asked_at_
  std::vector<transport::PacketRange> ranges_;
  std::optional<transport::TileSums> sums_;  // for a frame that has not been decoded yet
  std::vector<std::byte> sum_bytes_;
  CompactReceived counts_;
  uint64_t work_ = 0;
  const std::unique_ptr<BackendBuilder> builder_;
  bool is_backend_requested_ = false;  // for this decoder
  TextureDesc built_for_{};
  bool gives_samples_first_ = false;
  const std::shared_ptr<std::atomic<bool>> wants_samples_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace texcast::stream
