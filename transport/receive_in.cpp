// receive_in.cpp — datagrams to their frames.
#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

using Arrival = SequenceTracker::Arrival;

void ReceiveSession::State::on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now) {
  const auto readable = opener.open(datagram);
  if (!readable)
    ++counters.refused;
  else if (const auto own = parse_own_datagram(*readable))
    on_own(*own, now, wall_now);
  else
    on_rtp(*readable, now, wall_now);
}

void ReceiveSession::State::on_rtp(Bytes datagram, SteadyTime now, WallTime wall_now) {
  auto rtp = parse_rtp(datagram);
  if (!rtp) {
    ++counters.malformed;
    return;
  }
  if (is_video(rtp->payload_type) && !opener.open_media(*rtp)) {
    ++counters.refused;
    return;
  }
  if (static_cast<PayloadType>(rtp->payload_type) != PayloadType::video) {
    if (rtp->ssrc == ssrc) note_sequence(*rtp);  // it was not lost
    ++counters.foreign;
    return;
  }
  const auto packet = read_media_packet(*rtp, settings.max_frame_bytes);
  if (!packet) {
    if (rtp->ssrc == ssrc) note_sequence(*rtp);
    ++counters.malformed;
    return;
  }
  on_media(*packet, now, wall_now);
}

Arrival ReceiveSession::State::note_sequence(const RtpPacket& rtp) {
  const auto arrival = sequence.arrived(rtp.sequence);
  counters.lost = sequence.lost();
  return arrival;
}

void ReceiveSession::State::on_media(const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
  if (!accept_sender(packet.rtp.ssrc, now)) {
    ++counters.foreign;
    return;
  }
  heard = now;
  sender_fps = packet.shape.fps;
  const auto arrival = note_sequence(packet.rtp);
  if (packet.substream != 0) {  // a tile of a larger picture: texcast shows single ones
    ++counters.foreign;
    return;
  }
  put_into_frame(packet, arrival, now, wall_now);
}

void ReceiveSession::State::put_into_frame(const MediaPacket& packet, Arrival arrival, SteadyTime now,
                                           WallTime wall_now) {
  const auto place = order.place(packet.buffer_id, arrival == Arrival::seen);
  if (!place) {
    ++counters.malformed;
    return;
  }
  if (place->order <= passed_order) {
    count_too_late(place->order, arrival);
    return;
  }
  Slot* slot = find(place->order);
  if (slot && contradicts(*slot, packet)) {
    // Which of the two is damaged? The frame's only packet so far gives way to one that looks like the stream.
    const bool newcomer_fits = slot->packets == 1 && packet.shape == shown_shape;
    if (!newcomer_fits) {
      ++counters.malformed;
      return;
    }
    slot->phase = Slot::Phase::free;
    slot = nullptr;
  }
  if (!slot) {
    // Another frame with this time stamp? One of the two numbers is damaged; a frame of several packets is right.
    if (Slot* twin = find_time(packet.rtp.timestamp)) {
      if (twin->packets > 1) {
        ++counters.malformed;
        return;
      }
      twin->phase = Slot::Phase::free;
    }
    slot = &begin_frame(packet, *place, now, wall_now);
  }
  take(*slot, packet, arrival, now, wall_now);
}

bool ReceiveSession::State::accept_sender(uint32_t new_ssrc, SteadyTime now) {
  if (ssrc == new_ssrc) return true;
  if (ssrc) {
    const nanoseconds quiet = std::max<nanoseconds>(std::chrono::milliseconds(250), 4 * frame_time(sender_fps));
    if (now - heard < std::min(quiet, settings.sender_timeout)) return false;
  }
  sequence.restart();
  order.restart();
  ssrc = new_ssrc;
  return true;
}

void ReceiveSession::State::count_too_late(uint64_t frame, Arrival arrival) {
  const Passed& entry = passed[frame % passed.size()];
  const bool was_complete = entry.order == frame && entry.complete;
  ++(was_complete || arrival == Arrival::seen ? counters.duplicate : counters.late);
}

}  // namespace texcast::transport
