// frame_output.h — prepares frames of the jitter buffer for delivery: describes and numbers them, conceals losses,
// composes tiles.
//
// Owns: the frame delivered last, from which losses of the next are concealed, and the picture composed of its tiles.
// Invariants: a frame returned by give() is in the store's memory, which stays on loan until the next give(). A frame
// without a picture is not delivered but counted as lost; one without memory, as unbuffered.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frame_assembler.h"
#include "frame_history.h"
#include "incoming_frame.h"
#include "jitter_buffer.h"
#include "ssrc_selector.h"
#include "transport/frame_store.h"
#include "transport/receive_session.h"

namespace texcast::transport {

class FrameOutput {
 public:
  FrameOutput(const ReceiveSettings& settings, SsrcSelector& sender, FrameHistory& history, JitterBuffer& jitter_buffer,
              FrameAssembler& assembler, FrameStore& store, ReceiveCounters& counters)
      : settings_(settings),
        sender_(sender),
        history_(history),
        jitter_buffer_(jitter_buffer),
        assembler_(assembler),
        store_(store),
        counters_(counters) {}

  // Delivers the frame, which is finished now. Nothing if it contains no picture, or there was no memory for it.
  std::optional<ReceivedFrame> deliver(IncomingFrame& frame);
  // See ReceiveSession.
  std::optional<FrameProgress> progress() const;
  std::optional<PayloadProgress> payload_progress() const;

 private:
  bool prepare(IncomingFrame& frame);
  bool prepare_compact(IncomingFrame& frame);
  bool knows_description(const IncomingFrame& frame) const;
  StreamDesc describe_compact(const IncomingFrame& frame) const;
  void deliver_payloads(IncomingFrame& frame, ReceivedFrame& out);
  bool prepare_tile(Tile& tile, const Tile* before);
  bool prepare_composed(IncomingFrame& frame);
  int tiles_of(const IncomingFrame& frame) const;
  StreamDesc describe(const IncomingFrame& frame) const;
  FrameTimes times_of(const IncomingFrame& frame) const;
  size_t conceal_unit(const FourCC& fourcc) const;
  void fill_holes(IncomingFrame& frame, ReceivedFrame& out);
  void put_together(IncomingFrame& frame, ReceivedFrame& out);

  const ReceiveSettings& settings_;
  SsrcSelector& sender_;
  FrameHistory& history_;
  JitterBuffer& jitter_buffer_;
  FrameAssembler& assembler_;
  FrameStore& store_;
  ReceiveCounters& counters_;
  IncomingFrame* shown_ = nullptr;  // delivered last
  FrameLoan composed_;              // picture composed of several tiles
  std::vector<ByteRange> composed_concealed_;
  std::vector<Bytes> payloads_;  // of the coded frame delivered last
  uint64_t stream_begin_ = 0;    // order of the stream's frame number 0
  int64_t ticks_ = 0;            // 90 kHz since the stream's first frame
};

}  // namespace texcast::transport
