#include "transport/relay_session.h"

#include <algorithm>
#include <utility>

#include "transport/packet.h"
#include "transport/relayed_packet.h"

namespace texcast::transport {
namespace {

bool is_after(uint32_t a, uint32_t b) { return ((a - b) & kBufferIdMask) - 1 < kBufferIdMask / 2; }

}  // namespace

RelaySession::RelaySession(const ReceiveSettings& settings, const PacketCacheSettings& cache,
                           const RelayChoices& choices)
    : choices_(choices),
      keys_(settings.keys),
      session_(settings),
      opener_(settings.keys, settings.cipher, settings.max_age),
      cache_(cache),
      envelopes_(cache, choices.hop.answers.value_or(true), settings.request_lost) {}

std::optional<Bytes> RelaySession::on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now,
                                               const PeerAddress& from) {
  if (choices_.keeps_seal && !keys_)
    if (const auto envelope = KeylessPassage::read(datagram)) return pass_keyless(datagram, *envelope, now, from);
  if (keyless_now_ && from == keyless_.sender().from) envelopes_.on_offer(datagram, now, from);
  if (keyless_.is_alive(now)) return std::nullopt;
  const auto plain = decrypted(datagram, wall_now);
  const bool is_sealed = opener_.session().has_value();
  session_.on_datagram(datagram, now, wall_now, from);
  // It is kept before its frame may be output.
  auto on = plain ? passed(datagram, *plain, is_sealed, now, from) : std::nullopt;
  poll(now, wall_now);
  if (plain && !on && follow_sender()) on = passed(datagram, *plain, is_sealed, now, from);
  return on;
}

std::optional<Bytes> RelaySession::passed(Bytes datagram, Bytes plain, bool is_sealed, SteadyTime now,
                                          const PeerAddress& from) {
  follow_sender();
  const SelectedSender& selected = session_.sender();
  const auto ssrc = picture_ssrc(plain);
  if (selected.count == 0 || !ssrc || *ssrc != selected.ssrc) return std::nullopt;
  // A sealed session is known by its key: its address may change.
  if (!is_sealed && from != selected.from) {
    note_returned(plain);
    return std::nullopt;
  }
  heard_ = now;
  const bool is_as_it_came = plain.data() == datagram.data();
  opens_seal_ = !choices_.keeps_seal && !is_as_it_came;
  if (choices_.hop.parity_percent && is_as_it_came && is_frame_parity(plain)) return std::nullopt;
  const Bytes out = as_for_receivers(datagram, plain);
  count(out);
  if (const auto place = packet_place(plain)) {
    cache_.keep(*place, out, now);
    if (!newest_ || is_after(place->buffer_id, *newest_)) newest_ = place->buffer_id;
  }
  return out;
}

void RelaySession::count(Bytes datagram) {
  ++passed_;
  passed_bytes_ += datagram.size();
}

Bytes RelaySession::as_for_receivers(Bytes datagram, Bytes plain) {
  if (plain.data() != datagram.data()) return choices_.keeps_seal ? datagram : plain;
  return choices_.hop.changes() ? with_choices(plain, choices_.hop, changed_) : plain;
}

void RelaySession::note_returned(Bytes plain) {
  if (const auto place = packet_place(plain); place && cache_.packet(*place)) ++returned_;
}

std::optional<Bytes> RelaySession::pass_keyless(Bytes datagram, const KeylessPassage::Envelope& envelope,
                                                SteadyTime now, const PeerAddress& from) {
  const bool is_other_alive = !keyless_now_ && session_.sender().count > 0 && now - heard_ < KeylessPassage::kGone;
  if (is_other_alive || !keyless_.passes(envelope, now, from)) return std::nullopt;
  keyless_now_ = true;
  follow_sender();
  envelopes_.passed(envelope.counter, datagram, now);
  count(datagram);
  return datagram;
}

std::optional<Bytes> RelaySession::decrypted(Bytes datagram, WallTime wall_now) {
  const auto opened = opener_.open(datagram, wall_now);
  if (!opened || parse_own_datagram(*opened)) return opened;
  auto rtp = parse_rtp(*opened);
  if (!rtp || !is_video(rtp->payload_type)) return std::nullopt;
  const uint8_t type = rtp->payload_type;
  if (!opener_.open_media(*rtp)) return std::nullopt;
  return rtp->payload_type == type ? opened : std::optional(with_payload(*opened, *rtp, rewritten_));
}

