// picture_filter.h — frames turned upright and made of one moment instead of two half pictures, by libavfilter.
#pragma once

#include <cstdint>
#include <deque>

#include "media/ffmpeg.h"
#include "texcast/shape.h"

namespace texcast::media {

// What a frame needs before it is shown.
struct PictureChange {
  enum class Fields : uint8_t {
    keep,
    flagged,  // frames that are marked as interlaced become one whole picture each; others stay as they are
    all,      // every frame does
  };
  Orientation orientation = Orientation::upright;
  Fields fields = Fields::keep;
  bool operator==(const PictureChange&) const = default;
};

// Not thread-safe, though libavfilter works with threads of its own. Frames come out in the order in which they went
// in, those of interlaced material one later.
class PictureFilter {
 public:
  // Takes the frame's reference. Throws Error{input} where libavfilter does not take such frames.
  void put(AVFrame& frame, const PictureChange& change);
  // The next finished frame into `frame`, which is empty before; false where there is none yet.
  bool take(AVFrame& frame);
  void end();    // there are no more: what waits for its neighbour comes out too
  void reset();  // what is inside is forgotten: the next frame is from somewhere else
  bool is_used() const { return graph_ != nullptr || !ready_.empty(); }

 private:
  void build(const AVFrame& frame, const PictureChange& change);
  bool fits(const AVFrame& frame, const PictureChange& change) const;
  void collect();

  FilterGraphPtr graph_;
  AVFilterContext* source_ = nullptr;  // of graph_
  AVFilterContext* sink_ = nullptr;
  PictureChange change_;
  int format_ = AV_PIX_FMT_NONE, width_ = 0, height_ = 0;  // that graph_ is made for
  int64_t frames_ = 0;                                     // put in so far
  std::deque<FramePtr> ready_;
};

}  // namespace texcast::media
