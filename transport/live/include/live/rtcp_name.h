// rtcp_name.h — the CNAME of this program in RTCP.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace texcast::stream {

// RFC 3550 6.5.1: user@host. It is the same for all streams of a machine, and does not reveal the user's name.
inline std::string rtcp_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return "texcast";
  return std::string("texcast@") + host.data();
}

}  // namespace texcast::stream
