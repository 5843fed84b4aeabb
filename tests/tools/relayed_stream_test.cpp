// `texcast relay` between `send` and receivers that write files: what arrives is what was sent.
#include <doctest/doctest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

// The shell's commands of a test have the ports $in (of the relay), $a and $b (of receivers).
std::string with_ports(const std::string& text) {
  std::string ports = "export TEXCAST_LOG=\n";
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
texcast send test rtp://127.0.0.1:$in --size 192x96 --frames 5 --fps 10 --device cpu-reference --audio none )" + coding +
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