// True if another sender passes now. The packets and requests of the former one mean nothing in its stream.
bool RelaySession::follow_sender() {
  const SelectedSender &plain = session_.sender(), &sealed = keyless_.sender();
  const uint64_t count = plain.count + sealed.count;
  if (plain.count != followed_) keyless_now_ = false;
  const bool is_new = count != sender_.count;
  sender_ = keyless_now_ ? sealed : plain;
  sender_.count = count;
  if (!is_new) return false;
  followed_ = plain.count;
  cache_.clear();
  merger_.clear();
  sealed_feedback_.clear();
  made_.clear();
  newest_.reset();
  feedback_.clear();
  envelopes_.stop();
  if (const auto session = keyless_.session(); keyless_now_ && session) envelopes_.follow(*session);
  const auto keys = choices_.keeps_seal ? keys_ : nullptr;
  for (size_t i = 0; !keyless_now_ && i < (keys ? kOpeners : 1); ++i) feedback_.emplace_back(plain.ssrc, keys);
  return true;
}

void RelaySession::poll(SteadyTime now, WallTime wall_now) {
  while (const auto frame = session_.poll(now, wall_now)) {
    ++frames_;
    follow_sender();
    make_packets(*frame, now);
    if (stream_ && !frame->new_stream && *stream_ == frame->stream) continue;
    stream_ = frame->stream;
    ++streams_;
  }
  if (const auto offer = envelopes_.offer(now, keyless_.is_alive(now)))
    made_.emplace_back(offer->begin(), offer->end());
}

// Packets that are made here are kept for NACKs like those that passed.
void RelaySession::make_packets(const ReceivedFrame& frame, SteadyTime now) {
  if (keys_ || made_.size() > kMostMade) return;  // receivers would refuse what is not sealed by the sender
  const size_t first = made_.size();
  const auto keep = [&](size_t from) {
    for (size_t i = from; i < made_.size(); ++i) {
      if (const auto place = packet_place(made_[i])) cache_.keep(*place, made_[i], now);
      count(made_[i]);
    }
  };
  const uint64_t recovered = session_.counters().recovered_parity;
  if (recovered > restored_count_) remaker_.missing(frame, cache_, made_);
  // More are missing than parity restored: they are not kept, or never passed.
  if (made_.size() - first > recovered - restored_count_) made_.resize(first);
  restored_count_ += made_.size() - first;
  keep(first);
  const size_t parity = made_.size();
  if (choices_.hop.parity_percent) remaker_.parity(frame, cache_, *choices_.hop.parity_percent, made_);
  keep(parity);
}

std::span<const OutgoingPacket> RelaySession::poll_made() {
  polled_.clear();
  std::swap(polled_, made_);
  polled_packets_.clear();
  for (const std::vector<std::byte>& datagram : polled_) polled_packets_.push_back({datagram, {}});
  return polled_packets_;
}

std::span<const OutgoingPacket> RelaySession::on_feedback(uint32_t receiver, Bytes datagram, SteadyTime now,
                                                          std::optional<uint32_t> shares) {
  if (keyless_now_) {
    if (KeylessPassage::read(datagram)) sealed_feedback_.add(receiver, datagram);
    return envelopes_.answer(shares.value_or(receiver), datagram, now);
  }
  if (feedback_.empty()) return {};
  const FeedbackOpener::Asked asked = feedback_[receiver % feedback_.size()].read(datagram);
  if (asked.tiles) merger_.add(receiver, *asked.tiles, now);
  if (asked.packets) return cache_.answer(shares.value_or(receiver), *asked.packets, now);
  return {};
}

std::optional<Bytes> RelaySession::poll_feedback(SteadyTime now) {
  if (const auto sealed = sealed_feedback_.next(now)) {
    keyless_.note_feedback(now);
    return sealed;
  }
  if (const auto request = envelopes_.request(now, keyless_.sender().from)) return request;
  if (const auto request = session_.poll_feedback(now)) return request;
  while (const auto merged = merger_.next(now, newest_))
    if (const auto request =
            session_.ask_for_tiles({.state = merged->state, .all = merged->all, .ranges = merged->ranges}, now))
      return request;
  return std::nullopt;
}

std::optional<SteadyTime> RelaySession::next_deadline() const {
  std::optional<SteadyTime> next;
  for (const auto& one : {session_.next_deadline(), merger_.next_deadline(), sealed_feedback_.next_deadline(),
                          envelopes_.next_deadline()})
    if (one) next = std::min(next.value_or(*one), *one);
  return next;
}

}  // namespace texcast::transport
