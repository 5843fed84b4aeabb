// pcap_writer.cpp — writes classic pcap with nanoseconds; each datagram gets Ethernet, IPv4 and UDP headers.
#include <array>
#include <cerrno>
#include <utility>

#include "base/ensure.h"
#include "base/errno_text.h"
#include "texcast/error.h"
#include "transport/pcap.h"

namespace texcast::transport {
namespace {

constexpr size_t kEthernetBytes = 14, kIpBytes = 20, kUdpBytes = 8;
constexpr size_t kRecordBytes = 16;
constexpr size_t kWrappedBytes = kEthernetBytes + kIpBytes + kUdpBytes;
constexpr size_t kMaxDatagram = 65535 - kIpBytes - kUdpBytes;

uint16_t ip_checksum(Bytes header) {
  uint32_t sum = 0;
  for (size_t i = 0; i < header.size(); i += 2) sum += load_be16(header, i);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

}  // namespace

PcapWriter::PcapWriter(Descriptor file, const std::string& path) : file_(fdopen(file.get(), "wb")), path_(path) {
  if (!file_) fail();
  file.release();
  std::array<std::byte, 24> header{};
  const MutableBytes out(header);
  store_le32(out, 0, 0xA1B23C4D);  // nanoseconds
  store_le16(out, 4, 2);
  store_le16(out, 6, 4);
  store_le32(out, 16, 262144);  // snap length
  store_le32(out, 20, 1);       // Ethernet
  put(header);
}

PcapWriter::~PcapWriter() {
  if (file_) std::fclose(file_);
}

void PcapWriter::fail() const {
  throw Error(ErrorKind::failed, "cannot write capture '" + path_ + "': " + errno_text(errno));
}

void PcapWriter::put(Bytes bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void PcapWriter::finish() {
  if (file_ && std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

void PcapWriter::write(const OutgoingPacket& packet, WallTime time, uint16_t port) {
  ENSURE(packet.size() <= kMaxDatagram);
  const size_t ip_total = kIpBytes + kUdpBytes + packet.size();
  std::array<std::byte, kRecordBytes + kWrappedBytes> head{};
  const MutableBytes record(head);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  store_le32(record, 0, static_cast<uint32_t>(seconds.time_since_epoch().count()));
  store_le32(record, 4, static_cast<uint32_t>((time - seconds).count()));
  store_le32(record, 8, static_cast<uint32_t>(kEthernetBytes + ip_total));
  store_le32(record, 12, static_cast<uint32_t>(kEthernetBytes + ip_total));

  const MutableBytes ethernet = record.subspan(kRecordBytes);
  store_be<6>(ethernet, 0, 0x02'00'00'00'00'02);  // locally administered
  store_be<6>(ethernet, 6, 0x02'00'00'00'00'01);
  store_be16(ethernet, 12, 0x0800);

  const MutableBytes ip = ethernet.subspan(kEthernetBytes);
  store_be16(ip, 0, 0x4500);
  store_be16(ip, 2, static_cast<uint16_t>(ip_total));
  store_be16(ip, 6, 0x4000);  // do not fragment
  store_be16(ip, 8, 0x4011);  // TTL 64, UDP
  store_be32(ip, 12, 0x7F000001);
  store_be32(ip, 16, 0x7F000001);
  store_be16(ip, 10, ip_checksum(ip.first(kIpBytes)));

  const MutableBytes udp = ip.subspan(kIpBytes);
  store_be16(udp, 0, port);
  store_be16(udp, 2, port);
  store_be16(udp, 4, static_cast<uint16_t>(kUdpBytes + packet.size()));  // checksum 0: none

  put(head);
  put(packet.header);
  put(packet.payload);
}

}  // namespace texcast::transport
