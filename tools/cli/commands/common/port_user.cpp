#include "common/port_user.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace texcast::cli {
namespace {

namespace fs = std::filesystem;

struct ListeningSocket {
  uint16_t port = 0;
  std::string inode;
};

// Lines of /proc/net/tcp: "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …"; 0A is LISTEN.
std::vector<ListeningSocket> listening_sockets() {
  std::vector<ListeningSocket> sockets;
  for (const char* const table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
      words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
      const size_t colon = local.rfind(':');
      if (!words || state != "0A" || colon == local.npos) continue;
      sockets.push_back({static_cast<uint16_t>(std::strtoul(local.c_str() + colon + 1, nullptr, 16)), inode});
    }
  }
  return sockets;
}

bool has_socket(const fs::path& process, const std::string& inode) {
  const std::string link = "socket:[" + inode + "]";
  std::error_code error;
  for (fs::directory_iterator file(process / "fd", error), end; !error && file != end; file.increment(error)) {
    std::error_code ignored;
    if (fs::read_symlink(file->path(), ignored) == link) return true;
  }
  return false;
}

// The process with that socket, if /proc shows its files to this user.
std::optional<std::string> process_with(const std::string& inode) {
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; !error && process != end; process.increment(error)) {
    const std::string number = process->path().filename();
    if (number.find_first_not_of("0123456789") != number.npos || !has_socket(process->path(), inode)) continue;
    std::string program;
    std::ifstream name(process->path() / "comm");
    std::getline(name, program);
    return fmt::format("{} (process {})", program.empty() ? "a program" : program, number);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> user_of_port(uint16_t port) {
  const auto sockets = listening_sockets();
  const auto used = std::ranges::find(sockets, port, &ListeningSocket::port);
  if (used == sockets.end()) return std::nullopt;
  return process_with(used->inode).value_or("another user's program");
}

uint16_t unused_port_from(uint16_t port) {
  const auto sockets = listening_sockets();
  while (port < 65535 && std::ranges::find(sockets, port, &ListeningSocket::port) != sockets.end()) ++port;
  return port;
}

}  // namespace texcast::cli
