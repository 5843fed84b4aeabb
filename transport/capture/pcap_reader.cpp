// pcap_reader.cpp — reads the container of a capture, finds UDP payloads (capture_walk.h), and splits trains.
//
// It does not use libpcap: version 1.10 refuses pcapng files with interfaces of different link types, which Wireshark
// records from several interfaces, and files with sections of different byte orders. Debian's also loads D-Bus.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/errno_text.h"
#include "capture_walk.h"
#include "texcast/error.h"
#include "texcast/frame_times.h"
#include "transport/pcap.h"

namespace texcast::transport {
namespace {

constexpr uint32_t kClassicMicro = 0xA1B2C3D4;
constexpr uint32_t kClassicNano = 0xA1B23C4D;
constexpr uint32_t kSectionHeader = 0x0A0D0D0A;
constexpr uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr uint32_t kInterfaceBlock = 1, kSimplePacket = 3, kEnhancedPacket = 6;
// Packets have at most 64 KiB. The limit leaves room for trains and unusual link layers.
constexpr size_t kMaxRecord = size_t{1} << 20;
constexpr size_t kMaxInterfaces = 1024;

// Converts ticks of any resolution, without overflow whatever the file contains.
WallTime to_time(uint64_t ticks, uint64_t per_second, int64_t offset_seconds) {
  constexpr int64_t kMaxSeconds = std::numeric_limits<int64_t>::max() / 4'000'000'000;
  const int64_t seconds = static_cast<int64_t>(std::min<uint64_t>(ticks / per_second, kMaxSeconds)) +
                          std::clamp<int64_t>(offset_seconds, -kMaxSeconds, kMaxSeconds);
  const double rest = static_cast<double>(ticks % per_second) / static_cast<double>(per_second);
  return WallTime(std::chrono::seconds(seconds) + nanoseconds(std::llround(rest * 1e9)));
}

struct CapturedPacket {
  Bytes bytes;  // as much as was captured; valid until the next call
  WallTime time{};
  uint32_t link_type = 0;  // LINKTYPE_…
};

// Reads link-layer packets of classic pcap (microseconds or nanoseconds, either byte order) and pcapng (section header,
// interface, enhanced and simple packet blocks).
class CaptureFile {
 public:
  explicit CaptureFile(const std::string& path);  // throws Error{input}
  // nullopt at the end, also if the file is truncated or damaged there.
  std::optional<CapturedPacket> next();

