#include "ssrc_selector.h"

namespace texcast::transport {

bool SsrcSelector::may_take_over(const SenderId& sender, SteadyTime now) const {
  if (selected_.count == 0 || comes_back(sender, now)) return true;
  if (sender.sealed && id_.sealed && sender.began > id_.began) return true;
  const nanoseconds quiet = std::max<nanoseconds>(std::chrono::milliseconds(250), 4 * frame_time());
  return now - heard_ >= std::min(quiet, timeout_);
}

bool SsrcSelector::accept(const SenderId& sender, SteadyTime now) {
  if (is_selected(sender)) {
    if (candidates_.any() && !candidates_.replaying()) candidates_.forget_all();
    return true;
  }
  if (!may_take_over(sender, now)) return false;
  selected_.returned = comes_back(sender, now);
  if (selected_.returned) {
    before_until_ = {};
  } else if (selected_.count > 0 && !id_.sealed && !sender.sealed && !id_.from.same_host(sender.from) &&
             now >= before_until_) {
    before_ = id_;
    before_until_ = now + kComesBack;
  }
  selected_.displaced = !selected_.returned && selected_.count > 0 && now - heard_ < std::chrono::milliseconds(250);
  selected_.ssrc = sender.ssrc;
  selected_.silence = selected_.count > 0 ? now - heard_ : nanoseconds{};
  ++selected_.count;
  id_ = sender;
  heard_ = now;
  sequence_.restart();
  order_.restart();
  late_packets_ = 0;
  distrust_until_ = {};
  candidates_.replay(sender);
  return true;
}

void SsrcSelector::consider_candidates(SteadyTime now) {
  if (candidates_.any() && !candidates_.replaying() && now - heard_ >= 2 * timeout_)
    accept(candidates_.likeliest(), now);
}

// Twice as far as the frames can have advanced since the last packet. After a longer pause any distance is accepted:
// the sender has restarted, or its announced rate is wrong.
bool SsrcSelector::too_far(uint32_t buffer_id, SteadyTime now) const {
  constexpr nanoseconds kFastest = std::chrono::milliseconds(4), kShort = std::chrono::milliseconds(100),
                        kLong = std::chrono::seconds(1);
  const nanoseconds silence = now - placed_;
  if (silence >= std::clamp(3 * frame_time(), kShort, kLong)) return false;
  const int ahead = order_.ahead(buffer_id);
  return ahead < -FrameOrder::kMaxJump || ahead > 2 + 2 * (silence / std::max(frame_time(), kFastest));
}

std::optional<FrameOrder::Place> SsrcSelector::place(uint32_t buffer_id, bool repeated, SteadyTime now) {
  if (now < distrust_until_ && too_far(buffer_id, now)) {
    distrust_until_ = now + kDistrust;
    return std::nullopt;
  }
  const auto place = order_.place(buffer_id, repeated);
  if (place) placed_ = now;
  return place;
}

bool SsrcSelector::note_late(uint32_t buffer_id, SteadyTime now) {
  if (late_packets_++ == 0) first_late_ = buffer_id;
  if (late_packets_ < kFewLate) return false;
  if (now >= distrust_until_ && frames_between(first_late_, buffer_id) < kFramesLate) return false;
  late_packets_ = 0;
  distrust_until_ = now + kDistrust;
  order_.restart();
  return true;
}

}  // namespace texcast::transport
