// latency.cpp — `texcast latency`: measures end-to-end latency and its stages, of video and audio. A time card, which
// shows its own capture time as a code, is sent and shown, and the code is read back from the player's surface or from
// the screen. This process is both ends, or one of them.
#include <fmt/core.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/loop_thread.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "common/latency_figures.h"
#include "common/service_names.h"
#include "common/source_and_encoder.h"
#include "common/unused_options.h"
#include "latency/card_sender.h"
#include "latency/latency_report.h"
#include "latency/screen_grabber.h"
#include "live/audio_receiver.h"
#include "live/datagrams.h"
#include "media/time_code.h"
#include "player/geometry.h"
#include "player/player.h"
#include "player/window.h"
#include "send/receiver_reports.h"
#include "stream/receive_texts.h"
#include "stream/stream_feed.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"

namespace texcast::cli {
namespace {

constexpr int64_t kUsualFrames = 300;
constexpr uint64_t kBeginning = 30;  // first frames, which are not counted: kernels are built and clocks settle
constexpr uint64_t kLookEvery = 5;   // frames; reading a surface back takes as long as rendering it
constexpr nanoseconds kSenderSilence = std::chrono::seconds(2);  // after which a remote sender has ended

// The receiving end: a player, and what reads the time codes that it shows.
class CardPlayer {
 public:
  CardPlayer(const LatencyOptions& options, const std::string& address);
  const std::string& url() const { return url_; }  // where to send to
  // Runs until `frames` were shown, the sender has ended, or it is interrupted.
  void run(std::optional<uint64_t> frames);
  void print(bool json, bool two_machines) const;

 private:
  bool in_window() const { return o_.window || !o_.grab.empty(); }
  player::PresenterSettings presenter_settings() const;
  void on_shown(const player::ShownFrame& shown);
  void on_turn();
  std::optional<int64_t> read_surface();

