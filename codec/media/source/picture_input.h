// picture_input.h — the frames of a DemuxedInput as they are to be displayed: upright, progressive, and with their
// pixel aspect.
#pragma once

#include "demuxed_input.h"
#include "media/frame_source.h"
#include "picture_filter.h"

namespace texcast::media {

// Not thread-safe. Not movable, as DemuxedInput is not.
class PictureInput {
 public:
  // `filters`: of the user, as PictureFilter's; may be empty.
  PictureInput(InputSpec spec, const PictureSettings& settings, std::string filters)
      : input_(std::move(spec)), settings_(settings), filter_(std::move(filters)) {}

  // As DemuxedInput's. `sample_aspect_ratio` of the frame is always set, and applies to the output frame.
  bool next(AVFrame& frame);
  bool seek(nanoseconds from_start);
  void reopen();
  // Whether frames are filtered, so that they are in the filters' own memory.
  bool changes_frames() const { return filter_.is_used() || filter_.has_user_filters(); }
  // As DemuxedInput's, for frames of next(). The rate is known once there was one.
  std::optional<nanoseconds> time_of(const AVFrame& frame) const;
  double fps() const;
  std::optional<int64_t> frame_count() const;
  DemuxedInput& input() { return input_; }
  const DemuxedInput& input() const { return input_; }

 private:
  void restart();
  PictureChange change_for(AVFrame& frame);
  Orientation orientation_for(const AVFrame& frame);
  bool is_interlaced(AVFrame& frame) const;
  void tell_aspect(AVFrame& frame, Orientation orientation);

  DemuxedInput input_;
  PictureSettings settings_;
  PictureFilter filter_;
  bool ended_ = false;
  bool was_interlaced_ = false;  // a frame of this pass
  bool warned_of_fields_ = false, warned_of_tilt_ = false, warned_of_aspect_ = false;
};

}  // namespace texcast::media
