// simulated_network.h — a link that loses, delays, reorders, duplicates and damages datagrams, seeded and in simulated
// time.
#pragma once

#include <cstdint>
#include <queue>
#include <random>
#include <vector>

#include "support.h"

namespace texcast::transport::test {

struct NetworkSettings {
  uint32_t seed = 1;
  double loss = 0;       // probabilities, each 0..1
  int burst = 1;         // this many in a row are lost at a time
  double reorder = 0;    // delayed by `reorder_delay`
  double duplicate = 0;  // sent twice, the second one delayed as well
  double corrupt = 0;    // one to four bytes changed, sometimes truncated
  nanoseconds delay = 1ms;
  nanoseconds reorder_delay = 300us;
};

class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(const NetworkSettings& settings) : settings_(settings), random_(settings.seed) {}

  void send(Datagram datagram, SteadyTime now) {
    if (burst_left_ == 0 && happens(settings_.loss / settings_.burst)) burst_left_ = settings_.burst;
    if (burst_left_ > 0) {
      --burst_left_;
      ++lost;
      return;
    }
    SteadyTime at = now + settings_.delay;
    if (happens(settings_.duplicate)) {
      ++duplicated;
      queue_.push({at + settings_.reorder_delay, count_++, datagram});
    }
    if (happens(settings_.reorder)) at += settings_.reorder_delay;
    if (happens(settings_.corrupt)) damage(datagram);
    queue_.push({at, count_++, std::move(datagram)});
  }

  // Calls sink(datagram, its time of arrival) for all that arrive up to `until`, in order of arrival.
  template <typename Sink>
  void deliver(SteadyTime until, Sink&& sink) {
    while (!queue_.empty() && queue_.top().at <= until) {
      sink(queue_.top().datagram, queue_.top().at);
      queue_.pop();
    }
  }

  uint64_t lost = 0, duplicated = 0, damaged = 0;

 private:
  struct InFlight {
    SteadyTime at;
    uint64_t number;  // keeps equal times in order
    Datagram datagram;
    bool operator<(const InFlight& other) const {
      return at != other.at ? at > other.at : number > other.number;  // the queue's top is the earliest
    }
  };
  bool happens(double probability) {
    return probability > 0 && std::uniform_real_distribution(0.0, 1.0)(random_) < probability;
  }
  void damage(Datagram& datagram) {
    ++damaged;
    for (uint32_t i = 0, n = 1 + random_() % 4; i < n; ++i) {
      // Mostly in the headers, where it has an effect.
      const size_t range = random_() % 4 ? std::min<size_t>(datagram.size(), 72) : datagram.size();
      datagram[random_() % range] = static_cast<std::byte>(random_());
    }
    if (random_() % 8 == 0) datagram.resize(1 + random_() % datagram.size());
  }

  NetworkSettings settings_;
  std::mt19937 random_;
  std::priority_queue<InFlight> queue_;
  uint64_t count_ = 0;
  int burst_left_ = 0;
};

}  // namespace texcast::transport::test
