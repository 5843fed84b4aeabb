// host_names.h — the names under which browsers may use this server. No I/O after the construction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texcast::web {

// "HOST", "HOST:PORT", "[V6]:PORT" of a Host or Origin header, in lower case, without the brackets and a final dot.
struct HostAndPort {
  std::string host;
  std::string port;  // empty: none was given
  bool is_address = false;
  bool operator==(const HostAndPort&) const = default;
};
std::optional<HostAndPort> parse_host(std::string_view header);

// Whether an Origin header names the same server as a Host header. The scheme may differ, as a proxy may add TLS.
bool same_origin(std::string_view origin, std::string_view host);

// A page of another site must not reach the server through a name of its own that resolves to this machine's address
// (DNS rebinding): the browser would take both for one site. Such a page needs a name of its own, so that IP addresses
// are safe, and names are accepted only if they are known to be this machine's.
class HostNames {
 public:
  // `names`: those of the settings and of the certificate ("*.example.org" stands for one label).
  explicit HostNames(const std::vector<std::string>& names);
  bool accepts(const HostAndPort& host) const;

 private:
  std::vector<std::string> names_;
};

// The names of this machine: its host name, alone, under the search domains of the resolver, and under .local.
std::vector<std::string> machine_names();

}  // namespace texcast::web