  const LatencyOptions& o_;
  std::unique_ptr<ScreenGrabber> grabber_;  // nullptr: the player's surface is read back
  std::unique_ptr<player::Presenter> presenter_;
  std::string url_;
  stream::ClickEar ear_;  // before feed_, whose audio output it observes
  std::unique_ptr<stream::StreamFeed> feed_;
  SeenPictures seen_;
  HeardClicks clicks_;
  player::PlayerReport report_;
  std::atomic<bool> stop_ = false;
};

player::PresenterSettings CardPlayer::presenter_settings() const {
  player::PresenterSettings settings{
      .kind = in_window() ? player::PresenterKind::window : player::PresenterKind::offscreen,
      .title = "texcast latency"};
  if (!o_.show.empty()) return settings;  // as large as the picture received
  const Size size = o_.size.value_or(kUsualCard);
  settings.width = size.width;
  settings.height = size.height;
  return settings;
}

CardPlayer::CardPlayer(const LatencyOptions& o, const std::string& address)
    : o_(o),
      grabber_(o.grab.empty() ? nullptr : std::make_unique<ScreenGrabber>(o.grab)),
      presenter_(player::make_presenter(presenter_settings())) {
  auto datagrams = stream::open_datagrams(address, stream::Pace::as_captured);
  url_ = datagrams->send_to().at(0);
  std::unique_ptr<stream::DatagramSource> sound;
  if (o.audio) {
    sound = stream::open_sound_datagrams(o.show.empty() ? url_ : o.show, {}, {});
    if (!sound) throw Error(ErrorKind::network, "the audio port (video port + 2) is in use");
  }
  stream::StreamFeedSettings settings{
      .title = "texcast latency",
      .send_to = [urls = datagrams->send_to()] { return urls; },
      .record = {},
      .latency = o.latency.value_or(LatencyChoice{}).fixed,
      .receive = {},
      .timeout = o.show.empty() ? std::optional<nanoseconds>(std::chrono::seconds(5)) : std::nullopt,
      .hear_sound = o.audio,
      .open_loudspeaker = in_window() ? player::open_live_audio_output : player::open_silent_audio_output,
      .ear = &ear_};
  settings.device = o.encoding.device;
  feed_ = std::make_unique<stream::StreamFeed>(std::move(datagrams), settings, std::move(sound));
}

// In a window the picture is rendered again without being presented, because a buffer's content is undefined after a
// swap.
std::optional<int64_t> CardPlayer::read_surface() {
  const auto stream = feed_->status().stream;
  if (!stream) return {};
  if (in_window()) presenter_->draw({});
  auto picture = presenter_->read_back();
  if (!picture) return {};
  const player::Rect place =
      player::placement({stream->width, stream->height}, {picture->width, picture->height}, player::ScaleMode::fit);
  const DecodedImage image{.width = picture->width, .height = picture->height, .pixels = std::move(picture->pixels)};
  return media::read_time_code(image, stream->width, stream->height,
                               {.x = static_cast<double>(place.x),
                                .y = static_cast<double>(place.y),
                                .width = static_cast<double>(place.width),
                                .height = static_cast<double>(place.height)});
}

void CardPlayer::on_shown(const player::ShownFrame& shown) {
  if (shown.number < kBeginning) return;
  seen_.shown(shown);
  if (!grabber_ && shown.number % kLookEvery == 0) seen_.looked_at(shown, read_surface());
}

void CardPlayer::on_turn() {
  if (o_.audio) clicks_.heard(ear_.take());
  const stream::StreamStatus now = feed_->status();
  if (grabber_ && now.stream) grabber_->look_for(now.stream->width, now.stream->height);
  const bool is_over = !o_.show.empty() && now.last_frame && steady_now() - *now.last_frame > kSenderSilence;
  if (is_over || interrupt_flag().load()) stop_ = true;
}

void CardPlayer::run(std::optional<uint64_t> frames) {
  player::PlayerSettings settings;
  settings.frame_limit = frames ? *frames + kBeginning : 0;
  settings.stop = &stop_;
  settings.on_shown = [this](const player::ShownFrame& shown) { on_shown(shown); };
  settings.on_turn = [this](player::Remote&) { on_turn(); };
  report_ = player::Player(settings).run(*feed_, *presenter_);
  if (grabber_) seen_.grabbed(grabber_->finish());
}

void CardPlayer::print(bool json, bool two_machines) const {
  if (seen_.read() == 0)
    throw Error(ErrorKind::failed,
                report_.frames_shown == 0 ? "no picture was received"
                : grabber_ ? fmt::format("no time code was read on {}: the window must not be scaled, nor its top edge "
                                         "covered",
                                         o_.grab)
                           : fmt::format("no time code could be read in {}", plural(seen_.looked_at(), "picture")));
  if (o_.audio && clicks_.count() == 0)
    throw Error(ErrorKind::failed,
                "no audio click was detected: too few frames, a sender without --audio, or no sound card");
  print_latency({.player = report_,
                 .seen = seen_,
                 .clicks = o_.audio ? &clicks_ : nullptr,
                 .renderer = presenter_->renderer(),
                 .grab = o_.grab,
                 .two_machines = two_machines},
                json);
}

int both_ends(const LatencyOptions& o) {
  std::optional<EndsAtOnceIfInterrupted> at_once(std::in_place);  // the encoder's kernels are compiled
  CardPlayer player(o, "rtp://127.0.0.1:0");
  CardSender card(o, player.url());
  at_once.reset();
  std::atomic<bool> over = false;
  LoopThread sender([&](const std::stop_token& stop) {
    const std::stop_callback ends(stop, [&] { over = true; });
    card.run(over, std::nullopt);
  });
  player.run(static_cast<uint64_t>(o.frames.value_or(kUsualFrames)));
  sender.finish();
  player.print(o.json, false);
  return 0;
}

int show_end(const LatencyOptions& o) {
  CardPlayer player(o, o.show);
  log_info("listening on {}: texcast latency {}", o.show, player.url());
  player.run(o.frames ? std::optional(static_cast<uint64_t>(*o.frames)) : std::nullopt);
  player.print(o.json, true);
  return 0;
}

int send_end(const LatencyOptions& o) {
  std::optional<EndsAtOnceIfInterrupted> at_once(std::in_place);  // the encoder's kernels are compiled
  CardSender card(o, o.destination);
  at_once.reset();
  log_info("sending to {}, where `texcast latency --show` must run", o.destination);
  const auto frames = o.frames.value_or(kUsualFrames) + static_cast<int64_t>(kBeginning);
  const stream::SendReport report = card.run(interrupt_flag(), frames);
  const stream::SentStatus& s = report.sent;
  if (o.json) {
    const Json json = Json::object({{"frames_sent", s.frames},
                                    {"packets_refused", s.refused},
                                    {"encode_ms", latency_json(s.encode)},
                                    {"send_ms", latency_json(s.send)},
                                    {"receivers", receivers_json(s.receivers)}});
    fmt::print("{}\n", json.text(2));
    return 0;
  }
  print_row("sent", fmt::format("{} in {:.1f} s", plural(s.frames, "frame"), report.seconds));
  print_sent_latency(s);
  print_receivers(s.receivers);
  return 0;
}

}  // namespace

int run_latency(const LatencyOptions& given) {
  LatencyOptions o = given;
  o.destination = with_scheme(o.destination);
  o.show = with_scheme(o.show);
  check_encoding(o.encoding);
  reject_unused(as_given(given));
  if (!o.destination.empty()) return send_end(o);
  return o.show.empty() ? both_ends(o) : show_end(o);
}

}  // namespace texcast::cli
