// The path of a datagram through the session:
//
//   datagram ─► decrypted (PacketOpener) ─► RTP, or texcast's own type ─► parsed and checked (media_packet.h)
//            ─► its sender (SsrcSelector) ─► its frame (JitterBuffer) ─► put into it (FrameAssembler)
//   poll()   ─► the next frame in order (JitterBuffer) ─► described, losses concealed (FrameOutput)
//
// Every datagram ends in exactly one counter.
#include "transport/receive_session.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cursor_tracker.h"
#include "frame_assembler.h"
#include "frame_history.h"
#include "frame_output.h"
#include "jitter_buffer.h"
#include "nack_sender.h"
#include "picture.h"
#include "ssrc_selector.h"
#include "transport/packet_opener.h"

namespace texcast::transport {
namespace {

// True if the packet's tile can be composed with others: up to four, of a known layout.
bool is_shown_tile(const MediaPacket& packet) {
  if (packet.substream == 0) return true;
  if (packet.substream >= kMaxTiles) return false;
  const TilePicture& picture = packet.shape.picture;
  return packet.shape.fec() || picture_rows(picture.fourcc, picture.width, picture.height);
}

}  // namespace

struct ReceiveSession::State {
  using Arrival = SsrcSelector::Arrival;

  State(const ReceiveSettings& given_settings, FrameStore* given_store, WorkAhead* helpers)
      : settings(given_settings),
        store(given_store ? *given_store : heap),
        opener(given_settings.keys, given_settings.cipher, given_settings.max_age, helpers) {}

