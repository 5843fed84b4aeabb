// rate_control.h — rate control of lossy streams: which of a frame's tiles are coded and with which lambda, so that no
// frame overflows a buffer that drains at the rate of the stream.
//
//     compact::RateControl rate(grid.tiles(), {.bits_per_s = 30e6, .fps = 60, .payload_bytes = 1390});
//     for each frame: rate.begin(1); encoder.encode({.texture = blocks, .target = rate.target(), .rate = &rate}) …
//
// begin() drains the buffer (RateBuffer), and the space that is then left is the most that the frame may take.
// FrameEncoder asks for a plan before it codes anything, adapts lambda to the remaining bytes after each batch, and
// asks for each tile whether it still has room. Tiles without room are deferred to a later frame, in which those that
// were deferred longest come first.
//
// It only computes: it reads no clock, and nothing depends on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compact/frame_budget.h"
#include "compact/rate_buffer.h"
#include "compact/rate_model.h"
#include "compact/rd_parameters.h"

namespace texcast::compact {

inline constexpr double kFinestCrf = 16;  // of streams with a rate but no crf; films hardly improve beyond it

struct RateSettings {
  double bits_per_s = 0;
  double fps = 60;
  double buffer_frames = 2;     // capacity of the buffer in frame times; a scene cut may use all of it at once
  double crf = kFinestCrf;      // quality is never better than this, except that of the quality ramp
  int refinements = 4;          // steps of the quality ramp
  size_t payload_bytes = 1390;  // as for PayloadWriter
  // The line bytes of payloads with all their headers. Empty: the bytes of the payloads.
  FrameBudget::LineBytes line_bytes{};
};

// Not thread-safe. Allocates at construction only.
class RateControl {
 public:
  RateControl(uint32_t tiles, const RateSettings& settings);
  RateControl(const RateControl&) = delete;
  RateControl& operator=(const RateControl&) = delete;
  // From the next frame on; the model keeps all that it has learned.
  void set_rate(double bits_per_s);
  void set_crf(double crf);
  double bits_per_s() const { return buffer_.bits_per_s(); }

  // Begins a frame, so many frame times after the previous one (above 0; 1 if the source keeps its frame rate), with a
  // history of so many bytes (PayloadWriter::history_bytes()).
  void begin(double frame_times, size_t history_bytes = 0);
  // So many bytes were sent that belong to no frame: retransmissions.
  void charge(size_t line_bytes) { buffer_.add(static_cast<double>(line_bytes)); }
  // For FrameToEncode::target. The lambda of the frame's first batch is found by plan().
  RdParameters target() const { return parameters_; }

  // For the encoder: chooses the tiles to code, and the parameters of the first batch.
  RdParameters plan(std::span<TileToCode> tiles);
  // Whether the plan is a guess, as for the first frame or one unlike the previous ones. It becomes better if the
  // encoder codes some of the tiles with it, calls add_trial() for each, and plans again.
  bool needs_trial() const { return needs_trial_; }
  void add_trial(const TileToCode& tile, size_t slice_bytes);
  // For the encoder, in the order in which slices are sent: whether there is room for the slices of `tiles`, which are
  // one tile, or all tiles of a slice of several. Admitted slices must be sent.
  Admission admit(std::span<const TileToCode> tiles, std::span<const CodedSlice> slices);
  // For the encoder, between batches: the parameters of the next batch.
  RdParameters next_batch();
  // For the encoder, at the end of the frame.
  void end();

  // The latest frame: the line bytes that it may take, and that it takes.
  size_t most_bytes() const { return budget_.most_line_bytes(); }
  size_t taken_bytes() const { return budget_.used_line_bytes(); }
  // About the crf of the inter and intra tiles in the last frame that had any.
  double crf() const;
  // The fill of the buffer in frame times.
  double waiting() const { return buffer_.fill() / buffer_.frame_bytes(); }

 private:
  double wanted_line_bytes(double unit_bytes);
  double coarse_unit_bytes(std::span<const TileToCode> tiles, double lambda) const;
  RdParameters set_lambda(double lambda);

  RdParameters finest_;
  RdParameters parameters_;  // of the current batch
  const int refinements_;
  RateModel model_;
  RateBuffer buffer_;
  FrameBudget budget_;
  double first_lambda_ = 0, lambda_ = 0;  // of the first batch, of the current one
  bool needs_trial_ = false, had_trial_ = false;
};

}  // namespace texcast::compact
