// stdin, stdout and stderr that are full, closed, or without a reader: reported by the exit code, and output never gets
// into another file.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;

namespace {
// Runs in a directory with a recording good.mov.
struct RecordingFolder : Folder {
  RecordingFolder() {
    REQUIRE(shell("texcast encode test '" + file("good.mov") + "' --frames 3 --size 64x64").exit_code == 0);
  }
  Outcome run(const std::string& text) const { return shell("cd '" + file("") + "'\n" + text); }
};
}  // namespace

TEST_CASE("a report that cannot be written gives exit code 1 and one line") {
  const RecordingFolder folder;
  for (const std::string command :
       {"info good.mov", "info good.mov --json", "verify good.mov", "devices", "man", "--help", "--version",
        "completion bash", "recover good.mov", "encode test o.mov --overwrite --frames 2 --size 32x32",
        "play good.mov --no-window --stats-json -", "decode good.mov o.rgb --overwrite"}) {
    CAPTURE(command);
    // The built program is used once, because its start without stdout matters.
    const std::string program = command == "--version" ? "\"$built\" " : "texcast ";
    const Outcome full = folder.run(program + command + " > /dev/full");
    CHECK(full.exit_code == 1);
    REQUIRE(!full.complaints().empty());
    CHECK(full.complaints().back() == "texcast: cannot write to stdout: No space left on device");
    const Outcome closed = folder.run(program + command + " >&-");
    CHECK(closed.exit_code == 1);
    REQUIRE(!closed.complaints().empty());
    CHECK(closed.complaints().back() == "texcast: cannot write to stdout: Bad file descriptor");
  }
}

TEST_CASE("a broken pipe gives no message, but no success either") {
  const RecordingFolder folder;
  // The reader of the pipe ends before the program writes.
  const Outcome outcome = folder.run(
      "mkfifo pipe go\nexec 3<> go\n(read -r _ <&3; texcast man) > pipe &\nexec 4< pipe 4<&-\necho >&3\nwait $!");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err.empty());
}

TEST_CASE("a full or closed stderr changes nothing") {
  const RecordingFolder folder;
  for (const std::string to : {"2> /dev/full", "2>&-"}) {
    CHECK(folder.run("texcast info good.mov " + to).exit_code == 0);
    CHECK(folder.run("texcast info missing.mov " + to).exit_code == 5);
    CHECK(folder.run("texcast info --frobnicate " + to).exit_code == 2);
    CHECK(folder.run("texcast receive rtp://127.0.0.1:0 o.mov --timeout 0.2 " + to).exit_code == 6);
  }
}

TEST_CASE("output never gets into a file that took the descriptor of a closed stream") {
  const RecordingFolder folder;
  REQUIRE(
      folder.run("\"$built\" encode test o.mov --overwrite --frames 2 --size 32x32 --json <&- >&- 2>&-").exit_code ==
      1);
  CHECK(folder.run("texcast verify o.mov").exit_code == 0);
  REQUIRE(folder.run("texcast send test pcap:o.pcap --frames 2 --size 32x32 <&- >&- 2>&-").exit_code == 1);
  CHECK(folder.run("texcast play pcap:o.pcap --no-window").exit_code == 0);
}

TEST_CASE("names that are not UTF-8 leave every JSON document readable") {
  const RecordingFolder folder;
  const std::string name = "caf\\xe9\\xff";
  const std::string prepare = "name=$(printf '" + name + "')\ncp good.mov \"$name.mov\"\n";
  for (const std::string command :
       {"info \"$name.mov\"", "verify \"$name.mov\" \"missing$name\"", "recover \"$name.mov\"",
        "play \"$name.mov\" --no-window", "encode test \"o$name.mov\" --frames 1 --size 32x32",
        "decode \"$name.mov\" \"$name.rgb\"", "send test \"pcap:$name\" --frames 1 --size 32x32",
        "receive \"pcap:$name\" \"r$name.mov\""}) {
    CAPTURE(command);
    const Outcome outcome = folder.run(prepare + "texcast " + command + " --json");
    CHECK_NOTHROW(nlohmann::json::parse(outcome.out));
    CHECK(outcome.out.find("caf\xEF\xBF\xBD\xEF\xBF\xBD") != std::string::npos);
  }
}

TEST_CASE("-q keeps the result, -v adds messages; both work with a config file") {
  const Folder folder;
  write_file(folder.file("c.toml"), "quiet = true\n[encode]\nquality = \"normal\"\n");
  const std::string encode = "cd '" + folder.file("") +
                             "'\ntexcast encode test a.mov --overwrite --size 64x64 --frames 4" +
                             " --device cpu-reference --json ";
  const Outcome quiet = shell(encode + "-q");
  CHECK(quiet.exit_code == 0);
  CHECK(quiet.err.empty());
  CHECK(nlohmann::json::parse(quiet.out)["quality"] == "fast");
  const Outcome from_file = shell(encode + "--config c.toml");
  CHECK(from_file.err.empty());
  CHECK(nlohmann::json::parse(from_file.out)["quality"] == "normal");
  const Outcome verbose = shell("mkdir -p '" + folder.file("texcast") + "'; cp '" + folder.file("c.toml") + "' '" +
                                folder.file("texcast/config.toml") + "'\nexport XDG_CONFIG_HOME='" + folder.file("") +
                                "'\n" + encode + "-v");
  CHECK(verbose.err.find("options from ") != std::string::npos);
  CHECK(nlohmann::json::parse(verbose.out)["quality"] == "normal");
  const Outcome wrong =
      shell("cd '" + folder.file("") + "'\necho 'qwality = 1' >> c.toml\n" + encode + "--config c.toml");
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err == "texcast: c.toml:4: 'qwality' is not an option of texcast encode; did you mean quality?\n");
}

TEST_CASE("the player's window keeps its position; options that set it neither read nor store that") {
  const Folder folder;
  const Outcome x = shell("cd '" + folder.file("") + R"sh('
command -v Xvfb > /dev/null || exit 77
texcast encode test a.mov --size 64x64 --frames 4 --device cpu-reference > encoded
exec 4< <(exec Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>&1 > xvfb 2>&1)
xvfb=$!
read -r -u 4 number
export DISPLAY=:$number XDG_STATE_HOME="$PWD/state" SDL_AUDIODRIVER=dummy
play() { texcast play a.mov --frames 2 "$@" > played; cat state/texcast/window; }
play --size 90x90
play
echo "30 40 200 100" > state/texcast/window
play
play --fullscreen
echo "30 40 200 nonsense" > state/texcast/window
play
XDG_STATE_HOME=/proc/none play
kill "$xvfb"
)sh");
  if (x.exit_code == 77) {
    MESSAGE("SKIP: no Xvfb here");
    return;
  }
  CHECK_MESSAGE(x.out == "368 268 0 0\n30 40 200 100\n30 40 200 100\n368 268 0 0\n368 268 0 0\n", x.err);
}
