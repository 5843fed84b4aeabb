// `texcast relay` between `send` and receivers that write files: what arrives is what was sent.
#include <doctest/doctest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

// The shell's commands of a test have the ports $in (of the relay), $a and $b (of receivers).
std::string with_ports(const std::string& text) {
  std::string ports;
  for (const char* name : {"in", "a", "b"}) ports += std::string(name) + "=" + std::to_string(free_port()) + "\n";
  return ports + text;
}

Outcome shell_in(const Folder& folder, const std::string& text) {
  return shell("cd '" + folder.file("") + "'\n" + with_ports(text));
}

// Until a receiver or a relay listens.
constexpr const char* kUntilListening =
    "until_listening() { for i in $(seq 600); do grep -q 'listening on' $1 && return; sleep 0.1; done; }\n";

std::string frames_of(const Folder& folder, const std::string& name, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    char number[16];
    std::snprintf(number, sizeof number, "%05d.dds", i);
    all += read_file(folder.file(name + number));
  }
  return all;
}

// How many of the files NAME00000.dds … are one of the encoded frames x00000.dds …, and how many there are.
struct Matches {
  int right = 0, all = 0;
};
Matches matches_of(const Folder& folder, const std::string& name, int encoded) {
  const auto file = [&](const std::string& which, int i) {
    char number[16];
    std::snprintf(number, sizeof number, "%05d.dds", i);
    return read_file(folder.file(which + number));
  };
  std::set<std::string> known;
  for (int i = 0; i < encoded; ++i) known.insert(file("x", i));
  Matches matches;
  for (std::string bytes; !(bytes = file(name, matches.all)).empty(); ++matches.all)
    matches.right += known.contains(bytes) ? 1 : 0;
  return matches;
}

}  // namespace

TEST_CASE("two receivers behind a relay get what was sent, raw and coded, and the relay counts it") {
  for (const std::string coding : {"--plain", ""}) {
    CAPTURE(coding);
    const Folder folder;
    const Outcome run = shell_in(folder, std::string(kUntilListening) + R"(
$program receive rtp://127.0.0.1:$a a%05d.dds --frames 5 --timeout 60 --no-announce 2> a.err & A=$!
$program receive rtp://127.0.0.1:$b b%05d.dds --frames 5 --timeout 60 --no-announce 2> b.err & B=$!
until_listening a.err; until_listening b.err
$program relay rtp://127.0.0.1:$in 127.0.0.1:$a 127.0.0.1:$b --timeout 60 --json > relay.json 2> relay.err & R=$!
until_listening relay.err
texcast send test rtp://127.0.0.1:$in --size 192x96 --frames 5 --fps 10 --device cpu-reference --audio none )" +
                                             coding +
                                             R"( 2> send.err || exit 1
texcast encode test x%05d.dds --size 192x96 --frames 5 --fps 10 --device cpu-reference 2> encode.err || exit 2
wait $A || exit 3; wait $B || exit 4
kill -TERM $R; wait $R
exit 0)");
    INFO(run.err << read_file(folder.file("relay.err")) << read_file(folder.file("a.err")));
    REQUIRE(run.exit_code == 0);
    const std::string sent = frames_of(folder, "x", 5);
    REQUIRE(sent.size() > 5 * 192 * 96 / 2);
    CHECK(frames_of(folder, "a", 5) == sent);
    CHECK(frames_of(folder, "b", 5) == sent);
    const json report = json::parse(read_file(folder.file("relay.json")));
    CHECK(report["frames_in"] == 5);
    REQUIRE(report["destinations"].size() == 2);
    for (const json& one : report["destinations"]) {
      CHECK(one["packets"].get<int>() >= report["datagrams_passed_on"].get<int>());
      CHECK(one["bytes"].get<int>() >= report["bytes_passed_on"].get<int>());
    }
  }
}

TEST_CASE("a sealed stream passes a relay that has no key") {
  const Folder folder;
  const Outcome run = shell_in(folder, std::string(kUntilListening) + R"(
(umask 077; echo secret > key)
$program receive rtp://127.0.0.1:$a a%05d.dds --frames 5 --timeout 60 --no-announce --key-file key 2> a.err & A=$!
until_listening a.err
$program relay rtp://127.0.0.1:$in 127.0.0.1:$a --timeout 60 --json > relay.json 2> relay.err & R=$!
until_listening relay.err
texcast send test rtp://127.0.0.1:$in --size 192x96 --frames 5 --fps 10 --device cpu-reference --audio none \
  --key-file key 2> send.err || exit 1
texcast encode test x%05d.dds --size 192x96 --frames 5 --fps 10 --device cpu-reference 2> encode.err || exit 2
wait $A || exit 3
kill -TERM $R; wait $R
exit 0)");
  INFO(run.err << read_file(folder.file("relay.err")) << read_file(folder.file("a.err")));
  REQUIRE(run.exit_code == 0);
  CHECK(frames_of(folder, "a", 5) == frames_of(folder, "x", 5));
  CHECK(read_file(folder.file("relay.err")).find("there is no key") != std::string::npos);
  CHECK(json::parse(read_file(folder.file("relay.json"))).contains("without_key"));
}

