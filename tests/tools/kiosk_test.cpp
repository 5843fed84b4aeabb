// texcast-player@.service, the unit of a meeting room's screen: systemd accepts it, and its command, with an X server
// in place of cage, shows what is sent to it, and can be killed and started again.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

const std::string kUnit = TEXCAST_KIOSK "/texcast-player@.service";

// The value of the unit's line KEY=.
std::string value_of(const std::string& key) {
  std::istringstream lines(read_file(kUnit));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key + "=")) return line.substr(key.size() + 1);
  return {};
}

}  // namespace

TEST_CASE("systemd accepts the unit of a player, and the user that it names is created") {
  const Folder folder;
  // An instance of the unit, with a command that exists in place of cage, which is not needed to build texcast.
  write_file(folder.file("texcast-player@room-1.service"),
             std::regex_replace(read_file(kUnit), std::regex("ExecStart=cage "), "ExecStart=/bin/true "));
  const Outcome outcome = shell("command -v systemd-analyze > /dev/null || exit 77\nsystemd-analyze verify --man=no '" +
                                folder.file("texcast-player@room-1.service") + "'");
  if (outcome.exit_code == 77) {
    MESSAGE("SKIP: no systemd here to check the unit");
    return;
  }
  CHECK(outcome.exit_code == 0);
  CHECK_MESSAGE(outcome.err.empty(), outcome.err);
  const std::string users = read_file(TEXCAST_KIOSK "/texcast-player.sysusers");
  CHECK(users.find("\nu " + value_of("User") + " ") != std::string::npos);
  for (const char* group : {"video", "render", "audio"})
    CHECK(users.find("\nm " + value_of("User") + " " + group + "\n") != std::string::npos);
  CHECK(value_of("Restart") == "always");
  CHECK(value_of("StartLimitIntervalSec") == "0");  // however often it fails
}

TEST_CASE("the command of the unit shows a stream, with a name with blanks, and again after it was killed") {
  const std::string prefix = "cage -s -- texcast ";
  const std::string command = value_of("ExecStart");
  REQUIRE(command.starts_with(prefix));
  const Folder folder;
  const std::string port = std::to_string(free_port());
  // systemd passes ${X} as one word and splits $X, as a shell does with "${X}" and $X.
  const std::string arguments =
      std::regex_replace(command.substr(prefix.size()), std::regex(R"((\$\{[A-Z]+\}))"), "\"$1\"");
  const Outcome outcome = shell("cd '" + folder.file("") + "'\nport=" + port + R"sh(
command -v Xvfb > /dev/null || exit 77
exec 4< <(exec Xvfb -displayfd 3 -screen 0 320x200x24 -nolisten tcp 3>&1 > xvfb 2>&1)
xvfb=$!
read -r display <&4 || exit 77
export DISPLAY=:$display LIBGL_ALWAYS_SOFTWARE=1 SDL_AUDIODRIVER=dummy DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent
NAME='Saal 1' ADDRESS=127.0.0.1:$port OPTIONS="--control $PWD/s --no-config"
play() { "$built" )sh" + arguments +
                                R"sh( > play 2> err & player=$!; until_it_answers; }
until_it_answers() {
  until texcast ctl s get source > source 2> /dev/null; do kill -0 $player || return; sleep 0.05; done
}
shows() {
  "$program" send test 127.0.0.1:$port --size 64x64 --fps 10 > /dev/null 2>&1 & sender=$!
  until texcast ctl s get statistics | grep -q '"shown": [1-9]'; do kill -0 $player || return; sleep 0.05; done
  kill $sender; wait $sender
}
play; shows
texcast ctl s get fullscreen > fullscreen
kill -9 $player; wait $player
play; shows
texcast ctl s get statistics > statistics
texcast ctl s quit; wait $player; echo "exit code $?" > end
kill $xvfb
)sh");
  if (outcome.exit_code == 77) {
    MESSAGE("SKIP: no Xvfb here");
    return;
  }
  INFO(outcome.err);
  INFO(read_file(folder.file("err")));
  CHECK(read_file(folder.file("source")) == "rtp://127.0.0.1:" + port + "\n");
  CHECK(read_file(folder.file("fullscreen")) == "true\n");
  REQUIRE_FALSE(read_file(folder.file("statistics")).empty());
  CHECK(json::parse(read_file(folder.file("statistics")))["frames"]["shown"] > 0);
  CHECK(read_file(folder.file("end")) == "exit code 0\n");
}
