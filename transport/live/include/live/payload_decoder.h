// payload_decoder.h — what makes blocks of a compact stream's payloads: the coder, as the receiving thread sees it.
#pragma once

#include <cstdint>
#include <optional>

#include "live/block_pool.h"
#include "texcast/frame_times.h"
#include "transport/receive_session.h"

namespace texcast::stream {

// One call at a time: decode() and compare() on the decoding thread, the others on the receiving thread.
class PayloadDecoder {
 public:
  virtual ~PayloadDecoder() = default;

  // Frames in order, each with the payloads that came; those of which nothing came are gaps in
  // ReceivedFrame::buffer_id. All of `out->blocks`, which are of any content, is to be written; `out->desc` says what
  // they are. A share in `out` may be kept, to decode later frames from; its blocks stay as they are from then on. An
  // empty `out`: there is no memory for it, and the frame is not shown. Gives how many blocks are not right; nothing:
  // there is nothing to show.
  virtual std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef& out) = 0;
  // The sender's sums over the tiles of a frame.
  virtual void compare(const transport::TileSums& /*sums*/) {}
  // Bytes of textures that were written, copied or cleared so far (decoding_budget.h).
  virtual uint64_t work() const { return 0; }

  // What to ask the sender for now; called until there is nothing, whenever datagrams came and at next_query(). In the
  // past where there is something now, none where there is nothing to ask for.
  virtual std::optional<transport::TileQuery> query(SteadyTime /*now*/) { return std::nullopt; }
  virtual std::optional<SteadyTime> next_query() const { return std::nullopt; }
};

}  // namespace texcast::stream
