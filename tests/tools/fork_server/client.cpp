// texcast-by-fork ARGUMENTS…: runs the program with these arguments in a fork of the server that TEXCAST_FORK_SERVER
// names, and ends like that process. Tests use it instead of the built program because it starts a hundred times as
// fast: it does not load the program's libraries. The process has the working directory, environment, limits and
// standard streams of this one.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "protocol.h"

extern char** environ;

namespace {

using namespace texcast::test;

constexpr int kNoServer = 125;  // not an exit code of texcast

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "texcast-by-fork: %s: %s\n", what, std::strerror(errno));
  _exit(kNoServer);
}

int connected_socket() {
  const char* path = std::getenv(kForkServerVariable);
  if (path == nullptr) give_up("TEXCAST_FORK_SERVER is not set");
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (server < 0 || connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) give_up(path);
  // Descriptors 0, 1 and 2 may be closed here, so that the socket may be one of them; the process must find them
  // closed.
  const int moved = fcntl(server, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) give_up("fcntl");
  close(server);
  return moved;
}

uint32_t count_strings(char* const* strings, uint32_t& bytes) {
  uint32_t count = 0;
  for (; strings[count] != nullptr; ++count) bytes += static_cast<uint32_t>(std::strlen(strings[count]) + 1);
  return count;
}

void send_all(int server, const void* begin, size_t bytes) {
  const char* at = static_cast<const char*>(begin);
  while (bytes > 0) {
    const ssize_t sent = send(server, at, bytes, MSG_NOSIGNAL);
    if (sent <= 0) give_up("send");
    at += sent;
    bytes -= static_cast<size_t>(sent);
  }
}

Request request_of(char** words, uint32_t open_streams) {
  Request request{};
  request.words = count_strings(words, request.bytes);
  request.variables = count_strings(environ, request.bytes);
  request.open_streams = open_streams;
  for (int number = 1; number < 32; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      request.ignored_signals |= uint64_t{1} << number;
  }
  request.file_mode_mask = umask(0);
  umask(request.file_mode_mask);
  for (int limit = 0; limit < RLIM_NLIMITS; ++limit)
    getrlimit(static_cast<__rlimit_resource_t>(limit), &request.limits[limit]);
  return request;
}

uint32_t open_streams() {
  uint32_t open = 0;
  for (int stream = 0; stream < 3; ++stream)
    if (fcntl(stream, F_GETFD) >= 0) open |= 1u << stream;
  return open;
}

void send_request(int server, char** words, uint32_t open) {
  const Request request = request_of(words, open);
  int descriptors[4];
  size_t count = 0;
  descriptors[count++] = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptors[0] < 0) give_up("working folder");
  for (int stream = 0; stream < 3; ++stream)
    if ((open >> stream & 1) != 0) descriptors[count++] = stream;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  iovec part{const_cast<Request*>(&request), sizeof request};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
  if (sendmsg(server, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof request)) give_up("sendmsg");
  close(descriptors[0]);
  for (char** strings : {words, environ})
    for (; *strings != nullptr; ++strings) send_all(server, *strings, std::strlen(*strings) + 1);
}

int receive_number(int server) {
  int number = 0;
  ssize_t bytes = 0;
  do bytes = recv(server, &number, sizeof number, MSG_WAITALL);
  while (bytes < 0 && errno == EINTR);
  if (bytes != static_cast<ssize_t>(sizeof number)) give_up("the fork server is gone");
  return number;
}

pid_t process = 0;  // a signal handler can only use static variables

void pass_on(int number) { kill(process, number); }

[[noreturn]] void end_as(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

}  // namespace

int main(int, char** words) {
  // Signals are blocked until the process exists.
  sigset_t passed, before;
  sigemptyset(&passed);
  for (const int number : kPassedSignals) sigaddset(&passed, number);
  sigprocmask(SIG_BLOCK, &passed, &before);
  const uint32_t open = open_streams();
  const int server = connected_socket();
  send_request(server, words, open);
  // A reader of our output waits until every process that has it open has closed it.
  for (int stream = 0; stream < 2; ++stream) close(stream);
  process = receive_number(server);
  for (const int number : kPassedSignals) {
    struct sigaction action {};
    action.sa_handler = pass_on;
    sigaction(number, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  const int status = receive_number(server);
  sigprocmask(SIG_BLOCK, &passed, nullptr);  // the pid may have been reused by now
  sigset_t none;
  sigemptyset(&none);
  for (const int number : kPassedSignals) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  end_as(status);
}
