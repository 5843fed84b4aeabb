// capture_file.h — the container of a capture: classic pcap (microseconds or nanoseconds, either byte order) and
// pcapng (section header, interface, enhanced and simple packet blocks) as a sequence of link-layer packets.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/frame_times.h"

namespace texcast::transport {

struct CapturedPacket {
  Bytes bytes;  // as much as was captured; valid until the next call
  nanoseconds time{};
  uint32_t link_type = 0;  // LINKTYPE_…
};

class CaptureFile {
 public:
  explicit CaptureFile(const std::string& path);  // throws Error{input}
  // Nothing at the end, which is also where the file is cut off or stops making sense.
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

}  // namespace texcast::transport
