#include "transport/envelope_gaps.h"

#include <algorithm>

namespace texcast::transport {

void EnvelopeGaps::follow(uint64_t session) {
  session_ = session;
  any_ = false;
  far_.reset();
  behind_ = 0;
  gaps_.clear();
  gaps_.reserve(2 * kMostGaps);  // nothing is allocated later
  ranges_.reserve(EnvelopeList::kMaxRanges);
  pause();
}

void EnvelopeGaps::pause() {
  offered_at_.reset();
  next_look_.reset();
}

// A single counter far ahead may be forged where nothing is authenticated. So many lost datagrams could not be repaired
// anyway: with a second counter there, the gaps begin anew.
bool EnvelopeGaps::jumps(uint64_t counter) {
  if (counter - highest_ <= kMostGaps) return false;
  const bool is_confirmed = far_ && counter - *far_ <= kMostGaps;
  far_ = counter;
  if (!is_confirmed) return true;
  gaps_.clear();
  highest_ = counter;
  return true;
}

// The stream goes on far below: the jump that was confirmed was forged.
bool EnvelopeGaps::returns(uint64_t counter) {
  behind_ = counter + kFarBehind < highest_ ? behind_ + 1 : 0;
  if (behind_ < kMostBehind) return false;
  behind_ = 0;
  gaps_.clear();
  highest_ = counter;
  return true;
}

bool EnvelopeGaps::arrived(uint64_t counter, SteadyTime now) {
  pace_.arrived();
  if (!any_) highest_ = counter;
  any_ = true;
  if (counter > highest_) {
    if (jumps(counter)) return false;
    add_gaps(counter, now);
    highest_ = std::max(highest_, counter);
  }
  if (returns(counter)) return false;
  const auto gap = std::ranges::lower_bound(gaps_, counter, {}, &Gap::counter);
  if (gap == gaps_.end() || gap->counter != counter) return false;
  const bool was_asked = gap->times > 0 && !gap->lacked;
  if (was_asked) {
    pace_.answered(gap->asked, gap->times, now);
    look_within(now + kReorderTime);  // others may be due sooner than calculated
  }
  gaps_.erase(gap);
  return was_asked;
}

void EnvelopeGaps::add_gaps(uint64_t end, SteadyTime now) {
  const uint64_t known = gaps_.empty() ? highest_ : std::max(highest_, gaps_.back().counter);
  for (uint64_t missing = known + 1; missing < end; ++missing) gaps_.push_back({.counter = missing, .found = now});
  if (gaps_.size() > kMostGaps) gaps_.erase(gaps_.begin(), gaps_.end() - kMostGaps);
  if (known + 1 < end) look_within(now + kReorderTime);
}

void EnvelopeGaps::look_within(SteadyTime at) {
  if (offered_at_) next_look_ = std::min(next_look_.value_or(at), at);
}

void EnvelopeGaps::expect(uint32_t count, SteadyTime now) {
  if (any_) add_gaps(highest_ + std::min<uint64_t>(count, kMostExpected) + 1, now);
}

// The relay lacks envelopes that were lost before it. They may come through it later, so they are requested again, but
// less often.
bool EnvelopeGaps::offered(const EnvelopeList& offer, SteadyTime now, const PeerAddress& from) {
  if (!follows(offer.session)) return false;
  offered_at_ = now;
  offered_by_ = from;
  for (size_t i = 0; i < offer.ranges; ++i) {
    const CounterRange range = offer.range(i);
    auto gap = std::ranges::lower_bound(gaps_, range.first, {}, &Gap::counter);
    for (; gap != gaps_.end() && gap->counter - range.first < range.count; ++gap) {
      if (gap->times > 0 && !gap->lacked) pace_.answered(gap->asked, gap->times, now);
      gap->lacked = true;
    }
  }
  plan();
  return true;
}

bool EnvelopeGaps::awaits(uint64_t counter) const {
  const auto gap = std::ranges::lower_bound(gaps_, counter, {}, &Gap::counter);
  return offered_at_ && gap != gaps_.end() && gap->counter == counter && !gap->lacked && gap->times <= kTries;
}

void EnvelopeGaps::forget_up_to(uint64_t counter) {
  const auto end = std::ranges::upper_bound(gaps_, counter, {}, &Gap::counter);
  gaps_.erase(gaps_.begin(), end);
}

SteadyTime EnvelopeGaps::look_at(const Gap& gap) const {
  if (gap.times == 0) return gap.found + kReorderTime;
  constexpr uint32_t kRarely = 5;  // times that double the interval twice
  return gap.asked + pace_.retry_after(gap.lacked ? std::max(gap.times, kRarely) : gap.times);
}

void EnvelopeGaps::plan() {
  next_look_.reset();
  for (const Gap& gap : gaps_) next_look_ = std::min(next_look_.value_or(look_at(gap)), look_at(gap));
}

std::span<const CounterRange> EnvelopeGaps::due(SteadyTime now, const std::function<bool(uint64_t)>& needs) {
  ranges_.clear();
  if (!next_look_ || now < *next_look_) return {};
  std::erase_if(gaps_, [&](const Gap& gap) { return now - gap.found >= kKeepFor; });
  std::optional<SteadyTime> next;
  size_t counters = 0;
  for (Gap& gap : gaps_) {
    SteadyTime look = look_at(gap);
    if (now >= look) {
      const bool fits = counters < EnvelopeList::kMaxCounters && ranges_.size() < EnvelopeList::kMaxRanges &&
                        (ranges_.empty() || gap.counter - ranges_.front().first <= EnvelopeList::kMaxReach);
      look = now + kReorderTime;
      if (fits && needs(gap.counter) && pace_.may_ask(now)) {
        ++gap.times;
        gap.asked = now;
        pace_.asked(now);
        ++counters;
        append_counter(ranges_, gap.counter);
        look = look_at(gap);
      }
    }
    next = std::min(next.value_or(look), look);
  }
  next_look_ = next;
  return ranges_;
}

std::optional<Bytes> EnvelopeGaps::request(SteadyTime now, const PeerAddress& by,
                                           const std::function<bool(uint64_t)>& needs) {
  if (!session_ || !is_offered(now, by)) {
    pause();
    return std::nullopt;
  }
  const auto ranges = due(now, needs);
  if (ranges.empty()) return std::nullopt;
  return Bytes(request_).first(write_envelope_list(request_, OwnType::envelope_request, *session_, ranges));
}

}  // namespace texcast::transport