 private:
  struct Interface {
    uint32_t link_type = 0;
    uint64_t ticks_per_second = 1'000'000;
    int64_t offset_seconds = 0;
  };
  bool read(size_t bytes);  // into buffer_
  uint16_t u16(size_t offset) const { return big_endian_ ? load_be16(buffer_, offset) : load_le16(buffer_, offset); }
  uint32_t u32(size_t offset) const { return big_endian_ ? load_be32(buffer_, offset) : load_le32(buffer_, offset); }
  std::optional<CapturedPacket> next_classic();
  std::optional<CapturedPacket> next_block();
  bool begin_section();
  void add_interface();

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<std::byte> buffer_;
  bool next_generation_ = false;
  bool big_endian_ = false;
  bool nanosecond_ = false;
  uint32_t link_type_ = 0;
  std::vector<Interface> interfaces_;
};

CaptureFile::CaptureFile(const std::string& path) : file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
  if (!file_) throw Error(ErrorKind::input, "cannot open capture '" + path + "': " + errno_text(errno));
  const auto no_capture = [&]() -> Error {
    return {ErrorKind::input, "'" + path + "' is not a pcap or pcapng file; record one with tcpdump -w " + path};
  };
  if (!read(4)) throw no_capture();
  if (load_be32(buffer_, 0) == kSectionHeader) {
    next_generation_ = true;
    if (!begin_section()) throw no_capture();
    return;
  }
  const uint32_t big = load_be32(buffer_, 0);
  const uint32_t little = load_le32(buffer_, 0);
  big_endian_ = big == kClassicMicro || big == kClassicNano;
  const uint32_t magic = big_endian_ ? big : little;
  nanosecond_ = magic == kClassicNano;
  if ((magic != kClassicMicro && magic != kClassicNano) || !read(20)) throw no_capture();
  link_type_ = u32(16) & 0xFFFF;  // the upper half may contain the length of a frame check sequence
}

bool CaptureFile::read(size_t bytes) {
  buffer_.resize(bytes);
  return std::fread(buffer_.data(), 1, bytes, file_.get()) == bytes;
}

std::optional<CapturedPacket> CaptureFile::next() { return next_generation_ ? next_block() : next_classic(); }

std::optional<CapturedPacket> CaptureFile::next_classic() {
  if (!read(16)) return std::nullopt;
  const uint32_t seconds = u32(0);
  const uint32_t fraction = u32(4);
  const uint32_t captured = u32(8);
  if (captured > kMaxRecord || !read(captured)) return std::nullopt;
  const WallTime time(std::chrono::seconds(seconds) + nanoseconds(int64_t{fraction} * (nanosecond_ ? 1 : 1000)));
  return CapturedPacket{buffer_, time, link_type_};
}

// After the block type. A section may have another byte order than the previous one.
bool CaptureFile::begin_section() {
  if (!read(8)) return false;
  big_endian_ = load_be32(buffer_, 4) == kByteOrderMagic;
  if (!big_endian_ && load_le32(buffer_, 4) != kByteOrderMagic) return false;
  const uint32_t length = u32(0);
  interfaces_.clear();
  return length >= 28 && length % 4 == 0 && length <= kMaxRecord && read(length - 12);
}

void CaptureFile::add_interface() {
  Interface added{.link_type = u16(0)};
  for (size_t at = 8; at + 4 <= buffer_.size();) {  // options: code, length, value padded to 4
    const uint16_t code = u16(at);
    const uint16_t length = u16(at + 2);
    const size_t value = at + 4;
    if (code == 0 || value + length > buffer_.size()) break;
    if (code == 9 && length == 1) {  // if_tsresol: a power of 10, or of 2 with the top bit
      const uint8_t resolution = load_u8(buffer_, value);
      const int power = std::min<int>(resolution & 0x7F, resolution & 0x80 ? 62 : 18);
      added.ticks_per_second = 1;
      for (int i = 0; i < power; ++i) added.ticks_per_second *= resolution & 0x80 ? 2 : 10;
    } else if (code == 14 && length == 8) {  // if_tsoffset
      added.offset_seconds = static_cast<int64_t>(big_endian_ ? load_be64(buffer_, value) : load_le64(buffer_, value));
    }
    at = value + (length + size_t{3}) / 4 * 4;
  }
  if (interfaces_.size() < kMaxInterfaces) interfaces_.push_back(added);
}

std::optional<CapturedPacket> CaptureFile::next_block() {
  for (;;) {
    if (!read(4)) return std::nullopt;
    const uint32_t type = u32(0);
    if (load_be32(buffer_, 0) == kSectionHeader) {
      if (!begin_section()) return std::nullopt;
      continue;
    }
    if (!read(4)) return std::nullopt;
    const uint32_t length = u32(0);
    if (length < 12 || length % 4 != 0 || length > kMaxRecord || !read(length - 8)) return std::nullopt;
    const size_t body = length - 12;  // the total length is repeated at the end
    if (type == kInterfaceBlock && body >= 8) {
      buffer_.resize(body);
      add_interface();
    } else if (type == kEnhancedPacket && body >= 20) {
      const uint32_t interface = u32(0);
      const uint32_t captured = u32(12);
      if (interface >= interfaces_.size() || captured > body - 20) continue;
      const Interface& from = interfaces_[interface];
      const uint64_t ticks = uint64_t{u32(4)} << 32 | u32(8);
      return CapturedPacket{Bytes(buffer_).subspan(20, captured),
                            to_time(ticks, from.ticks_per_second, from.offset_seconds), from.link_type};
    } else if (type == kSimplePacket && body >= 4 && !interfaces_.empty()) {
      const size_t captured = std::min<size_t>(u32(0), body - 4);
      return CapturedPacket{Bytes(buffer_).subspan(4, captured), WallTime{}, interfaces_[0].link_type};
    }
  }
}

}  // namespace

struct PcapReader::Impl {
  explicit Impl(const std::string& path) : file(path) {}
  CaptureFile file;
  CaptureWalk walk;
  CapturedDatagram current;  // its payload is the rest of the train
  size_t segment_bytes = 0;
};

PcapReader::PcapReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
PcapReader::~PcapReader() = default;

std::optional<CapturedDatagram> PcapReader::next() {
  while (impl_->current.payload.empty()) {
    const auto packet = impl_->file.next();
    if (!packet) return std::nullopt;
    const auto udp = impl_->walk.udp_of(packet->bytes, packet->link_type);
    if (!udp || udp->payload.empty()) continue;
    impl_->current = {udp->payload, packet->time, udp->port, udp->from};
    impl_->segment_bytes = train_segment_bytes(udp->payload);
  }
  CapturedDatagram datagram = impl_->current;
  datagram.payload = datagram.payload.first(std::min(impl_->segment_bytes, datagram.payload.size()));
  impl_->current.payload = impl_->current.payload.subspan(datagram.payload.size());
  return datagram;
}

}  // namespace texcast::transport
