#include "texcast/discovery.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "base/misuse.h"
#include "transport/finder.h"

namespace texcast {
namespace {

FoundStream stream_of(const transport::FoundService& service) {
  const transport::ServiceFacts& facts = service.facts;
  return {.name = transport::fitting_name(service.name),
          .url = service.urls.empty() ? "" : service.urls.front(),
          .interface = service.interface,
          .host = transport::fitting_name(service.host),
          .format = facts.format,
          .width = facts.width,
          .height = facts.height,
          .fps = facts.fps,
          .sound = facts.sound,
          .encrypted = !facts.sealed.empty(),
          .paused = facts.paused};
}

std::vector<FoundStream> streams_of(const std::vector<transport::FoundService>& services) {
  std::vector<FoundStream> streams;
  for (const transport::FoundService& service : services)
    if (service.kind == transport::ServiceKind::sender) streams.push_back(stream_of(service));
  return streams;
}

}  // namespace

std::vector<FoundStream> find_streams(nanoseconds how_long) {
  REQUIRE_USE(how_long >= nanoseconds::zero(), "the time of a search must not be negative");
  const std::atomic<bool> never = false;
  return streams_of(
      transport::find_services(how_long > nanoseconds::zero() ? std::optional(how_long) : std::nullopt, never));
}

class StreamWatch::State {
 public:
  explicit State(OnChange on_change) : on_change_(std::move(on_change)), watch_([this] { report_changes(); }) {
    {
      const std::lock_guard lock(mutex_);
      is_built_ = true;
    }
    report_changes();
  }
  std::vector<FoundStream> streams() const { return streams_of(watch_.services()); }
  std::string problem() const { return watch_.complaint(); }

 private:
  // Calls on_change_ if the streams differ from those of its last call.
  void report_changes() {
    const std::lock_guard lock(mutex_);
    if (!is_built_) return;  // watch_ is not yet there
    std::vector<FoundStream> now = streams();
    if (now == reported_) return;
    reported_ = std::move(now);
    try {
      on_change_(reported_);
    } catch (const std::exception& error) {
      log_warning("the callback of a StreamWatch failed: {}", error.what());
    }
  }

  const OnChange on_change_;
  std::mutex mutex_;  // one call at a time
  bool is_built_ = false;
  std::vector<FoundStream> reported_;  // by the last call of on_change_
  transport::ServiceWatch watch_;      // last: its thread uses the above
};

StreamWatch::StreamWatch(OnChange on_change) {
  REQUIRE_USE(on_change, "a watch needs a callback");
  state_ = std::make_unique<State>(std::move(on_change));
}
StreamWatch::~StreamWatch() = default;
StreamWatch::StreamWatch(StreamWatch&& other) noexcept = default;
StreamWatch& StreamWatch::operator=(StreamWatch&& other) noexcept = default;

std::vector<FoundStream> StreamWatch::streams() const {
  REQUIRE_USE(state_, "a watch that was moved from");
  return state_->streams();
}
std::string StreamWatch::problem() const {
  REQUIRE_USE(state_, "a watch that was moved from");
  return state_->problem();
}

}  // namespace texcast
