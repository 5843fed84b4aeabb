#include "frame_history.h"

namespace texcast::transport {

int KnownStream::tiles_of(const IncomingFrame& frame) const {
  if (frame.extension) return 1;
  if (!has(frame)) return 0;
  const Tile& tile = frame.first_tile();
  const auto its_picture = tile.picture();
  const bool same = its_picture ? its_picture == picture : tile.shape == shape;
  return same ? expected_tiles : 0;
}

namespace {

bool describes_the_same(const StreamDesc& desc, const StreamExtension& e) {
  return desc.width == e.width && desc.height == e.height && desc.texture_format == e.texture_format &&
         desc.matrix == e.matrix && desc.range == e.range && desc.primaries == e.primaries &&
         desc.transfer == e.transfer && desc.pixel_aspect == e.pixel_aspect;
}

}  // namespace

bool FrameHistory::is_contradicted_by(const IncomingFrame& frame) const {
  if (!stream_.any || frame.sender != stream_.sender || sender_.is_sealed()) return false;
  if (frame.compact() != stream_.desc.compact()) return true;
  if (frame.compact()) return frame.description && described_stream(*frame.description) != stream_.desc;
  const PacketShape& shape = frame.first_tile().shape;
  if (shape.fec()) return false;  // found out when the block is decoded
  if (shape.picture != stream_.picture) return true;
  return stream_.desc.has_extension && frame.extension && extension_agrees(*frame.extension, shape.picture) &&
         !describes_the_same(stream_.desc, *frame.extension);
}

bool FrameHistory::agrees_with(const MediaPacket& packet) const {
  if (packet.shape != stream_.shape) return false;
  return !packet.compact || !packet.compact->description ||
         described_stream(*packet.compact->description) == stream_.desc;
}

void FrameHistory::pass(const IncomingFrame& frame) {
  if (frame.run == finished_run_ && frame.order > finished_order_)
    counters_.frames_lost += frame.order - finished_order_ - 1;
  finished_order_ = frame.order;
  finished_run_ = frame.run;
  Finished& entry = finished_[frame.order % finished_.size()];
  entry = {.order = frame.order, .complete = frame.complete() && frame.tiles_delivered <= frame.tiles_there()};
  for (size_t i = 0; i < kMaxTiles; ++i)
    if (frame.tiles[i].begun) entry.arrived[i] = frame.tiles[i].data.coverage().prefix();
  if (frame.compact()) entry.arrived[0] = frame.payloads.prefix();
  if (sender_.is_selected(frame.sender)) sender_.settle(frame.last_number);
  counters_.lost = sender_.sequence().lost();
}

bool FrameHistory::count_too_late(const MediaPacket& packet, uint64_t order, SsrcSelector::Arrival arrival) {
  Finished& entry = finished_[order % finished_.size()];
  const bool known = entry.order == order && packet.substream < kMaxTiles;
  // The frame seemed to have fewer tiles. Two packets are needed, because a single one may have a damaged tile number.
  if (known && sender_.is_selected(stream_.sender) && packet.substream >= stream_.expected_tiles &&
      ++entry.beyond > 1) {
    entry.beyond = 1;
    stream_.expected_tiles = packet.substream + 1;
  }
  const bool was_complete = entry.order == order && entry.complete;
  const bool copy = !packet.is_parity() && (arrival == SsrcSelector::Arrival::seen ||
                                            (was_complete && known && packet.offset < entry.arrived[packet.substream]));
  ++(copy ? counters_.duplicate : was_complete ? counters_.surplus : counters_.late);
  return !copy && !was_complete;
}

}  // namespace texcast::transport
