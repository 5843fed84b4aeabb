// Players of a wall in simulated time: each has a crystal, a system clock that is kept by a server, and a display with
// refreshes of its own. They run the code of StreamFeed and Player: SystemPlayout, Mailbox and SwapGrid.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "base/clock.h"
#include "player/feed.h"
#include "stream/mailbox.h"
#include "stream/system_playout.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr nanoseconds kDelay = 100ms;
constexpr nanoseconds kRefresh = 16'666'667ns;
constexpr nanoseconds kFrame = 33'333'333ns;
constexpr nanoseconds kRun = 10min;

// Times without a type of their own are those of the true clock, from the beginning.
WallTime stamp_of(uint64_t frame) { return WallTime(1'000'000s + static_cast<int64_t>(frame) * kFrame); }
nanoseconds since_start(WallTime wall) { return wall - WallTime(1'000'000s); }

struct PlayerModel {
  double crystal_ppm = 0;
  double display_ppm = 0;
  nanoseconds first_refresh{};
  nanoseconds joins{};
  nanoseconds pauses{-1s}, resumes{-1s};
  std::map<nanoseconds, nanoseconds> clock_steps{};  // at these times the system clock is set by so much
  uint32_t seed = 1;
};

// The difference of a system clock from the true time: every second a server is asked, with an error of up to 100 µs,
// and the clock's rate is corrected.
class KeptClock {
 public:
  explicit KeptClock(const PlayerModel& model) {
    std::mt19937 random(model.seed);
    std::uniform_real_distribution<double> error(-100e-6, 100e-6);
    double offset = error(random), kept = 0, rate = model.crystal_ppm * 1e-6, integral = 0;
    for (nanoseconds second{}; second < kRun + 2s; second += 1s) {
      offsets_.push_back(offset + kept);
      offset += rate;
      const double measured = offset + error(random);
      integral += 0.1 * measured;
      rate = model.crystal_ppm * 1e-6 - 0.5 * measured - integral;
    }
    steps_ = model.clock_steps;
  }
  nanoseconds offset(nanoseconds time) const {
    const double seconds = in_seconds(time);
    const auto second = static_cast<size_t>(seconds);
    const double part = seconds - static_cast<double>(second);
    nanoseconds offset = from_seconds(offsets_[second] * (1 - part) + offsets_[second + 1] * part);
    for (const auto& [at, by] : steps_)
      if (at <= time) offset += by;
    return offset;
  }

 private:
  std::vector<double> offsets_;
  std::map<nanoseconds, nanoseconds> steps_;
};

// Both clocks of a player. Waiting ends at once, at the time waited for.
class PlayerClock final : public Clock {
 public:
  explicit PlayerClock(const PlayerModel& model)
      : rate_(1 + model.crystal_ppm * 1e-6), begun_(1h * (model.seed + 1)), time_(model.joins), kept_(model) {}
  SteadyTime now() const override { return steady(time_); }
  WallTime wall() const override { return wall(time_); }
  void sleep_until(SteadyTime limit) override {
    const auto since = static_cast<double>((limit.time_since_epoch() - begun_).count());
    set(nanoseconds(std::llround(std::ceil(since / rate_))));
  }
  void wait_until(std::condition_variable&, std::unique_lock<std::mutex>&, SteadyTime limit) override {
    sleep_until(limit);
  }
  nanoseconds time() const { return time_; }
  void set(nanoseconds time) { time_ = std::max(time_, time); }
  SteadyTime steady(nanoseconds time) const {
    return SteadyTime(begun_ + nanoseconds(std::llround(static_cast<double>(time.count()) * rate_)));
  }
  WallTime wall(nanoseconds time) const { return stamp_of(0) + time + kept_.offset(time); }

 private:
  double rate_;
  nanoseconds begun_, time_;
  KeptClock kept_;
};

struct Shown {
  std::map<uint64_t, nanoseconds> at{};  // true times at which frames became visible
  nanoseconds earliest{1h};              // least time from due to visible, by the player's system clock
  uint64_t overtaken = 0;
};

class SimulatedPlayer {
 public:
  explicit SimulatedPlayer(const PlayerModel& model) : model_(model), clock_(model), random_(model.seed) {}

  Shown run() {
    schedule_arrivals();
    while (clock_.time() < kRun) {
      deliver();
      playout_.follow();
      const nanoseconds now = clock_.time();
      const FrameRef frame = box_.take(swaps_.seen_at(clock_.now()));
      const bool is_paused = now >= model_.pauses && now < model_.resumes;
      if (frame && !is_paused)
        show(*frame);
      else if (!frame)
        box_.wait_until(std::min(clock_.now() + 15ms, clock_.steady(next_arrival())), swaps_);
    }
    shown_.overtaken = box_.overtaken();
    return std::move(shown_);
  }

