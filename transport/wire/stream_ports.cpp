#include "transport/stream_ports.h"

#include <algorithm>

namespace texcast::transport {
namespace {

constexpr int kLastPort = 65535;

}  // namespace

std::string stream_ports_text(uint16_t port) {
  std::string text;
  for (const StreamPort& one : kStreamPorts)
    if (port + one.offset <= kLastPort)
      text.append(text.empty() ? "" : ", ")
          .append(std::to_string(port + one.offset))
          .append(" (")
          .append(one.use)
          .append(")");
  return text;
}

std::string stream_port_range(uint16_t port) {
  const int last = std::min(port + kStreamPorts.back().offset, kLastPort);
  return last == port ? std::to_string(port) : std::to_string(port) + " to " + std::to_string(last);
}

}  // namespace texcast::transport
