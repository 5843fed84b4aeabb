#include "control/server.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/loop_thread.h"
#include "base/wake_event.h"
#include "local_socket.h"
#include "texcast/error.h"
#include "texcast/frame_times.h"

namespace texcast::control {
namespace {

constexpr size_t kReadBytes = size_t{16} << 10;
// How long no client is accepted after the process has run out of file descriptors.
constexpr nanoseconds kNoDescriptor = std::chrono::milliseconds(200);

struct Peer {
  explicit Peer(Descriptor with) : socket(std::move(with)) {}
  Descriptor socket;
  LineReader lines{};
  std::string unread{};  // bytes that the client has not read
  size_t waiting = 0;    // requests without an answer
  std::set<std::string, std::less<>> observes{};
  bool asks = true;      // the client has not closed its side
  bool dropped = false;  // to be closed

  bool reads_more() const { return asks && waiting < Server::kMostWaiting; }
  bool has_ended() const {
    return dropped || (!asks && waiting == 0 && unread.empty() && observes.empty() && !lines.has_line());
  }
  void tell(const std::string& line) {
    if (dropped) return;
    unread += line;
    unread += '\n';
    if (unread.size() > Server::kMostUnread) dropped = true;
  }
};

}  // namespace

// Shared between threads. The mutex guards all members but `woken`, which wakes the server's thread.
class Server::Clients {
 public:
  void answer(uint64_t client, const Answer& answer, int64_t id) {
    {
      const std::lock_guard lock(mutex);
      const auto found = all.find(client);
      if (found == all.end()) return;
      --found->second.waiting;
      found->second.tell(answer_line(answer, id));
    }
    woken.wake();
  }

  std::mutex mutex;
  std::map<uint64_t, Peer> all;
  const WakeEvent woken;
};

class Server::Thread {
 public:
  Thread(const std::string& path, std::vector<std::string> events, Handler handler, std::shared_ptr<Clients> clients)
      : events_(std::move(events)),
        handler_(std::move(handler)),
        clients_(std::move(clients)),
        listening_(path),
        thread_([this](const std::stop_token& stop) { run(stop); },
                [](const std::exception_ptr& failure) {
                  if (failure) log_error("--control has failed; no more commands are accepted");
                }) {}

 private:
  struct Asked {
    uint64_t client;
    Request request;
  };

  void run(const std::stop_token& stop) {
    const std::stop_callback wakes(stop, [this] { clients_->woken.wake(); });
    while (!stop.stop_requested()) {
      wait();
      accept_clients();
      for (Asked& asked : read_all()) hand_on(std::move(asked));
      write_all();
    }
    write_all();
  }

  // Waits until there is something to do.
  void wait() {
    polled_.clear();
    who_.clear();
    polled_.push_back({clients_->woken.fd(), POLLIN, 0});
    const SteadyTime now = steady_now();
    polled_.push_back({now < accept_from_ ? -1 : listening_.fd(), POLLIN, 0});
    {
      const std::lock_guard lock(clients_->mutex);
      for (const auto& [id, client] : clients_->all) {
        const int wanted = (client.reads_more() ? POLLIN : 0) | (client.unread.empty() ? 0 : POLLOUT);
        polled_.push_back({client.socket.get(), static_cast<short>(wanted), 0});
        who_.push_back(id);
      }
    }
    const int longest = now < accept_from_ ? static_cast<int>(in_milliseconds(accept_from_ - now)) + 1 : -1;
    poll(polled_.data(), polled_.size(), longest);
    clients_->woken.take();
  }

  void accept_clients() {
    if (polled_[1].revents == 0) return;
    Descriptor fresh(accept4(listening_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fresh.valid()) {
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) accept_from_ = steady_now() + kNoDescriptor;
      return;
    }
    const std::lock_guard lock(clients_->mutex);
    Peer client(std::move(fresh));
    if (clients_->all.size() >= kMostClients) {
      const std::string line =
          answer_line(Answer::failure(ErrorKind::failed, fmt::format("{} clients are connected already", kMostClients)),
                      0) +
          '\n';
      send(client.socket.get(), line.data(), line.size(), MSG_NOSIGNAL);
      return;
    }
    log_debug("control: a client has connected");
    clients_->all.emplace(next_client_++, std::move(client));
  }

  std::vector<Asked> read_all() {
    std::vector<Asked> asked;
    const std::lock_guard lock(clients_->mutex);
    for (size_t i = 0; i < who_.size(); ++i) {
      const auto found = clients_->all.find(who_[i]);
      if (found == clients_->all.end()) continue;
      const short came = polled_[i + 2].revents;
      if ((came & POLLIN) != 0) read(found->second);
      // Both directions are closed, so that no answer would be read.
      if ((came & (POLLERR | POLLHUP | POLLNVAL)) != 0 && (came & POLLIN) == 0) found->second.dropped = true;
    }
    for (auto& [id, client] : clients_->all) take_lines(id, client, asked);
    return asked;
  }

