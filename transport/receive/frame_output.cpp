#include "frame_output.h"

#include <algorithm>
#include <array>

#include "picture.h"

namespace texcast::transport {
namespace {

// A frame with less than this is not shown: otherwise a few packets that announce a huge frame would have all of it
// concealed, shown and recorded. One packet is enough for a small frame. Large frames need a certain part, and more of
// it if no frame of this shape was shown before.
constexpr uint64_t kSmallFrame = uint64_t{1} << 20;  // bytes
constexpr uint64_t kLeastShare = 4096, kLeastLarge = 64, kLeastLargeAndNew = 4;

// The number of packets that parity recovered: the recovered bytes in packets of this size.
uint64_t recovered_packets(const Tile& tile) {
  return tile.largest_piece > 0 ? (tile.recovered_bytes + tile.largest_piece - 1) / tile.largest_piece : 0;
}

}  // namespace

std::optional<ReceivedFrame> FrameOutput::deliver(IncomingFrame& frame) {
  jitter_buffer_.take_out(frame);
  composed_ = {};
  if (frame.unbuffered || !(frame.compact() ? prepare_compact(frame) : prepare(frame))) {
    history_.pass(frame);
    ++(frame.unbuffered ? counters_.frames_unbuffered : counters_.frames_lost);
    jitter_buffer_.forget(frame);
    return std::nullopt;
  }
  KnownStream& stream = history_.stream();
  const StreamDesc desc = frame.compact() ? describe_compact(frame) : describe(frame);
  history_.pass(frame);

  ReceivedFrame out;
  out.stream = desc;
  out.buffer_id = frame.buffer_id;
  out.id = frame.id;
  out.new_stream = !stream.has(frame) || desc != stream.desc;
  if (out.new_stream) {
    ++counters_.streams;
    stream_begin_ = frame.order;
    ticks_ = 0;
  } else {
    ticks_ += static_cast<int32_t>(frame.timestamp - stream.timestamp);
  }
  out.number = frame.order - stream_begin_;
  out.times = times_of(frame);
  if (frame.compact()) {
    deliver_payloads(frame, out);
  } else {
    fill_holes(frame, out);
    put_together(frame, out);
  }

  if (shown_) jitter_buffer_.forget(*shown_);
  shown_ = &frame;
  const nanoseconds distance =
      out.new_stream ? nanoseconds{} : std::max(frame.heard - stream.heard, stream.distance - stream.distance / 8);
  stream = {.any = true,
            .sender = frame.sender,
            .run = frame.run,
            .timestamp = frame.timestamp,
            .begun = frame.begun,
            .heard = frame.heard,
            .distance = distance,
            .shape = frame.first_tile().shape,
            .picture = frame.compact() ? TilePicture{.fps = desc.fps} : frame.tiles[0].picture(),
            .tiles = frame.tiles_delivered,
            .expected_tiles = frame.tiles_delivered,
            .desc = desc};
  sender_.note_rate(stream.picture->fps);
  return out;
}

std::optional<FrameProgress> FrameOutput::progress() const {
  const KnownStream& stream = history_.stream();
  const IncomingFrame* frame = jitter_buffer_.recent();
  if (!frame || frame->phase != IncomingFrame::Phase::filling || stream.tiles != 1 || !stream.has(*frame))
    return std::nullopt;
  const Tile& tile = frame->tiles[0];
  if (!tile.begun || frame->unbuffered || !tile.data.loan().is_of(store_)) return std::nullopt;
  if (tile.shape.fec() || tile.shape != stream.shape) return std::nullopt;
  for (const IncomingFrame& other : jitter_buffer_.frames())
    if (other.is_waiting() && other.order < frame->order) return std::nullopt;  // must be delivered first
  // Concealment replaces incomplete units altogether, so the bytes of an incomplete one are not final.
  const size_t prefix = tile.data.coverage().prefix();
  return FrameProgress{.id = frame->id,
                       .bytes = tile.data.bytes(),
                       .memory = tile.data.loan().place(),
                       .ready_bytes = prefix - prefix % conceal_unit(tile.shape.picture.fourcc),
                       .stream = stream.desc};
}

std::optional<PayloadProgress> FrameOutput::payload_progress() const {
  const IncomingFrame* next = nullptr;
  for (const IncomingFrame& frame : jitter_buffer_.frames())
    if (frame.is_waiting() && (!next || frame.order < next->order)) next = &frame;
  if (!next || !next->compact() || next->payloads.count() == 0) return std::nullopt;
  if (history_.newest_finished(next->run) != next->order - 1 || !knows_description(*next)) return std::nullopt;
  return PayloadProgress{.id = next->id,
                         .buffer_id = next->buffer_id,
                         .stream = describe_compact(*next),
                         .arrived = next->payloads.arrived()};
}

// True if every tile has a picture, and they match. Tiles of which nothing arrived are assumed to be like the others.
bool FrameOutput::prepare(IncomingFrame& frame) {
  const int tiles = tiles_of(frame);
  if (tiles > kMaxTiles || (frame.mismatched_tiles > 1 && 8 * frame.mismatched_tiles > frame.packets)) return false;
  const int same = history_.stream().has(frame) ? history_.stream().tiles : 0;  // also in the previous frame
  uint64_t came = 0, all = 0;
  for (int i = 0; i < tiles; ++i) {
    Tile& tile = frame.tiles[static_cast<size_t>(i)];
    if (!tile.begun) {  // all of its packets were lost
      const PacketShape& like = frame.first_tile().shape;
      if (jitter_buffer_.begin_tile(frame, static_cast<size_t>(i), like) != JitterBuffer::Room::made) return false;
    }
    if (!prepare_tile(tile, i < same ? &shown_->tiles[static_cast<size_t>(i)] : nullptr)) return false;
    came += tile.data.covered();
    all += tile.data.bytes().size();
  }
  const KnownStream& stream = history_.stream();
  const bool known = stream.any && stream.picture == frame.tiles[0].picture() && stream.tiles == tiles;
  if (came < all / (all <= kSmallFrame ? kLeastShare : known ? kLeastLarge : kLeastLargeAndNew)) return false;
  frame.tiles_delivered = tiles;
  return prepare_composed(frame);
}

// True if its tiles can be composed, and there is memory for that. A single tile is delivered in place.
bool FrameOutput::prepare_composed(IncomingFrame& frame) {
  Tile& first = frame.tiles[0];
  size_t bytes = first.bytes().size();
  if (frame.tiles_delivered == 1) {
    if (first.data.loan().is_of(store_)) return true;
  } else {
    const TilePicture picture = *first.picture();
    const auto rows = picture_rows(picture.fourcc, picture.width, picture.height);
    const TileGrid grid = tile_grid(frame.tiles_delivered);
    if (!rows || !settings_.max_picture.takes(picture.width * grid.columns, picture.height * grid.rows)) return false;
    const bool alike = std::all_of(frame.tiles.begin(), frame.tiles.begin() + frame.tiles_delivered, [&](Tile& tile) {
      return tile.picture() == picture && tile.bytes().size() == rows->bytes * rows->count;
    });
    if (!alike) return false;
    bytes *= static_cast<size_t>(frame.tiles_delivered);
  }
  composed_ = FrameLoan::from(store_, bytes);
  frame.unbuffered = !composed_;
  return !frame.unbuffered;
}

// If a block's header is lost and cannot be recovered, the previous block's is used, provided that the shape is the
// same.
bool FrameOutput::prepare_tile(Tile& tile, const Tile* before) {
  if (!tile.shape.fec()) {
    const auto intervals = tile.data.coverage().intervals();
    tile.present.assign(intervals.begin(), intervals.end());
    return true;
  }
  if (!tile.whole) assembler_.read_block(tile);
  if (!tile.inner && before && before->shape == tile.shape && before->inner) {
    tile.inner = before->inner;
    tile.inner_bytes = before->inner_bytes;
    std::erase_if(tile.present, [&](const ByteRange& range) { return range.begin >= tile.inner_bytes; });
    if (!tile.present.empty()) tile.present.back().end = std::min(tile.present.back().end, tile.inner_bytes);
  }
  return tile.inner.has_value();
}

// As many tiles as arrived, as the marker bit says, or as the previous frame had. If the marker bit says fewer than
// before, and the others did not arrive, the frame has fewer now.
int FrameOutput::tiles_of(const IncomingFrame& frame) const {
  const int there = std::max(frame.tiles_there(), 1);
  return there == frame.tiles_marked() ? there : std::max(there, history_.stream().tiles_of(frame));
}

StreamDesc FrameOutput::describe(const IncomingFrame& frame) const {
  const TilePicture picture = *frame.tiles[0].picture();
  const TileGrid grid = tile_grid(frame.tiles_delivered);
  StreamDesc desc{.fourcc = picture.fourcc,
                  .width = picture.width * grid.columns,
                  .height = picture.height * grid.rows,
                  .fps = picture.fps,
                  .interlacing = picture.interlacing};
  if (frame.extension && extension_agrees(*frame.extension, picture)) {
    const StreamExtension& e = *frame.extension;
    desc.width = e.width;
    desc.height = e.height;
    desc.has_extension = true;
    desc.texture_format = e.texture_format;
    desc.matrix = e.matrix;
    desc.range = e.range;
    desc.primaries = e.primaries;
    desc.transfer = e.transfer;
    desc.pixel_aspect = e.pixel_aspect;
    return desc;
  }
  // All packets with the extension were lost: the description stays the same if everything else does.
  const KnownStream& stream = history_.stream();
  const bool same = frame.sender == stream.sender && picture == stream.picture && frame.tiles_delivered == stream.tiles;
  return same ? stream.desc : desc;
}

FrameTimes FrameOutput::times_of(const IncomingFrame& frame) const {
  FrameTimes times;
  times.pts = nanoseconds(ticks_ * 100'000 / 9);
  if (frame.extension) {
    times.available = frame.extension->available;
    times.encoded = frame.extension->encoded;
    times.sent = frame.extension->sent;
  }
  if (frame.description) {
    times.available = frame.description->available;
    times.encoded = frame.description->encoded;
    times.sent = frame.description->sent;
  }
  times.first_packet = frame.first_packet;
  times.assembled = frame.assembled;
  return times;
}

// Concealment replaces whole units of this many bytes.
size_t FrameOutput::conceal_unit(const FourCC& fourcc) const {
  return pixel_bytes(fourcc).value_or(static_cast<size_t>(std::max(settings_.conceal_block_bytes, 1)));
}

void FrameOutput::fill_holes(IncomingFrame& frame, ReceivedFrame& out) {
  bool recovered = false;
  for (size_t i = 0; i < static_cast<size_t>(frame.tiles_delivered); ++i) {
    Tile& tile = frame.tiles[i];
    recovered |= tile.recovered_bytes > 0;
    counters_.recovered_parity += recovered_packets(tile);
    tile.concealed.clear();
    if (tile.whole) continue;
    const Bytes before = out.new_stream ? Bytes{} : Bytes(shown_->tiles[i].bytes());
    const size_t unit = conceal_unit(frame.tiles[0].picture()->fourcc);
    out.concealed_bytes += conceal(tile.bytes(), tile.present, before, unit, tile.concealed);
  }
  if (out.concealed_bytes == 0) {
    ++counters_.frames_complete;
    if (recovered) ++counters_.frames_recovered;
  } else {
    ++counters_.frames_concealed;
    counters_.concealed_bytes += out.concealed_bytes;
  }
}

void FrameOutput::put_together(IncomingFrame& frame, ReceivedFrame& out) {
  Tile& first = frame.tiles[0];
  if (!composed_) {
    out.bytes = first.bytes();
    out.memory = first.data.loan().place();
    out.concealed = first.concealed;
    return;
  }
  out.memory = composed_.place();
  if (frame.tiles_delivered == 1) {
    std::ranges::copy(first.bytes(), composed_.bytes().begin());
    out.bytes = composed_.bytes().first(first.bytes().size());
    out.concealed = first.concealed;
    return;
  }
  const auto count = static_cast<size_t>(frame.tiles_delivered);
  const TilePicture tile_picture = *first.picture();
  const PictureRows rows = *picture_rows(tile_picture.fourcc, tile_picture.width, tile_picture.height);
  std::array<Bytes, kMaxTiles> bytes;
  std::array<std::span<const ByteRange>, kMaxTiles> concealed;
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = frame.tiles[i].bytes();
    concealed[i] = frame.tiles[i].concealed;
  }
  const MutableBytes picture = composed_.bytes().first(count * rows.bytes * rows.count);
  compose(std::span(bytes).first(count), rows, picture);
  compose_ranges(std::span(concealed).first(count), rows, composed_concealed_);
  out.bytes = picture;
  out.concealed = composed_concealed_;
}

// From its own packets, or from earlier frames that have the same description number.
bool FrameOutput::knows_description(const IncomingFrame& frame) const {
  const KnownStream& stream = history_.stream();
  return frame.description || (stream.has(frame) && stream.shape == frame.tiles[0].shape);
}

// True if anything of it arrived, and its description is known.
bool FrameOutput::prepare_compact(IncomingFrame& frame) {
  frame.tiles_delivered = 1;
  return frame.payloads.count() > 0 && knows_description(frame);
}

StreamDesc FrameOutput::describe_compact(const IncomingFrame& frame) const {
  return frame.description ? described_stream(*frame.description) : history_.stream().desc;
}

void FrameOutput::deliver_payloads(IncomingFrame& frame, ReceivedFrame& out) {
  const uint32_t all = frame.total > 0 ? frame.total : frame.payloads.front();
  payloads_.clear();
  for (uint32_t number = 0; number < all; ++number) payloads_.push_back(frame.payloads.payload(number));
  out.payloads = payloads_;
  out.payloads_missing = all - frame.payloads.count() + (frame.total > 0 ? 0 : 1);
  counters_.recovered_parity += frame.repaired;
  if (out.payloads_missing > 0) {
    ++counters_.frames_concealed;
  } else {
    ++counters_.frames_complete;
    if (frame.repaired > 0) ++counters_.frames_recovered;
  }
}

}  // namespace texcast::transport
