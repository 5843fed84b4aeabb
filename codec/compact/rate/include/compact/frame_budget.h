// frame_budget.h — the bytes of one frame under rate control: how many are planned for its tiles, which tiles are
// chosen for them, and which slices are admitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compact/coded_slice.h"
#include "compact/payload.h"
#include "compact/rate_model.h"

namespace texcast::compact {

// Whether slices may be sent in this frame.
enum class Admission : uint8_t {
  admitted,
  deferred,  // to a later frame
  never,     // a refinement that is larger than any frame has room for
};

// "Line bytes" are all bytes on the line, "bytes" are those of slices. "Changed" tiles are all but refinements.
// Not thread-safe. Allocates at construction only.
class FrameBudget {
 public:
  using LineBytes = std::function<size_t(const PayloadSizes::Sum&)>;
  // Keeps a reference to `model`, which must outlive this. An empty `line_bytes` counts the bytes of payloads.
  FrameBudget(uint32_t tiles, size_t payload_bytes, LineBytes line_bytes, RateModel& model);

  void begin(size_t most_line_bytes, size_t history_bytes);
  // The bytes that fit into so many line bytes, at the current overhead.
  double bytes_in(double line_bytes) const;

  // Both choose tiles for so many bytes. Changed tiles are coded with `lambda`, and their predicted bytes are returned.
  // Refinements get the lambda with which they are to be coded, but not less than `finest` or TileToCode::finest.
  double choose_changed(std::span<TileToCode> tiles, double bytes, double lambda);
  void choose_refinements(std::span<TileToCode> tiles, double bytes, int finest);

  // Admits the slices of `tiles`, which all have the same need and were coded with `lambda`, if there is room.
  // `never_above`: line bytes above which refinements will never be admitted.
  Admission admit(std::span<const TileToCode> tiles, std::span<const CodedSlice> slices, double lambda,
                  double never_above);
  // The lambdas at which the remaining changed tiles take the bytes that are planned for them, and at which they take
  // all that is left of `most_line_bytes`. nullopt: no tiles remain, or none were coded.
  struct Lambdas {
    double planned, least;
  };
  std::optional<Lambdas> lambdas_of_rest(double most_line_bytes) const;
  // Ends the frame, from which the model learns.
  void end();

  size_t most_line_bytes() const { return most_line_bytes_; }
  size_t used_line_bytes() const { return used_line_bytes_; }

 private:
  size_t line_bytes(const PayloadSizes& sizes) const;
  size_t line_bytes_of_slices() const { return used_line_bytes_ - empty_line_bytes_; }

  RateModel& model_;
  const LineBytes line_bytes_;
  PayloadSizes sizes_;
  size_t most_line_bytes_ = 0, used_line_bytes_ = 0, empty_line_bytes_ = 0;  // empty: of a frame without slices
  double used_bytes_ = 0;
  struct Part {
    double planned = 0, used = 0;
    double predicted = 0, predicted_of_used = 0;  // bytes of all chosen tiles, and of those whose bytes are known
  };
  Part changed_, refinements_;
  // Bytes at lambda 1 of chosen changed tiles that are still to come, and of those among them that were deferred
  // before.
  double rest_ = 0, deferred_rest_ = 0;
  double log_lambda_sum_ = 0, log_lambda_weight_ = 0;
  std::vector<uint32_t> order_;
};

}  // namespace texcast::compact
