#include "program.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "linked_program.h"
#include "texcast/error.h"
#include "transport/address.h"
#include "transport/udp_socket.h"

namespace texcast::test {
namespace {

// A window would pop up on the desk of whoever runs the tests, names on their network, and their options would count.
struct Variable {
  const char* name;
  const char* value;  // null: none
};
constexpr Variable kEnvironment[] = {{"DISPLAY", nullptr},
                                     {"WAYLAND_DISPLAY", nullptr},
                                     {"DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent"},
                                     {"XDG_CONFIG_HOME", "/nonexistent"}};

// Of a process that has ended, whose files `out` and `err` lie in `folder`.
Outcome outcome_of(int status, const Folder& folder, const std::string& text) {
  const Outcome outcome{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                        .out = read_file(folder.file("out")),
                        .err = read_file(folder.file("err"))};
  INFO(text);
  INFO(outcome.err);
  CHECK(outcome.exit_code != 124);
  return outcome;
}

}  // namespace

std::string data(const std::string& name) { return TEXCAST_TEST_DATA "/" + name; }

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

Outcome shell(const std::string& text, int limit_s) {
  const Folder folder;
  std::string script;
  for (const auto& [name, value] : kEnvironment)
    script +=
        value == nullptr ? std::string("unset ") + name + "\n" : std::string("export ") + name + "=" + value + "\n";
  script += "program='" TEXCAST_PROGRAM "'\ntexcast() { \"$program\" \"$@\"; }\n";
  write_file(folder.file("run.sh"), script + text);
  const std::string command = "timeout -k 5 " + std::to_string(limit_s) + " bash '" + folder.file("run.sh") + "' > '" +
                              folder.file("out") + "' 2> '" + folder.file("err") + "' < /dev/null";
  return outcome_of(std::system(command.c_str()), folder, text);
}

bool can_be_linked(const std::string& command) {
  return command.starts_with("texcast ") && command.find_first_of("\n;&|<>()$`*?~") == std::string::npos;
}

Outcome linked(const std::string& command, const Folder& folder, int limit_s) {
  REQUIRE(can_be_linked(command));
  wordexp_t expanded{};
  REQUIRE(wordexp(command.c_str(), &expanded, WRDE_NOCMD) == 0);
  const std::vector<std::string> words(expanded.we_wordv + 1, expanded.we_wordv + expanded.we_wordc);
  wordfree(&expanded);
  const Folder said;
  const pid_t child = start_linked_program(words, said.file("out"), said.file("err"), [&] {
    std::filesystem::current_path(folder.file(""));
    for (const auto& [name, value] : kEnvironment) value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    alarm(static_cast<unsigned>(limit_s));
  });
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const bool took_longer = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  return outcome_of(took_longer ? W_EXITCODE(124, 0) : status, said, command);
}

std::vector<std::string> Outcome::complaints() const {
  std::vector<std::string> lines;
  std::istringstream text(err);
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("texcast: listening on") && !line.starts_with("texcast: sending ") &&
        !line.starts_with("texcast: preparing to encode ") && line != "texcast: opening a window" &&
        line != "texcast: opening an off-screen display" && !line.starts_with("texcast: announced as ") &&
        !line.starts_with("texcast: compiling for ") && !line.starts_with("texcast: compiled in ") &&
        !line.starts_with("texcast: waiting for the compiler for "))
      lines.push_back(line);
  return lines;
}

uint16_t free_port() {
  // The one after it must be free too: it is RTCP's.
  for (;;) {
    const transport::UdpReceiver media({.address = transport::resolve_address("rtp://127.0.0.1:0", true)});
    if (media.port() == 65535) continue;
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
