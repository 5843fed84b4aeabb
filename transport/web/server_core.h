// server_core.h — the server's thread, its connections and viewers.
#pragma once

#include <libwebsockets.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "access.h"
#include "base/line_limit.h"
#include "base/loop_thread.h"
#include "connection.h"
#include "listener.h"
#include "page_files.h"
#include "stream_state.h"
#include "transport/web_certificate.h"
#include "transport/web_server.h"

namespace texcast::web {

class ServerCore {
 public:
  explicit ServerCore(const ServerSettings& settings);
  ~ServerCore();
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  // Any thread.
  std::shared_ptr<StreamState> add(const StreamOffer& offer);
  void send(const std::shared_ptr<StreamState>& stream, ViewerId viewer, std::vector<SharedMessage> messages);
  void run(std::function<void()> command);  // on the server's thread, after what was posted before
  void change(StreamState& stream, const StreamOffer& offer);
  void end(StreamState& stream, const std::string& message);
  std::vector<ViewerStatus> viewers() const;
  const AccessControl& access() const { return access_; }
  const Listener& listener() const { return listener_; }
  const std::optional<CertificateFacts>& certificate() const { return certificate_; }
  void stop();

 private:
  // One entry of the inbox: messages to the viewers of a stream (or one of them), or a command.
  struct Posted {
    std::shared_ptr<StreamState> stream{};
    ViewerId viewer = 0;  // 0: all
    std::vector<SharedMessage> messages{};
    std::function<void()> command{};
  };
  struct Tick {
    lws_sorted_usec_list_t timer;  // first, so that its address is that of the Tick
    ServerCore* core;
  };
  struct DestroyContext {
    void operator()(lws_context* context) const { lws_context_destroy(context); }
  };

  // server_core.cpp
  static int on_callback(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) noexcept;
  int on_event(lws* wsi, lws_callback_reasons reason, const void* in, size_t length);
  void make_context();
  void work();
  void post(Posted posted);
  void enqueue(Posted posted, size_t bytes);
  void take_posted();
  void accept_all();
  bool may_connect(const transport::PeerAddress& from) const;
  void count_stranger(const Connection& connection, int change);
  int on_confirm_upgrade(Connection& connection, std::string_view protocol);
  int on_request(Connection& connection);
  int on_file_writable(Connection& connection);
  void on_destroyed(Connection& connection);
  void schedule_tick();
  void tick();
  void kill(Connection& connection);

  // viewers.cpp
  int on_received(Connection& connection, Bytes bytes);
  int on_message(Connection& connection);
  int on_feedback(Connection& connection, SteadyTime now);
  void on_hello(Connection& connection, SteadyTime now);
  int on_writable(Connection& connection);
  void welcome(Connection& connection, AccessControl::Decision decision, std::shared_ptr<StreamState> stream,
               SteadyTime now);
  void refuse(Connection& connection, Refusal refusal, std::string_view message);
  void push(Connection& connection, const SharedMessage& message, size_t limit_bytes);
  void deliver(StreamState& stream, ViewerId viewer, const std::vector<SharedMessage>& messages, SteadyTime now);
  std::shared_ptr<StreamState> choose(const Hello& hello) const;
  void watch(Connection& connection, std::shared_ptr<StreamState> stream, SteadyTime now);
  void unwatch(Connection& connection, SteadyTime now);
  void move(Connection& connection, std::string_view ended, SteadyTime now);
  std::string describe(std::string_view type, const Connection& connection) const;
  void leave(Connection& connection);

  const ServerSettings settings_;
  const std::optional<CertificateFacts> certificate_;  // HTTPS
  Listener listener_;
  const PageFiles page_;
  AccessControl access_;

  mutable std::mutex mutex_;
  std::vector<Posted> posted_;                                  // protected by mutex_ …
  size_t posted_bytes_ = 0;                                     // …
  LineLimit overflows_;                                         // …
  bool woken_ = false, closed_ = false;                         // …
  std::map<std::string, std::weak_ptr<StreamState>> names_;     // …
  std::map<ViewerId, std::shared_ptr<ViewerFigures>> figures_;  // …

  // The server's thread only.
  std::unordered_map<const void*, std::unique_ptr<Connection>> connections_;
  std::map<AddressGroup, int> strangers_of_;
  std::vector<std::shared_ptr<StreamState>> streams_;
  std::map<ViewerId, Connection*> viewers_;
  ViewerId last_viewer_ = 0;
  int strangers_ = 0;
  LineLimit wrong_words_;
  bool stopping_ = false;
  SteadyTime stop_by_{};
  Tick tick_{};
  bool ticking_ = false;

  std::mutex stop_mutex_;  // held while one thread stops ours, and others wait for that
  std::unique_ptr<lws_context, DestroyContext> context_;
  lws_vhost* host_ = nullptr;
  std::optional<LoopThread> thread_;  // last: it uses the members above
};

}  // namespace texcast::web
