// pcap.h — reads UDP payloads from captures (classic pcap and pcapng files), and writes captures as classic pcap.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "texcast/frame_times.h"
#include "transport/packetizer.h"
#include "transport/peer_address.h"

namespace texcast::transport {

struct CapturedDatagram {
  Bytes payload;      // UDP payload; valid until the next call
  WallTime time{};    // when it was captured
  uint16_t port = 0;  // destination
  PeerAddress from{};
};

// Skips packets other than UDP over IPv4 or IPv6, and reassembles fragments. A datagram that was captured before the
// kernel segmented it (UDP_SEGMENT, seen on loopback) is returned as its segments.
class PcapReader {
 public:
  // Throws Error{input} if the file cannot be opened or is not a capture.
  explicit PcapReader(const std::string& path);
  ~PcapReader();
  // nullopt at the end, also if the file is truncated or damaged there.
  std::optional<CapturedDatagram> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes datagrams as UDP over IPv4 in Ethernet frames, from 127.0.0.1 to itself. Throws Error{failed}.
class PcapWriter {
 public:
  // `file` is empty and open for writing; `path` is for messages.
  PcapWriter(Descriptor file, const std::string& path);
  ~PcapWriter();  // closes without reporting failures, unlike finish()
  PcapWriter(const PcapWriter&) = delete;
  PcapWriter& operator=(const PcapWriter&) = delete;
  void write(const OutgoingPacket& packet, WallTime time, uint16_t port);
  void finish();  // closes; a full disk may be reported only then

 private:
  void put(Bytes bytes);
  [[noreturn]] void fail() const;

  std::FILE* file_;
  std::string path_;
};

}  // namespace texcast::transport
