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

std::string data(const std::string& name) { return TEXCAST_TEST_DATA "/" + name; }

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

Outcome shell(const std::string& text, int limit_s) {
  const Folder folder;
  // A window would pop up on the desk of whoever runs the tests, names on their network, and their options would count.
  write_file(folder.file("run.sh"),
             "unset DISPLAY WAYLAND_DISPLAY\nexport DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent "
             "XDG_CONFIG_HOME=/nonexistent\nprogram='" TEXCAST_PROGRAM "'\ntexcast() { \"$program\" \"$@\"; }\n" +
                 text);
  const std::string command = "timeout -k 5 " + std::to_string(limit_s) + " bash '" + folder.file("run.sh") + "' > '" +
                              folder.file("out") + "' 2> '" + folder.file("err") + "' < /dev/null";
  const int status = std::system(command.c_str());
  Outcome outcome{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                  .out = read_file(folder.file("out")),
                  .err = read_file(folder.file("err"))};
  INFO(text);
  INFO(outcome.err);
  CHECK(outcome.exit_code != 124);
  return outcome;
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
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(name);
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent", 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    alarm(static_cast<unsigned>(limit_s));
  });
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  Outcome outcome{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                  .out = read_file(said.file("out")),
                  .err = read_file(said.file("err"))};
  if (outcome.exit_code == 128 + SIGALRM) outcome.exit_code = 124;
  INFO(command);
  INFO(outcome.err);
  CHECK(outcome.exit_code != 124);
  return outcome;
}

std::vector<std::string> Outcome::complaints() const {
  std::vector<std::string> lines;
  std::istringstream text(err);
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("texcast: listening on") && !line.starts_with("texcast: sending ") &&
        !line.starts_with("texcast: announced as ") && !line.starts_with("texcast: compiling for ") &&
        !line.starts_with("texcast: compiled in ") && !line.starts_with("texcast: waiting for the compiler for "))
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
