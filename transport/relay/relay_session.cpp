#include "transport/relay_session.h"

#include "transport/packet.h"
#include "transport/relayed_packet.h"

namespace texcast::transport {

RelaySession::RelaySession(const ReceiveSettings& settings, const PacketCacheSettings& cache)
    : session_(settings), opener_(settings.keys, settings.cipher, settings.max_age), cache_(cache) {}

std::optional<Bytes> RelaySession::on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now,
                                               const PeerAddress& from) {
  session_.on_datagram(datagram, now, wall_now, from);
  poll(now, wall_now);
  follow_sender();
  const auto plain = decrypted(datagram, wall_now);
  if (!plain) return std::nullopt;
  // A sealed session is known by its key: its address may change.
  const SelectedSender& sender = session_.sender();
  const auto ssrc = picture_ssrc(*plain);
  if (sender.count == 0 || !ssrc || *ssrc != sender.ssrc || (!opener_.session() && from != sender.from))
    return std::nullopt;
  opens_seal_ = plain->data() != datagram.data();
  ++passed_;
  passed_bytes_ += plain->size();
  if (const auto place = packet_place(*plain)) cache_.keep(*place, *plain, now);
  return plain;
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

// The packets and requests of another sender's stream mean nothing in this one.
void RelaySession::follow_sender() {
  const SelectedSender& sender = session_.sender();
  if (sender.count == sender_) return;
  sender_ = sender.count;
  cache_.clear();
  merger_.clear();
  feedback_.emplace(sender.ssrc, nullptr);
}

void RelaySession::poll(SteadyTime now, WallTime wall_now) {
  while (const auto frame = session_.poll(now, wall_now)) {
    ++frames_;
    if (stream_ && !frame->new_stream && *stream_ == frame->stream) continue;
    stream_ = frame->stream;
    ++streams_;
  }
}

std::span<const OutgoingPacket> RelaySession::on_feedback(uint32_t receiver, Bytes datagram, SteadyTime now) {
  if (!feedback_) return {};
  const FeedbackOpener::Asked asked = feedback_->read(datagram);
  if (asked.tiles) merger_.add(*asked.tiles);
  if (asked.packets) return cache_.answer(receiver, *asked.packets, now);
  return {};
}

std::optional<Bytes> RelaySession::poll_feedback(SteadyTime now) {
  if (const auto request = session_.poll_feedback(now)) return request;
  while (const auto merged = merger_.next(now))
    if (const auto request =
            session_.ask_for_tiles({.state = merged->state, .all = merged->all, .ranges = merged->ranges}, now))
      return request;
  return std::nullopt;
}

std::optional<SteadyTime> RelaySession::next_deadline() const {
  const auto session = session_.next_deadline(), merger = merger_.next_deadline();
  if (!session || !merger) return session ? session : merger;
  return std::min(*session, *merger);
}

}  // namespace texcast::transport
