#include "stream/source_url.h"

#include "base/log.h"
#include "transport/interface.h"

namespace texcast::stream {

std::unique_ptr<DatagramSource> open_datagrams(const std::string& source, Pace pace, const std::string& interface) {
  if (is_capture(source)) return std::make_unique<CaptureDatagrams>(capture_path(source), pace);
  const unsigned index = interface.empty() ? 0 : transport::interface_index(interface);
  auto socket = std::make_unique<UdpDatagrams>(transport::resolve_address(source, true), index);
  if (const std::string advice = socket->buffer_advice(); !advice.empty()) log_warning("{}", advice);
  return socket;
}

}  // namespace texcast::stream
