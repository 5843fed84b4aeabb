#include "transport/service.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/utf8.h"
#include "transport/address.h"

namespace texcast::transport {
namespace {

constexpr size_t kLongestName = 63;     // bytes: a DNS label
constexpr size_t kLongestString = 255;  // bytes of a string in a TXT record
constexpr int kMostPixels = 65535;      // per side
constexpr double kMostFrames = 10000;   // per second
constexpr double kMostBitRate = 1e15;   // bits per second

bool is_plain_word(std::string_view text) {
  return !text.empty() && text.size() < 64 && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

bool is_group(const std::string& address) {
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 28 == 0xE;
  return ::inet_pton(AF_INET6, address.c_str(), &v6) == 1 && v6.s6_addr[0] == 0xFF;
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void take_size(std::string_view text, ServiceFacts& facts) {
  const size_t by = text.find('x');
  if (by == std::string_view::npos) return;
  const auto width = number<int>(text.substr(0, by)), height = number<int>(text.substr(by + 1));
  if (!width || !height || std::min(*width, *height) < 1 || std::max(*width, *height) > kMostPixels) return;
  facts.width = *width;
  facts.height = *height;
}

void take_fps(std::string_view text, ServiceFacts& facts) {
  const auto fps = number<double>(text);
  if (fps && std::isfinite(*fps) && *fps > 0 && *fps <= kMostFrames) facts.fps = *fps;
}

void take_rate(std::string_view text, ServiceFacts& facts) {
  const auto rate = number<double>(text);
  if (rate && std::isfinite(*rate) && *rate > 0 && *rate <= kMostBitRate) facts.rate_bits_per_s = *rate;
}

std::string url(const std::string& address, uint16_t port, const std::string& interface) {
  if (address.find(':') == std::string::npos) return fmt::format("rtp://{}:{}", address, port);
  const bool scoped = address.starts_with("fe80:") || address.starts_with("ff02:");
  return fmt::format("rtp://[{}{}]:{}", address, scoped && !interface.empty() ? "%" + interface : "", port);
}

// Lower is likelier.
int rank(const ServiceAddress& at) {
  if (at.address.starts_with("127.")) return 0;
  if (at.address == "::1") return 1;
  if (at.address.find(':') == std::string::npos) return 2;
  return at.address.starts_with("fe80:") ? 4 : 3;
}

}  // namespace

std::string_view name(ServiceKind kind) { return kind == ServiceKind::player ? "player" : "sender"; }

std::string_view service_type(ServiceKind kind) {
  return kind == ServiceKind::player ? "_texcast-play._udp" : "_texcast-send._udp";
}

std::vector<std::string> txt_of(ServiceKind kind, const ServiceFacts& facts) {
  std::vector<std::string> txt{"txtvers=1"};
  const auto say = [&](std::string_view key, const std::string& value) {
    if (std::string text = fmt::format("{}={}", key, value); !value.empty() && text.size() <= kLongestString)
      txt.push_back(std::move(text));
  };
  say("texcast", facts.version);
  say("what", std::string(name(kind)));
  say("sealed", facts.sealed);
  say("group", facts.group);
  say("format", facts.format);
  say("coding", facts.coding);
  if (facts.width > 0) say("size", fmt::format("{}x{}", facts.width, facts.height));
  if (facts.fps > 0) say("fps", fmt::format("{:.6g}", facts.fps));
  say("sound", facts.sound);
  if (facts.rate_bits_per_s > 0) say("rate", fmt::format("{:.0f}", facts.rate_bits_per_s));
  if (facts.paused) say("paused", "1");
  return txt;
}

ServiceFacts facts_of(std::span<const std::string> txt) {
  ServiceFacts facts;
  std::vector<std::string_view> seen;  // the first occurrence of a key counts (RFC 6763 6.4)
  for (const std::string& text : txt) {
    const size_t is = text.find('=');
    if (is == std::string::npos) continue;
    const std::string_view key = std::string_view(text).substr(0, is), value = std::string_view(text).substr(is + 1);
    if (!is_plain_word(value) || std::ranges::count(seen, key) > 0) continue;
    seen.push_back(key);
    if (key == "texcast") facts.version = value;
    if (key == "sealed") facts.sealed = value;
    if (key == "group" && is_group(std::string(value))) facts.group = value;
    if (key == "format") facts.format = value;
    if (key == "coding") facts.coding = value;
    if (key == "size") take_size(value, facts);
    if (key == "fps") take_fps(value, facts);
    if (key == "sound") facts.sound = value;
    if (key == "rate") take_rate(value, facts);
    if (key == "paused") facts.paused = value == "1";
  }
  return facts;
}

std::string fitting_name(std::string_view wanted) {
  std::string fitting;
  while (!wanted.empty()) {
    const Utf8Character c = first_character(wanted);
    if (fitting.size() + c.bytes > kLongestName) break;
    if (c.bytes > 0 && !steers_text(c.code)) fitting += wanted.substr(0, c.bytes);
    wanted.remove_prefix(std::max<size_t>(c.bytes, 1));
  }
  return fitting;
}

std::string usual_name(uint16_t port) {
  std::array<char, 256> host{};
  std::string name = ::gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "";
  name = fitting_name(name.substr(0, name.find('.'))).substr(0, 50);  // leaves room for the port
  if (name.empty()) name = "texcast";
  return port == kDefaultPort ? name : fmt::format("{}-{}", name, port);
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::vector<std::string> urls_of(ServiceKind kind, const ServiceFacts& facts, std::vector<ServiceAddress> addresses) {
  std::vector<std::string> urls;
  const auto add = [&](std::string text) {
    if (std::ranges::count(urls, text) == 0) urls.push_back(std::move(text));
  };
  std::ranges::stable_sort(addresses, {}, rank);
  for (const ServiceAddress& at : addresses)
    if (!facts.group.empty())
      add(url(facts.group, at.port, at.interface));
    else if (kind == ServiceKind::player)
      add(url(at.address, at.port, at.interface));
  return urls;
}

}  // namespace texcast::transport
