// rate_control.h — how many bytes a lossy stream may take: which of a frame's tiles are coded, and how coarsely, so
// that no frame takes more than a buffer has room for that runs out at a steady rate.
//
//     compact::RateControl rate(grid.tiles(), {.bits_per_s = 30e6, .fps = 60, .payload_bytes = 1390});
//     for each frame: rate.begin(1); encoder.encode({.texture = blocks, .target = rate.target(), .rate = &rate}) …
//
// The buffer is one of RateSettings::buffer_frames frame times: what is in it is what a line of that rate would still
// have to send, so it is also how late the last byte of a frame comes there. What is left in it when a frame begins is
// told by begin(); what a frame may take at most is the rest. FrameEncoder asks for the plan before it codes anything,
// goes on as coarsely as the rest needs it after each batch, and asks for every tile whether it still has room. Tiles
// that have none are late: they come with a later frame, those that have waited longest first.
//
// Plain arithmetic: no clock, and nothing depends on threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compact/coded_slice.h"
#include "compact/payload.h"
#include "compact/rd_parameters.h"

namespace texcast::compact {

inline constexpr double kFinestCrf = 16;  // of streams with a rate and no crf: beyond it films win little

struct RateSettings {
  double bits_per_s = 0;
  double fps = 60;
  double buffer_frames = 2;     // frame times that may be waiting; of a cut, so many frames' bytes may leave at once
  double crf = kFinestCrf;      // never better than this, but for what stands (lossy.h)
  int refinements = 4;          // of what stands
  size_t payload_bytes = 1390;  // as the PayloadWriter's
  // What payloads take of the line, with all that is around them. Empty: their bytes.
  std::function<size_t(const PayloadSizes::Sum&)> line_bytes{};
};

// What a tile asks for.
enum class TileNeed : uint8_t {
  moving,  // how it differs from what was there
  anew,    // all of it: nothing like it was there, or it has to come alone
  finer,   // it stands, and gets better
};
struct TileToCode {
  uint32_t tile = 0;
  TileNeed need{};
  uint8_t late = 0;        // frames for which it has been waiting
  bool has_time = true;    // else it is not chosen; a coarser frame takes less of it
  uint32_t detail = 0;     // differences of luma that are to be told: what its bits go with
  int lambda = 0;          // `finer`: that it was told by; from plan() on that it is coded by
  bool is_chosen = false;  // by plan()
};

enum class Room : uint8_t {
  there,
  later,  // not in this frame
  never,  // a refinement that is more than any frame has room for
};

// Not thread-safe. Allocates for the largest frame alone.
class RateControl {
 public:
  RateControl(uint32_t tiles, const RateSettings& settings);
  // From the next frame on.
  void set_rate(double bits_per_s);
  double bits_per_s() const { return settings_.bits_per_s; }

  // A frame begins, so many frame times after the one before (above 0; 1 where the source keeps to its rate), with a
  // history of so many bytes, as PayloadWriter says.
  void begin(double frame_times, size_t history_bytes = 0);
  // Beside frames so many bytes have left: packets that were sent again.
  void charge(size_t line_bytes) { fill_ += static_cast<double>(line_bytes); }
  // What FrameToEncode::target should be: how coarse the frame begins is found by plan().
  RdParameters target() const { return target_; }

  // By the encoder: of a frame's tiles, which are coded, and how coarsely those of the first batch are.
  RdParameters plan(std::span<TileToCode> tiles);
  // Whether that was a guess: the first frame, or one unlike those before it. It is a better one when the encoder has
  // coded some of the tiles by it, told what they took, and asks for another plan.
  bool is_unsure() const { return is_unsure_; }
  void tried(const TileToCode& tile, size_t unit_bytes);
  // By the encoder, in the order in which tiles leave: whether the units of `tile`, or of the run that begins with it
  // and whose tiles are all `tiles`, have room. Where they have, they leave.
  Room take(std::span<const TileToCode> tiles, std::span<const CodedSlice> slices);
  // By the encoder, between batches: how coarsely to go on.
  RdParameters go_on();
  // By the encoder, of the whole frame.
  void end();

  // Of the frame begun last.
  size_t most_bytes() const { return most_; }    // of the line, that it may take
  size_t taken_bytes() const { return taken_; }  // that it takes
  double crf() const;                            // that moving tiles were coded by last, about
  // What is waiting behind it, in frame times.
  double waiting() const { return fill_ / of_a_frame(); }

 private:
  // Bytes of units for a unit of detail at lambda 1, as of late.
  class Price {
   public:
    explicit Price(double bytes) : bytes_(bytes) {}
    double bytes() const { return bytes_; }
    void see(double bytes, double detail) { seen_bytes_ += bytes, seen_detail_ += detail; }
    void learn();
    // From what was seen alone, and forgets it.
    void believe();

   private:
    double bytes_;
    double usual_detail_ = 0;                  // of a frame
    double seen_bytes_ = 0, seen_detail_ = 0;  // since it learned last
  };
  double of_a_frame() const { return settings_.bits_per_s / 8 / settings_.fps; }
  double room() const { return settings_.buffer_frames * of_a_frame(); }
  size_t line_bytes(const PayloadSizes& sizes) const;
  double units_in(double line_bytes) const;  // bytes of units that lie in so many of the line
  double guess(const TileToCode& tile, double lambda) const;
  double lambda_for(double demand, double bytes) const;
  double line_bytes_wanted(double demand);
  void mind_the_time(std::span<const TileToCode> tiles);
  bool is_unlike_before(std::span<const TileToCode> tiles);
  double as_coarse(std::span<const TileToCode> tiles, double lambda) const;
  double overhead() const;
  double choose_moving(std::span<TileToCode> tiles);
  void choose_finer(std::span<TileToCode> tiles);
  RdParameters with_lambda(double lambda);

  RateSettings settings_;
  RdParameters target_;
  const RdParameters finest_;
  const double coarsest_lambda_;
  PayloadSizes sizes_;  // of the frame at hand
  std::array<Price, 3> prices_;
  double frame_times_ = 1;  // that the frame at hand stands for
  double fill_ = 0;         // bytes of the line in the buffer
  double overhead_ = 1.2;   // bytes of the line for one of units
  // Of moving tiles: of the frame that had any last; of late, 0 before there were any.
  double frame_lambda_ = 0, usual_lambda_ = 0;
  double known_lambda_ = 0;                     // about that by which prices were learned
  double hurry_ = 1;                            // lambda is so many times the finest at least, for want of time
  double anew_ = 0, usual_anew_ = 0;            // detail that is anew: in the frame at hand, in the one before
  bool is_unsure_ = false, was_tried_ = false;  // the plan of the frame at hand

  // Of the frame at hand. Bytes of the line: that it may take; that it takes; that it took if it told nothing.
  size_t most_ = 0, taken_ = 0, empty_ = 0;
  double first_lambda_ = 0, lambda_ = 0;  // of the first batch, of the one at hand
  // Bytes of units: for what moves; for what stands; taken, by all and by each; guessed of what moves, all of it and
  // that of which the bytes are known.
  double moving_room_ = 0, finer_room_ = 0;
  double unit_bytes_ = 0, moving_bytes_ = 0, finer_bytes_ = 0;
  double moving_guess_all_ = 0, moving_guess_ = 0;
  // Of tiles that are chosen and still to come, bytes at lambda 1: of those that move; of them, those that have waited.
  double left_ = 0, late_left_ = 0;
  double lambda_sum_ = 0, lambda_weight_ = 0;  // of its logarithms
  std::vector<uint32_t> order_;
};

}  // namespace texcast::compact
