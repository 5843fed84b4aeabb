// service_words.h — the words by which people name senders and players: addresses with or without rtp://, and announced
// names.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "transport/service.h"

namespace texcast::transport {

// Whether a word is a NAME, because it does not look like a URL, capture, address or file.
bool is_service_name(std::string_view word);

// The URL of an address without rtp:// ("192.0.2.1:5004", ":5004"; transport/address.h); any other word as it is.
std::string with_scheme(std::string_view word);

// Longest time for a NAME to answer. A search ends earlier when everybody on the network has.
inline constexpr nanoseconds kLongestSearch = std::chrono::seconds(5);

// The services of one kind with their addresses, for messages: at most eight, and how many more there are.
std::string listed(const std::vector<FoundService>& services, ServiceKind kind);

// The service of that kind and name. Waits until the daemon considers the search complete, about a second, at most
// kLongestSearch. Throws Error{network} if it is not found, with the names that were, or if the search is impossible.
FoundService require_service(ServiceKind kind, const std::string& name);

}  // namespace texcast::transport
