// rtcp_name.h — what this program calls itself in RTCP.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace texcast::stream {

// CNAME (RFC 3550 6.5.1), user@host: the same for all that one machine sends, and nothing of its user.
inline std::string rtcp_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return "texcast";
  return std::string("texcast@") + host.data();
}

}  // namespace texcast::stream
