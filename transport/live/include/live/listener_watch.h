// listener_watch.h — detects whether each destination has a receiver, and produces the log lines about it: within two
// seconds of the first packet, and when it changes. No I/O; time is an argument.
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
  bool speaks = false;   // receivers there send RTCP soon enough to be missed; false: only refusals are reported
  bool compact = false;  // the stream is coded
};

// Not thread-safe.
class ListenerWatch {
 public:
  explicit ListenerWatch(const std::vector<WatchedDestination>& destinations);

  void add(const WatchedDestination& destination);
  void remove(size_t destination);  // later indices decrease by one

  void sent(SteadyTime now);                         // packets were sent to all
  void heard(size_t destination);                    // a report or a request arrived from there
  void refused(size_t destination, SteadyTime now);  // port unreachable: nobody listens there
  // When news() may have something; nothing before the first packet.
  std::optional<SteadyTime> next_look() const;
  // Lines to log now, each once. Limited in number for each destination, because anybody can forge the packets that
  // cause them.
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
    std::optional<SteadyTime> begun{};  // time of its first packet
    std::optional<SteadyTime> first_refused{}, last_refused{};
    LineLimit lines{};
  };
  std::optional<News> news_of(Place& place, SteadyTime now) const;

  std::vector<Place> places_;
  bool begun_ = false;  // for all of them
  std::optional<SteadyTime> next_look_{};
};

}  // namespace texcast::stream
