#include "host_names.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

namespace texcast::web {
namespace {

constexpr size_t kMostHostBytes = 260;  // a name has 253 at most

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_address(const std::string& text, int family) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(family, text.c_str(), bytes.data()) == 1;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
  });
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string_view without_dot(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return name;
}

// "*.example.org" matches "video.example.org".
bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.starts_with("*.")) return pattern == name;
  const size_t dot = name.find('.');
  return dot != std::string_view::npos && dot > 0 && name.substr(dot) == pattern.substr(1);
}

}  // namespace

std::optional<HostAndPort> parse_host(std::string_view header) {
  if (header.size() > kMostHostBytes) return std::nullopt;
  HostAndPort parsed;
  std::string_view rest = header;
  if (rest.starts_with('[')) {
    const size_t end = rest.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    parsed.host = lower(rest.substr(1, end - 1));
    parsed.is_address = true;
    rest.remove_prefix(end + 1);
    if (!is_address(parsed.host, AF_INET6)) return std::nullopt;
  } else {
    const size_t end = std::min(rest.find(':'), rest.size());
    parsed.host = lower(without_dot(rest.substr(0, end)));
    rest.remove_prefix(end);
    parsed.is_address = is_address(parsed.host, AF_INET);
    if (!parsed.is_address && !is_name(parsed.host)) return std::nullopt;
  }
  if (rest.empty()) return parsed;
  if (rest.front() != ':' || !is_port(rest.substr(1))) return std::nullopt;
  parsed.port = rest.substr(1);
  return parsed;
}

bool same_origin(std::string_view origin, std::string_view host) {
  constexpr std::string_view kSeparator = "://";
  const size_t end = origin.find(kSeparator);
  if (end == std::string_view::npos) return false;
  const std::string scheme = lower(origin.substr(0, end));
  if (scheme != "http" && scheme != "https") return false;
  auto from = parse_host(origin.substr(end + kSeparator.size()));
  auto to = parse_host(host);
  if (!from || !to) return false;
  const std::string usual = scheme == "https" ? "443" : "80";
  if (from->port.empty()) from->port = usual;
  if (to->port.empty()) to->port = usual;
  return *from == *to;
}

HostNames::HostNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) names_.push_back(lower(without_dot(name)));
}

bool HostNames::accepts(const HostAndPort& host) const {
  if (host.is_address || host.host == "localhost" || host.host.ends_with(".localhost")) return true;
  return std::ranges::any_of(names_, [&](const std::string& name) { return matches(name, host.host); });
}

std::vector<std::string> machine_names() {
  std::array<char, 256> text{};
  if (gethostname(text.data(), text.size() - 1) != 0) return {};
  const std::string full = lower(without_dot(text.data()));
  if (!is_name(full)) return {};
  const std::string first = full.substr(0, full.find('.'));
  std::vector<std::string> names = {full, first, first + ".local"};
  // resolv.conf(5): "search" and "domain" list the domains in which the resolver looks for names without a dot.
  std::ifstream file("/etc/resolv.conf");
  for (std::string line; names.size() < 32 && std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || (word != "search" && word != "domain")) continue;
    while (words >> word)
      if (const std::string domain = lower(without_dot(word)); is_name(domain))
        names.push_back(fmt::format("{}.{}", first, domain));
  }
  return names;
}

}  // namespace texcast::web
