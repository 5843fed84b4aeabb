#include "transport/packet_cache.h"

#include <algorithm>

namespace texcast::transport {
namespace {

// Whether frame `a` was before `b`: buffer ids wrap after 22 bits.
bool is_before(uint32_t a, uint32_t b) { return ((b - a) & kBufferIdMask) - 1 < kBufferIdMask / 2; }

}  // namespace

void PacketCache::clear() {
  for (Frame& frame : frames_) drop(frame);
  limit_.forget_frames();
}

void PacketCache::drop(Frame& frame) {
  bytes_ -= frame.bytes.size();
  frame.used = false;
  frame.bytes.clear();
  frame.pieces.clear();
}

PacketCache::Frame* PacketCache::oldest(const Frame* except) {
  Frame* oldest = nullptr;
  for (Frame& frame : frames_)
    if (&frame != except && frame.used && (oldest == nullptr || is_before(frame.buffer_id, oldest->buffer_id)))
      oldest = &frame;
  return oldest;
}

// The frame's place, or a new one. Nothing for a frame that is older than all that are kept.
PacketCache::Frame* PacketCache::frame_of(uint32_t buffer_id, SteadyTime now) {
  Frame* free = nullptr;
  for (Frame& frame : frames_) {
    if (frame.used && frame.buffer_id == buffer_id) return &frame;
    if (frame.used && now - frame.begun > settings_.keep_for) drop(frame);
    if (!frame.used) free = &frame;
  }
  if (free == nullptr) {
    free = oldest();
    if (is_before(buffer_id, free->buffer_id)) return nullptr;
    drop(*free);
  }
  free->used = true;
  free->buffer_id = buffer_id;
  free->begun = now;
  return free;
}

bool PacketCache::make_room(const Frame& for_frame, size_t bytes) {
  while (bytes_ + bytes > settings_.max_bytes) {
    Frame* old = oldest(&for_frame);
    if (old == nullptr) return false;
    drop(*old);
  }
  return true;
}

void PacketCache::keep(const PacketPlace& place, Bytes datagram, SteadyTime now) {
  limit_.passed(datagram.size());
  Frame* frame = frame_of(place.buffer_id, now);
  if (frame == nullptr || frame->pieces.size() >= kMostPackets || !make_room(*frame, datagram.size())) return;
  const auto at = std::ranges::lower_bound(frame->pieces, place.number, {}, &Piece::number);
  if (at != frame->pieces.end() && at->number == place.number) return;
  const size_t begin = frame->bytes.size();
  frame->bytes.insert(frame->bytes.end(), datagram.begin(), datagram.end());
  frame->pieces.insert(at, {.number = place.number, .begin = begin, .end = frame->bytes.size()});
  bytes_ += datagram.size();
  limit_.note_frame(frame->bytes.size());
}

std::optional<Bytes> PacketCache::packet(const PacketPlace& place) const {
  const auto frame =
      std::ranges::find_if(frames_, [&](const Frame& each) { return each.used && each.buffer_id == place.buffer_id; });
  if (frame == frames_.end()) return std::nullopt;
  const auto piece = std::ranges::lower_bound(frame->pieces, place.number, {}, &Piece::number);
  if (piece == frame->pieces.end() || piece->number != place.number) return std::nullopt;
  return Bytes(frame->bytes).subspan(piece->begin, piece->end - piece->begin);
}

std::span<const OutgoingPacket> PacketCache::answer(uint32_t receiver, const RetransmitRequest& request,
                                                    SteadyTime now) {
  answer_.clear();
  ++requests_;
  const auto frame = std::ranges::find_if(
      frames_, [&](const Frame& each) { return each.used && each.buffer_id == request.buffer_id; });
  if (frame == frames_.end() || now - frame->begun > settings_.keep_for) return {};
  for (size_t r = 0; r < request.ranges; ++r) {
    const PacketRange range = request.range(r);
    auto piece = std::ranges::lower_bound(frame->pieces, range.first, {}, &Piece::number);
    for (; piece != frame->pieces.end() && piece->number - range.first < range.count; ++piece) {
      const Bytes bytes = Bytes(frame->bytes).subspan(piece->begin, piece->end - piece->begin);
      if (!limit_.spend(receiver, bytes.size())) return answer_;
      answer_.push_back({bytes, {}});
      ++sent_again_;
    }
  }
  return answer_;
}

}  // namespace texcast::transport
