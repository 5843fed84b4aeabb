// A failing disk ends a recording, but not playback, and the recording can be played up to there. RLIMIT_FSIZE stands
// for a full disk here; tests/tools/failing-disks also tests full ones.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

using namespace texcast::test;

namespace {

Outcome run_in(const Folder& folder, const std::string& text) {
  return shell("cd '" + folder.path.string() + "'\n" + text);
}

bool says(const Outcome& outcome, const std::string& words) { return outcome.err.find(words) != std::string::npos; }

// A sender that runs until the shell ends.
std::string sending_to(const std::string& port, const std::string& format) {
  return "\"$program\" send test rtp://127.0.0.1:" + port + " --size 256x256 --device cpu-reference --format " +
         format + " > send.out 2>&1 &\nsender=$!\ntrap 'kill $sender; wait $sender' EXIT\n";
}

// A receiver of such a stream, which has recorded something when the next command runs; its pid is $receiver. It is the
// built program if SIGSTOP is sent, which cannot be passed on to a fork.
std::string recording_from(const std::string& port, const std::string& options,
                           const std::string& program = "$program") {
  return sending_to(port, "bc1") + "\"" + program + "\" receive rtp://127.0.0.1:" + port + " show.mov" + options +
         " & receiver=$!\nuntil [ -s show.mov.journal ]; do sleep 0.05; done; sleep 0.3\n";
}

}  // namespace

TEST_CASE("a full disk: playback goes on, the recording can be played, and all is reported") {
  const Folder folder;
  for (const std::string format : {"bc1", "ycocg-bc4"}) {  // which becomes Hap Q
    INFO(format);
    const std::string port = std::to_string(free_port());
    const Outcome play =
        run_in(folder, sending_to(port, format) +
                           "ulimit -S -f 1000\n"
                           "texcast play rtp://127.0.0.1:" +
                           port + " --no-window --frames 120 --record show.mov --snappy off --device cpu-reference");
    INFO(play.err);
    CHECK(play.exit_code == 1);
    CHECK(says(play, "the recording has stopped: cannot write more of 'show.mov': File too large"));
    CHECK(play.out.find("shown       120 frames") != std::string::npos);
    CHECK(run_in(folder, "texcast verify show.mov && rm show.mov").exit_code == 0);
  }
}

TEST_CASE("a full disk ends receive, encode and decode with an error, not by a signal") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const Outcome receive =
      run_in(folder, sending_to(port, "ycocg-bc4") + "ulimit -S -f 1000\ntexcast receive rtp://127.0.0.1:" + port +
                         " show.mov --snappy off --device cpu-reference --json");
  CHECK(receive.exit_code == 1);
  CHECK(receive.out.find("show.mov") != std::string::npos);  // the report is printed nevertheless
  const std::string encode =
      "texcast encode test clip.mov --size 256x256 --device cpu-reference --frames 60 --snappy off";
  CHECK(run_in(folder, "ulimit -S -f 1000\n" + encode).exit_code == 1);
  // On an OpenCL device several textures are still being repacked then; they are discarded.
  const std::string repacked =
      "texcast encode test hapq.mov --size 256x256 --frames 60 --format ycocg-bc4 --snappy off";
  CHECK(run_in(folder, "ulimit -S -f 1000\n" + repacked).exit_code == 1);
  CHECK(run_in(folder, "texcast verify show.mov clip.mov hapq.mov").exit_code == 0);
  for (const std::string picture : {"clip.y4m", "clip.rgb", "clip.mp4", "clip%03d.bmp"}) {
    const Outcome decode = run_in(folder, "ulimit -S -f 8\ntexcast decode clip.mov " + picture);
    INFO(picture << ": " << decode.err);
    CHECK(decode.exit_code == 1);
    CHECK(says(decode, "File too large"));
  }
}

TEST_CASE("a renamed directory: the recording goes on in it, or ends when the next file cannot be created") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  for (const bool is_split : {false, true}) {
    const Outcome play =
        run_in(folder, sending_to(port, "bc1") +
                           "mkdir there\n(until [ -s there/show.mov ]; do sleep 0.05; done; mv there away) &\n"
                           "texcast play rtp://127.0.0.1:" +
                           port + " --no-window --frames 150 --record there/show.mov --snappy off" +
                           (is_split ? " --split 1s" : ""));
    INFO(play.err);
    CHECK(play.exit_code == (is_split ? 1 : 0));
    CHECK(says(play, is_split ? "the recording has stopped: cannot write" : "was renamed while it was recorded"));
    CHECK(play.out.find("shown       150 frames") != std::string::npos);
    CHECK(run_in(folder, "texcast verify away/show.mov && ! ls away/*.journal && rm -r away").exit_code == 0);
  }
}

TEST_CASE("unwritable outputs are refused before anything starts") {
  const Folder folder;
  for (const std::string& command :
       std::vector<std::string>{"texcast receive rtp://127.0.0.1:0 OUT",
                                "texcast play rtp://127.0.0.1:0 --no-window --record OUT", "texcast encode test OUT"})
    for (const auto& [output, code] : {std::pair{"nowhere/show.mov", 1}, {"show.avi", 2}, {"/proc/show.mov", 1}}) {
      std::string line = command;
      const Outcome refused =
          run_in(folder, "timeout 10 " + line.replace(0, 7, "\"$program\"").replace(line.find("OUT"), 3, output));
      INFO(line << ": " << refused.err);
      CHECK(refused.exit_code == code);
      CHECK_FALSE(says(refused, "listening"));
    }
}

TEST_CASE("SIGHUP closes the recording") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const Outcome hung_up = run_in(folder, recording_from(port, " --snappy off") + "kill -HUP $receiver; wait $receiver");
  CHECK(hung_up.exit_code == 129);
  CHECK(run_in(folder, "texcast verify show.mov && ! ls *.journal").exit_code == 0);
}

TEST_CASE("missing frames after SIGSTOP are not blamed on the disk") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const Outcome stopped = run_in(folder, recording_from(port, "", "$built") +
                                             "kill -STOP $receiver; sleep 3; kill -CONT $receiver; sleep 1\n"
                                             "kill -TERM $receiver; wait $receiver");
  INFO(stopped.err);
  CHECK_FALSE(says(stopped, "disk was too slow"));
  CHECK(stopped.exit_code == 143);
  // Whether frames are missing depends on the socket's buffer.
  if (says(stopped, "the recording is incomplete")) CHECK(says(stopped, "the program was suspended for"));
}

TEST_CASE("a delay after SIGSTOP is not blamed on the sender's decoder") {
  const Folder folder;
  const Outcome stopped = run_in(
      folder,
      "\"$built\" send test rtp://127.0.0.1:9 --size 64x64 --device cpu-reference --json > sent 2> said & sender=$!\n"
      "until grep -q 'sending 64x64' said; do sleep 0.05; done; sleep 0.5\n"
      "kill -STOP $sender; sleep 2; kill -CONT $sender; sleep 0.5\nkill -INT $sender; wait $sender; code=$?\n"
      "cat said >&2; exit $code");
  INFO(stopped.err);
  CHECK(stopped.exit_code == 130);
  const auto sent = nlohmann::json::parse(read_file(folder.file("sent")));
  CHECK(sent["seconds_stood_still"] > 1);
  CHECK(sent["seconds_behind"] < sent["seconds_stood_still"]);
}