  void on_datagram(Bytes datagram, const PeerAddress& from, SteadyTime now, WallTime wall_now);
  void on_rtp(Bytes datagram, const PeerAddress& from, SteadyTime now, WallTime wall_now);
  void on_own(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now, WallTime wall_now);
  template <typename Packet>
  bool is_of_stream(const std::optional<Packet>& packet, const PeerAddress& from);
  void on_envelope_repair(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now);
  void note_envelope(MediaPacket& packet) const;
  CursorTracker& cursor_of_sender();
  void keep(const TileSums& told);
  void on_parity(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now, WallTime wall_now);
  void on_compact(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now, WallTime wall_now);
  void on_compact_parity(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now, WallTime wall_now);
  void on_accepted_parity(const MediaPacket& packet, const PeerAddress& from, SteadyTime now, WallTime wall_now);
  void note_oversized(const MediaPacket& packet);
  void note_compact(const MediaPacket& packet, FrameOrder::Place place);
  std::optional<Bytes> ask_for_tiles(const TileQuery& query, SteadyTime now);
  SenderId id_of(uint32_t ssrc, const PeerAddress& from) const;
  void on_media(const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  void on_accepted(const MediaPacket& packet, SteadyTime now, WallTime wall_now);
  void put_into_frame(const MediaPacket& packet, Arrival arrival, SteadyTime now, WallTime wall_now);
  Arrival note_sequence(const RtpPacket& rtp);
  void drop(const RtpPacket& rtp, const PeerAddress& from, uint64_t& counter);
  void replay_one();
  std::optional<ReceivedFrame> poll(SteadyTime now, WallTime wall_now);
  std::optional<ReceivedFrame> poll_at(SteadyTime now, WallTime wall_now);
  std::optional<SteadyTime> next_deadline() const;
  // Derived from the times passed to the last on_datagram().
  WallTime wall_at(SteadyTime now) const { return last_time.second + (now - last_time.first); }

  // Each refers to those above it.
  const ReceiveSettings settings;
  HeapFrameStore heap;
  FrameStore& store;
  ReceiveCounters counters;
  PacketOpener opener;
  bool is_from_relay = false;  // an envelope NACK had requested the datagram that `opener` opened last
  std::pair<SteadyTime, WallTime> last_time{};
  // Coded streams only.
  struct Newest {
    uint64_t sender = 0;  // SenderFollower::number()
    uint64_t order = 0;
    uint32_t ssrc = 0, buffer_id = 0;
    bool takes_tile_requests = false;
  };
  Newest newest;
  CursorTracker cursor;
  uint64_t cursor_of = 0;  // SenderFollower::number()
  std::optional<TileSums> sums;
  std::array<std::byte, 4 * TileSums::kMaxRows> sum_bytes{};
  SsrcSelector sender{settings.sender_timeout};
  NackSender nacks{settings, sender};
  FrameHistory history{sender, counters};
  JitterBuffer jitter_buffer{settings, sender, nacks, history, store, counters};
  FrameAssembler assembler{settings, sender, history, nacks, jitter_buffer, counters};
  FrameOutput output{settings, sender, history, jitter_buffer, assembler, store, counters};
};

SenderId ReceiveSession::State::id_of(uint32_t ssrc, const PeerAddress& from) const {
  if (const auto& session = opener.session())
    return {.ssrc = ssrc, .sealed = true, .began = session->began, .session = session->id};
  return {.ssrc = ssrc, .from = from};
}

void ReceiveSession::State::on_datagram(Bytes datagram, const PeerAddress& from, SteadyTime now, WallTime wall_now) {
  last_time = {now, wall_now};
  if (const auto offer = parse_own_datagram(datagram, OwnType::envelope_repair))
    return on_envelope_repair(*offer, from, now);
  const auto readable = opener.open(datagram, wall_now);
  const auto& envelope = opener.session();
  is_from_relay = envelope && nacks.envelope_arrived(envelope->id, envelope->counter, now);
  if (!readable)
    ++counters.refused;
  else if (const auto own = parse_own_datagram(*readable))
    on_own(*own, from, now, wall_now);
  else
    on_rtp(*readable, from, now, wall_now);
  nacks.follow(sender.session());
}

// A relay without the key sends it in the clear.
void ReceiveSession::State::on_envelope_repair(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now) {
  const auto offer = parse_envelope_repair(datagram.body);
  if (!offer)
    ++counters.malformed;
  else if (sender.session() && from == sender.selected().from &&
           nacks.relay_offers(*offer, jitter_buffer.frames(), now))
    ++counters.beside;
  else
    ++counters.foreign;
}

void ReceiveSession::State::note_envelope(MediaPacket& packet) const {
  if (const auto& envelope = opener.session()) packet.counter = envelope->counter;
  packet.is_from_relay = is_from_relay;
}

void ReceiveSession::State::on_rtp(Bytes datagram, const PeerAddress& from, SteadyTime now, WallTime wall_now) {
  auto rtp = parse_rtp(datagram);
  if (!rtp) {
    ++counters.malformed;
  } else if (!is_video(rtp->payload_type)) {
    drop(*rtp, from, counters.foreign);
  } else if (!opener.open_media(*rtp)) {
    drop(*rtp, from, counters.refused);
  } else if (auto packet = read_media_packet(*rtp, settings.max_frame_bytes, settings.max_picture)) {
    packet->from = from;
    note_envelope(*packet);
    if (is_too_large(*packet, settings.max_picture)) {
      note_oversized(*packet);
      drop(*rtp, from, counters.oversized);
    } else {
      on_media(*packet, now, wall_now);
    }
  } else {
    drop(*rtp, from, counters.malformed);
  }
}

// Texcast's own datagrams, which are not RTP: 'T' 'C', version, type.
void ReceiveSession::State::on_own(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now,
                                   WallTime wall_now) {
  switch (static_cast<OwnType>(datagram.type)) {
    case OwnType::parity: on_parity(datagram, from, now, wall_now); break;
    case OwnType::compact: on_compact(datagram, from, now, wall_now); break;
    case OwnType::compact_parity: on_compact_parity(datagram, from, now, wall_now); break;
    case OwnType::cursor:
      if (const auto packet = parse_cursor(datagram.body); is_of_stream(packet, from))
        cursor_of_sender().on_position(*packet);
      break;
    case OwnType::cursor_shape:
      if (const auto packet = parse_cursor_shape(datagram.body); is_of_stream(packet, from))
        cursor_of_sender().on_shape(*packet);
      break;
    case OwnType::tile_sums:
      if (const auto packet = parse_tile_sums(datagram.body); is_of_stream(packet, from)) keep(*packet);
      break;
    case OwnType::sealed:        // was decrypted already
    case OwnType::request:       // sent by receivers
    case OwnType::tile_request:  // the same
    case OwnType::envelope_request:
    default: ++counters.foreign;
  }
}

// For packets beside the frames: they alone neither select a sender nor count as a sign of life.
template <typename Packet>
bool ReceiveSession::State::is_of_stream(const std::optional<Packet>& packet, const PeerAddress& from) {
  if (!packet) {
    ++counters.malformed;
    return false;
  }
  const bool nobody_yet = sender.number() == 0;
  if (!nobody_yet && !sender.is_selected(id_of(packet->ssrc, from))) {
    ++counters.foreign;
    return false;
  }
  ++counters.beside;
  return !nobody_yet;
}

CursorTracker& ReceiveSession::State::cursor_of_sender() {
  if (std::exchange(cursor_of, sender.number()) != sender.number()) cursor.forget();
  return cursor;
}

void ReceiveSession::State::keep(const TileSums& told) {
  std::ranges::copy(told.sum_bytes, sum_bytes.begin());
  sums = told;
  sums->sum_bytes = Bytes(sum_bytes).first(told.sum_bytes.size());
}

void ReceiveSession::State::on_parity(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now,
                                      WallTime wall_now) {
  const auto parity = parse_parity(datagram.body);
  auto packet = parity ? read_parity_packet(*parity, settings.max_frame_bytes, settings.max_picture) : std::nullopt;
  if (!packet) {
    ++counters.malformed;
    return;
  }
  note_envelope(*packet);
  on_accepted_parity(*packet, from, now, wall_now);
}

void ReceiveSession::State::on_compact_parity(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now,
                                              WallTime wall_now) {
  const auto parity = parse_compact_parity(datagram.body);
  auto packet = parity ? read_compact_parity(*parity, settings.max_frame_bytes) : std::nullopt;
  if (!packet) {
    ++counters.malformed;
    return;
  }
  note_envelope(*packet);
  on_accepted_parity(*packet, from, now, wall_now);
}

void ReceiveSession::State::on_accepted_parity(const MediaPacket& packet, const PeerAddress& from, SteadyTime now,
                                               WallTime wall_now) {
  if (is_too_large(packet, settings.max_picture)) {
    note_oversized(packet);
    ++counters.oversized;
    return;
  }
  if (!sender.accept(id_of(packet.rtp.ssrc, from), now)) {
    ++counters.foreign;
    return;
  }
  while (sender.replaying()) replay_one();
  sender.note_heard(from, now);
  if (const auto fps = packet.fps()) sender.note_rate(*fps);
  put_into_frame(packet, Arrival::newest, now, wall_now);
}

void ReceiveSession::State::on_compact(const OwnDatagram& datagram, const PeerAddress& from, SteadyTime now,
                                       WallTime wall_now) {
  const auto compact = parse_compact(datagram.body);
  auto packet = compact ? read_compact_packet(*compact, settings.max_frame_bytes) : std::nullopt;
  if (!packet) {
    ++counters.malformed;
    return;
  }
  packet->from = from;
  note_envelope(*packet);
  if (is_too_large(*packet, settings.max_picture)) {
    note_oversized(*packet);
    drop(packet->rtp, from, counters.oversized);
  } else {
    on_media(*packet, now, wall_now);
  }
}

void ReceiveSession::State::note_oversized(const MediaPacket& packet) {
  if (packet.compact)
    counters.note_oversized(packet.compact->description->width, packet.compact->description->height);
  else
    counters.note_oversized(packet.shape.picture.width, packet.shape.picture.height);
}

// A packet of the selected sender was not lost, whatever else is wrong with it.
void ReceiveSession::State::drop(const RtpPacket& rtp, const PeerAddress& from, uint64_t& counter) {
  if (sender.is_selected(id_of(rtp.ssrc, from))) note_sequence(rtp);
  ++counter;
}

SsrcSelector::Arrival ReceiveSession::State::note_sequence(const RtpPacket& rtp) {
  const auto arrival = sender.arrived(rtp);
  counters.lost = sender.sequence().lost();
  return arrival;
}

void ReceiveSession::State::on_media(const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
  // While the stored packets of a new sender are replayed, its later packets queue behind them.
  const SenderId id = id_of(packet.rtp.ssrc, packet.from);
  if (sender.accept(id, now) && !sender.replaying()) {
    on_accepted(packet, now, wall_now);
    return;
  }
  if (!sender.replays(id))
    while (sender.replaying()) replay_one();
  ++counters.foreign;  // until its sender is selected
  sender.keep(id, packet, now, wall_now);
}

void ReceiveSession::State::replay_one() {
  const SsrcSelector::Kept& kept = sender.replayed();
  --counters.foreign;
  on_accepted(kept.packet, kept.now, kept.wall_now);
  sender.replayed_one();
}

void ReceiveSession::State::on_accepted(const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
  sender.note_heard(packet.from, now);
  if (const auto fps = packet.fps()) sender.note_rate(*fps);
  put_into_frame(packet, note_sequence(packet.rtp), now, wall_now);
}

void ReceiveSession::State::put_into_frame(const MediaPacket& packet, Arrival arrival, SteadyTime now,
                                           WallTime wall_now) {
  auto place = sender.place(packet.buffer_id, arrival == Arrival::seen, now);
  if (!place) {
    ++counters.malformed;
    return;
  }
  if (packet.compact) note_compact(packet, *place);
  if (history.is_finished(place->order)) {
    if (const IncomingFrame* frame = jitter_buffer.find_delivered(place->order))
      assembler.note_duplicate(*frame, packet, now);
    if (!history.count_too_late(packet, place->order, arrival) || !sender.note_late(packet.buffer_id, now)) return;
    // Nearly all packets are late: they are the stream, and the waiting frames are wrong.
    --counters.late;
    jitter_buffer.forget_waiting();
    place = sender.place(packet.buffer_id, false, now);
  } else {
    sender.note_in_time();
  }
  IncomingFrame* frame = jitter_buffer.find(place->order);
  if (!is_shown_tile(packet)) {
    ++counters.foreign;
    if (frame) ++frame->mismatched_tiles;
    return;
  }
  if (frame && frame->contradicts(packet)) {
    // One of the two is damaged. The frame's only packet so far gives way to one that looks like the stream. So does a
    // frame that is contradicted by more packets than it has.
    const bool looks_right = history.agrees_with(packet);
    if (looks_right) ++frame->contradicted;
    if (!looks_right || (frame->packets > 1 && frame->contradicted <= frame->packets)) {
      if (frame->timestamp == packet.rtp.timestamp && !frame->tiles[packet.substream].begun) ++frame->mismatched_tiles;
      ++counters.malformed;
      return;
    }
    jitter_buffer.forget(*frame);
    frame = nullptr;
  }
  if (frame && frame->skipped) jitter_buffer.begin_late(*frame, packet, wall_now);
  if (!frame) {
    // Another frame has this time stamp: one of the two numbers is damaged. A frame of several packets is right.
    if (IncomingFrame* twin = jitter_buffer.find_time(packet.rtp.timestamp)) {
      if (twin->packets > 1) {
        ++counters.malformed;
        return;
      }
      jitter_buffer.forget(*twin);
    }
    frame = &jitter_buffer.begin(packet, *place, now, wall_now);
  }
  if (packet.counter) frame->counters.add(*packet.counter);
  assembler.take(*frame, packet, arrival, now, wall_now);
}

void ReceiveSession::State::note_compact(const MediaPacket& packet, FrameOrder::Place place) {
  if (newest.sender == sender.number() && place.order < newest.order) return;
  newest = {.sender = sender.number(),
            .order = place.order,
            .ssrc = packet.rtp.ssrc,
            .buffer_id = packet.buffer_id,
            .takes_tile_requests = packet.compact->takes_tile_requests};
}

std::optional<Bytes> ReceiveSession::State::ask_for_tiles(const TileQuery& query, SteadyTime now) {
  if (newest.sender == 0 || newest.sender != sender.number() || !newest.takes_tile_requests) return std::nullopt;
  return nacks.ask_for_tiles({.ssrc = newest.ssrc, .newest = newest.buffer_id, .state = query.state, .all = query.all},
                             query.ranges, wall_at(now));
}

std::optional<ReceivedFrame> ReceiveSession::State::poll(SteadyTime now, WallTime wall_now) {
  sender.consider_candidates(now);
  while (sender.replaying()) {  // as of the time of their arrival
    const SsrcSelector::Kept& kept = sender.replayed();
    if (auto frame = poll_at(kept.now, kept.wall_now)) return frame;
    replay_one();
  }
  return poll_at(now, wall_now);
}

std::optional<ReceivedFrame> ReceiveSession::State::poll_at(SteadyTime now, WallTime wall_now) {
  while (IncomingFrame* frame = jitter_buffer.next_out(now, wall_now)) {
    nacks.delivered(*frame);
    if (auto out = output.deliver(*frame)) return out;
  }
  return std::nullopt;
}

std::optional<SteadyTime> ReceiveSession::State::next_deadline() const {
  if (!jitter_buffer.finished_waiting() && sender.replaying()) return sender.heard();
  SteadyTime next = jitter_buffer.next_timeout();
  if (!jitter_buffer.finished_waiting())
    next = std::min(next, nacks.next(jitter_buffer.frames()).value_or(SteadyTime::max()));
  return next == SteadyTime::max() ? std::nullopt : std::optional(next);
}

ReceiveSession::ReceiveSession(const ReceiveSettings& settings, FrameStore* store, WorkAhead* helpers)
    : state_(std::make_unique<State>(settings, store, helpers)) {
  static_assert(kMostLoans == JitterBuffer::kPlaces + 1);  // one tile for each frame, and the composed picture
}
ReceiveSession::~ReceiveSession() = default;

void ReceiveSession::expect(std::span<const Bytes> datagrams) { state_->opener.expect(datagrams); }

void ReceiveSession::on_datagram(Bytes datagram, SteadyTime now, WallTime wall_now, const PeerAddress& from) {
  state_->on_datagram(datagram, from, now, wall_now);
}

std::optional<ReceivedFrame> ReceiveSession::poll(SteadyTime now, WallTime wall_now) {
  return state_->poll(now, wall_now);
}

std::optional<FrameProgress> ReceiveSession::progress() const { return state_->output.progress(); }

std::optional<PayloadProgress> ReceiveSession::payload_progress() const { return state_->output.payload_progress(); }

std::optional<ReceivedCursor> ReceiveSession::poll_cursor() {
  if (state_->cursor_of != 0 && !state_->sender.is_selected(state_->cursor_of)) {
    state_->cursor.forget();
    state_->cursor_of = 0;
  }
  return state_->cursor.poll();
}

std::optional<TileSums> ReceiveSession::poll_tile_sums() { return std::exchange(state_->sums, std::nullopt); }

std::optional<Bytes> ReceiveSession::poll_feedback(SteadyTime now) {
  const auto request = state_->nacks.poll(state_->jitter_buffer.frames(), now, state_->wall_at(now));
  state_->counters.requested = state_->nacks.requested();
  return request;
}

std::optional<Bytes> ReceiveSession::ask_for_tiles(const TileQuery& query, SteadyTime now) {
  return state_->ask_for_tiles(query, now);
}

std::optional<SteadyTime> ReceiveSession::next_deadline() const { return state_->next_deadline(); }

const ReceiveCounters& ReceiveSession::counters() const { return state_->counters; }

const SelectedSender& ReceiveSession::sender() const { return state_->sender.selected(); }

const Refused& ReceiveSession::last_refusal() const { return state_->opener.last_refusal(); }

void ReceiveSession::count_outside(uint64_t datagrams) { state_->counters.outside += datagrams; }

void ReceiveSession::count_stale(uint64_t datagrams) { state_->counters.stale += datagrams; }

void ReceiveSession::count_socket_drops(uint64_t dropped) { state_->counters.socket_dropped += dropped; }

}  // namespace texcast::transport
