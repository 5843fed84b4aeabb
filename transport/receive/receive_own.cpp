// receive_own.cpp — texcast's own datagrams, which are no RTP: 'T' 'C', version, type.
#include "receive_state.h"

namespace texcast::transport {

void ReceiveSession::State::on_own(const OwnDatagram& datagram, SteadyTime now, WallTime wall_now) {
  switch (static_cast<OwnType>(datagram.type)) {
    case OwnType::parity: on_parity(datagram, now, wall_now); break;
    case OwnType::sealed:   // was one already
    case OwnType::request:  // those go the other way
    default: ++counters.foreign;
  }
}

void ReceiveSession::State::on_parity(const OwnDatagram& datagram, SteadyTime now, WallTime wall_now) {
  const auto parity = parse_parity(datagram.body);
  const auto packet = parity ? read_parity_packet(*parity, settings.max_frame_bytes) : std::nullopt;
  if (!packet) {
    ++counters.malformed;
    return;
  }
  if (!accept_sender(packet->rtp.ssrc, now)) {
    ++counters.foreign;
    return;
  }
  replay_all();
  heard = now;
  sender_fps = packet->shape.picture.fps;
  put_into_frame(*packet, Arrival::newest, now, wall_now);
}

}  // namespace texcast::transport