TEST_CASE("receivers go on when a relay is killed and started again, and when the sender is") {
  const Folder folder;
  const Outcome run = shell_in(folder, std::string(kUntilListening) + R"(
until_file() { for i in $(seq 600); do [ -e $1 ] && return; sleep 0.1; done; }
size="--size 192x96 --fps 10 --device cpu-reference"
texcast encode test x%05d.dds $size --frames 40 2> encode.err || exit 1
$program receive rtp://127.0.0.1:$a a%05d.dds --frames 30 --timeout 60 --no-announce 2> a.err & A=$!
$program receive rtp://127.0.0.1:$b b%05d.dds --frames 30 --timeout 60 --no-announce 2> b.err & B=$!
until_listening a.err; until_listening b.err
"$built" relay rtp://127.0.0.1:$in 127.0.0.1:$a 127.0.0.1:$b --no-announce 2> relay1.err & R=$!
until_listening relay1.err
"$built" send test rtp://127.0.0.1:$in $size --plain --audio none --no-announce 2> send1.err & S=$!
until_file a00004.dds; until_file b00004.dds
kill -KILL $R; wait $R 2> killed
"$built" relay rtp://127.0.0.1:$in 127.0.0.1:$a 127.0.0.1:$b --no-announce --json > relay.json 2> relay2.err & R=$!
until_listening relay2.err
until_file a00012.dds; until_file b00012.dds
kill -KILL $S; wait $S 2> killed
"$built" send test rtp://127.0.0.1:$in $size --plain --audio none --no-announce --frames 400 2> send2.err & S=$!
wait $A || exit 3; wait $B || exit 4
kill -TERM $R $S; wait $R $S
exit 0)");
  INFO(run.err << read_file(folder.file("relay2.err")) << read_file(folder.file("a.err")));
  REQUIRE(run.exit_code == 0);
  for (const char* name : {"a", "b"}) {
    const Matches matches = matches_of(folder, name, 40);
    CHECK(matches.all == 30);
    CHECK(matches.right >= 26);  // one of each kill may have had a part only
  }
  CHECK(json::parse(read_file(folder.file("relay.json")))["frames_new_streams"] >= 1);
}

TEST_CASE("destinations of a relay are added and removed, and its own address is refused") {
  const Folder folder;
  const Outcome run = shell_in(folder, std::string(kUntilListening) + R"(
$program receive rtp://127.0.0.1:$b b%05d.dds --frames 3 --timeout 60 --no-announce 2> b.err & B=$!
until_listening b.err
$program relay rtp://127.0.0.1:$in 127.0.0.1:$a --no-announce --control here 2> relay.err & R=$!
until_listening relay.err
for i in $(seq 600); do texcast ctl here get version > /dev/null 2>&1 && break; sleep 0.1; done
texcast ctl here destination add 127.0.0.1:$b || exit 1
texcast ctl here destination add 127.0.0.1:$in 2> loop && exit 2
texcast ctl here destination remove 127.0.0.1:$a || exit 3
texcast ctl here get destinations > left
echo rtp://127.0.0.1:$b | cmp - left || exit 4
$program send test rtp://127.0.0.1:$in --size 192x96 --fps 10 --device cpu-reference --audio none --no-announce \
  --frames 400 2> send.err & S=$!
wait $B || exit 5
kill -TERM $R $S; wait $R $S
texcast relay rtp://127.0.0.1:$in 127.0.0.1:$in 2>> loop && exit 6
exit 0)");
  INFO(run.err << read_file(folder.file("relay.err")));
  REQUIRE(run.exit_code == 0);
  const std::string loop = read_file(folder.file("loop"));
  const std::string text = "the relay would get its own stream";
  REQUIRE(loop.find(text) != std::string::npos);
  CHECK(loop.find(text) != loop.rfind(text));
}

TEST_CASE("a capture is relayed at its own pace, and relay says what is wrong") {
  const Folder folder;
  const Outcome run = shell_in(folder, std::string(kUntilListening) + R"(
texcast send test pcap:x.pcap --size 192x96 --frames 5 --fps 10 --device cpu-reference --plain --audio none \
  2> send.err || exit 1
texcast encode test x%05d.dds --size 192x96 --frames 5 --fps 10 --device cpu-reference 2> encode.err || exit 2
$program receive rtp://127.0.0.1:$a a%05d.dds --frames 5 --timeout 60 --no-announce 2> a.err & A=$!
until_listening a.err
texcast relay pcap:x.pcap 127.0.0.1:$a 2> relay.err || exit 3
wait $A || exit 4
texcast relay :$in web://:8080 2>> wrong; [ $? = 2 ] || exit 5
texcast relay :$in pcap:y.pcap 2>> wrong; [ $? = 2 ] || exit 6
texcast relay :$in 127.0.0.1:$a --fec mult:2 2>> wrong; [ $? = 2 ] || exit 7
texcast relay test 127.0.0.1:$a --no-announce 2>> wrong && exit 8
exit 0)");
  INFO(run.err << read_file(folder.file("relay.err")) << read_file(folder.file("a.err")));
  REQUIRE(run.exit_code == 0);
  CHECK(frames_of(folder, "a", 5) == frames_of(folder, "x", 5));
  const std::string wrong = read_file(folder.file("wrong"));
  for (const char* text : {"run `texcast serve", "cannot relay to 'pcap:y.pcap'", "is not for a relay"})
    CHECK_MESSAGE(wrong.find(text) != std::string::npos, wrong);
}
