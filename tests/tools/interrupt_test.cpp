// Interrupted work is closed, says what is there, and ends by the signal. A program that was asked to quit succeeds.
#include <doctest/doctest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "../patience.h"
#include "program.h"
#include "transport/rtcp.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

bool mentions(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// Runs the program with an empty kernel cache, interrupts it once its compiler runs, and lists what it has left.
Outcome interrupted_while_compiling(const Folder& folder, const std::string& words) {
  return shell("cd '" + folder.file("") +
               "'\nexport XDG_CACHE_HOME=$PWD/own; unset POCL_CACHE_DIR; mkdir own; : > said\n"
               "\"$built\" " +
               words +
               " > out 2> said & work=$!\n"
               "until grep -q compiling said || ! kill -0 $work; do sleep 0.02; done 2> /dev/null\n"
               "kill -INT $work; wait $work; code=$?; cat said >&2; find own -name 'building-*'\n"
               "rm -r own said out; ls; exit $code");
}

constexpr const char* kEndless = "encode test a.mov --size 64x64 --frames 10000000 --device cpu-reference";
constexpr const char* kUntilWritten =
    "until [ \"$(stat -c %s a.mov.journal 2> /dev/null || echo 0)\" -ge 2000 ]; do sleep 0.02; done\n";

}  // namespace

TEST_CASE("an interrupted encode keeps its frames, says how many, and ends by the signal") {
  for (const auto& [signal, code] : {std::pair{"INT", 130}, {"TERM", 143}, {"HUP", 129}}) {
    CAPTURE(signal);
    const Folder folder;
    const Outcome outcome =
        shell("cd '" + folder.file("") + "'\n\"$program\" " + kEndless + " > out 2> said & work=$!\n" + kUntilWritten +
              "kill -" + signal +
              " $work; wait $work; code=$?; cat said >&2; texcast verify a.mov > verified || exit 1; exit $code");
    INFO(outcome.err);
    CHECK(outcome.exit_code == code);
    CHECK(mentions(outcome.err, "texcast: interrupted after "));
    CHECK(mentions(outcome.err, " of 10000000 frames; a.mov has these\n"));
    CHECK(mentions(read_file(folder.file("verified")), "complete"));
    CHECK(mentions(read_file(folder.file("out")), "encoded "));
  }
}

TEST_CASE("Ctrl-C in a loop over encode ends the loop, as the shell sees that encode died of it") {
  const Folder folder;
  write_file(folder.file("loop.sh"),
             std::string("for i in 1 2 3; do \"$1\" ") + kEndless + " > out 2> said; echo went on; done\n");
  // The group of processes gets the signal, as from a terminal.
  const Outcome loop = shell("cd '" + folder.file("") +
                             "'\nsetsid env --default-signal=INT bash loop.sh \"$program\" > went & loop=$!\n" +
                             kUntilWritten + "kill -INT -- -$loop; wait $loop");
  CHECK(loop.exit_code == 130);
  CHECK(read_file(folder.file("went")).empty());
}

TEST_CASE("an interrupt while kernels are compiled leaves no file and no note of a crash") {
  for (const std::string words : {"encode test a.mov --size 64x64 --frames 100000 --format bc7 --quality best",
                                  "encode test a.mov --size 64x64 --frames 100000 --tune again --device pocl",
                                  "encode test a.mov --size 64x64 --frames 100000 --format ycocg-bc4",
                                  "doctor --prepare --format bc7", "bench kernels --size 64x64 --only bc7"}) {
    CAPTURE(words);
    const Folder folder;
    const Outcome outcome = interrupted_while_compiling(folder, words);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 130);
    // An encode that the processor has begun in the meantime keeps its frames.
    if (!mentions(outcome.err, "a.mov has these")) CHECK(outcome.out.empty());
    if (words.starts_with("encode")) CHECK(mentions(outcome.err, "texcast: interrupted "));
    CHECK_FALSE(mentions(outcome.err, "waiting for the compiler"));
  }
}

