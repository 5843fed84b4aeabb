#include "access.h"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <utility>

#include "base/ensure.h"

namespace texcast::web {
namespace {

constexpr size_t kTokenBytes = 16;
// Bounds for memory. The least recently used ones are forgotten.
constexpr size_t kMostResumptions = 20'000;
constexpr size_t kMostAddresses = 4096;

constexpr transport::PeerNetwork ipv4_network(uint8_t a, uint8_t b, int bits) {
  transport::PeerNetwork network{.bits = 96 + bits};
  network.host[10] = network.host[11] = std::byte{0xFF};
  network.host[12] = std::byte{a};
  network.host[13] = std::byte{b};
  return network;
}

constexpr transport::PeerNetwork ipv6_network(uint8_t a, uint8_t b, int bits) {
  transport::PeerNetwork network{.bits = bits};
  network.host[0] = std::byte{a};
  network.host[1] = std::byte{b};
  return network;
}

constexpr std::array kPrivate = {
    ipv4_network(10, 0, 8),       ipv4_network(172, 16, 12),  ipv4_network(192, 168, 16),  // RFC 1918
    ipv4_network(127, 0, 8),      ipv4_network(169, 254, 16),                              // loopback, RFC 3927
    ipv6_network(0xFE, 0x80, 10),                                                          // link-local
    ipv6_network(0xFC, 0, 7),                                                              // RFC 4193
};

}  // namespace

bool is_private(const transport::PeerAddress& address) {
  transport::PeerNetwork loopback;  // ::1
  loopback.host[15] = std::byte{1};
  return loopback.contains(address) || std::ranges::any_of(kPrivate, [&](const transport::PeerNetwork& network) {
           return network.contains(address);
         });
}

AddressGroup group_of(const transport::PeerAddress& address) {
  AddressGroup group = address.host;
  if (!address.is_ipv4()) std::fill(group.begin() + 8, group.end(), std::byte{0});
  return group;
}

std::string random_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::array<char, sodium_base64_ENCODED_LEN(kTokenBytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING)> text{};
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  return text.data();
}

AccessControl::AccessControl(const Access& access, const Limits& limits)
    : password_(access.password),
      by_links_(access.links > 0),
      tries_at_once_(limits.wrong_words_at_once),
      try_every_(limits.wrong_word_every) {
  ENSURE(sodium_init() >= 0);  // the system has no source of random bytes
  randombytes_buf(key_.data(), key_.size());
  for (int i = 0; i < access.links; ++i) {
    std::string token = random_token();
    links_.emplace(digest(token), std::move(token));
  }
}

// Secrets are compared as keyed hashes, so that the time of a comparison says nothing about them.
AccessControl::Digest AccessControl::digest(std::string_view secret) const {
  Digest made{};
  crypto_generichash(made.data(), made.size(), reinterpret_cast<const unsigned char*>(secret.data()), secret.size(),
                     key_.data(), key_.size());
  return made;
}

AccessControl::Decision AccessControl::admitted(bool by_link) {
  Decision decision{.resume = random_token()};
  const Digest made = digest(decision.resume);
  resumptions_.push_front({.digest = made, .by_link = by_link});
  if (resumptions_.size() > kMostResumptions) resumptions_.pop_back();
  if (by_link) decision.link_holder.assign(made.begin(), made.end());
  return decision;
}

// Whether the address may try a word; a wrong one costs it a try.
bool AccessControl::may_try(const AddressGroup& group, SteadyTime now) {
  const auto found = std::ranges::find(tries_, group, &Tries::group);
  if (found == tries_.end()) {
    tries_.push_front({.group = group, .left = static_cast<double>(tries_at_once_), .last = now});
    if (tries_.size() > kMostAddresses) tries_.pop_back();
  } else {
    tries_.splice(tries_.begin(), tries_, found);
    Tries& tries = tries_.front();
    tries.left = std::min<double>(tries_at_once_, tries.left + in_seconds(now - tries.last) / in_seconds(try_every_));
    tries.last = now;
  }
  return tries_.front().left >= 1;
}

AccessControl::Decision AccessControl::admit(const Hello& hello, const transport::PeerAddress& from, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  if (open()) {
    if (is_private(from)) return {};
    return {.refusal = Refusal::network,
            .message =
                "This stream is only for viewers on its own network. For others, its sender has to set a "
                "password or make links."};
  }
  if (!hello.resume.empty()) {
    const auto found = std::ranges::find(resumptions_, digest(hello.resume), &Resumption::digest);
    if (found != resumptions_.end()) {
      resumptions_.splice(resumptions_.begin(), resumptions_, found);
      Decision decision{.resume = hello.resume};
      if (found->by_link) decision.link_holder.assign(found->digest.begin(), found->digest.end());
      return decision;
    }
  }
  if (!hello.link.empty()) {
    if (links_.erase(digest(hello.link)) != 0) return admitted(true);
    if (password_.empty() || hello.password.empty())
      return {.refusal = Refusal::link, .message = "This link was used before, or is unknown. Ask for a new one."};
  }
  if (password_.empty())
    return {.refusal = Refusal::link, .message = "This stream is opened by a link. Ask its sender for one."};
  if (hello.password.empty()) return {.refusal = Refusal::password, .message = "This stream needs a password."};
  const AddressGroup group = group_of(from);
  if (!may_try(group, now))
    return {.refusal = Refusal::password,
            .message = fmt::format("Too many wrong passwords came from this address. Try again in {} seconds.",
                                   std::max<int64_t>(1, std::chrono::ceil<std::chrono::seconds>(try_every_).count()))};
  const Digest given = digest(hello.password), wanted = digest(password_);
  if (sodium_memcmp(given.data(), wanted.data(), wanted.size()) == 0) return admitted(false);
  tries_.front().left -= 1;
  return {.refusal = Refusal::password, .message = "The password is wrong."};
}

std::vector<std::string> AccessControl::unused_links() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> tokens;
  for (const auto& [digest, token] : links_) tokens.push_back(token);
  return tokens;
}

}  // namespace texcast::web
