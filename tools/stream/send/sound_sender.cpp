#include "stream/sound_sender.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"
#include "media/rate_follower.h"
#include "media/sinc_interpolator.h"
#include "sound_timeline.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

constexpr AudioFormat kFormat{};  // 48 kHz stereo, from input to wire
constexpr auto kChannels = static_cast<size_t>(kFormat.channels);
constexpr nanoseconds kLongestSleep = std::chrono::milliseconds(100);
constexpr double kCaptureJump = 0.05;  // seconds: a larger difference is not corrected by resampling

uint32_t samples_of(nanoseconds time) { return static_cast<uint32_t>(std::llround(in_seconds(time) * kFormat.rate)); }

// Resamples captured sound to the wall clock, because the sound card's clock runs a little faster or slower.
class ToWallClock {
 public:
  void put(const media::CapturedSound& piece) {
    const uint64_t begin = end();
    marks_.push_back({begin, piece.captured});
    samples_.insert(samples_.end(), piece.samples.begin(), piece.samples.end());
  }

  struct Made {
    uint64_t position = 0;
    WallTime captured{};
  };
  // Fills `out`; nullopt if there is not enough sound yet.
  std::optional<Made> make(std::span<float> out) {
    const size_t frames = out.size() / kChannels;
    if (marks_.empty()) return std::nullopt;
    if (!zero_) begin_at(marks_.front());
    constexpr size_t kTaps = media::SincInterpolator::kTaps, kBefore = media::SincInterpolator::kBefore;
    const double last = place_ + static_cast<double>(frames) * (1 + media::RateFollower::kMost);
    if (static_cast<double>(end()) < last + static_cast<double>(kTaps)) return std::nullopt;

    const double seconds = static_cast<double>(frames) / kFormat.rate;
    double ahead = in_seconds(captured_at(place_) - time_of(made_));  // of its nominal time
    if (std::abs(ahead) > kCaptureJump) {
      made_ += std::llround(ahead * kFormat.rate);
      follower_.jumped();
      ahead = 0;
    }
    const double step = 1 + follower_.follow(-ahead, seconds);
    const Made made{static_cast<uint64_t>(std::max<int64_t>(made_, 0)), time_of(made_)};
    for (size_t i = 0; i < frames; ++i, place_ += step) {
      const auto whole = static_cast<uint64_t>(place_);
      const size_t at = static_cast<size_t>(whole - first_ - kBefore);
      for (size_t c = 0; c < kChannels; ++c)
        out[i * kChannels + c] =
            sinc_.at(&samples_[at * kChannels + c], kChannels, place_ - static_cast<double>(whole));
    }
    made_ += static_cast<int64_t>(frames);
    forget();
    return made;
  }

 private:
  struct Mark {
    uint64_t sample;
    WallTime captured;
  };
  uint64_t end() const { return first_ + samples_.size() / kChannels; }
  WallTime time_of(int64_t sample) const { return *zero_ + nanoseconds(sample * 1'000'000'000 / kFormat.rate); }
  void begin_at(const Mark& mark) {
    place_ = static_cast<double>(mark.sample + media::SincInterpolator::kBefore);
    zero_ = mark.captured + nanoseconds(int64_t{media::SincInterpolator::kBefore} * 1'000'000'000 / kFormat.rate);
  }
  WallTime captured_at(double place) const {
    const Mark* mark = &marks_.front();
    for (const Mark& one : marks_)
      if (static_cast<double>(one.sample) <= place) mark = &one;
    return mark->captured + nanoseconds(std::llround((place - static_cast<double>(mark->sample)) * 1e9 / kFormat.rate));
  }
  void forget() {
    while (marks_.size() > 1 && static_cast<double>(marks_[1].sample) <= place_) marks_.pop_front();
    const uint64_t keep = static_cast<uint64_t>(place_) - media::SincInterpolator::kBefore;
    if (keep <= first_ + 4096) return;
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>((keep - first_) * kChannels));
    first_ = keep;
  }

  const media::SincInterpolator sinc_;
  media::RateFollower follower_;
  std::vector<float> samples_;
  uint64_t first_ = 0;  // number of the first sample in samples_
  std::deque<Mark> marks_;
  double place_ = 0;  // of the next sample of the input
  int64_t made_ = 0;  // samples of the output
  std::optional<WallTime> zero_;
};

// The sender has them, and may let go of them while the stream goes on.
SoundSettings without_viewers(SoundSettings settings) {
  settings.wire.viewers.clear();
  return settings;
}

}  // namespace

struct SoundSender::Clock {
  explicit Clock(uint32_t piece) : timeline(kFormat.rate, piece) {}
  SoundTimeline timeline;
};

SoundSender::SoundSender(SendSound sound, const std::vector<std::string>& urls, const NetworkChoice& network,
                         const SoundSettings& settings)
    : sound_(std::move(sound)),
      settings_(without_viewers(settings)),
      piece_(samples_of(settings.packet)),
      coder_({.coding = settings.wire.coding,
              .format = kFormat,
              .piece = piece_,
              .bits = settings.wire.bits,
              .opus_bits_per_s = settings.opus_bits_per_s}),
      samples_(piece_ * kChannels),
      sender_(urls, network, settings.wire),
      clock_(std::make_unique<Clock>(piece_)) {
  ENSURE((sound_.reader != nullptr) != (sound_.live != nullptr) && (settings.paced || sound_.reader != nullptr));
  ENSURE(settings.wire.channels == kFormat.channels);
  sent_.name = sound_.name;
  sent_.coding = settings.wire.coding == transport::AudioCoding::opus ? "opus" : "pcm";
  if (sound_.reader) sound_.reader->set_format(kFormat);
  if (!settings_.paced) {
    // Pictures and sound are read by turns, so that waiting for the other one would never end.
    sound_.reader->stop_waiting();
    return;
  }
  thread_.emplace([this](const std::stop_token& stop) {
    try {
      sound_.reader ? run_with_picture(stop) : run_live(stop);
    } catch (const std::exception& error) {
      log_warning("no sound any more: {}", error.what());
    }
  });
}

SoundSender::~SoundSender() { stop(); }

void SoundSender::stop() {
  if (thread_) thread_->request_stop();
  if (sound_.reader) sound_.reader->stop_waiting();
  sender_.wake();
  thread_.reset();
}

void SoundSender::on_frame(nanoseconds pts, nanoseconds place, WallTime available) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = !clock_->timeline.due();
    clock_->timeline.on_frame(pts, place + sound_.begin, available);
  }
  if (!settings_.paced)
    while (!send_due(available)) {
    }
  else if (first)
    sender_.wake();
}

