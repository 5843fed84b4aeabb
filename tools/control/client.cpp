#include "control/client.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <deque>

#include "base/ensure.h"
#include "local_socket.h"
#include "texcast/error.h"

namespace texcast::control {

struct Client::Connection {
  Descriptor socket;
  std::string held{};  // LineReader is for requests, which are shorter than answers may be
  std::deque<Message> events{};
  int64_t asked = 0;
};

Client::Client(const std::string& path, std::optional<std::chrono::milliseconds> patience)
    : connection_(new Connection{.socket = connect_to(path)}) {
  if (!patience) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*patience);
  const timeval limit{.tv_sec = seconds.count(), .tv_usec = std::chrono::microseconds(*patience - seconds).count()};
  for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO})
    ENSURE(setsockopt(connection_->socket.get(), SOL_SOCKET, direction, &limit, sizeof limit) == 0);
}
Client::~Client() = default;

std::optional<Message> Client::next() {
  Connection& c = *connection_;
  while (true) {
    if (const size_t end = c.held.find('\n'); end != std::string::npos) {
      const auto message = parse_message(std::string_view(c.held).substr(0, end));
      c.held.erase(0, end + 1);
      if (message) return message;
      continue;
    }
    std::array<char, 1 << 16> bytes{};
    const ssize_t count = recv(c.socket.get(), bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) throw Error(ErrorKind::network, "the program does not answer");
    if (count <= 0) return std::nullopt;
    c.held.append(bytes.data(), static_cast<size_t>(count));
  }
}

Message Client::ask(const std::vector<std::string>& words) {
  const int64_t id = ++connection_->asked;
  const std::string line = request_line(words, id) + '\n';
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t count = send(connection_->socket.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;  // there may be an answer nevertheless
    sent += static_cast<size_t>(count);
  }
  while (auto message = next()) {
    if (!message->event.empty())
      connection_->events.push_back(std::move(*message));
    else if (message->id == id || message->id == 0)  // 0: an error without a request, such as too many clients
      return std::move(*message);
  }
  throw Error(ErrorKind::network, "the program ended before it answered");
}

std::optional<Message> Client::next_event() {
  if (!connection_->events.empty()) {
    Message first = std::move(connection_->events.front());
    connection_->events.pop_front();
    return first;
  }
  while (auto message = next())
    if (!message->event.empty()) return message;
  return std::nullopt;
}

}  // namespace texcast::control
