#include "latency/card_sender.h"

#include <fmt/core.h>

#include "common/source_and_encoder.h"
#include "media/time_card.h"
#include "media/time_clicks.h"
#include "media/time_code.h"
#include "send/send_sound.h"
#include "send/send_wire.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

constexpr double kUsualFps = 60;

// The same options for `send`.
SendOptions as_sent(const LatencyOptions& o, const std::string& url) {
  SendOptions send;
  send.encoding = o.encoding;
  send.destinations = {url};
  send.plain = o.plain;
  send.lossy = o.lossy;
  send.fec = o.fec;
  return send;
}

Size size_of_card(const LatencyOptions& o) {
  const Size size = o.size.value_or(kUsualCard);
  if (media::time_code_strip(size.width, size.height).cell == 0)
    throw Error(ErrorKind::usage, fmt::format("a picture of {}x{} is too small for the time code; give 256x16 or more",
                                              size.width, size.height));
  return size;
}

}  // namespace

CardSender::CardSender(const LatencyOptions& o, const std::string& url)
    : options_(as_sent(o, url)),
      size_(size_of_card(o)),
      fps_(o.fps.value_or(kUsualFps)),
      destinations_({url}, {}, true, IfExists::refuse, !o.plain),
      plan_(options_, wire_settings(options_), destinations_, fps_),
      source_(media::make_time_card(size_.width, size_.height, fps_)),
      encoder_(plan_.make_encoder(plan_.choice(), source_->format(), EncoderStart::when_built)) {
  source_->decode_into(encoder_->frame_pool());
  if (o.audio)
    sound_ = send_sound({.reader = nullptr, .begin = {}, .live = media::make_time_clicks(), .name = "clicks"}, options_,
                        destinations_, plan_.settings(encoder_->texture_desc()));
}

stream::SendReport CardSender::run(const std::atomic<bool>& stop, std::optional<int64_t> frames) {
  return stream::send_stream(
      *source_, *encoder_, destinations_, plan_.settings(encoder_->texture_desc()), stop,
      [](const stream::SendReport&) {}, frames, nullptr, sound_.get());
}

}  // namespace texcast::cli
