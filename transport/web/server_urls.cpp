#include "server_urls.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "transport/address.h"

namespace texcast::web {
namespace {

std::string url_of(const std::string& host, uint16_t port, bool tls) {
  const std::string text = host.find(':') == std::string::npos ? host : '[' + host + ']';
  if (port == (tls ? 443 : 80)) return fmt::format("{}://{}/", tls ? "https" : "http", text);
  return fmt::format("{}://{}:{}/", tls ? "https" : "http", text, port);
}

// The interface of the default route; empty if there is none.
std::string default_interface() {
  std::ifstream routes("/proc/net/route");  // "Iface Destination Gateway …", hexadecimal
  for (std::string line; std::getline(routes, line);) {
    std::istringstream words(line);
    std::string name, destination;
    if (words >> name >> destination && destination == "00000000") return name;
  }
  return "";
}

RankedInterface::Kind kind_of(const std::string& name, const std::string& on_default_route) {
  using Kind = RankedInterface::Kind;
  if (name == on_default_route) return Kind::default_route;
  std::error_code ignored;
  const std::filesystem::path device = std::filesystem::path("/sys/class/net") / name;
  if (std::filesystem::exists(device / "device", ignored)) return Kind::hardware;
  return std::filesystem::exists(device / "bridge", ignored) ? Kind::bridge : Kind::other;
}

bool is_ipv6(const std::string& address) { return address.find(':') != std::string::npos; }
bool is_link_local(const std::string& address) { return address.starts_with("fe80:"); }

}  // namespace

std::vector<std::string> urls_of(std::vector<RankedInterface> interfaces, uint16_t port, bool tls) {
  std::ranges::stable_sort(interfaces, {}, &RankedInterface::kind);
  std::vector<std::string> urls;
  for (const bool ipv6 : {false, true})
    for (const RankedInterface& one : interfaces) {
      if (!one.interface.up || one.interface.loopback) continue;
      for (const std::string& address : one.interface.addresses)
        if (is_ipv6(address) == ipv6 && !is_link_local(address)) urls.push_back(url_of(address, port, tls));
    }
  urls.push_back(url_of("localhost", port, tls));
  return urls;
}

std::vector<std::string> server_urls(const transport::PeerAddress& bound, uint16_t port, bool tls,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> urls;
  for (const std::string& name : names)
    if (!name.starts_with("*.")) urls.push_back(url_of(name, port, tls));
  if (bound.known()) {
    transport::PeerAddress host = bound;
    host.scope = 0;
    urls.push_back(url_of(transport::host_text(host), port, tls));
    return urls;
  }
  const std::string on_default_route = default_interface();
  std::vector<RankedInterface> interfaces;
  for (auto& one : transport::network_interfaces()) {
    const auto kind = kind_of(one.name, on_default_route);
    interfaces.push_back({.interface = std::move(one), .kind = kind});
  }
  const auto addresses = urls_of(std::move(interfaces), port, tls);
  urls.insert(urls.end(), addresses.begin(), addresses.end());
  return urls;
}

}  // namespace texcast::web
