// listener.h — the listening TCP socket, and the sockets that it accepts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "texcast/frame_times.h"
#include "transport/peer_address.h"

namespace texcast::web {

// Not thread-safe.
class Listener {
 public:
  // Listens at "" (any address, IPv6 and IPv4), "192.0.2.1", "[::1]" or a name. Throws Error{network}.
  Listener(const std::string& address, uint16_t port);

  struct Accepted {
    Descriptor socket;
    transport::PeerAddress from;
  };
  // The next connection that waits, or nothing. Never blocks. If no descriptor is left, it closes the connection at
  // once, so that it does not wait forever.
  std::optional<Accepted> accept();

  int fd() const { return socket_.get(); }
  void close() { socket_.close(); }  // no accept() afterwards; connections are refused
  uint16_t port() const { return port_; }
  // The one address at which it listens; unknown: all addresses.
  const transport::PeerAddress& bound() const { return bound_; }

 private:
  Descriptor socket_, spare_;  // spare_: is closed to get a descriptor if none is left
  uint16_t port_ = 0;
  transport::PeerAddress bound_{};
};

// Settings of a viewer's socket: see docs/web.md, "Slow viewers".
void set_options(int socket, int stalled_ms);
// The bytes that the kernel holds and has not sent for the first time.
size_t unsent_bytes(int socket);
// How much longer bytes are on their way now (smoothed) than on an empty path: the time that they wait in the network.
// Zero if few are on their way, or the kernel does not say (before Linux 4.6).
nanoseconds queueing_delay(int socket);
// close() then discards what was not sent, and resets the connection.
void reset_at_close(int socket);

}  // namespace texcast::web
