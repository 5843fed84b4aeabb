// payload_decoder.h — the interface between the receiving thread and a decoder for payloads of coded streams.
#pragma once

#include <cstdint>
#include <optional>

#include "texcast/frame_times.h"
#include "textures/block_pool.h"
#include "transport/receive_session.h"

namespace texcast::stream {

// One call at a time: decode() and compare() on the decoding thread, the others on the receiving thread.
class PayloadDecoder {
 public:
  virtual ~PayloadDecoder() = default;

  // Decodes frames in order, each with the payloads that arrived; frames of which nothing arrived are gaps in
  // ReceivedFrame::buffer_id. Writes all of `out->blocks`, whose content is undefined, and whose format is `out->desc`.
  // A share in `out` may be kept as a reference for later frames; its blocks do not change then. If `out` is empty
  // there is no memory for the frame, and it is not shown. Returns the number of wrong blocks; nothing: there is
  // nothing to show.
  virtual std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef& out) = 0;
  // The sender's checksums over the tiles of a frame.
  virtual void compare(const transport::TileSums& /*sums*/) {}
  // Bytes of textures written, copied or cleared so far (decoding_budget.h).
  virtual uint64_t work() const { return 0; }

  // The tiles to request from the sender now. Called until it returns nothing, after datagrams arrived and at
  // next_query(), which is in the past if there is something now, and empty if there is nothing to request.
  virtual std::optional<transport::TileQuery> query(SteadyTime /*now*/) { return std::nullopt; }
  virtual std::optional<SteadyTime> next_query() const { return std::nullopt; }
};

}  // namespace texcast::stream
