// receive_in.cpp — datagrams to their frames.
#include "receive_state.h"
#include "tile_grid.h"

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
  } else if (!is_video(rtp->payload_type)) {
    drop(*rtp, counters.foreign);
  } else if (!opener.open_media(*rtp)) {
    drop(*rtp, counters.refused);
  } else if (const auto packet = read_media_packet(*rtp, settings.max_frame_bytes)) {
    on_media(*packet, now, wall_now);
  } else {
    drop(*rtp, counters.malformed);
  }
}

// A packet of the sender that is listened to was not lost, whatever else is wrong with it.
void ReceiveSession::State::drop(const RtpPacket& rtp, uint64_t& counter) {
  if (rtp.ssrc == ssrc) note_sequence(rtp);
  ++counter;
}

Arrival ReceiveSession::State::note_sequence(const RtpPacket& rtp) {
  const auto arrival = sequence.arrived(rtp.sequence);
  counters.lost = sequence.lost();
  return arrival;
}

void ReceiveSession::State::on_media(const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
  // While what it sent before is still to be read, a new sender's packets go behind it.
  if (!accept_sender(packet.rtp.ssrc, now) || candidate.replaying())
    keep_for_later(packet, now, wall_now);
  else
    on_accepted(packet, now, wall_now);
}

void ReceiveSession::State::on_accepted(const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
  heard = now;
  if (!packet.shape.fec()) sender_fps = packet.shape.picture.fps;
  const auto arrival = note_sequence(packet.rtp);
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
    count_too_late(packet, place->order, arrival);
    return;
  }
  Slot* slot = find(place->order);
  if (!is_shown_tile(packet)) {
    ++counters.foreign;
    if (slot) ++slot->strange_tiles;
    return;
  }
  if (slot && contradicts(*slot, packet)) {
    // Which of the two is damaged? The frame's only packet so far gives way to one that looks like the stream.
    const bool newcomer_fits = slot->packets == 1 && packet.shape == shown_shape;
    if (!newcomer_fits) {
      if (slot->timestamp == packet.rtp.timestamp && !slot->tiles[packet.substream].begun) ++slot->strange_tiles;
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

// Up to four, of a layout that we can put together.
bool ReceiveSession::State::is_shown_tile(const MediaPacket& packet) {
  if (packet.substream == 0) return true;
  if (packet.substream >= kMaxTiles) return false;
  const TilePicture& picture = packet.shape.picture;
  return packet.shape.fec() || picture_rows(picture.fourcc, picture.width, picture.height);
}

void ReceiveSession::State::count_too_late(const MediaPacket& packet, uint64_t frame, Arrival arrival) {
  Passed& entry = passed[frame % passed.size()];
  const bool known = entry.order == frame && packet.substream < kMaxTiles;
  // The frame was taken for one of fewer tiles. A second packet, because a single one may have a damaged number.
  if (known && packet.rtp.ssrc == shown_ssrc && packet.substream >= stream_tiles && ++entry.beyond > 1) {
    entry.beyond = 1;
    stream_tiles = packet.substream + 1;
  }
  const bool was_complete = entry.order == frame && entry.complete;
  if (packet.parity)
    ++(was_complete ? counters.surplus : counters.late);
  else if (arrival == Arrival::seen)
    ++counters.duplicate;
  else if (!was_complete)
    ++counters.late;
  else if (known && packet.offset < entry.arrived[packet.substream])
    ++counters.duplicate;
  else
    ++counters.surplus;
}

}  // namespace texcast::transport
