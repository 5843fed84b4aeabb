// Any bytes as a capture file: file formats, link layers, IP reassembly and splitting of segmented datagrams, into a
// receive session.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "../times.h"
#include "base/ensure.h"
#include "texcast/error.h"
#include "transport/pcap.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::transport;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = ::memfd_create("capture", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  ENSURE(::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  try {
    PcapReader reader(path);
    ReceiveSession session({.max_frame_bytes = size_t{1} << 20});
    while (const auto datagram = reader.next()) {
      ENSURE(!datagram->payload.empty());
      session.on_datagram(datagram->payload, steady_of(datagram->time), datagram->time);
      while (session.poll(steady_of(datagram->time), datagram->time)) {
      }
    }
  } catch (const Error& error) {
    ENSURE(error.kind() == ErrorKind::input);
  }
  return 0;
}
