// card_sender.h — the sending end of `texcast latency`: sends the time card and the clicks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/options.h"
#include "media/frame_source.h"
#include "send/send_plan.h"
#include "stream/send_pipeline.h"
#include "text/figures.h"

namespace texcast::cli {

// Size of the card by default.
inline constexpr Size kUsualCard{1920, 1080};

class CardSender {
 public:
  // Throws Error{usage} if the picture is too small for the time code, and what `send` throws.
  CardSender(const LatencyOptions& options, const std::string& url);
  // Runs until `stop` is set or so many frames are sent.
  stream::SendReport run(const std::atomic<bool>& stop, std::optional<int64_t> frames);

 private:
  const SendOptions options_;
  const Size size_;
  const double fps_;
  stream::Destinations destinations_;
  const SendPlan plan_;
  std::unique_ptr<media::FrameSource> source_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<stream::SoundSender> sound_;  // nullptr: no audio
};

}  // namespace texcast::cli
