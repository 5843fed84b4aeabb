#include "avahi_thread.h"

#include <avahi-common/error.h>
#include <avahi-common/simple-watch.h>
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "texcast/error.h"

namespace texcast::transport {
namespace {

using namespace std::chrono_literals;
constexpr auto kRetry = 3s;            // without a bus; if there is a bus, that reports a new daemon
constexpr auto kBusPatience = 1000ms;  // for a bus that does not respond

struct FreePoll {
  void operator()(AvahiSimplePoll* poll) const { avahi_simple_poll_free(poll); }
};

// Null without memory, or without Avahi's library.
AvahiSimplePoll* new_poll(std::string& missing) {
  try {
    return avahi_simple_poll_new();
  } catch (const Error& error) {
    missing = error.what();
    return nullptr;
  }
}

}  // namespace

struct AvahiThread::Shared {
  explicit Shared(std::shared_ptr<AvahiUser> whose) : user(std::move(whose)), poll(new_poll(missing)) {}

  void work();
  void serve();
  static void on_state(AvahiClient* client, AvahiClientState state, void* self) {
    static_cast<Shared*>(self)->changed(client, state);
  }
  void changed(AvahiClient* client, AvahiClientState state);
  void pause(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    woken.wait_for(lock, time, [this] { return stop.load(); });
  }

  const std::shared_ptr<AvahiUser> user;
  std::string missing;  // why there is no poll
  const std::unique_ptr<AvahiSimplePoll, FreePoll> poll;
  std::atomic<bool> stop = false;
  bool lost = false;  // used by the thread only: the client is unusable
  std::mutex mutex;
  std::condition_variable woken;
  bool ended = false;  // protected by mutex
};

void AvahiThread::Shared::changed(AvahiClient* client, AvahiClientState state) {
  switch (state) {
    case AVAHI_CLIENT_S_RUNNING: user->on_running(client); break;
    case AVAHI_CLIENT_S_REGISTERING:
    case AVAHI_CLIENT_S_COLLISION: user->on_paused(); break;
    case AVAHI_CLIENT_CONNECTING: user->on_missing(missing_daemon("")); break;
    case AVAHI_CLIENT_FAILURE: lost = true; break;
  }
}

// Serves one client until it is lost.
void AvahiThread::Shared::serve() {
  lost = false;
  int error = 0;
  AvahiClient* client =
      avahi_client_new(avahi_simple_poll_get(poll.get()), AVAHI_CLIENT_NO_FAIL, on_state, this, &error);
  if (client == nullptr) {
    user->on_missing(missing_daemon(avahi_strerror(error)));
    return pause(kRetry);
  }
  while (!stop && !lost) {
    if (avahi_simple_poll_iterate(poll.get(), user->patience_ms()) != 0) lost = true;
    if (!stop && !lost) user->on_turn();
  }
  user->on_gone(lost);
  avahi_client_free(client);
  if (!stop) pause(100ms);  // limits the cost of a daemon that keeps crashing
}

void AvahiThread::Shared::work() {
  while (!stop) serve();
  const std::lock_guard lock(mutex);
  ended = true;
  woken.notify_all();
}

std::string missing_daemon(const std::string& why) {
  return fmt::format(
      "Avahi's daemon, which finds names on the network, does not run here (systemctl start avahi-daemon){}",
      why.empty() ? "" : ": " + why);
}

AvahiThread::AvahiThread(std::shared_ptr<AvahiUser> user)
    : shared_(std::make_shared<Shared>(std::move(user))), thread_([shared = shared_] {
        if (shared->poll)
          shared->work();
        else
          shared->user->on_missing(shared->missing);
      }) {}

void AvahiThread::wake() {
  if (shared_->poll) avahi_simple_poll_wakeup(shared_->poll.get());
}

AvahiThread::~AvahiThread() {
  std::unique_lock lock(shared_->mutex);
  shared_->stop = true;
  shared_->woken.notify_all();
  if (shared_->poll) avahi_simple_poll_wakeup(shared_->poll.get());
  const bool ended = !shared_->poll || shared_->woken.wait_for(lock, kBusPatience, [this] { return shared_->ended; });
  lock.unlock();
  if (ended)
    thread_.join();
  else
    thread_.detach();
}

}  // namespace texcast::transport
