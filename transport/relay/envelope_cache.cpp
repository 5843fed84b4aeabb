#include "transport/envelope_cache.h"

#include <algorithm>

namespace texcast::transport {

void EnvelopeCache::clear() {
  for (Slab& slab : slabs_) {
    slab.bytes.clear();
    slab.pieces.clear();
  }
  limit_.forget_frames();
}

size_t EnvelopeCache::bytes() const {
  size_t bytes = 0;
  for (const Slab& slab : slabs_) bytes += slab.bytes.size();
  return bytes;
}

// The slabs together cover a little more than the time for which envelopes are kept. The frame of an envelope is
// unknown, so the content of a slab counts as one frame.
EnvelopeCache::Slab& EnvelopeCache::slab_for(size_t bytes, SteadyTime now) {
  Slab& latest = slabs_[latest_];
  const bool is_over = now - latest.begun > settings_.keep_for / (kSlabs - 2);
  if (!latest.pieces.empty() && !is_over && latest.pieces.size() < kMostPieces &&
      latest.bytes.size() + bytes <= settings_.max_bytes / kSlabs)
    return latest;
  latest_ = (latest_ + 1) % kSlabs;
  Slab& next = slabs_[latest_];
  next.bytes.clear();
  next.pieces.clear();
  next.begun = now;
  return next;
}

void EnvelopeCache::keep(uint64_t counter, Bytes envelope, SteadyTime now) {
  limit_.passed(envelope.size());
  const Slab* in = nullptr;
  if (envelope.size() > settings_.max_bytes / kSlabs || find(counter, now, &in) != nullptr) return;
  Slab& slab = slab_for(envelope.size(), now);
  const size_t begin = slab.bytes.size();
  slab.bytes.insert(slab.bytes.end(), envelope.begin(), envelope.end());
  const auto at = std::ranges::lower_bound(slab.pieces, counter, {}, &Piece::counter);
  slab.pieces.insert(at, {.counter = counter, .begin = begin, .end = slab.bytes.size()});
  limit_.note_frame(slab.bytes.size());
}

const EnvelopeCache::Piece* EnvelopeCache::find(uint64_t counter, SteadyTime now, const Slab** in) const {
  for (size_t i = 0; i < kSlabs; ++i) {  // the latest one first
    const Slab& slab = slabs_[(latest_ + kSlabs - i) % kSlabs];
    if (slab.pieces.empty() || now - slab.begun > settings_.keep_for) continue;
    if (counter < slab.pieces.front().counter || counter > slab.pieces.back().counter) continue;
    const auto piece = std::ranges::lower_bound(slab.pieces, counter, {}, &Piece::counter);
    if (piece->counter != counter) continue;
    *in = &slab;
    return &*piece;
  }
  return nullptr;
}

std::span<const OutgoingPacket> EnvelopeCache::answer(uint32_t receiver, const EnvelopeList& list, SteadyTime now,
                                                      const std::function<bool(uint64_t)>& is_awaited) {
  answer_.clear();
  lacking_.clear();
  ++requests_;
  for (size_t i = 0; i < list.ranges; ++i) {
    const CounterRange range = list.range(i);
    for (uint64_t counter = range.first; counter - range.first < range.count; ++counter) {
      const Slab* slab = nullptr;
      const Piece* piece = find(counter, now, &slab);
      if (piece == nullptr) {
        if (!is_awaited(counter)) append_counter(lacking_, counter);
        continue;
      }
      if (!limit_.spend(receiver, piece->end - piece->begin)) return answer_;
      answer_.push_back({Bytes(slab->bytes).subspan(piece->begin, piece->end - piece->begin), {}});
      ++sent_again_;
    }
  }
  if (lacking_.empty()) return answer_;
  const size_t bytes = write_envelope_list(lacking_bytes_, OwnType::envelope_repair, list.session, lacking_);
  if (limit_.spend(receiver, bytes)) answer_.push_back({Bytes(lacking_bytes_).first(bytes), {}});
  return answer_;
}

}  // namespace texcast::transport