 private:
  // Encoding and the network take 20 to 60 ms.
  void schedule_arrivals() {
    std::uniform_int_distribution<int64_t> transit(nanoseconds(20ms).count(), nanoseconds(60ms).count());
    nanoseconds latest = model_.joins;
    for (uint64_t frame = 0; since_start(stamp_of(frame)) < kRun; ++frame) {
      const nanoseconds arrival = since_start(stamp_of(frame)) + nanoseconds(transit(random_));
      if (arrival < model_.joins) continue;
      latest = std::max(latest, arrival);
      arrivals_.emplace_back(latest, frame);
    }
    std::ranges::reverse(arrivals_);
  }
  nanoseconds next_arrival() const { return arrivals_.empty() ? nanoseconds(kRun) : arrivals_.back().first; }
  void deliver() {
    for (; !arrivals_.empty() && arrivals_.back().first <= clock_.time(); arrivals_.pop_back()) {
      FrameRef frame = pool_.acquire(16);
      REQUIRE(frame);
      frame->number = arrivals_.back().second;
      frame->available = stamp_of(frame->number);
      frame->arrived = clock_.now();
      playout_.put(frame);
    }
  }
  void show(const PooledFrame& frame) {
    // Uploading and drawing take 0.05 to 3 ms.
    clock_.set(clock_.time() + nanoseconds(std::uniform_int_distribution<int64_t>(50'000, 3'000'000)(random_)));
    const auto period = static_cast<double>(kRefresh.count()) * (1 + model_.display_ppm * 1e-6);
    const double refreshes = std::floor(static_cast<double>((clock_.time() - model_.first_refresh).count()) / period);
    clock_.set(model_.first_refresh + nanoseconds(std::llround((refreshes + 1) * period)));
    swaps_ = player::SwapGrid(clock_.now(), kRefresh).cautious();
    shown_.at[frame.number] = clock_.time();
    shown_.earliest = std::min(shown_.earliest, nanoseconds(clock_.wall() - frame.available - kDelay));
  }

  const PlayerModel model_;
  PlayerClock clock_;
  std::mt19937 random_;
  BlockPool pool_{Mailbox::kPlaces + 4};
  Mailbox box_{Delivery::newest_wins, clock_};
  SystemPlayout playout_{kDelay, box_, clock_};
  player::SwapGrid swaps_;
  std::vector<std::pair<nanoseconds, uint64_t>> arrivals_;  // the next one last
  Shown shown_;
};

struct Skew {
  size_t frames = 0;
  double p50 = 0, p99 = 0, most = 0;  // ms
};

// The skew of the frames that several players showed, if their time stamps count.
Skew skew_of(const std::vector<Shown>& players, const std::function<bool(nanoseconds)>& counts) {
  std::vector<double> skews;
  for (uint64_t frame = 0; since_start(stamp_of(frame)) < kRun; ++frame) {
    if (!counts(since_start(stamp_of(frame)))) continue;
    std::vector<nanoseconds> times;
    for (const Shown& shown : players)
      if (const auto found = shown.at.find(frame); found != shown.at.end()) times.push_back(found->second);
    if (times.size() > 1)
      skews.push_back(in_milliseconds(*std::ranges::max_element(times) - *std::ranges::min_element(times)));
  }
  if (skews.empty()) return {};
  std::ranges::sort(skews);
  return {skews.size(), skews[skews.size() / 2], skews[skews.size() * 99 / 100], skews.back()};
}

void print(const char* what, const Skew& skew) {
  MESSAGE(std::string(what), ": ", skew.frames, " frames, skew p50 ", skew.p50, " ms, p99 ", skew.p99, " ms, max ",
          skew.most, " ms");
}

nanoseconds longest_gap(const Shown& shown, nanoseconds from, nanoseconds to) {
  nanoseconds longest{}, before = from;
  for (const auto& [frame, at] : shown.at)
    if (at >= from && at <= to) longest = std::max(longest, at - std::exchange(before, at));
  return longest;
}

// The clock of the second is wrong by 50 ms for half a minute, the third is paused, and the fourth joins late.
constexpr nanoseconds kSetAt = 200s, kSetBackAt = 230s, kPausedAt = 300s, kResumedAt = 320s, kJoinedAt = 400s;

std::vector<PlayerModel> four_players() {
  return {{.crystal_ppm = 100, .display_ppm = 30, .first_refresh = 1ms, .seed = 1},
          {.crystal_ppm = -100,
           .display_ppm = -50,
           .first_refresh = 6ms,
           .clock_steps = {{kSetAt, 50ms}, {kSetBackAt, -50ms}},
           .seed = 2},
          {.crystal_ppm = 40, .first_refresh = 9ms, .pauses = kPausedAt, .resumes = kResumedAt, .seed = 3},
          {.crystal_ppm = -20, .display_ppm = 10, .first_refresh = 14ms, .joins = kJoinedAt, .seed = 4}};
}

std::vector<Shown> run(const std::vector<PlayerModel>& models) {
  std::vector<Shown> players;
  for (const PlayerModel& model : models) players.push_back(SimulatedPlayer(model).run());
  return players;
}

bool is_clock_wrong(nanoseconds time) { return time >= kSetAt - 1s && time < kSetBackAt + 1s; }

}  // namespace

TEST_CASE("four players are in step within a refresh, with drift, a pause, a late one and a clock that is set") {
  const std::vector<Shown> players = run(four_players());
  const Skew usual = skew_of(players, [](nanoseconds time) { return !is_clock_wrong(time); });
  print("four displays of 60 Hz", usual);
  CHECK(usual.frames > 17000);
  CHECK(usual.p50 < 17);
  CHECK(usual.most < 17.5);  // a refresh, and the errors of two clocks
  const Skew wrong = skew_of(players, is_clock_wrong);
  print("while a clock is 50 ms wrong", wrong);
  CHECK(wrong.most < 67.5);
  for (const Shown& shown : players) {
    CHECK(shown.earliest >= -1ms);  // a display's period is known in whole Hertz
    CHECK(std::ranges::is_sorted(shown.at, {}, &std::pair<const uint64_t, nanoseconds>::second));
  }
}

TEST_CASE("every frame is shown but those that a step of the clock skips, or a pause") {
  const std::vector<Shown> players = run(four_players());
  const size_t all = static_cast<size_t>((kRun - kDelay) / kFrame);
  CHECK(players[0].at.size() + 2 >= all);
  CHECK(players[0].overtaken == 0);
  CHECK(players[1].at.size() + 4 >= all);
  CHECK(players[1].overtaken >= 1);  // set ahead by 50 ms: one or two frames are late
  CHECK(players[1].overtaken <= 2);
  // Set back, the picture stands still for these 50 ms and no longer.
  CHECK(longest_gap(players[1], kSetBackAt - 1s, kSetBackAt + 1s) < 50ms + kFrame + 2 * kRefresh);
  CHECK(longest_gap(players[1], kSetAt - 1s, kSetAt + 1s) < kFrame + 2 * kRefresh);
  CHECK(longest_gap(players[2], kPausedAt - 1s, kResumedAt + 1s) < kResumedAt - kPausedAt + kFrame + 2 * kRefresh);
  CHECK(players[3].at.begin()->second < kJoinedAt + 60ms + kFrame + kRefresh + kDelay);
}

TEST_CASE("genlocked displays show a frame at the same refresh") {
  std::vector<PlayerModel> models = four_players();
  for (PlayerModel& model : models) {
    model.display_ppm = 0;
    model.first_refresh = 8ms;
    model.clock_steps.clear();
  }
  const Skew skew = skew_of(run(models), [](nanoseconds) { return true; });
  print("genlocked displays", skew);
  CHECK(skew.p99 < 1);
}

TEST_CASE("a stream without time stamps, or of another clock, is shown as it comes, and a line says so") {
  PlayerClock clock(PlayerModel{});
  BlockPool pool(4);
  Mailbox box(Delivery::newest_wins, clock);
  SystemPlayout playout(kDelay, box, clock);
  const auto put = [&](WallTime stamp) {
    FrameRef frame = pool.acquire(16);
    REQUIRE(frame);
    frame->available = stamp;
    frame->arrived = clock.now();
    playout.put(frame);
  };
  put(clock.wall());
  CHECK_FALSE(playout.news());
  CHECK_FALSE(box.take(clock.now() + kDelay - 1us));
  CHECK(box.take(clock.now() + kDelay + 1us));
  put({});
  CHECK(playout.news()->find("no time stamps") != std::string::npos);
  CHECK(box.take(clock.now()));
  put(clock.wall() - 1h);
  CHECK(playout.news()->find("-3600.0 s from this machine's") != std::string::npos);
  CHECK(box.take(clock.now()));
  put(clock.wall() + 1h);
  CHECK(box.take(clock.now()));
  CHECK_FALSE(playout.news());  // the same complaint
}
