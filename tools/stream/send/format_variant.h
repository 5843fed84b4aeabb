// format_variant.h — the frames of a stream in another texture format too, for browsers whose GPU does not take the
// stream's own. They are encoded only while somebody watches them.
#pragma once

#include <future>
#include <memory>
#include <vector>

#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "stream/send_engine.h"
#include "stream/send_pipeline.h"
#include "texcast/encoder.h"
#include "texcast/frame.h"

namespace texcast::stream {

// All calls come from one thread, that of the pipeline. No call throws: if the variant cannot be encoded or sent, its
// viewers and the log get the reason, and the stream goes on without it.
class FormatVariant {
 public:
  // `progress` is set when step() may have something to do. Everything that is referenced must outlive this.
  FormatVariant(const VariantPlan& plan, AutoResetEvent& progress);
  ~FormatVariant();
  FormatVariant(const FormatVariant&) = delete;
  FormatVariant& operator=(const FormatVariant&) = delete;

  // Takes a frame of the stream, or drops it if nobody watches or there is no room. The first frame that somebody
  // watches, and the first of another format, build an encoder.
  void submit(FrameView frame, const FrameTimes& times);
  // Passes finished frames to the sender. False: there was nothing to do.
  bool step();
  bool is_drained();
  // Whether a frame that changes nothing is needed: somebody has come, or lost a part of the picture.
  bool wants_frame() const;
  std::vector<std::shared_ptr<web::Stream>> viewers() const { return plan_.destinations.web_streams(); }
  bool is_watched() const { return plan_.destinations.has_audience(); }

 private:
  void begin(const FrameFormat& source);
  void end();
  void give_up(const Error& error);
  template <typename Call>
  auto guarded(const Call& call) -> decltype(call());

  const VariantPlan plan_;
  AutoResetEvent& progress_;
  bool has_failed_ = false;
  FrameFormat source_{};              // of the frames that encoder_ takes
  std::unique_ptr<Encoder> encoder_;  // null: nobody watches
  std::unique_ptr<SendEngine> engine_;
  bool has_missed_ = true;     // the encoder lacks the stream's previous frame
  SteadyTime watched_{};       // the last time that somebody did
  std::future<void> retired_;  // destroys the previous encoder
};

}  // namespace texcast::stream
