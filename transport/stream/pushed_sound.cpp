#include "pushed_sound.h"

#include <algorithm>

namespace texcast::stream {
namespace {

constexpr nanoseconds kLongestSleep = std::chrono::milliseconds(100);
constexpr int kPiecesPerSecond = 200;  // as `texcast send`

AudioFormat format_of(const AudioSenderSettings& wire) { return {.rate = wire.rate, .channels = wire.channels}; }

}  // namespace

PushedSound::PushedSound(const std::vector<std::string>& urls, const NetworkChoice& network,
                         const AudioSenderSettings& wire)
    : format_(format_of(wire)),
      piece_(static_cast<uint32_t>(wire.rate / kPiecesPerSecond)),
      coder_({.coding = wire.coding, .format = format_, .piece = piece_, .bits = wire.bits}),
      sender_(urls, network, wire),
      samples_(size_t{piece_} * static_cast<size_t>(wire.channels)),
      pieces_(format_, piece_),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

PushedSound::~PushedSound() {
  thread_.request_stop();
  sender_.wake();
}

bool PushedSound::put(std::span<const float> samples, nanoseconds pts) {
  thread_.rethrow_failure();
  const size_t frames = samples.size() / static_cast<size_t>(format_.channels);
  {
    const std::lock_guard lock(mutex_);
    if (!make_room(nanoseconds(static_cast<int64_t>(frames) * 1'000'000'000 / format_.rate))) {
      status_.dropped += frames;
      return false;
    }
    pieces_.put(samples, pts);
    if (!pieces_.has_piece() || !pictures_.zero()) return true;
  }
  sender_.wake();
  return true;
}

bool PushedSound::make_room(nanoseconds length) {
  while (!pictures_.zero() && pieces_.duration() + length > kMostWaiting && pieces_.take()) {
  }
  return pieces_.duration() + length <= kMostWaiting;
}

void PushedSound::on_frame(nanoseconds pts, WallTime available) {
  const std::lock_guard lock(mutex_);
  const bool is_first = !pictures_.zero();
  pictures_.on_frame(pts, available);
  if (is_first) sender_.wake();
}

void PushedSound::flush() {
  {
    const std::lock_guard lock(mutex_);
    pieces_.finish_piece();
  }
  sender_.wake();
}

bool PushedSound::is_drained() const {
  const std::lock_guard lock(mutex_);
  return thread_.failed() || (!sending_ && !(pieces_.has_piece() && pictures_.zero()));
}

PushedSoundStatus PushedSound::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

// Copies the next piece to samples_.
std::optional<PushedSound::Taken> PushedSound::take() {
  const std::lock_guard lock(mutex_);
  status_.sent = sender_.sent();
  sending_ = false;
  if (!pictures_.zero()) return std::nullopt;
  const auto piece = pieces_.take();
  if (!piece) return std::nullopt;
  std::ranges::copy(piece->samples, samples_.begin());
  sending_ = true;
  const nanoseconds delay(int64_t{coder_.delay()} * 1'000'000'000 / format_.rate);
  return Taken{.position = piece->position, .captured = WallTime(*pictures_.zero() + piece->pts - delay)};
}

void PushedSound::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    while (const auto piece = take()) {
      sender_.send({.channels = coder_.code(samples_),
                    .samples = piece_,
                    .position = piece->position,
                    .captured = piece->captured});
      if (stop.stop_requested()) return;
    }
    sender_.wait(steady_now() + kLongestSleep);
  }
}

}  // namespace texcast::stream
