// receive_give.cpp — a slot's bytes as a frame: holes filled, tiles put together, described.
#include <algorithm>

#include "conceal.h"
#include "receive_state.h"
#include "tile_grid.h"

namespace texcast::transport {
namespace {

// Of a frame of which less came, nothing is worth showing: one packet that claims to be of a huge frame would have all
// of it filled.
constexpr uint64_t kLeastShare = 4096;

}  // namespace

// The slot's frame, or nothing: there is no picture in it.
std::optional<ReceivedFrame> ReceiveSession::State::give(Slot& slot) {
  const bool was_filling = slot.phase == Slot::Phase::filling;
  slot.phase = Slot::Phase::given;
  if (was_filling) update_deadline();
  if (!prepare(slot)) {
    pass(slot);
    ++counters.frames_lost;
    slot.phase = Slot::Phase::free;
    return std::nullopt;
  }
  const StreamDesc desc = describe(slot);
  const bool new_stream = !shown || slot.ssrc != shown_ssrc || slot.run != shown_run || desc != shown_desc;
  pass(slot);

  ReceivedFrame frame;
  frame.stream = desc;
  frame.buffer_id = slot.buffer_id;
  frame.id = slot.id;
  frame.new_stream = new_stream;
  if (new_stream) {
    ++counters.streams;
    stream_begin = slot.order;
    ticks = 0;
  } else {
    ticks += static_cast<int32_t>(slot.timestamp - shown_timestamp);
  }
  frame.number = slot.order - stream_begin;
  frame.times = times_of(slot);
  fill_holes(slot, new_stream, frame);
  put_together(slot, frame);

  if (shown) shown->phase = Slot::Phase::free;
  shown = &slot;
  shown_shape = slot.first_tile().shape;
  shown_picture = slot.tiles[0].picture();
  sender_fps = shown_picture->fps;
  shown_desc = desc;
  shown_ssrc = slot.ssrc;
  shown_run = slot.run;
  shown_timestamp = slot.timestamp;
  return frame;
}

// Whether every tile has a picture, and they go together. Those of which nothing came are taken to be like the others.
bool ReceiveSession::State::prepare(Slot& slot) {
  const int tiles = tiles_of(slot);
  if (tiles > kMaxTiles || (slot.strange_tiles > 1 && 8 * slot.strange_tiles > slot.packets)) return false;
  uint64_t came = 0, all = 0;
  for (int i = 0; i < tiles; ++i) {
    Tile& tile = slot.tiles[static_cast<size_t>(i)];
    if (!tile.begun) {  // the packets of all of it were lost
      const PacketShape& like = slot.first_tile().shape;
      if (!make_room(tile, like.length)) return false;
      tile.begin(like);
    }
    const bool same = shown && slot.ssrc == shown_ssrc && slot.run == shown_run && i < shown_tiles;
    if (!prepare_tile(tile, same ? &shown->tiles[static_cast<size_t>(i)] : nullptr)) return false;
    came += tile.data.covered();
    all += tile.data.bytes().size();
  }
  if (came < all / kLeastShare) return false;
  const TilePicture picture = *slot.tiles[0].picture();
  slot.tiles_given = tiles;
  if (tiles == 1) return true;
  const auto rows = picture_rows(picture.fourcc, picture.width, picture.height);
  const TileGrid grid = tile_grid(tiles);
  if (!rows || picture.width * grid.columns > 65535 || picture.height * grid.rows > 65535) return false;
  return std::all_of(slot.tiles.begin(), slot.tiles.begin() + tiles, [&](Tile& tile) {
    return tile.picture() == picture && tile.bytes().size() == rows->bytes * rows->count;
  });
}

// A block whose header is lost and past repair holds what the block before it held, if it has the same shape.
bool ReceiveSession::State::prepare_tile(Tile& tile, const Tile* before) {
  if (!tile.shape.fec()) {
    const auto intervals = tile.data.coverage().intervals();
    tile.present.assign(intervals.begin(), intervals.end());
    return true;
  }
  if (!tile.whole) read_block(tile);
  if (!tile.inner && before && before->shape == tile.shape && before->inner) {
    tile.inner = before->inner;
    tile.inner_bytes = before->inner_bytes;
    std::erase_if(tile.present, [&](const ByteRange& range) { return range.begin >= tile.inner_bytes; });
    if (!tile.present.empty()) tile.present.back().end = std::min(tile.present.back().end, tile.inner_bytes);
  }
  return tile.inner.has_value();
}

// As many as came, as the marker says, or as there were before. Where the marker says fewer than before, and the rest
// stayed away, there are fewer now.
int ReceiveSession::State::tiles_of(const Slot& slot) const {
  const int there = std::max(slot.tiles_there(), 1);
  return there == slot.tiles_marked() ? there : std::max(there, expected_tiles(slot));
}

StreamDesc ReceiveSession::State::describe(const Slot& slot) const {
  const TilePicture picture = *slot.tiles[0].picture();
  const TileGrid grid = tile_grid(slot.tiles_given);
  StreamDesc desc{.fourcc = picture.fourcc,
                  .width = picture.width * grid.columns,
                  .height = picture.height * grid.rows,
                  .fps = picture.fps,
                  .interlacing = picture.interlacing};
  if (slot.extension && extension_agrees(*slot.extension, picture)) {
    const StreamExtension& e = *slot.extension;
    desc.width = e.width;
    desc.height = e.height;
    desc.has_extension = true;
    desc.texture_format = e.texture_format;
    desc.matrix = e.matrix;
    desc.range = e.range;
    desc.primaries = e.primaries;
    desc.transfer = e.transfer;
    return desc;
  }
  // Every packet with the extension was lost: the stream is what it was, if the rest says so too.
  const bool same = slot.ssrc == shown_ssrc && picture == shown_picture && slot.tiles_given == shown_tiles;
  return same ? shown_desc : desc;
}

FrameTimes ReceiveSession::State::times_of(const Slot& slot) const {
  FrameTimes times;
  times.pts = nanoseconds(ticks * 100'000 / 9);
  if (slot.extension) {
    times.available = slot.extension->available;
    times.encoded = slot.extension->encoded;
    times.sent = slot.extension->sent;
  }
  times.first_packet = slot.first_packet;
  times.assembled = slot.assembled;
  return times;
}

void ReceiveSession::State::fill_holes(Slot& slot, bool new_stream, ReceivedFrame& frame) {
  bool recovered = false;
  for (size_t i = 0; i < static_cast<size_t>(slot.tiles_given); ++i) {
    Tile& tile = slot.tiles[i];
    recovered |= tile.recovered_bytes > 0;
    counters.recovered_parity += recovered_packets(tile);
    tile.concealed.clear();
    if (tile.whole) continue;
    const Bytes before = new_stream ? Bytes{} : Bytes(shown->tiles[i].bytes());
    const auto block = static_cast<size_t>(std::max(settings.conceal_block_bytes, 1));
    const size_t unit = pixel_bytes(slot.tiles[0].picture()->fourcc).value_or(block);
    frame.concealed_bytes += conceal(tile.bytes(), tile.present, before, unit, tile.concealed);
  }
  if (frame.concealed_bytes == 0) {
    ++counters.frames_complete;
    if (recovered) ++counters.frames_recovered;
  } else {
    ++counters.frames_concealed;
    counters.concealed_bytes += frame.concealed_bytes;
  }
}

void ReceiveSession::State::put_together(Slot& slot, ReceivedFrame& frame) {
  shown_tiles = stream_tiles = slot.tiles_given;
  if (shown_tiles == 1) {
    frame.bytes = slot.tiles[0].bytes();
    frame.concealed = slot.tiles[0].concealed;
    return;
  }
  const auto count = static_cast<size_t>(shown_tiles);
  const TilePicture tile_picture = *slot.tiles[0].picture();
  const PictureRows rows = *picture_rows(tile_picture.fourcc, tile_picture.width, tile_picture.height);
  std::array<Bytes, kMaxTiles> bytes;
  std::array<std::span<const ByteRange>, kMaxTiles> concealed;
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = slot.tiles[i].bytes();
    concealed[i] = slot.tiles[i].concealed;
  }
  composed.resize(count * rows.bytes * rows.count);
  compose(std::span(bytes).first(count), rows, composed);
  compose_ranges(std::span(concealed).first(count), rows, composed_concealed);
  frame.bytes = composed;
  frame.concealed = composed_concealed;
}

}  // namespace texcast::transport
