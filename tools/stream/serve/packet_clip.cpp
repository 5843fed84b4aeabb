#include "packet_clip.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "container/compact_frame.h"
#include "live/auto_reset_event.h"
#include "stream/paced_sender.h"
#include "texcast/error.h"
#include "textures/stream_format.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kPacketTick = std::chrono::milliseconds(100);
// Frames that are later than this are left out up to a key frame. Others are sent, as later ones depend on them.
constexpr nanoseconds kMostLate = std::chrono::milliseconds(500);
constexpr int kPacketMtu = 20'000;  // has room for a stored payload and all headers

SendSettings with_room(SendSettings settings) {
  settings.mtu = kPacketMtu;
  return settings;
}

class PacketStream {
 public:
  PacketStream(std::unique_ptr<media::ClipReader> clip, Destinations& destinations, const SendSettings& settings,
               const ClipSettings& how, SoundSender* sound)
      : clip_(std::move(clip)),
        info_(clip_->info()),
        how_(how),
        frame_time_(frame_period(stream_rate(info_))),
        answer_time_(settings.answer_time),
        destinations_(destinations),
        sound_(sound),
        identity_(new_identity(settings)) {
    clip_->only_look();
    destinations.serve_viewers(identity_.numbers->ssrc(), identity_.sealer);
    sender_ = make_compact_sender(destinations, with_room(settings), info_.texture,
                                  {.coding = static_cast<uint8_t>(info_.coding_version)}, progress_, identity_);
  }

  ClipReport run(const std::atomic<bool>& stop, const std::function<void(const ClipReport&)>& on_tick) {
    SteadyTime next_tick = steady_now();
    while (!stop.load(std::memory_order_relaxed)) {
      if (steady_now() >= next_tick) {
        next_tick = steady_now() + kPacketTick;
        on_tick(report());
      }
      if (!next_ && !read_next()) break;
      const auto due = when();
      if (!due || steady_now() < *due || !sender_->idle())
        progress_.wait_until(std::min(next_tick, due && steady_now() < *due ? *due : SteadyTime::max()));
      else
        take_next(*due);
    }
    finish(stop);
    return report();
  }

 private:
  // Reads the next frame. False: there is none.
  bool read_next() {
    bool is_empty_lap = false;
    while (true) {
      auto stored = clip_->next_stored();
      if (!stored) {
        add_damage(stored.error().message);
        continue;
      }
      if (*stored) {
        next_ = std::move(**stored);
        if (next_->duration <= nanoseconds{}) next_->duration = frame_time_;
        return true;
      }
      if (!begun_) throw Error(ErrorKind::corrupt, first_damage_);
      if (!how_.loop || is_empty_lap) return false;
      is_empty_lap = true;
      lap_ += std::max(end_, info_.duration.value_or(nanoseconds{}));
      clip_->seek_to_frame(0);
    }
  }

  void add_damage(const std::string& message) {
    if (damaged_++ == 0) first_damage_ = message;
    waits_for_key_ = true;
  }

  // When the next frame is due. Nothing while nobody watches the beginning.
  std::optional<SteadyTime> when() {
    if (!begun_ && how_.wait_for_audience && !how_.loop && !destinations_.has_audience()) return std::nullopt;
    if (!begun_) begun_ = steady_now() - next_->pts;
    return *begun_ + lap_ + next_->pts;
  }

  void take_next(SteadyTime due) {
    const SteadyTime now = steady_now();
    held_ = std::move(*next_);
    next_.reset();
    end_ = held_.pts + held_.duration;
    const WallTime available = wall_now() - (now - due);
    if (sound_ != nullptr) sound_->on_frame(lap_ + held_.pts, held_.pts, available);
    const auto head = container::check_compact_frame(held_.parts[0].bytes);
    if (!head || !container::split_compact_frame(held_.parts[0].bytes, payloads_) || !fit())
      return add_damage("the lengths of a frame's payloads are inconsistent");
    const bool is_watched = destinations_.has_audience();
    const bool is_too_late = now - due > kMostLate;
    if (!is_watched || is_too_late || (waits_for_key_ && !head->is_key)) {
      if (!is_watched) was_watched_ = false;
      waits_for_key_ = true;
      ++(was_watched_ || is_too_late ? overtaken_ : unwatched_);
      return;
    }
    was_watched_ = true;
    waits_for_key_ = false;
    ++frames_;
    FrameTimes times{.pts = lap_ + held_.pts};
    times.available = times.encoded = available;
    sender_->start(times);
    sender_->add(payloads_);
    sender_->finish(times.encoded);
  }

  bool fit() const {
    return !payloads_.empty() && std::ranges::all_of(payloads_, [&](Bytes payload) {
      return !payload.empty() && payload.size() <= sender_->max_payload();
    });
  }

  // The last frame is shown for its time, and viewers may send NACKs for it.
  void finish(const std::atomic<bool>& stop) {
    ended_ = steady_now();
    const SteadyTime limit = begun_ ? std::max(*ended_ + answer_time_, *begun_ + lap_ + end_) : *ended_;
    while (!stop.load(std::memory_order_relaxed) && steady_now() < limit)
      progress_.wait_until(std::min(limit, steady_now() + kPacketTick));
    if (sound_ != nullptr) sound_->stop();
  }

  ClipReport report() const {
    return {.frames = frames_,
            .overtaken = overtaken_,
            .unwatched = unwatched_,
            .damaged = damaged_,
            .first_damage = first_damage_,
            .position = held_.pts,
            .seconds = begun_ ? in_seconds(ended_.value_or(steady_now()) - *begun_) : 0,
            .sent = sender_->status()};
  }

  const std::unique_ptr<media::ClipReader> clip_;
  const media::ClipInfo info_;
  const ClipSettings how_;
  const nanoseconds frame_time_, answer_time_;
  Destinations& destinations_;
  SoundSender* const sound_;  // nullptr: no sound
  AutoResetEvent progress_;
  std::optional<media::StoredFrame> next_;  // is due next
  media::StoredFrame held_;                 // was due last; the sender reads its bytes
  std::vector<Bytes> payloads_;             // of held_
  nanoseconds lap_{}, end_{};               // where this lap begins in the stream; the end of held_ in the recording
  std::optional<SteadyTime> begun_{}, ended_{};
  bool waits_for_key_ = false;  // a frame is missing that the next ones depend on
  bool was_watched_ = false;
  uint64_t frames_ = 0, overtaken_ = 0, unwatched_ = 0, damaged_ = 0;
  std::string first_damage_;
  StreamIdentity identity_;
  std::unique_ptr<PacedSender> sender_;  // after what it reads
};

}  // namespace

ClipReport send_packets_of_clip(std::unique_ptr<media::ClipReader> clip, Destinations& destinations,
                                const SendSettings& settings, const ClipSettings& how, const std::atomic<bool>& stop,
                                const std::function<void(const ClipReport&)>& on_tick, SoundSender* sound) {
  return PacketStream(std::move(clip), destinations, settings, how, sound).run(stop, on_tick);
}

}  // namespace texcast::stream
