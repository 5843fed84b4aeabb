// receive_in.cpp — datagrams into slots. Every datagram ends in exactly one counter.
#include <algorithm>

#include "receive_state.h"

namespace texcast::transport {

using Arrival = SequenceTracker::Arrival;

namespace {

// The rate is the sender's word: a frame every ten seconds is the slowest that is believed.
nanoseconds frame_time(double fps) {
  return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(std::min(1 / fps, 10.0)));
}

}  // namespace

void ReceiveSession::State::on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now) {
  const auto rtp = parse_rtp(datagram);
  if (!rtp) {
    ++counters.malformed;
    return;
  }
  if (static_cast<PayloadType>(rtp->payload_type) == PayloadType::video) {
    on_video(*rtp, now, wall_now);
  } else {
    if (rtp->ssrc == ssrc) note_sequence(*rtp);  // it was not lost
    ++counters.foreign;
  }
}

SequenceTracker::Arrival ReceiveSession::State::note_sequence(const RtpPacket& rtp) {
  const auto arrival = sequence.arrived(rtp.sequence);
  counters.lost = sequence.lost();
  return arrival;
}

void ReceiveSession::State::on_video(const RtpPacket& rtp, SteadyTime now, WallTime wall_now) {
  const auto packet = check(rtp);
  if (!packet) {
    if (rtp.ssrc == ssrc) note_sequence(rtp);
    ++counters.malformed;
    return;
  }
  if (!accept_sender(rtp.ssrc, now)) {
    ++counters.foreign;
    return;
  }
  heard = now;
  sender_fps = packet->video.fps;
  const auto arrival = note_sequence(rtp);
  if (packet->video.substream != 0) {  // a tile of a larger picture: texcast shows single ones
    ++counters.foreign;
    return;
  }
  const auto place = order.place(packet->video.buffer_id, arrival == Arrival::seen);
  if (!place) {
    ++counters.malformed;
    return;
  }
  if (place->order <= passed_order) {
    count_too_late(place->order, arrival);
    return;
  }
  Slot* slot = find(place->order);
  if (slot && contradicts(*slot, *packet)) {
    // Which of the two is damaged? The frame's only packet so far gives way to one that looks like the stream.
    const bool newcomer_fits = slot->packets == 1 && packet->shape() == shown_shape;
    if (!newcomer_fits) {
      ++counters.malformed;
      return;
    }
    slot->phase = Slot::Phase::free;
    slot = nullptr;
  }
  if (!slot) {
    // Another frame with this time stamp? One of the two numbers is damaged; a frame of several packets is right.
    if (Slot* twin = find_time(rtp.timestamp)) {
      if (twin->packets > 1) {
        ++counters.malformed;
        return;
      }
      twin->phase = Slot::Phase::free;
    }
    slot = &begin_frame(*packet, *place, now, wall_now);
  }
  take(*slot, *packet, arrival, now, wall_now);
}

