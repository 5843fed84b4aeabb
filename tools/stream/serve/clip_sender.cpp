#include "stream/clip_sender.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "live/auto_reset_event.h"
#include "packet_clip.h"
#include "player/upload_buffers.h"
#include "stream/read_ahead.h"
#include "texcast/error.h"
#include "texcast/format.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kClipTick = std::chrono::milliseconds(100);
// A picture that does not change is sent again this often: raw streams have no other way to reach newcomers.
constexpr nanoseconds kStillClipPeriod = std::chrono::seconds(1);
constexpr nanoseconds kForUnpacking = std::chrono::milliseconds(20);  // between two looks at a frame that is overdue
constexpr size_t kMostServedBytes = size_t{512} << 20;

// The reader's frames, the one in the sender's hands, and the next.
std::unique_ptr<player::UploadBuffers> buffers_for(const media::ClipInfo& clip) {
  const size_t bytes = texture_layout(clip.texture).total_bytes;
  return player::make_plain_upload_buffers(
      std::clamp(kMostServedBytes / bytes, ReadAhead::kFewestBuffers, ReadAhead::kBuffers), bytes);
}

ReadAhead read_ahead(std::unique_ptr<media::ClipReader> clip) {
  auto buffers = buffers_for(clip->info());
  return ReadAhead(std::move(clip), std::move(buffers));
}

class ClipStream {
 public:
  ClipStream(std::unique_ptr<media::ClipReader> clip, Destinations& destinations, const SendSettings& settings,
             const ClipSettings& how, SoundSender* sound)
      : texture_(clip->info().texture),
        is_still_(clip->info().frame_count == 1),
        how_(how),
        answer_time_(settings.answer_time),
        destinations_(destinations),
        sound_(sound),
        ahead_(read_ahead(std::move(clip))),
        identity_(new_identity(settings)) {
    ahead_.set_loop(how.loop && !is_still_);
    destinations.serve_viewers(identity_.numbers->ssrc(), identity_.sealer);
    sender_ = make_texture_sender(destinations, settings, texture_, progress_, identity_);
  }

  ClipReport run(const std::atomic<bool>& stop, const std::function<void(const ClipReport&)>& on_tick) {
    next_tick_ = steady_now();
    const auto tick = [&] {
      if (steady_now() < next_tick_) return;
      next_tick_ = steady_now() + kClipTick;
      on_tick(report());
    };
    while (!stop.load(std::memory_order_relaxed) && !begin()) {
      tick();
      progress_.wait_until(steady_now() + kForUnpacking);
    }
    while (!stop.load(std::memory_order_relaxed) && !is_over()) {
      tick();
      if (!step()) wait();
    }
    finish(stop);
    return report();
  }

 private:
  // The first frame is there, and somebody watches. Its time is now.
  bool begin() {
    ahead_.rethrow_failure();
    if (!ahead_.peek()) {
      if (ahead_.ended()) throw Error(ErrorKind::corrupt, report().first_damage);
      return false;
    }
    if (how_.wait_for_audience && !how_.loop && !destinations_.has_audience()) return false;
    begun_ = steady_now() - ahead_.next_due().value_or(nanoseconds{});
    return true;
  }

  // Begins a frame. False: nothing is to be done now.
  bool step() {
    if (!sender_->idle()) return false;  // throws what sending threw
    const SteadyTime now = steady_now();
    ahead_.rethrow_failure();
    if (auto frame = ahead_.take_due(now - *begun_)) {
      held_ = std::move(frame);
      if (sound_ != nullptr) sound_->on_frame(held_->due, held_->pts, wall_now() - (now - (*begun_ + held_->due)));
      if (!destinations_.has_audience()) {
        ++unwatched_;
        return true;
      }
      ++frames_;
      send(now, *begun_ + held_->due);
      return true;
    }
    if (!held_ || !destinations_.has_audience()) return false;
    if (!sender_->wants_frame() && now - sent_at_ < kStillClipPeriod) return false;
    send(now, now);
    return true;
  }

  void send(SteadyTime now, SteadyTime due) {
    sent_at_ = now;
    FrameTimes times{.pts = due - *begun_};
    times.available = times.encoded = wall_now() - (now - due);
    sender_->start({.texture = {.desc = texture_, .blocks = held_->blocks.bytes()}, .times = times});
  }

  void wait() {
    const SteadyTime now = steady_now();
    SteadyTime limit = std::min(next_tick_, sent_at_ + kStillClipPeriod);
    if (const auto due = ahead_.next_due()) limit = std::min(limit, *begun_ + *due);
    progress_.wait_until(std::max(limit, now + std::chrono::milliseconds(1)));
  }

  // The last frame is shown for its time.
  bool is_over() const {
    return !is_still_ && ahead_.ended() && (!held_ || steady_now() >= *begun_ + held_->due + held_->duration);
  }

  // Receivers send NACKs for the last frame too.
  void finish(const std::atomic<bool>& stop) {
    ended_ = steady_now();
    if (sound_ != nullptr) sound_->stop();
    const SteadyTime limit = *ended_ + answer_time_;
    while (!stop.load(std::memory_order_relaxed) && steady_now() < limit &&
           (!sender_->drained() || sender_->answers_requests()))
      progress_.wait_until(std::min(limit, steady_now() + kClipTick));
  }

  ClipReport report() const {
    const ReadAheadReport read = ahead_.report();
    return {.frames = frames_,
            .overtaken = read.overtaken,
            .unwatched = unwatched_,
            .damaged = read.damaged,
            .first_damage = read.first_damage,
            .position = held_ ? held_->pts : nanoseconds{},
            .seconds = begun_ ? in_seconds(ended_.value_or(steady_now()) - *begun_) : 0,
            .sent = sender_->status()};
  }

  const TextureDesc texture_;
  const bool is_still_;
  const ClipSettings how_;
  const nanoseconds answer_time_;
  Destinations& destinations_;
  SoundSender* const sound_;  // nullptr: no sound
  AutoResetEvent progress_;
  ReadAhead ahead_;
  std::optional<AheadFrame> held_;  // the present picture, which the sender reads
  std::optional<SteadyTime> begun_{}, ended_{};
  SteadyTime next_tick_{}, sent_at_{};
  uint64_t frames_ = 0, unwatched_ = 0;
  StreamIdentity identity_;
  std::unique_ptr<TextureSender> sender_;  // after what it reads
};

}  // namespace

double stream_rate(const media::ClipInfo& clip) {
  constexpr double kUsual = 25, kSlowest = 0.1, kFastest = 1000;
  return clip.fps > 0 ? std::clamp(clip.fps, kSlowest, kFastest) : kUsual;
}

ClipReport send_clip(std::unique_ptr<media::ClipReader> clip, Destinations& destinations, const SendSettings& settings,
                     const ClipSettings& how, const std::atomic<bool>& stop,
                     const std::function<void(const ClipReport&)>& on_tick, SoundSender* sound) {
  if (clip->info().coding == FileCoding::compact)
    return send_packets_of_clip(std::move(clip), destinations, settings, how, stop, on_tick, sound);
  return ClipStream(std::move(clip), destinations, settings, how, sound).run(stop, on_tick);
}

}  // namespace texcast::stream
