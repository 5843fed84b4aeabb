// card_sender.h — the sending end of `texcast latency`: the card with the time in it, and the clicks, on their way.
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

// Of the card, where nobody says another.
inline constexpr Size kUsualCard{1920, 1080};

class CardSender {
 public:
  // To that address. Throws Error{usage} for pictures in which the time has no room, and what `send` throws.
  CardSender(const LatencyOptions& options, const std::string& url);
  // Until `stop`, or so many frames.
  stream::SendReport run(const std::atomic<bool>& stop, std::optional<int64_t> frames);

 private:
  const SendOptions options_;
  const Size size_;
  const double fps_;
  stream::Destinations destinations_;
  const SendPlan plan_;
  std::unique_ptr<media::FrameSource> source_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<stream::SoundSender> sound_;  // null: none
};

}  // namespace texcast::cli
