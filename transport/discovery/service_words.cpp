#include "transport/service_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cctype>

#include "texcast/error.h"
#include "transport/address.h"
#include "transport/finder.h"

namespace texcast::transport {
namespace {

// "clip.mp4", "out.pcap": a word with such an extension is meant as a file.
bool ends_as_file(std::string_view word) {
  const size_t dot = word.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const std::string_view end = word.substr(dot + 1);
  return end.size() >= 2 && end.size() <= 4 &&
         std::ranges::all_of(end, [](unsigned char c) { return std::isalnum(c) != 0; }) &&
         std::ranges::any_of(end, [](unsigned char c) { return std::isalpha(c) != 0; });
}

}  // namespace

bool is_service_name(std::string_view word) {
  if (word.empty() || word == "-" || word.find('/') != std::string_view::npos || word.starts_with("pcap:"))
    return false;
  return !ends_as_file(word) && !url_of_short_form(word);
}

std::string with_scheme(std::string_view word) { return url_of_short_form(word).value_or(std::string(word)); }

std::string listed(const std::vector<FoundService>& services, ServiceKind kind) {
  constexpr size_t kMost = 8;
  std::string list;
  size_t count = 0;
  for (const FoundService& service : services)
    if (service.kind == kind && count++ < kMost)
      list += fmt::format("{}'{}'{}", list.empty() ? "" : ", ", fitting_name(service.name),
                          service.urls.empty() ? "" : fmt::format(" ({})", service.urls.front()));
  return count > kMost ? fmt::format("{} and {} more", list, count - kMost) : list;
}

FoundService require_service(ServiceKind kind, const std::string& name) {
  const std::atomic<bool> never = false;
  ServiceSearch search = find_service(kind, name, kLongestSearch, never);
  if (search.found) return std::move(*search.found);
  const std::string list = listed(search.others, kind), what(transport::name(kind));
  throw Error(ErrorKind::network,
              fmt::format("no {} called '{}' answers; {}", what, name,
                          list.empty() ? fmt::format("no {} was found", what) : fmt::format("found: {}", list)));
}

}  // namespace texcast::transport
