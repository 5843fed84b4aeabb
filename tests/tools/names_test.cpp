// Service discovery of senders and players, on a network of two namespaces with an Avahi daemon in each (own-network),
// and without daemon or bus.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

// Runs shell text on that network, in `folder`, with texcast() as in shell(); `wait_for FILE TEXT` waits until the file
// contains the text.
Outcome on_own_network(const Folder& folder, const std::string& text) {
  write_file(folder.file("script"),
             "export program='" TEXCAST_PROGRAM "'\ncd '" + folder.file("") +
                 "'\ntexcast() { \"$program\" \"$@\"; }\n"
                 "wait_for() { until grep -q -- \"$2\" \"$1\" 2> /dev/null; do sleep 0.02; done; }\n"
                 "export -f texcast wait_for\n" +
                 text);
  return shell("'" TEXCAST_OWN_NETWORK "' '" + folder.file("script") + "'", 140);
}

bool skipped(const Outcome& outcome) {
  if (outcome.exit_code != 77) return false;
  MESSAGE("SKIP: no network of our own: " << outcome.err);
  return true;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("player and sender find each other by name, also if two want the same name or it is taken") {
  const Folder folder;
  const Outcome outcome = on_own_network(folder, R"sh(
start_avahi; there start_avahi
there texcast play rtp://:5006 --no-window --frames 30 --timeout 90 --json --name 'Saal ä' > 1.json 2> 1.err & first=$!
wait_for 1.err announced
texcast play rtp://:5004 --no-window --frames 30 --timeout 90 --json --name 'Saal ä' > 2.json 2> 2.err & second=$!
wait_for 2.err announced
echo secret > key
texcast receive rtp://:5008 key.dds --timeout 90 --key-file key --name sealed 2> 3.err & others=$!
there texcast send test rtp://239.1.2.3:5010 --size 64x64 --fps 30 --plain > /dev/null 2> group.err & others+=" $!"
there texcast send test rtp://10.99.0.1:5099 --size 32x16 --name alone > /dev/null 2> alone.err & others+=" $!"
wait_for 3.err announced; wait_for group.err announced; wait_for alone.err announced
texcast list > list.txt
texcast list --json --wait 1.5 > list.json
# Names into addresses: each of the two gets 30 frames.
texcast send test 'SAAL ä' --size 64x64 > /dev/null 2> send1.err & others+=" $!"
there texcast send test 'Saal ä #2' --size 64x64 > /dev/null 2> send2.err & others+=" $!"
texcast play stage --no-window --frames 5 --timeout 90 --json > play.json 2> play.err
wait $first; wait $second
i=0
for wrong in 'play alone --no-window' 'send test alone' 'play sealed' 'send test nobody' \
  'send test seald'; do
  (texcast $wrong > /dev/null 2> wrong$i.err || echo "exit code $?" >> wrong$i.err) & pids+=" $!"
  i=$((i + 1))
done
wait $pids
kill $others
)sh");
  if (skipped(outcome)) return;
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto said = [&](const char* file) { return read_file(folder.file(file)); };

  const std::string text = said("list.txt");
  INFO(text);
  for (const std::string part : {"player  Saal ä ", "rtp://10.99.0.2:5006", "sender  stage ", "rtp://239.1.2.3:5010",
                                 "64x64, bc1, 30 fps, plain", "encrypted: texcast"})
    CHECK(has(text, part));

  const json list = json::parse(said("list.json"));
  CHECK(list["found"].size() == 5);
  const auto named = [&](const std::string& what, const std::string& name) {
    for (const json& one : list["found"])
      if (one["what"] == what && one["name"] == name) return one;
    return json::object();
  };
  const json first = named("player", "Saal ä"), second = named("player", "Saal ä #2"), group = named("sender", "stage"),
             alone = named("sender", "alone");
  CHECK(first["address"] == "rtp://10.99.0.2:5006");
  CHECK(first["host"] == "stage.local");
  CHECK(first["here"] == false);
  CHECK(first["crypto"] == "none");
  CHECK(second["here"] == true);
  CHECK(has(second["addresses"].dump(), "rtp://10.99.0.1:5004"));
  CHECK(named("player", "sealed")["crypto"] == "texcast");
  CHECK(group["address"] == "rtp://239.1.2.3:5010");
  CHECK(group["coding"] == "plain");
  CHECK(group["fps"] == 30);
  CHECK(alone["address"].is_null());
  CHECK(alone["width"] == 32);
  CHECK_FALSE(has(list.dump(), "5099"));  // unicast destinations are not announced

  CHECK(has(said("2.err"), "announced as 'Saal ä #2': texcast send INPUT 'Saal ä #2'"));
  CHECK(has(said("send1.err"), "found player 'Saal ä' at rtp://10.99.0.2:5006"));
  CHECK(json::parse(said("1.json"))["frames_shown"] == 30);
  CHECK(json::parse(said("2.json"))["frames_shown"] == 30);
  CHECK(has(said("play.err"), "found sender 'stage' at rtp://239.1.2.3:5010"));
  CHECK(json::parse(said("play.json"))["frames_shown"] == 5);

  const std::pair<const char*, const char*> kWrong[] = {
      {"wrong0.err", "'alone' (stage.local) sends to fixed addresses"},
      {"wrong1.err", "a sender has that name"},
      {"wrong2.err", "a player has that name"},
      {"wrong3.err", "no player called 'nobody' answers; found: "},
      {"wrong4.err", "no player called 'seald' answers; did you mean sealed?; found: "}};
  for (const auto& [file, says] : kWrong) {
    INFO(said(file));
    CHECK(has(said(file), says));
    CHECK(has(said(file), "\nexit code 6\n"));
  }
  CHECK(has(said("wrong3.err"), "'sealed' (rtp://"));
}

TEST_CASE("a relay is found as a player by its source, and as a sender by its receivers") {
  const Folder folder;
  const Outcome outcome = on_own_network(folder, R"sh(
start_avahi; there start_avahi
there texcast relay rtp://:5020 rtp://239.1.2.9:5030 --name via --timeout 90 > /dev/null 2> relay.err & others=$!
wait_for relay.err announced
texcast send test via --size 64x64 --fps 10 --plain --device cpu-reference --name origin > send.err 2>&1 & others+=" $!"
wait_for relay.err 'texcast play'
texcast play via --no-window --frames 3 --timeout 90 --json > play.json 2> play.err
texcast list --json --wait 1.5 > list.json
kill $others
)sh");
  if (skipped(outcome)) return;
  INFO(outcome.err << read_file(folder.file("relay.err")) << read_file(folder.file("play.err")));
  REQUIRE(outcome.exit_code == 0);
  CHECK(json::parse(read_file(folder.file("play.json")))["frames_shown"] == 3);
  const json list = json::parse(read_file(folder.file("list.json")));
  int found = 0;
  for (const json& one : list["found"]) {
    if (one["name"] != "via") continue;
    ++found;
    if (one["what"] == "player") CHECK(has(one["address"].get<std::string>(), ":5020"));
    if (one["what"] == "sender") CHECK(one["address"] == "rtp://239.1.2.9:5030");
  }
  CHECK(found == 2);
}

TEST_CASE("changes of a sender are announced: format, rate, audio, group, and pause") {
  const Folder folder;
  const Outcome outcome = on_own_network(folder, R"sh(
start_avahi; there start_avahi
there "$program" send test rtp://239.1.2.3:5010 --size 64x64 --fps 30 --audio-source test --audio opus \
  --control "$PWD/s" --name hall > /dev/null 2> send.err & send=$!
wait_for send.err announced
listed() { until texcast list --json --wait 0.3 > "$2" && grep -q -- "$1" "$2"; do :; done; }
listed 239.1.2.3:5010 before.json
texcast ctl s set format ycocg-dxt5; texcast ctl s set rate 90M; texcast ctl s set pause true
listed '"paused": true' paused.json
texcast ctl s set pause false
texcast ctl s destination add rtp://239.1.2.4:5020; texcast ctl s destination remove rtp://239.1.2.3:5010
listed 239.1.2.4:5020 after.json
texcast ctl s destination add rtp://127.0.0.1:5020; texcast ctl s destination remove rtp://239.1.2.4:5020
until ! texcast list --json --wait 0.3 | grep -q hall; do :; done
texcast ctl s quit; wait $send
)sh");
  if (skipped(outcome)) return;
  INFO(outcome.err);
  INFO(read_file(folder.file("send.err")));
  REQUIRE(outcome.exit_code == 0);
  const auto found = [&](const char* file) { return json::parse(read_file(folder.file(file)))["found"][0]; };
  const json before = found("before.json"), paused = found("paused.json"), after = found("after.json");
  CHECK(before["format"] == "bc1");
  CHECK(before["sound"] == "opus");
  CHECK(before["rate"].is_null());
  CHECK(before["paused"] == false);
  CHECK(paused["format"] == "ycocg-dxt5");
  CHECK(paused["rate"] == 90e6);
  CHECK(paused["address"] == "rtp://239.1.2.3:5010");
  CHECK(after["name"] == "hall");
  CHECK(after["address"] == "rtp://239.1.2.4:5020");
  CHECK(after["paused"] == false);
}

TEST_CASE("the Avahi daemon dies during a stream: the stream goes on, and the name returns with the daemon") {
  const Folder folder;
  const Outcome outcome = on_own_network(folder, R"sh(
start_avahi
"$program" play rtp://:5004 --no-window --timeout 90 --json --name hall > play.json 2> play.err & play=$!
wait_for play.err announced
# Never waits for D-Bus: an address goes at once.
"$program" send test rtp://10.99.0.1:5004 --size 64x64 --stats-json stats > /dev/null 2> send.err & send=$!
wait_for send.err announced
stop_avahi
wait_for play.err 'went away'; wait_for send.err 'went away'
before=$(wc -l < stats)
until [ "$(wc -l < stats)" -ge $((before + 2)) ]; do sleep 0.02; done
texcast list > /dev/null 2> list.err || echo "exit code $?" >> list.err
start_avahi
until [ "$(grep -c announced play.err)" = 2 ]; do sleep 0.02; done
texcast list > list.txt
kill $send; wait $send || true
kill $play; wait $play || true
# A network goes away while the daemon asks it whether a name is free; Avahi 0.8 never tells what came of that.
ip link add x0 type veth peer name x1; ip addr add 10.98.0.1/24 dev x0; ip link set x0 up; ip link set x1 up
until grep -q 'on interface x0.IPv4' $HOST_FOLDER/avahi.log; do sleep 0.02; done
for i in 1 2 3 4; do
  texcast receive rtp://:60${i}0 key.dds --timeout 90 2> r$i.err &
  wait_for r$i.err listening; sleep 0.2
done
ip link del x0
for i in 1 2 3 4; do wait_for r$i.err announced; done
)sh");
  if (skipped(outcome)) return;
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto said = [&](const char* file) { return read_file(folder.file(file)); };
  CHECK(has(said("list.err"), "systemctl start avahi-daemon"));
  CHECK(has(said("list.err"), "\nexit code 6\n"));
  CHECK(has(said("list.txt"), "player  hall "));
  INFO(said("play.json"));
  const json played = json::parse(said("play.json"));
  CHECK(played["frames_shown"] > 60);  // more than two seconds, so two lines of statistics
  CHECK(played["packets"]["lost"] == 0);
}

TEST_CASE("without a bus, without the daemon, or with a bus that does not answer: only names are missing") {
  const Folder folder;
  // A bus that accepts calls and does not answer.
  const int mute = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  folder.file("mute").copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(mute, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(mute, 16) == 0);
  const Outcome outcome = shell("cd '" + folder.file("") + R"sh('
for bus in unix:path=/nonexistent "unix:path=$PWD/mute"; do
  export DBUS_SYSTEM_BUS_ADDRESS=$bus
  i=$((i + 1))
  texcast play rtp://:0 --no-window --frames 20 --timeout 90 --json --name hall > play.json$i 2> play.err$i & play=$!
  until grep -q listening play.err$i; do sleep 0.02; done
  port=$(grep -o ':[0-9]*$' play.err$i | head -n 1)
  texcast send test rtp://127.0.0.1$port --size 64x64 --frames 100 > /dev/null 2> send.err$i
  wait $play
  echo "exit code $?" >> play.err$i
  texcast list > /dev/null 2> list.err$i
  echo "exit code $?" >> list.err$i
done
)sh");
  ::close(mute);
  REQUIRE(outcome.exit_code == 0);
  for (const char* bus : {"1", "2"}) {
    CAPTURE(bus);
    const auto said = [&](const char* file) { return read_file(folder.file(std::string(file) + bus)); };
    INFO(said("play.err"));
    CHECK(has(said("play.err"), "exit code 0"));
    CHECK(json::parse(said("play.json"))["frames_shown"] == 20);
    CHECK(has(said("list.err"), "exit code 6"));
    CHECK(has(said("list.err"), "Avahi's daemon"));
  }
  // One line if --name was given; a bus that does not answer is not noticed yet.
  CHECK(has(read_file(folder.file("play.err1")), "not announced as 'hall': Avahi's daemon"));
  CHECK(has(read_file(folder.file("list.err2")), "does not answer"));
}
