#include "completion.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/loop_thread.h"

namespace texcast {
namespace {

constexpr auto kLook = std::chrono::microseconds(50);
constexpr size_t kUsualEvents = 64;  // four frames in flight, each in at most 16 bands

class CompletionCallback final : public Completion, public std::enable_shared_from_this<CompletionCallback> {
 public:
  void call_after(cl::Event& event) override {
    if (!wanted()) return;
    {
      const std::lock_guard lock(mutex_);
      if (expected_++ == 0) self_ = shared_from_this();
    }
    try {
      // May call at once.
      event.setCallback(
          CL_COMPLETE, [](cl_event, cl_int, void* completion) { static_cast<CompletionCallback*>(completion)->over(); },
          this);
    } catch (const cl::Error&) {
      over();
      throw;
    }
  }

 private:
  void over() {
    tell();
    std::shared_ptr<CompletionCallback> last;  // outlives the lock
    const std::lock_guard lock(mutex_);
    if (--expected_ == 0) last = std::move(self_);
  }

  std::mutex mutex_;
  int expected_ = 0;                          // events
  std::shared_ptr<CompletionCallback> self_;  // while there are any
};

class CompletionWatch final : public Completion {
 public:
  CompletionWatch() {
    events_.reserve(kUsualEvents);
    looked_at_.reserve(kUsualEvents);
  }

  // The thread is started by the first caller that sets a function.
  void set(std::function<void()> call) override {
    if (call && !thread_) thread_.emplace([this](const std::stop_token& stop) { run(stop); });
    Completion::set(std::move(call));
  }

  void call_after(cl::Event& event) override {
    if (!wanted()) return;
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
    }
    changed_.notify_one();
  }

 private:
  static bool is_over(const cl::Event& event) {
    cl_int status = CL_COMPLETE;
    const cl_int asked = clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
    return asked != CL_SUCCESS || status <= CL_COMPLETE;  // negative: it failed
  }

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !events_.empty(); }) && !stop.stop_requested()) {
      looked_at_ = events_;
      lock.unlock();
      std::erase_if(looked_at_, [](const cl::Event& event) { return !is_over(event); });
      const auto& over = looked_at_;
      if (over.empty())
        std::this_thread::sleep_for(kLook);
      else
        for (size_t i = 0; i < over.size(); ++i) tell();  // as often as callbacks would have
      lock.lock();
      std::erase_if(events_, [&](const cl::Event& event) {
        return std::any_of(over.begin(), over.end(), [&](const cl::Event& o) { return o() == event(); });
      });
      looked_at_.clear();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<cl::Event> events_;     // not known to be complete
  std::vector<cl::Event> looked_at_;  // used by the thread only
  std::optional<LoopThread> thread_;  // last: it uses the members above
};

}  // namespace

std::shared_ptr<Completion> make_completion_callback() { return std::make_shared<CompletionCallback>(); }
std::shared_ptr<Completion> make_completion_watch() { return std::make_shared<CompletionWatch>(); }

std::shared_ptr<Completion> make_completion(const DeviceInfo& device) {
  const bool late = device.platform.find("NVIDIA") != std::string::npos;
  const bool never = device.platform.find("Oclgrind") != std::string::npos;
  return late || never ? make_completion_watch() : make_completion_callback();
}

}  // namespace texcast