TEST_CASE("an interrupted decode keeps its pictures") {
  const Folder folder;
  const Outcome decoded =
      shell("cd '" + folder.file("") +
            "'\ntexcast encode test a.mov --size 256x256 --frames 400 --device cpu-reference > out\n"
            "\"$program\" decode a.mov a.y4m > out 2> said & work=$!\n"
            "until [ -s a.y4m ]; do sleep 0.01; done; kill -INT $work; wait $work; code=$?\n"
            "cat said >&2; exit $code");
  INFO(decoded.err);
  CHECK(decoded.exit_code == 130);
  CHECK(mentions(decoded.err, " of 400 frames; a.y4m has these\n"));
}

TEST_CASE("what is asked to quit through its control socket succeeds") {
  const Folder folder;
  const std::string address = "rtp://127.0.0.1:" + std::to_string(free_port());
  const Outcome quit = shell("cd '" + folder.file("") + "'\n\"$program\" receive " + address +
                             " a.mov --control r > out 2> said & receiver=$!\n\"$program\" send test " + address +
                             " --size 64x64 --device cpu-reference --control s > sent 2>&1 & sender=$!\n"
                             "until grep -q ^recording said || [ -s a.mov ]; do sleep 0.02; done\n"
                             "texcast ctl r quit; wait $receiver; echo receiver $?\n"
                             "texcast ctl s quit; wait $sender; echo sender $?");
  CHECK(quit.out == "receiver 0\nsender 0\n");
}

TEST_CASE("an interrupted send says goodbye to its receivers") {
  transport::UdpReceiver receiver({.address = transport::resolve_address("rtp://127.0.0.1:0", true), .control = true});
  const Folder folder;
  auto sending = std::async(std::launch::async, [&] {
    return shell("cd '" + folder.file("") +
                 "'\n\"$program\" send test rtp://127.0.0.1:" + std::to_string(receiver.port()) +
                 " --size 64x64 --device cpu-reference & until [ -e heard ]; do sleep 0.02; done\n"
                 "kill -INT $!; wait $!");
  });
  bool has_reported = false, has_left = false;
  for (const SteadyTime limit = steady_now() + kPatience; !has_left && steady_now() < limit;) {
    receiver.receive(steady_now() + 5ms, [](Bytes) {});
    receiver.read_control([&](Bytes datagram, const transport::PeerAddress&) {
      const auto report = transport::parse_rtcp(datagram);
      REQUIRE(report);
      CHECK((has_reported || !report->bye));
      if (!std::exchange(has_reported, true)) write_file(folder.file("heard"), "");
      has_left = report->bye;
    });
  }
  CHECK(has_left);
  CHECK(sending.get().exit_code == 130);
}

TEST_CASE("an interrupted receive says goodbye to its sender") {
  const Folder folder;
  const std::string to = "rtp://127.0.0.1:" + std::to_string(free_port());
  const Outcome sent = shell("cd '" + folder.file("") + "'\n\"$program\" receive " + to +
                             " a.mov --device cpu-reference 2> said & receiver=$!\n"
                             "until grep -q listening said; do sleep 0.02; done\n\"$program\" send test " +
                             to +
                             " --size 64x64 --device cpu-reference --stats-json stats --json > report & sender=$!\n"
                             "until grep -q '\"address\"' stats; do sleep 0.02; done 2> /dev/null\n"
                             "kill -INT $receiver; wait $receiver; for i in $(seq 600); do grep -q left...true stats "
                             "&& break; sleep 0.05; done\n"
                             "kill -INT $sender; wait $sender");
  CHECK(sent.exit_code == 130);
  const auto report = nlohmann::json::parse(read_file(folder.file("report")));
  REQUIRE(report["receivers"].size() == 1);
  CHECK(report["receivers"][0]["left"] == true);
}
