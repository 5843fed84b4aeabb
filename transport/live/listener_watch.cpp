#include "live/listener_watch.h"

#include <fmt/core.h>

#include <utility>

namespace texcast::stream {
namespace {

using namespace std::chrono_literals;

constexpr nanoseconds kLook = 100ms;
// Kernels report refusals about once a second. A single one may be due to a receiver that is just starting.
constexpr nanoseconds kRefusing = 400ms;
constexpr nanoseconds kNoLongerRefusing = 3s;
// By then texcast's receivers have reported (RtcpTimer), and a waiting user is informed within two seconds.
constexpr nanoseconds kSilent = 1800ms;

}  // namespace

ListenerWatch::ListenerWatch(const std::vector<WatchedDestination>& destinations) {
  for (const WatchedDestination& destination : destinations) places_.push_back({.is = destination});
}

void ListenerWatch::add(const WatchedDestination& destination) {
  places_.push_back({.is = destination});
  begun_ = false;
}

void ListenerWatch::remove(size_t destination) {
  places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(destination));
}

void ListenerWatch::sent(SteadyTime now) {
  if (begun_) return;
  begun_ = true;
  for (Place& place : places_)
    if (!place.begun) place.begun = now;
  if (!next_look_) next_look_ = now + kLook;
}

void ListenerWatch::heard(size_t destination) {
  places_[destination].heard = true;
  places_[destination].ever_heard = true;
}

void ListenerWatch::refused(size_t destination, SteadyTime now) {
  Place& place = places_[destination];
  if (!place.first_refused) place.first_refused = now;
  place.last_refused = now;
}

std::optional<SteadyTime> ListenerWatch::next_look() const { return next_look_; }

std::vector<ListenerWatch::News> ListenerWatch::news(SteadyTime now) {
  std::vector<News> all;
  if (!next_look_ || now < *next_look_) return all;
  next_look_ = now + kLook;
  for (Place& place : places_) {
    const std::optional<News> one = news_of(place, now);
    if (!one) continue;
    if (auto line = place.lines.take(one->line, now)) all.push_back({.good = one->good, .line = std::move(*line)});
  }
  return all;
}

std::optional<ListenerWatch::News> ListenerWatch::news_of(Place& place, SteadyTime now) const {
  const std::string& name = place.is.name;
  if (place.heard) {
    place.heard = false;
    place.first_refused.reset();
    if (std::exchange(place.told, Told::nothing) == Told::nothing) return std::nullopt;
    return News{.good = true, .line = fmt::format("a receiver at {} reports", name)};
  }
  const bool late = place.begun && now - *place.begun >= kSilent;
  if (place.first_refused && place.told != Told::refused &&
      (*place.last_refused - *place.first_refused >= kRefusing || (late && now - *place.last_refused < kRefusing))) {
    place.told = Told::refused;
    return News{.line = fmt::format("nobody listens at {}{}: its port is closed; sending on", name,
                                    place.ever_heard ? " any more" : "")};
  }
  if (place.first_refused && now - *place.last_refused >= kNoLongerRefusing) {
    place.first_refused.reset();
    if (std::exchange(place.told, Told::nothing) == Told::refused)
      return News{.good = true, .line = fmt::format("{} no longer refuses packets", name)};
  }
  if (place.is.speaks && late && !place.ever_heard && !place.first_refused && place.told == Told::nothing) {
    place.told = Told::silent;
    const char* const other = place.is.compact
                                  ? "does not decode coded streams (UltraGrid, an older texcast: send with "
                                    "--plain)"
                                  : "sends no reports";
    return News{.line =
                    fmt::format("nobody reports from {}: no receiver, a firewall on the path, or a receiver that {}; "
                                "sending on",
                                name, other)};
  }
  return std::nullopt;
}

}  // namespace texcast::stream
