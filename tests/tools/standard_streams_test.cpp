// stdin, stdout and stderr that are full, closed, or read by nobody: told by the exit code, and never written into a
// file.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;

namespace {
// In a folder with a recording good.mov.
struct RecordingFolder : Folder {
  RecordingFolder() {
    REQUIRE(shell("texcast encode test '" + file("good.mov") + "' --frames 3 --size 64x64").exit_code == 0);
  }
  Outcome run(const std::string& text) const { return shell("cd '" + file("") + "'\n" + text); }
};
}  // namespace

TEST_CASE("a report that cannot be written is exit code 1 and one line") {
  const RecordingFolder folder;
  for (const std::string command :
       {"info good.mov", "info good.mov --json", "verify good.mov", "devices", "man", "--help", "--version",
        "completion bash", "recover good.mov", "encode test o.mov --overwrite --frames 2 --size 32x32",
        "play good.mov --no-window --stats-json -", "decode good.mov o.rgb --overwrite"}) {
    CAPTURE(command);
    const Outcome full = folder.run("texcast " + command + " > /dev/full");
    CHECK(full.exit_code == 1);
    REQUIRE(!full.complaints().empty());
    CHECK(full.complaints().back() == "texcast: cannot write to stdout: No space left on device");
    const Outcome closed = folder.run("texcast " + command + " >&-");
    CHECK(closed.exit_code == 1);
    REQUIRE(!closed.complaints().empty());
    CHECK(closed.complaints().back() == "texcast: cannot write to stdout: Bad file descriptor");
  }
}

TEST_CASE("a reader that has read enough is no news, but no success either") {
  const RecordingFolder folder;
  // The reader of the pipe is gone before the program begins to write.
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

TEST_CASE("what is said never lands in a file that took the place of a closed stream") {
  const RecordingFolder folder;
  REQUIRE(folder.run("texcast encode test o.mov --overwrite --frames 2 --size 32x32 --json <&- >&- 2>&-").exit_code ==
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