  void read(Peer& client) {
    const ssize_t bytes = recv(client.socket.get(), buffer_.data(), buffer_.size(), 0);
    if (bytes > 0)
      client.lines.add({buffer_.data(), static_cast<size_t>(bytes)});
    else if (bytes == 0)
      client.asks = false;
    else if (errno != EAGAIN && errno != EINTR)
      client.dropped = true;
  }

  // Also for clients that sent nothing now: their lines may have waited for earlier answers.
  void take_lines(uint64_t id, Peer& client, std::vector<Asked>& asked) {
    while (!client.dropped && client.waiting < kMostWaiting) {
      const auto line = client.lines.next();
      if (!line) break;
      if (line->find_first_not_of(" \t") == std::string::npos) continue;
      Request request = parse_request(*line);
      if (observing(client, request)) continue;
      ++client.waiting;
      asked.push_back({id, std::move(request)});
    }
    if (!client.lines.too_long() || !client.asks) return;
    client.tell(answer_line(
        Answer::failure(ErrorKind::usage, fmt::format("a line has more than {} bytes", kMostLineBytes)), 0));
    client.asks = false;
    client.observes.clear();
  }

  // Handles observe and unobserve. False: it is another request.
  bool observing(Peer& client, const Request& request) const {
    if (!request.wrong.empty() || (request.words[0] != "observe" && request.words[0] != "unobserve")) return false;
    Answer answer = Answer::success();
    if (request.words.size() < 2)
      answer = Answer::failure(ErrorKind::usage, "usage: " + request.words[0] + " EVENT...");
    for (size_t i = 1; i < request.words.size(); ++i)
      if (std::ranges::find(events_, request.words[i]) == events_.end())
        answer =
            Answer::failure(ErrorKind::usage, fmt::format("'{}' is not an event; `help` lists them", request.words[i]));
    if (answer.error.empty())
      for (size_t i = 1; i < request.words.size(); ++i) {
        if (request.words[0] == "observe")
          client.observes.insert(request.words[i]);
        else
          client.observes.erase(request.words[i]);
      }
    client.tell(answer_line(answer, request.id));
    return true;
  }

  // Called without the lock, because the handler may answer at once.
  void hand_on(Asked asked) {
    Reply reply([clients = clients_, client = asked.client, id = asked.request.id](const Answer& answer) {
      clients->answer(client, answer, id);
    });
    handler_(std::move(asked.request), std::move(reply));
  }

  void write_all() {
    const std::lock_guard lock(clients_->mutex);
    for (auto& [id, client] : clients_->all) write(client);
    std::erase_if(clients_->all, [](const auto& one) { return one.second.has_ended(); });
  }

  static void write(Peer& client) {
    if (client.unread.empty() || client.dropped) return;
    const ssize_t bytes = send(client.socket.get(), client.unread.data(), client.unread.size(), MSG_NOSIGNAL);
    if (bytes > 0)
      client.unread.erase(0, static_cast<size_t>(bytes));
    else if (errno != EAGAIN && errno != EINTR)
      client.dropped = true;
  }

  const std::vector<std::string> events_;
  const Handler handler_;
  const std::shared_ptr<Clients> clients_;
  const ListeningSocket listening_;
  std::vector<char> buffer_ = std::vector<char>(kReadBytes);
  std::vector<pollfd> polled_;  // `woken`, the listening socket, then the clients of who_
  std::vector<uint64_t> who_;
  uint64_t next_client_ = 1;
  SteadyTime accept_from_{};
  LoopThread thread_;  // last: it uses all members above
};

Server::Server(const std::string& path, std::vector<std::string> events, Handler handler)
    : clients_(std::make_shared<Clients>()),
      thread_(std::make_unique<Thread>(path, std::move(events), std::move(handler), clients_)) {}

Server::~Server() {
  thread_.reset();
  const std::lock_guard lock(clients_->mutex);
  clients_->all.clear();
}

bool Server::observed(std::string_view event) const {
  const std::lock_guard lock(clients_->mutex);
  return std::ranges::any_of(
      clients_->all, [&](const auto& one) { return !one.second.dropped && one.second.observes.contains(event); });
}

void Server::tell(std::string_view event, const Json& data) {
  const std::string line = event_line(event, data);
  {
    const std::lock_guard lock(clients_->mutex);
    for (auto& [id, client] : clients_->all)
      if (client.observes.contains(event)) client.tell(line);
  }
  clients_->woken.wake();
}

}  // namespace texcast::control