// Bounds first, so that nothing later needs to ask again, and before anything is allocated.
std::optional<ReceiveSession::State::VideoPacket> ReceiveSession::State::check(const RtpPacket& rtp) const {
  const auto video = parse_video_header(rtp.payload);
  if (!video) return std::nullopt;
  const Bytes piece = rtp.payload.subspan(kVideoHeaderBytes);
  if (video->width == 0 || video->height == 0 || piece.empty()) return std::nullopt;
  if (video->offset >= video->length || piece.size() > video->length - video->offset) return std::nullopt;

  // The fattest pixel format has 12 to 16 bytes a pixel; the rest is for whatever precedes the pixels.
  const auto padded = [](uint16_t size) { return (uint64_t{size} + 3) / 4 * 4; };
  const uint64_t plausible = 16 * padded(video->width) * padded(video->height) + 65536;
  if (video->length > std::min<uint64_t>(plausible, settings.max_frame_bytes)) return std::nullopt;

  VideoPacket packet{rtp, *video, std::nullopt, piece};
  if (rtp.extension_id == kExtensionId) {
    packet.extension = parse_stream_extension(rtp.extension);
    if (packet.extension && (packet.extension->width == 0 || padded(packet.extension->width) != video->width ||
                             packet.extension->height == 0 || padded(packet.extension->height) != video->height))
      return std::nullopt;
  }
  return packet;
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

ReceiveSession::State::Slot* ReceiveSession::State::find(uint64_t frame) {
  for (Slot& slot : slots)
    if (slot.order == frame && (slot.phase == Slot::Phase::filling || slot.phase == Slot::Phase::finished))
      return &slot;
  return nullptr;
}

ReceiveSession::State::Slot* ReceiveSession::State::find_time(uint32_t timestamp) {
  for (Slot& slot : slots)
    if (slot.phase == Slot::Phase::filling && slot.timestamp == timestamp && slot.ssrc == ssrc) return &slot;
  return nullptr;
}

bool ReceiveSession::State::contradicts(const Slot& slot, const VideoPacket& packet) const {
  return slot.timestamp != packet.rtp.timestamp || slot.shape != packet.shape();
}

ReceiveSession::State::Slot& ReceiveSession::State::begin_frame(const VideoPacket& packet, FrameOrder::Place place,
                                                                SteadyTime now, WallTime wall_now) {
  Slot& slot = free_slot();
  slot.phase = Slot::Phase::filling;
  slot.order = place.order;
  slot.run = place.run;
  slot.ssrc = packet.rtp.ssrc;
  slot.timestamp = packet.rtp.timestamp;
  slot.buffer_id = packet.video.buffer_id;
  slot.shape = packet.shape();
  slot.extension.reset();
  slot.packets = 0;
  slot.last_number = 0;
  slot.begun = now;
  slot.first_packet = wall_now;
  slot.assembled = {};
  slot.ended = false;
  slot.deadline = now + std::max(settings.frame_timeout, frame_time(packet.video.fps));
  slot.data.begin(packet.video.length);
  next_timeout = std::min(next_timeout, slot.deadline);
  return slot;
}

void ReceiveSession::State::end_seen(Slot& slot, SteadyTime now) {
  if (slot.ended || slot.phase != Slot::Phase::filling) return;
  slot.ended = true;
  slot.deadline = std::min(slot.deadline, now + settings.reorder_grace);
  next_timeout = std::min(next_timeout, slot.deadline);
}

ReceiveSession::State::Slot& ReceiveSession::State::free_slot() {
  Slot* free = nullptr;
  Slot* oldest_filling = nullptr;
  Slot* hanging = nullptr;
  Slot* oldest_finished = nullptr;
  int filling = 0;
  const auto keep_older = [](Slot*& oldest, Slot& slot) {
    if (!oldest || slot.order < oldest->order) oldest = &slot;
  };
  for (Slot& slot : slots) {
    switch (slot.phase) {
      case Slot::Phase::free:
        // The one with the largest order was used last: its pages are warm and of the right size.
        if (!free || slot.order > free->order) free = &slot;
        break;
      case Slot::Phase::filling:
        ++filling;
        keep_older(oldest_filling, slot);
        if (hangs_in_the_air(slot)) keep_older(hanging, slot);
        break;
      case Slot::Phase::finished: keep_older(oldest_finished, slot); break;
      case Slot::Phase::given: break;
    }
  }
  if (filling >= kMaxFilling && hanging) {
    hanging->phase = Slot::Phase::free;
    free = hanging;
  } else if (filling >= kMaxFilling) {
    finish(*oldest_filling, {});
    keep_older(oldest_finished, *oldest_filling);
  }
  if (free) return *free;
  // At most kMaxFilling fill and one is given, so the rest is finished.
  ++counters.frames_unread;
  pass(*oldest_finished);
  oldest_finished->phase = Slot::Phase::free;
  return *oldest_finished;
}

void ReceiveSession::State::take(Slot& slot, const VideoPacket& packet, Arrival arrival, SteadyTime now,
                                 WallTime wall_now) {
  switch (slot.data.add(packet.video.offset, packet.piece)) {
    case ByteCoverage::Added::refused: ++counters.malformed; return;
    case ByteCoverage::Added::nothing_new: ++counters.duplicate; return;
    case ByteCoverage::Added::new_bytes: break;
  }
  ++slot.packets;
  ++counters.packets;
  counters.bytes += packet.piece.size();
  if (arrival == Arrival::reordered) ++counters.reordered;
  if (arrival != Arrival::implausible) slot.last_number = std::max(slot.last_number, sequence.last());
  if (packet.extension && !slot.extension) slot.extension = packet.extension;
  if (slot.phase == Slot::Phase::filling && slot.data.complete()) finish(slot, wall_now);

  if (packet.video.offset + packet.piece.size() == packet.video.length) end_seen(slot, now);
  // A second packet, because a single one may be a damaged frame number.
  if (slot.packets == 2)
    for (Slot& earlier : slots)
      if (earlier.order < slot.order) end_seen(earlier, now);
}

}  // namespace texcast::transport
