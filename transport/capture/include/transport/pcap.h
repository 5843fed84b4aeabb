// pcap.h — captures: classic pcap and pcapng files read and walked for UDP payloads, classic pcap written.
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
  WallTime time{};    // of the capture
  uint16_t port = 0;  // destination
  PeerAddress from{};
};

// Throws Error{input} when the file cannot be opened or is no capture. Other packets than UDP over IPv4 or IPv6 are
// passed over; fragments are put together; a file that breaks off ends there. A datagram that the kernel captured
// before cutting it (UDP_SEGMENT seen on loopback) comes out as the packets that it was cut into.
class PcapReader {
 public:
  explicit PcapReader(const std::string& path);
  ~PcapReader();
  std::optional<CapturedDatagram> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes datagrams as UDP over IPv4 over Ethernet frames, 127.0.0.1 to itself. Throws Error{failed}.
class PcapWriter {
 public:
  // `file` is empty and open for writing; `path` is for messages.
  PcapWriter(Descriptor file, const std::string& path);
  ~PcapWriter();  // closes; finish() tells of failures
  PcapWriter(const PcapWriter&) = delete;
  PcapWriter& operator=(const PcapWriter&) = delete;
  void write(const OutgoingPacket& packet, WallTime time, uint16_t port);
  void finish();  // closes: a full disk may show only then

 private:
  void put(Bytes bytes);
  [[noreturn]] void fail() const;

  std::FILE* file_;
  std::string path_;
};

}  // namespace texcast::transport
