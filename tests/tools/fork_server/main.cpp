// fork-server SOCKET: loads the program with its two hundred libraries once, and forks a process for each client
// (protocol.h). It ends with all its processes at the end of its standard input. The server itself runs no code of the
// program, so that it has no threads and each process begins like a started program.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../linked_program.h"
#include "protocol.h"

extern char** environ;

namespace {

using namespace texcast::test;

struct Start {
  Request request{};
  int folder = -1;
  int streams[3] = {-1, -1, -1};
  std::vector<char> text{};
};

bool receive_all(int client, char* at, size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = recv(client, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

// None: the client ended before its request was complete.
std::optional<Start> receive_start(int client) {
  Start start;
  int descriptors[4] = {};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  iovec part{&start.request, sizeof start.request};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(client, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(sizeof start.request))
    return {};
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) return {};
  std::memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  size_t next = 0;
  start.folder = descriptors[next++];
  for (int stream = 0; stream < 3; ++stream)
    if ((start.request.open_streams >> stream & 1) != 0) start.streams[stream] = descriptors[next++];
  start.text.resize(start.request.bytes);
  if (!receive_all(client, start.text.data(), start.text.size())) return {};
  return start;
}

void close_descriptors(const Start& start) {
  close(start.folder);
  for (const int stream : start.streams)
    if (stream >= 0) close(stream);
}

// ---- in the fork ----

// Moves the descriptors to 0, 1 and 2, and closes those of the three that are closed in the client.
void take_streams(const Start& start) {
  int above[3];
  for (int stream = 0; stream < 3; ++stream)
    above[stream] = start.streams[stream] < 0 ? -1 : fcntl(start.streams[stream], F_DUPFD_CLOEXEC, 10);
  for (int stream = 0; stream < 3; ++stream) {
    if (above[stream] < 0)
      close(stream);
    else
      dup2(above[stream], stream);
  }
}

void take_signals(const Request& request) {
  for (int number = 1; number < 32; ++number)
    if ((request.ignored_signals >> number & 1) != 0) signal(number, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The arguments and variables point into `text`, which must stay valid.
std::vector<char*> strings_of(char*& text, uint32_t count) {
  std::vector<char*> strings;
  for (uint32_t i = 0; i < count; ++i, text += std::strlen(text) + 1) strings.push_back(text);
  strings.push_back(nullptr);
  return strings;
}

[[noreturn]] void be_program(Start& start, pid_t server) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != server) _exit(126);
  take_streams(start);
  if (fchdir(start.folder) != 0) _exit(126);
  umask(start.request.file_mode_mask);
  for (int limit = 0; limit < RLIM_NLIMITS; ++limit)
    setrlimit(static_cast<__rlimit_resource_t>(limit), &start.request.limits[limit]);
  char* text = start.text.data();
  std::vector<char*> words = strings_of(text, start.request.words),
                     variables = strings_of(text, start.request.variables);
  environ = variables.data();
  unsetenv(kForkServerVariable);
  close_range(3, ~0u, 0);  // descriptors of the server and of other clients
  take_signals(start.request);
  std::exit(texcast_main(static_cast<int>(words.size()) - 1, words.data()));
}

// ---- the server ----

// Loads the OpenCL drivers for CPUs with their compilers, which takes most of the time to open a device. The drivers
// are not called here, because a fork would lack the threads that they start.
void load_drivers() {
  for (const char* driver : {"pocl", "rusticl", "intel"}) {
    std::ifstream file(std::string("/etc/OpenCL/vendors/") + driver + ".icd");
    std::string library;
    if (std::getline(file, library)) dlopen(library.c_str(), RTLD_NOW);
  }
}

bool has_threads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads)) > 1;
}

class Server {
 public:
  explicit Server(const std::string& path);
  void run();  // returns at the end of standard input

 private:
  void accept_client();
  void reap();
  void end_processes_of_gone_clients(const std::vector<pollfd>& waits);

  int listener_ = -1, children_ = -1;
  std::map<pid_t, int> clients_;  // by pid
};

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

Server::Server(const std::string& path) {
  signal(SIGPIPE, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  children_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) give_up("the path of the socket is too long");
  path.copy(address.sun_path, path.size());
  if (children_ < 0 || listener_ < 0 || bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) ||
      listen(listener_, 64))
    give_up(path.c_str());
}

void Server::accept_client() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  auto start = receive_start(client);
  if (!start) {
    close(client);
    return;
  }
  const pid_t server = getpid(), process = fork();
  if (process == 0) {
    signal(SIGPIPE, SIG_DFL);
    be_program(*start, server);
  }
  close_descriptors(*start);
  if (process < 0 || send(client, &process, sizeof process, MSG_NOSIGNAL) < 0) {
    if (process > 0) kill(process, SIGKILL);
    close(client);
    return;
  }
  clients_[process] = client;
}

void Server::reap() {
  signalfd_siginfo ignored[8];
  while (read(children_, ignored, sizeof ignored) > 0) continue;
  int status = 0;
  for (pid_t process = 0; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto found = clients_.find(process);
    if (found == clients_.end()) continue;
    send(found->second, &status, sizeof status, MSG_NOSIGNAL);
    close(found->second);
    clients_.erase(found);
  }
}

// Called before the next client is served, so that a killed program has ended when the next command runs.
void Server::end_processes_of_gone_clients(const std::vector<pollfd>& waits) {
  for (const pollfd& wait : waits) {
    if ((wait.revents & (POLLHUP | POLLERR | POLLIN)) == 0) continue;
    const auto found = std::ranges::find(clients_, wait.fd, [](const auto& entry) { return entry.second; });
    if (found == clients_.end()) continue;
    kill(found->first, SIGKILL);
    waitpid(found->first, nullptr, 0);
    close(found->second);
    clients_.erase(found);
  }
}

void Server::run() {
  for (;;) {
    std::vector<pollfd> waits = {{STDIN_FILENO, POLLIN, 0}, {children_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& [process, client] : clients_) waits.push_back({client, POLLIN, 0});
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) give_up("poll");
    if (waits[0].revents != 0) return;
    reap();
    end_processes_of_gone_clients({waits.begin() + 3, waits.end()});
    if (waits[2].revents != 0) accept_client();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fork-server SOCKET\n", stderr);
    return 2;
  }
  load_drivers();
  load_media_libraries();
  if (has_threads()) {
    std::fputs("fork-server: a library has started a thread, which a fork would lack\n", stderr);
    return 1;
  }
  Server server(argv[1]);
  // Not through stdio, because each process inherits the state of its streams.
  if (write(STDOUT_FILENO, "\n", 1) != 1) return 1;  // tells that the server listens
  server.run();
  std::_Exit(0);  // no code of the program has run, so that no exit handlers are needed
}
