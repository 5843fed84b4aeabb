#include "transport/envelope_relay.h"

namespace texcast::transport {

void EnvelopeRelay::follow(uint64_t session) {
  stop();
  session_ = session;
  gaps_.follow(session);
}

void EnvelopeRelay::stop() {
  session_.reset();
  cache_.clear();
  gaps_.pause();
  offer_at_.reset();
  offers_ = 0;
}

void EnvelopeRelay::passed(uint64_t counter, Bytes envelope, SteadyTime now) {
  if (!session_) return;
  if (answers_) cache_.keep(counter, envelope, now);
  if (answers_ && !offer_at_) offer_at_ = now;
  if (asks_) gaps_.arrived(counter, now);
}

std::span<const OutgoingPacket> EnvelopeRelay::answer(uint32_t receiver, Bytes datagram, SteadyTime now) {
  const auto own = parse_own_datagram(datagram, OwnType::envelope_request);
  const auto list = own ? parse_envelope_request(own->body) : std::nullopt;
  if (!answers_ || !list || session_ != list->session) return {};
  return cache_.answer(receiver, *list, now, [&](uint64_t counter) { return gaps_.awaits(counter); });
}

std::optional<Bytes> EnvelopeRelay::offer(SteadyTime now, bool is_alive) {
  if (!session_ || !offer_at_ || now < *offer_at_) return std::nullopt;
  offer_at_.reset();
  if (!is_alive) return std::nullopt;
  offer_at_ = now + (++offers_ <= kFirstOffers ? kFirstOffersEvery : kOfferEvery);
  return Bytes(offer_).first(write_envelope_list(offer_, OwnType::envelope_repair, *session_, {}));
}

void EnvelopeRelay::on_offer(Bytes datagram, SteadyTime now, const PeerAddress& from) {
  const auto own = parse_own_datagram(datagram, OwnType::envelope_repair);
  const auto list = own ? parse_envelope_repair(own->body) : std::nullopt;
  if (asks_ && session_ && list) gaps_.offered(*list, now, from);
}

std::optional<Bytes> EnvelopeRelay::request(SteadyTime now, const PeerAddress& from) {
  return gaps_.request(now, from, [](uint64_t) { return true; });
}

std::optional<SteadyTime> EnvelopeRelay::next_deadline() const {
  auto next = gaps_.next_look();
  if (offer_at_) next = std::min(next.value_or(*offer_at_), *offer_at_);
  return next;
}

}  // namespace texcast::transport
