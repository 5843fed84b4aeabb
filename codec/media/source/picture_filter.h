// picture_filter.h — rotates frames upright and deinterlaces them, by libavfilter.
#pragma once

#include <cstdint>
#include <deque>

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

// Not thread-safe, though libavfilter uses its own threads. Frames come out in the order in which they went in,
// interlaced ones one frame later.
class PictureFilter {
 public:
  // Takes the frame's reference. Throws Error{input} if libavfilter does not support such frames.
  void put(AVFrame& frame, const PictureChange& change);
  // Moves the next finished frame into `frame`, which must be empty; false if there is none yet.
  bool take(AVFrame& frame);
  void end();    // ends the input, so that frames which wait for a neighbour come out too
  void reset();  // discards frames inside: the next frame is from another place
  bool is_used() const { return graph_ != nullptr || !ready_.empty(); }

 private:
  void build(const AVFrame& frame, const PictureChange& change);
  bool fits(const AVFrame& frame, const PictureChange& change) const;
  void collect();

  FilterGraphPtr graph_;
  AVFilterContext* source_ = nullptr;  // of graph_
  AVFilterContext* sink_ = nullptr;
  PictureChange change_;
  int format_ = AV_PIX_FMT_NONE, width_ = 0, height_ = 0;  // of the frames that graph_ is made for
  int64_t frames_ = 0;                                     // put in so far
  std::deque<FramePtr> ready_;
};

}  // namespace texcast::media
