#include "program.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "fork_server/fork_server.h"
#include "texcast/error.h"
#include "transport/address.h"
#include "transport/udp_socket.h"

extern char** environ;

namespace texcast::test {
namespace {

using Strings = std::vector<std::string>;

// The tests open no window on the user's desktop, announce no names on the network, and read no config file of the
// user.
struct Variable {
  const char* name;
  const char* value;  // nullptr: unset
};
constexpr Variable kEnvironment[] = {{"DISPLAY", nullptr},
                                     {"WAYLAND_DISPLAY", nullptr},
                                     {"DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent"},
                                     {"XDG_CONFIG_HOME", "/nonexistent"}};

// Started by the first command, and ended after the tests.
const ForkServer& fork_server() {
  static const ForkServer server;
  return server;
}

Strings environment() {
  Strings variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable, name = text.substr(0, text.find('='));
    if (std::ranges::find(kEnvironment, name, &Variable::name) == std::end(kEnvironment)) variables.emplace_back(text);
  }
  for (const auto& [name, value] : kEnvironment)
    if (value != nullptr) variables.push_back(std::string(name) + "=" + value);
  variables.push_back(fork_server().variable());
  return variables;
}

std::vector<char*> pointers(Strings& strings) {
  std::vector<char*> all;
  for (std::string& text : strings) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Runs a command in `folder` without input, and ends it after `limit_s`. `text` is its name in messages.
Outcome spawned(Strings command, const std::string& folder, int limit_s, const std::string& text) {
  const Folder said;
  Strings words = {"timeout", "-k", "5", std::to_string(limit_s)}, variables = environment();
  words.insert(words.end(), command.begin(), command.end());
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const auto& [stream, file] : {std::pair{STDOUT_FILENO, "out"}, {STDERR_FILENO, "err"}})
    posix_spawn_file_actions_addopen(&streams, stream, said.file(file).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addchdir_np(&streams, folder.c_str());
  pid_t process = 0;
  const int failure =
      posix_spawnp(&process, "timeout", &streams, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&streams);
  REQUIRE(failure == 0);
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  const Outcome outcome{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                        .out = read_file(said.file("out")),
                        .err = read_file(said.file("err"))};
  INFO(text);
  INFO(outcome.err);
  CHECK(outcome.exit_code != 124);
  return outcome;
}

}  // namespace

std::string inside(const Folder& folder, const std::string& text) { return "cd '" + folder.file("") + "'\n" + text; }

std::string data(const std::string& name) { return TEXCAST_TEST_DATA "/" + name; }

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

Outcome shell(const std::string& text, int limit_s) {
  const Folder folder;
  const std::string script = folder.file("run.sh");
  write_file(script,
             "program='" TEXCAST_BY_FORK "' built='" TEXCAST_PROGRAM "'\ntexcast() { \"$program\" \"$@\"; }\n" + text);
  return spawned({"bash", script}, std::filesystem::current_path(), limit_s, text);
}

bool needs_no_shell(const std::string& command) {
  return command.starts_with("texcast ") && command.find_first_of("\n;&|<>()$`*?~") == std::string::npos;
}

Outcome run(const std::string& command, const Folder& folder, int limit_s) {
  REQUIRE(needs_no_shell(command));
  wordexp_t expanded{};
  REQUIRE(wordexp(command.c_str(), &expanded, WRDE_NOCMD) == 0);
  Strings words(expanded.we_wordv, expanded.we_wordv + expanded.we_wordc);
  wordfree(&expanded);
  words[0] = TEXCAST_BY_FORK;
  return spawned(std::move(words), folder.file(""), limit_s, command);
}

std::vector<std::string> Outcome::complaints() const {
  std::vector<std::string> lines;
  std::istringstream text(err);
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("texcast: listening on") && !line.starts_with("texcast: sending ") &&
        !line.starts_with("texcast: preparing to encode ") && line != "texcast: opening a window" &&
        line != "texcast: opening an off-screen display" && !line.starts_with("texcast: announced as ") &&
        !line.starts_with("texcast: watch in a browser at ") && !line.starts_with("texcast: compiling for ") &&
        !line.starts_with("texcast: compiled in ") && !line.starts_with("texcast: waiting for the compiler for ") &&
        !line.starts_with("texcast: an earlier start ended while "))  // of another test, which killed it on purpose
      lines.push_back(line);
  return lines;
}

namespace {

// Claims the block of eight ports around this one, because other test programs run at the same time. The claim is the
// name of an abstract socket, which ends with the process.
bool claim_ports_around(uint16_t port) {
  const int claim = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string name = "texcast-test-ports-" + std::to_string(port / 8);
  name.copy(address.sun_path + 1, name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(claim, reinterpret_cast<const sockaddr*>(&address), size) == 0)
    return true;  // stays open until the process ends
  ::close(claim);
  return false;
}

// No TCP server and no TCP connection uses this port, because a test may serve a page there.
bool free_for_tcp(uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const bool free = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return free;
}

}  // namespace

uint16_t free_port() {
  // The next port, for RTCP, and those of the audio after it must be free too.
  for (;;) {
    const transport::UdpReceiver media({.address = transport::resolve_address("rtp://127.0.0.1:0", true)});
    if (media.port() % 8 > 2 || !free_for_tcp(media.port()) || !claim_ports_around(media.port())) continue;
    try {
      const std::string next = "rtp://127.0.0.1:" + std::to_string(media.port() + 1);
      const transport::UdpReceiver control({.address = transport::resolve_address(next, true)});
      return media.port();
    } catch (const Error&) {
      continue;
    }
  }
}

}  // namespace texcast::test
