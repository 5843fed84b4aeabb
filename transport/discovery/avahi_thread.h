// avahi_thread.h — a client of Avahi's daemon on a thread of its own, made anew whenever the daemon or its bus went
// away.
#pragma once

#include <avahi-client/client.h>

#include <memory>
#include <string>
#include <thread>

namespace texcast::transport {

// All calls come on the thread. `client` lives until on_gone(), and all that was made of it goes with it.
class AvahiUser {
 public:
  virtual ~AvahiUser() = default;
  virtual void on_running(AvahiClient* client) = 0;  // names can be registered, and others' looked for
  virtual void on_paused() {}                        // the host's own name changes: what was registered is not, for now
  virtual void on_gone(bool lost) = 0;               // the client is about to be freed; lost: by the daemon's end
  virtual void on_missing(const std::string& why) = 0;  // no daemon or no bus; tried again
  // How long to wait for the daemon's next word, ms, at most; then on_turn() comes, as after each. -1: until there is
  // one.
  virtual int patience_ms() const { return -1; }
  virtual void on_turn() {}
};

// "Avahi's daemon does not run here (systemctl start avahi-daemon)", for users.
std::string missing_daemon(const std::string& why);

class AvahiThread {
 public:
  // `user` is shared, because a bus that does not answer keeps libdbus from returning for half a minute: then the
  // destructor leaves the thread to end by itself.
  explicit AvahiThread(std::shared_ptr<AvahiUser> user);
  ~AvahiThread();
  void wake();  // on_turn() comes soon, if there is a daemon; from any thread
  AvahiThread(const AvahiThread&) = delete;
  AvahiThread& operator=(const AvahiThread&) = delete;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace texcast::transport
