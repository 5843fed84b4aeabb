// ultragrid_sender.h — makes datagrams like UltraGrid's sender, written from the format's description and independent
// of the product's packetizers: headers by hand, FEC, tiles, the first packet twice, all packets N times, any packet
// size. Parity and ciphers are the product's, which other tests compare with captures.
#pragma once

#include <optional>
#include <vector>

#include "support.h"
#include "transport/ultragrid_cipher.h"
#include "transport/ultragrid_fec_block.h"

namespace texcast::transport::test {

struct UltraGridFrame {
  std::vector<std::vector<std::byte>> tiles{};
  const char* fourcc = "DXT1";
  uint32_t width = 64, height = 64;   // of a tile
  FecShape fec{};                     // none: raw
  bool tile_in_inner_header = false;  // LDGM's sender writes the tile there; Reed-Solomon's writes 0
  int copies = 1;                     // mult
  bool first_twice = false;           // with FEC: the first packet again at the end
  size_t netto = 200;                 // bytes of the tile per packet
};

class UltraGridSender {
 public:
  uint32_t ssrc = 0x11223344;
  uint16_t sequence = 65530;   // wraps soon, like the others
  uint32_t buffer = 0x3FFFFE;  // 22 bits
  uint32_t timestamp = 0xFFFFF000;
  uint32_t rate = 0x01E08000;  // 60p in the format of the sixth word
  UltraGridCipher* cipher = nullptr;
  UltraGridMode mode = UltraGridMode::cbc;

  std::vector<Datagram> send(const UltraGridFrame& frame) {
    std::vector<Datagram> packets;
    for (size_t tile = 0; tile < frame.tiles.size(); ++tile) tile_packets(frame, tile, packets);
    if (frame.first_twice) packets.push_back(packets.front());
    const size_t once = packets.size();
    for (int i = 1; i < frame.copies; ++i)
      for (size_t p = 0; p < once; ++p) packets.push_back(packets[p]);
    for (Datagram& packet : packets) put16(packet, 2, sequence++);
    packets.back()[1] |= std::byte{0x80};
    buffer = (buffer + 1) & 0x3FFFFF;
    timestamp += 1500;
    return packets;
  }

 private:
  static void put16(Datagram& to, size_t at, uint32_t value) {
    to[at] = static_cast<std::byte>(value >> 8);
    to[at + 1] = static_cast<std::byte>(value);
  }
  static void put32(Datagram& to, size_t at, uint32_t value) {
    put16(to, at, value >> 16);
    put16(to, at + 2, value);
  }
  static int payload_type(FecScheme scheme, bool encrypted) {
    switch (scheme) {
      case FecScheme::ldgm: return encrypted ? 29 : 22;
      case FecScheme::reed_solomon: return encrypted ? 30 : 27;
      case FecScheme::none: break;
    }
    return encrypted ? 24 : 20;
  }

  std::vector<std::byte> block(const UltraGridFrame& frame, size_t tile) const {
    UltraGridFecWriter writer(frame.fec);
    VideoHeader header;
    for (size_t i = 0; i < 4; ++i) header.fourcc[i] = frame.fourcc[i];
    header.width = static_cast<uint16_t>(frame.width);
    header.height = static_cast<uint16_t>(frame.height);
    header.fps = decode_fps(rate);
    writer.begin(frame.tiles[tile], header);
    writer.advance(frame.tiles[tile].size());
    return {writer.block().begin(), writer.block().end()};
  }

  void tile_packets(const UltraGridFrame& frame, size_t tile, std::vector<Datagram>& packets) {
    const bool fec = frame.fec.scheme != FecScheme::none;
    const auto bytes = fec ? block(frame, tile) : frame.tiles[tile];
    for (size_t at = 0; at < bytes.size(); at += frame.netto) {
      const size_t header = 12 + (fec ? 20 : 24);
      Datagram packet(header);
      packet[0] = std::byte{0x80};
      packet[1] = static_cast<std::byte>(payload_type(frame.fec.scheme, cipher != nullptr));
      put32(packet, 4, timestamp);
      put32(packet, 8, ssrc);
      put32(packet, 12, static_cast<uint32_t>(tile) << 22 | buffer);
      put32(packet, 16, static_cast<uint32_t>(at));
      put32(packet, 20, static_cast<uint32_t>(bytes.size()));
      if (fec) {
        put32(packet, 24, static_cast<uint32_t>(frame.fec.k << 19 | frame.fec.m << 6 | frame.fec.c));
        put32(packet, 28, frame.fec.seed);
      } else {
        put32(packet, 24, frame.width << 16 | frame.height);
        for (size_t i = 0; i < 4; ++i) packet[28 + i] = static_cast<std::byte>(frame.fourcc[i]);
        put32(packet, 32, rate);
      }
      const Bytes piece = Bytes(bytes).subspan(at, std::min(frame.netto, bytes.size() - at));
      append(packet, header, piece);
      packets.push_back(std::move(packet));
    }
  }

  void append(Datagram& packet, size_t header, Bytes piece) {
    if (!cipher) {
      packet.insert(packet.end(), piece.begin(), piece.end());
      return;
    }
    std::vector<std::byte> blob(piece.size() + 64);
    const Datagram aad(packet.begin() + 12, packet.begin() + static_cast<std::ptrdiff_t>(header));
    const Bytes sealed = cipher->seal(mode, aad, piece, blob);
    packet.resize(header + 4);
    put32(packet, header, static_cast<uint32_t>(mode) << 24);
    packet.insert(packet.end(), sealed.begin(), sealed.end());
  }
};

}  // namespace texcast::transport::test
