// Players of a wall as a user runs them: a part of the picture each, in step by the system clock.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

bool has_off_screen() {
  const bool has = shell("texcast doctor --json").out.find("off-screen: all are shown") != std::string::npos ||
                   shell("texcast doctor --json").out.find("OpenGL") != std::string::npos;
  if (!has) MESSAGE("SKIP: there is no off-screen display");
  return has;
}

// Asks until every player has shown ten frames. Prints the last answer; the players quit.
constexpr const char* kAskPlayers = R"sh(
ready() {
  texcast wall --players $players --json > wall.json 2> wall.err || return 1
  [ "$(grep -c '"shown": *[0-9][0-9]' wall.json)" = "$count" ]
}
until ready; do [ ! -e over ] || exit 1; sleep 0.05; done
cat wall.json
for player in $(echo $players | tr , ' '); do texcast ctl $player quit; done
wait)sh";

}  // namespace

TEST_CASE("four players of one stream agree on when each frame is shown, and show it no sooner") {
  if (!has_off_screen()) return;
  const Folder folder;
  std::string script = "players=p1,p2,p3,p4; count=4\n", destinations;
  for (int i = 1; i <= 4; ++i) {
    const std::string port = std::to_string(free_port()), number = std::to_string(i);
    destinations += " rtp://127.0.0.1:" + port;
    script += "(\"$program\" play rtp://127.0.0.1:" + port + " --offscreen --clock system --delay 150 --part '" +
              std::to_string((i - 1) % 2 + 1) + "," + std::to_string((i - 1) / 2 + 1) +
              " of 2x2' --timeout 60 --device cpu-reference --control p" + number + " --json > out" + number +
              " 2> err" + number + "; : > over) &\n";
  }
  script += "\"$program\" send test" + destinations +
            " --size 128x96 --fps 30 --device cpu-reference > sent 2>&1 & sender=$!\n";
  const Outcome asked =
      shell(inside(folder, script + "(" + kAskPlayers + ") ; code=$?; kill -INT $sender; wait; exit $code"));
  INFO(asked.err);
  INFO(read_file(folder.file("err1")));
  REQUIRE(asked.exit_code == 0);
  const json wall = json::parse(asked.out);
  REQUIRE(wall["players"].size() == 4);
  for (const json& player : wall["players"]) {
    const json& timing = player["timing"];
    CHECK(timing["clock"]["system"] == true);
    CHECK(timing["due_ns"].get<int64_t>() - timing["stamp_ns"].get<int64_t>() == 150'000'000);
    CHECK(timing["shown_ns"] >= timing["due_ns"]);
    CHECK(timing["frames"]["early"] == 0);
    CHECK(player["ahead_ms"].is_number());
    CHECK(player["clock_offset_ms"] <= 0);  // the same clock: its answer was read before it came
    CHECK(player["clock_offset_ms"].get<double>() + player["clock_uncertainty_ms"].get<double>() >= 0);
  }
  CHECK(wall["skew_ms"].is_number());
  for (int i = 1; i <= 4; ++i) {
    const json report = json::parse(read_file(folder.file("out" + std::to_string(i))));
    CHECK(report["playout"]["delay_ms"] == 150);
    // 64x48 of 128x96 and the blocks beside them, of frames that were uploaded whole or in part.
    CHECK(report["uploaded_bytes"].get<int64_t>() <= report["frames_shown"].get<int64_t>() * 17 * 13 * 8 + 72);
  }
}

TEST_CASE("players of a file that loops are in phase, whenever they began") {
  if (!has_off_screen()) return;
  const Folder folder;
  const std::string play = "(\"$program\" play film.mov --offscreen --clock system --loop --control ";
  const Outcome asked = shell(inside(
      folder, "texcast -q encode test film.mov --size 64x64 --fps 20 --frames 14 --device cpu-reference || exit 1\n" +
                  play + "p1 > out1 2> err1; : > over) &\nsleep 0.1\n" + play +
                  "p2 > out2 2> err2; : > over) &\nplayers=p1,p2; count=2\n" + kAskPlayers));
  INFO(asked.err);
  INFO(read_file(folder.file("err1")));
  REQUIRE(asked.exit_code == 0);
  for (const json& player : json::parse(asked.out)["players"]) {
    const json& timing = player["timing"];
    // Laps of 0.7 s have begun in 1970.
    const int64_t in_lap = timing["due_ns"].get<int64_t>() % 700'000'000;
    CHECK(in_lap == timing["frame"].get<int64_t>() * 50'000'000);
    CHECK(timing["frames"]["early"] == 0);
  }
}

TEST_CASE("a file that is due at a time begins then") {
  if (!has_off_screen()) return;
  const Folder folder;
  const Outcome played = shell(inside(folder, R"sh(
texcast -q encode test film.mov --size 64x64 --fps 20 --frames 4 --device cpu-reference || exit 1
begin=$(( $(date +%s) + 2 ))
texcast -q play film.mov --offscreen --clock system --at $begin > out || exit 1
[ "$(date +%s)" -ge "$begin" ] || exit 2)sh"));
  INFO(played.err);
  CHECK(played.exit_code == 0);
}

TEST_CASE("the part of a wall is the crop of the whole picture") {
  if (!has_off_screen()) return;
  const Folder folder;
  for (const std::string format : {"bc1", "ycocg-dxt5-alpha", "astc-6x6"}) {
    CAPTURE(format);
    // Cells of 256x192 with bezels of 8x6: (256 + 8) / 4 - 8 = 58 across, (192 + 6) / 3 - 6 = 60 down.
    const Outcome compared = shell(inside(folder, "set -e\ntexcast -q encode '" + data("kodim23_256x192.png") +
                                                      "' p.ktx2 --overwrite --device cpu-reference --format " + format +
                                                      R"sh(
texcast -q play p.ktx2 --offscreen --frames 1 --screenshot whole.png --overwrite --device cpu-reference > /dev/null
texcast -q play p.ktx2 --offscreen --frames 1 --screenshot cell.png --overwrite --device cpu-reference \
  --part '3,2 of 4x3' --bezel 8x6 > /dev/null
texcast -q play p.ktx2 --offscreen --frames 1 --screenshot part.png --overwrite --device cpu-reference \
  --part 33,50,77,61 > /dev/null
ffmpeg -v error -y -i whole.png -vf crop=58:60:132:66 -f rawvideo cell.whole
ffmpeg -v error -y -i whole.png -vf crop=77:61:33:50 -f rawvideo part.whole
ffmpeg -v error -y -i cell.png -f rawvideo cell.own
ffmpeg -v error -y -i part.png -f rawvideo part.own
cmp cell.whole cell.own
cmp part.whole part.own)sh"));
    CHECK_MESSAGE(compared.exit_code == 0, compared.err);
  }
}

TEST_CASE("a player that does not answer is named, and the exit code says so") {
  const Outcome asked = shell("cd /tmp; texcast wall --players /nonexistent/p");
  CHECK(asked.exit_code == 6);
  CHECK(asked.out.find("/nonexistent/p") != std::string::npos);
}
