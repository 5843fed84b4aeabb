// picture_filter.h — rotates frames upright, deinterlaces them, and applies filters of the user, by libavfilter.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "media/ffmpeg.h"
#include "texcast/shape.h"

namespace texcast::media {

// The changes that a frame needs before it is displayed.
struct PictureChange {
  enum class Fields : uint8_t {
    keep,
    flagged,  // frames that are marked as interlaced become one whole picture each; others are unchanged
    all,      // every frame does
  };
  Orientation orientation = Orientation::upright;
  Fields fields = Fields::keep;
  bool operator==(const PictureChange&) const = default;
};

// The time line of the frames that go into a filter.
struct FilterTime {
  AVRational time_base{};   // of best_effort_timestamp
  AVRational frame_rate{};  // nominal; 0/1 if not known
};

// Not thread-safe, though libavfilter uses its own threads. Frames come out in the order in which they went in,
// interlaced ones one frame later. Filters of the user may change their number, times and sizes: frames then have their
// time in nanoseconds in `best_effort_timestamp`.
class PictureFilter {
 public:
  // `graph`: filters of the user in FFmpeg's syntax, with one input and one output; empty: none.
  explicit PictureFilter(std::string graph) : user_(std::move(graph)) {}
  bool has_user_filters() const { return !user_.empty(); }
  // Takes the frame's reference. Throws Error{input} if libavfilter does not support such frames, and Error{usage} if
  // it does not take the user's filters.
  void put(AVFrame& frame, const PictureChange& change, const FilterTime& time);
  // Moves the next finished frame into `frame`, which must be empty; false if there is none yet.
  bool take(AVFrame& frame);
  void end();    // ends the input, so that frames which wait for a neighbour come out too
  void reset();  // discards frames inside: the next frame is from another place
  bool is_used() const { return graph_ != nullptr || !ready_.empty(); }
  // Nominal rate of the frames that come out of the user's filters; 0/1 if it is not known.
  AVRational frame_rate() const { return frame_rate_; }

 private:
  void build(const AVFrame& frame, const PictureChange& change, const FilterTime& time);
  [[noreturn]] void fail(const AVFrame& frame, int code) const;
  bool fits(const AVFrame& frame, const PictureChange& change) const;
  void collect();

  const std::string user_;
  FilterGraphPtr graph_;
  AVFilterContext* source_ = nullptr;  // of graph_
  AVFilterContext* sink_ = nullptr;
  PictureChange change_;
  int format_ = AV_PIX_FMT_NONE, width_ = 0, height_ = 0;  // of the frames that graph_ is made for
  int64_t frames_ = 0;                                     // put in so far
  int64_t end_ = 0;                                        // of the last one, if there are filters of the user
  AVRational frame_rate_{0, 1};
  std::deque<FramePtr> ready_;
};

}  // namespace texcast::media
