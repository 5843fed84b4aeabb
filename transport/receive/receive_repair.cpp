// receive_repair.cpp — when is a tile whole? With parity as soon as it can be, and never tried after every packet.
#include "base/bytes.h"
#include "receive_state.h"

namespace texcast::transport {
namespace {

constexpr uint32_t kInnerLengthBytes = 4;

// Where the picture ends in the block, once the inner length is there; nonsense comes out as "all of the data".
uint32_t picture_end(const Tile& tile) {
  const uint32_t data_end = tile.shape.fec_header().symbol_bytes() * tile.shape.k;
  const uint32_t inner = load_le32(tile.data.bytes(), 0);
  return inner > kVideoHeaderBytes && inner <= data_end - kInnerLengthBytes ? kInnerLengthBytes + inner : data_end;
}

// How many more symbols are waited for after an attempt that failed. Reed-Solomon's never does; LDGM needs a few per
// cent more than k.
uint32_t step(const PacketShape& shape) { return 1 + shape.k / 64u; }

}  // namespace

void ReceiveSession::State::settle_tile(Tile& tile, bool ended) {
  if (tile.whole || tile.broken || !tile.begun) return;
  if (!tile.shape.fec()) {
    tile.whole = tile.data.complete();
    return;
  }
  const ByteCoverage& coverage = tile.data.coverage();
  const uint32_t prefix = coverage.prefix();
  if (tile.picture_end == 0 && prefix >= kInnerLengthBytes) tile.picture_end = picture_end(tile);
  if (tile.picture_end != 0 && prefix >= tile.picture_end) {  // no parity needed
    read_block(tile);
    tile.broken = !tile.whole;
    return;
  }
  const uint32_t symbol = tile.shape.fec_header().symbol_bytes();
  const uint32_t wanted = ended ? tile.shape.k : tile.next_try;
  if (coverage.covered() < uint64_t{wanted} * symbol) return;
  const uint32_t there = coverage.whole_pieces(symbol);
  if (there < wanted) return;
  tile.next_try = there + step(tile.shape);
  read_block(tile);
}

void ReceiveSession::State::read_block(Tile& tile) {
  const FecBlockContent content =
      fec_reader.read(tile.shape.scheme, tile.shape.fec_header(), tile.data.memory(), tile.data.coverage());
  tile.present.assign(content.usable.begin(), content.usable.end());
  tile.recovered_bytes = content.recovered_bytes;
  if (!content.header) return;
  const VideoHeader& header = *content.header;
  const auto bytes = static_cast<uint32_t>(content.frame.size());
  if (!plausible_picture(bytes, header.width, header.height)) return;
  tile.inner = {header.fourcc, header.width, header.height, header.interlacing, header.fps};
  tile.inner_bytes = bytes;
  tile.whole = content.whole;
}

// The packets that parity saved: as many as fit into the bytes that it gave back.
uint64_t ReceiveSession::State::recovered_packets(const Tile& tile) {
  return tile.largest_piece > 0 ? (tile.recovered_bytes + tile.largest_piece - 1) / tile.largest_piece : 0;
}

}  // namespace texcast::transport
