#include "media/sound_queue.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"

namespace texcast::media {
namespace {

// Tracks of one input are interleaved more closely than this: MPEG transport streams collect up to half a second of
// sound in a packet, and broadcasts send the picture most of a second before its sound.
constexpr nanoseconds kInterleaved = std::chrono::seconds(1);
// Sound that waits for its picture: more than five minutes of PCM.
constexpr size_t kMostBytes = size_t{64} << 20;

}  // namespace

SoundQueue::SoundQueue(std::vector<SoundTrack> tracks, std::string input)
    : tracks_(std::move(tracks)), input_(std::move(input)), begun_(tracks_.size(), nanoseconds::min()) {
  ENSURE(!tracks_.empty());
}

void SoundQueue::put(size_t track, PacketPtr packet) {
  const int64_t stamp = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
  const std::lock_guard lock(mutex_);
  nanoseconds time = begun_.at(track);
  if (stamp != AV_NOPTS_VALUE) time = nanoseconds(av_rescale_q(stamp, tracks_[track].time_base, kNanoseconds));
  begun_[track] = std::max(begun_[track], time);
  const auto size = static_cast<size_t>(std::max(packet->size, 0));
  if (bytes_ + size > kMostBytes) {
    if (!std::exchange(warned_, true))
      log_warning(
          "{}: more than {} MiB of sound wait for their picture, and further sound is left out; interleave "
          "both, as FFmpeg's muxers do",
          input_, kMostBytes >> 20);
  } else {
    bytes_ += size;
    entries_.push_back({newest_pass_, track, time, std::move(packet)});
  }
  changed_.notify_all();
}

void SoundQueue::on_picture(nanoseconds time) { give_up_before(time - kInterleaved); }

void SoundQueue::give_up_before(nanoseconds time) {
  const std::lock_guard lock(mutex_);
  if (time <= given_up_before_) return;
  given_up_before_ = time;
  changed_.notify_all();
}

nanoseconds SoundQueue::known_unlocked() const {
  if (ended_ || pass_ != newest_pass_) return nanoseconds::max();
  return std::max(given_up_before_, *std::ranges::min_element(begun_));
}

nanoseconds SoundQueue::known() const {
  const std::lock_guard lock(mutex_);
  if (ended_) return nanoseconds::max();
  return std::max(given_up_before_, *std::ranges::min_element(begun_));
}

void SoundQueue::drop_front() {
  bytes_ -= static_cast<size_t>(std::max(entries_.front().packet->size, 0));
  entries_.pop_front();
}

void SoundQueue::forget_before(nanoseconds time) {
  const std::lock_guard lock(mutex_);
  while (!entries_.empty() && entries_.front().time < time) drop_front();
}

void SoundQueue::begin_pass() {
  const std::lock_guard lock(mutex_);
  ++newest_pass_;
  std::ranges::fill(begun_, nanoseconds::min());
  given_up_before_ = nanoseconds::min();
  ended_ = false;
  changed_.notify_all();
}

void SoundQueue::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::optional<SoundQueue::Taken> SoundQueue::take() {
  const std::lock_guard lock(mutex_);
  if (entries_.empty() || entries_.front().pass != pass_) return std::nullopt;
  Taken taken{entries_.front().track, std::move(entries_.front().packet)};
  bytes_ -= static_cast<size_t>(std::max(taken.packet->size, 0));
  entries_.pop_front();
  return taken;
}

bool SoundQueue::ended() const {
  const std::lock_guard lock(mutex_);
  const bool has_packet = !entries_.empty() && entries_.front().pass == pass_;
  return !has_packet && (ended_ || pass_ != newest_pass_);
}

void SoundQueue::wait(nanoseconds time) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return !waits_ || known_unlocked() >= time || (!entries_.empty() && entries_.front().pass == pass_);
  });
}

void SoundQueue::go_to_newest_pass() {
  const std::lock_guard lock(mutex_);
  while (!entries_.empty() && entries_.front().pass != newest_pass_) drop_front();
  pass_ = newest_pass_;
}

void SoundQueue::stop_waiting() {
  const std::lock_guard lock(mutex_);
  waits_ = false;
  changed_.notify_all();
}

}  // namespace texcast::media
