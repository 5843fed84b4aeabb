// listener_watch.h — whether anybody is there at each destination, and the lines that say so: within two seconds of the
// first packet, and when it changes. Pure: time is an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/line_limit.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

struct WatchedDestination {
  std::string name{};    // "192.168.1.20:5004"
  bool speaks = false;   // receivers there may report (RTCP) soon enough to be missed; not: only a refusal is told
  bool compact = false;  // the stream is
};

// Not thread-safe.
class ListenerWatch {
 public:
  explicit ListenerWatch(const std::vector<WatchedDestination>& destinations);

  void add(const WatchedDestination& destination);
  void remove(size_t destination);  // those behind it are numbered one less

  void sent(SteadyTime now);                         // packets left, to all
  void heard(size_t destination);                    // a report or a request came from there
  void refused(size_t destination, SteadyTime now);  // a packet came back: no port there that is listened to
  // When news() may have something; nothing before the first packet.
  std::optional<SteadyTime> next_look() const;
  // Lines to be told now; each once, and few of a destination in all, as anybody can send what they are told of.
  struct News {
    bool good = false;
    std::string line{};
  };
  std::vector<News> news(SteadyTime now);

 private:
  enum class Told { nothing, refused, silent };
  struct Place {
    WatchedDestination is;
    Told told = Told::nothing;
    bool heard = false;  // since the last look
    bool ever_heard = false;
    std::optional<SteadyTime> begun{};  // with its first packet
    std::optional<SteadyTime> first_refused{}, last_refused{};
    LineLimit lines{};
  };
  std::optional<News> news_of(Place& place, SteadyTime now) const;

  std::vector<Place> places_;
  bool begun_ = false;  // all of them
  std::optional<SteadyTime> next_look_{};
};

}  // namespace texcast::stream
