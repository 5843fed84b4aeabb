// avahi_thread.h — a client of Avahi's daemon on a thread of its own, recreated whenever the daemon or its bus was
// gone.
#pragma once

#include <avahi-client/client.h>

#include <memory>
#include <string>
#include <thread>

namespace texcast::transport {

// All calls are made on the thread. `client` is valid until on_gone(), and so is everything created from it.
class AvahiUser {
 public:
  virtual ~AvahiUser() = default;
  virtual void on_running(AvahiClient* client) = 0;  // names can now be registered and browsed
  virtual void on_paused() {}                        // the host's name is changing: registrations are suspended
  virtual void on_gone(bool lost) = 0;               // the client is about to be freed; lost: because the daemon ended
  virtual void on_missing(const std::string& why) = 0;  // there is no daemon or no bus; retried later
  // The longest time to wait for the daemon's next event, in ms; -1: without limit. on_turn() is called after it, and
  // after each event.
  virtual int patience_ms() const { return -1; }
  virtual void on_turn() {}
};

// A message for users: "Avahi's daemon … does not run here (systemctl start avahi-daemon)".
std::string missing_daemon(const std::string& why);

class AvahiThread {
 public:
  // `user` is shared, because an unresponsive bus can block libdbus for half a minute: then the destructor detaches the
  // thread.
  explicit AvahiThread(std::shared_ptr<AvahiUser> user);
  ~AvahiThread();
  void wake();  // on_turn() is called soon, if there is a daemon; from any thread
  AvahiThread(const AvahiThread&) = delete;
  AvahiThread& operator=(const AvahiThread&) = delete;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace texcast::transport
