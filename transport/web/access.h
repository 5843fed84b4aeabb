// access.h — who may watch: passwords, one-time links, private addresses. No I/O; time is an argument.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "messages.h"
#include "transport/peer_address.h"
#include "transport/web_server.h"

namespace texcast::web {

// RFC 1918, loopback, link-local and unique local addresses.
bool is_private(const transport::PeerAddress& address);

// Addresses that one attacker can have many of count as one: an IPv6 network of 64 bits, else the host.
using AddressGroup = std::array<std::byte, 16>;
AddressGroup group_of(const transport::PeerAddress& address);

// 128 random bits, as 22 characters that need no escaping in a URL.
std::string random_token();

// Thread-safe.
class AccessControl {
 public:
  AccessControl(const Access& access, const Limits& limits);

  struct Decision {
    Refusal refusal = Refusal::none;
    std::string message{};  // of a refusal
    std::string resume{};   // lets this viewer in again; empty: it needs none
    // Viewers that were let in by the same link: only one of them may watch at a time. Empty: not by a link.
    std::string link_holder{};
  };
  Decision admit(const Hello& hello, const transport::PeerAddress& from, SteadyTime now);

  std::vector<std::string> unused_links() const;  // tokens
  bool open() const { return password_.empty() && !by_links_; }

 private:
  using Digest = std::array<unsigned char, 32>;
  Digest digest(std::string_view secret) const;
  Decision admitted(bool by_link);
  bool may_try(const AddressGroup& group, SteadyTime now);

  struct Tries {
    AddressGroup group{};
    double left = 0;
    SteadyTime last{};
  };

  const std::string password_;
  const bool by_links_;
  const int tries_at_once_;
  const nanoseconds try_every_;
  Digest key_{};
  mutable std::mutex mutex_;
  std::map<Digest, std::string> links_;  // digest and token
  struct Resumption {
    Digest digest{};
    bool by_link = false;
  };
  std::list<Resumption> resumptions_;  // most recently used first
  std::list<Tries> tries_;             // the same
};

}  // namespace texcast::web