void SoundSender::finish(WallTime end) {
  if (settings_.paced) return;
  while (!send_due(end + SoundTimeline::kBehind)) {
  }
}

void SoundSender::go_to(std::vector<transport::Address> stream, std::vector<std::shared_ptr<web::Stream>> viewers) {
  {
    const std::lock_guard lock(mutex_);
    go_to_ = Places{.stream = std::move(stream), .viewers = std::move(viewers)};
  }
  sender_.wake();
}

// On the sending thread, as the sender is not thread-safe.
void SoundSender::follow_destinations() {
  std::optional<Places> places;
  {
    const std::lock_guard lock(mutex_);
    places.swap(go_to_);
  }
  if (places) sender_.go_to(places->stream, std::move(places->viewers));
}

SoundSent SoundSender::sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

// Sends samples_, which leave at `time`.
void SoundSender::send(uint64_t position, WallTime captured, WallTime time) {
  const auto delay = static_cast<uint64_t>(coder_.delay());
  const nanoseconds late(static_cast<int64_t>(delay) * 1'000'000'000 / kFormat.rate);
  sender_.send(
      {.channels = coder_.code(samples_), .samples = piece_, .position = position, .captured = captured - late}, time);
  const std::lock_guard lock(mutex_);
  sent_.wire = sender_.sent();
  sent_.time += settings_.packet;
}

// Sends the next piece if it is due. Otherwise returns the time to wait until then, or kLongestSleep if it is unknown.
std::optional<nanoseconds> SoundSender::send_due(WallTime now) {
  SoundTimeline::Piece piece;
  WallTime due{};
  {
    const std::lock_guard lock(mutex_);
    const auto at = clock_->timeline.due();
    if (!at) return kLongestSleep;
    if (*at > now) return *at - now;
    due = *at;
    piece = clock_->timeline.take();
  }
  std::ranges::fill(samples_, 0.0F);
  size_t done = 0;
  for (const SoundTimeline::Part& part : piece.parts) {
    if (paused_) break;  // sound continues at the place of the first frame after the pause
    if (part.seek) sound_.reader->seek(*part.seek);
    sound_.reader->read(std::span(samples_).subspan(done * kChannels, part.samples * kChannels));
    done += part.samples;
  }
  send(piece.position, piece.captured, settings_.paced ? now : due);
  return std::nullopt;
}

void SoundSender::run_with_picture(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    follow_destinations();
    if (const auto wait = send_due(wall_now())) sender_.wait(steady_now() + std::min(*wait, kLongestSleep));
  }
}

void SoundSender::run_live(const std::stop_token& stop) {
  ToWallClock clock;
  while (!stop.stop_requested()) {
    follow_destinations();
    const auto piece = sound_.live->next();
    if (!piece) throw Error(ErrorKind::input, fmt::format("{} has ended", sound_.name));
    clock.put(*piece);
    while (const auto made = clock.make(samples_)) {
      if (paused_) std::ranges::fill(samples_, 0.0F);
      send(made->position, made->captured, wall_now());
    }
    sender_.wait(steady_now());
  }
}

}  // namespace texcast::stream
