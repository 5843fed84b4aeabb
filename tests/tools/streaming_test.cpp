// End-to-end tests of the program: the output is the input.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <thread>

#include "control/client.h"
#include "program.h"
#include "texcast/error.h"
#include "transport/pcap.h"

using namespace texcast;
using namespace texcast::test;
using nlohmann::json;

namespace {

// Checks that two sequences have `count` frame files each, with the same bytes.
void check_same_frames(const Folder& folder, const std::string& a, const std::string& b, int count) {
  for (int i = 0; i <= count; ++i) {
    char number[16];
    std::snprintf(number, sizeof number, "%05d.dds", i);
    const std::string left = read_file(folder.file(a + number));
    const std::string right = read_file(folder.file(b + number));
    INFO(a << number);
    CHECK(left.empty() == (i == count));
    CHECK(left == right);
  }
}

bool has_no_off_screen(const Outcome& run) {
  if (run.exit_code == 4) MESSAGE("SKIP: no OpenGL off-screen here: " << run.err);
  return run.exit_code == 4;
}

// The first 20 frames of a film at half width and height, stored losslessly.
std::string small_film(const Folder& folder) {
  REQUIRE(shell("ffmpeg -v error -i '" + data("clip.mp4") + "' -frames:v 20 -vf scale=426:240,setsar=1 -c:v ffv1 '" +
                folder.file("film.mkv") + "'")
              .exit_code == 0);
  return folder.file("film.mkv");
}

// Events until the program ends, without periodic ones, as "NAME DATA".
std::vector<std::string> events_left(control::Client& client) {
  std::vector<std::string> events;
  while (const auto event = client.next_event()) {
    const json data = json::parse(event->data_json);
    events.push_back(event->event + " " + (data.contains("what") ? data["what"].get<std::string>() : data.dump()));
    if (data.contains("file")) events.back() += " " + data["file"].get<std::string>();
    if (data.contains("files")) events.back() += " " + data["files"].dump();
    if (data.contains("address")) events.back() += " " + data["address"].get<std::string>();
  }
  return events;
}

}  // namespace

TEST_CASE("lossy: a stream and a recording are much smaller, and completely played") {
  const Folder folder;
  const std::string film = small_film(folder);
  const std::string cd = "cd '" + folder.file("") + "'\n";
  const std::string how = " '" + film + "' pcap:a.pcap --json --overwrite --frames 20 --format ycocg-bc4";
  const auto sent_bytes = [&](const std::string& options) {
    const Outcome sent = shell(cd + "texcast send" + how + options);
    REQUIRE(sent.exit_code == 0);
    const Outcome played = shell(cd + "texcast play pcap:a.pcap --no-window --json");
    REQUIRE(played.exit_code == 0);
    CHECK(json::parse(played.out)["frames_shown"] == 20);
    CHECK(json::parse(played.out)["frames_concealed"] == 0);
    return std::filesystem::file_size(folder.file("a.pcap"));
  };
  const auto lossless = sent_bytes(""), lossy = sent_bytes(" --crf 26 --transform off");
  CHECK(lossy * 3 < lossless);
  // A recording keeps the stream as received, after a key frame of the first blocks.
  REQUIRE(shell(cd + "texcast play pcap:a.pcap --no-window --record r.mkv --coding compact && texcast verify r.mkv &&"
                     " texcast receive pcap:a.pcap p.mkv --layout planes && texcast decode r.mkv r.y4m &&"
                     " texcast decode p.mkv p.y4m")
              .exit_code == 0);
  CHECK(std::filesystem::file_size(folder.file("r.mkv")) < 2 * lossy);
  CHECK(read_file(folder.file("r.mkv")).find("TXCP\x02") != std::string::npos);
  CHECK(read_file(folder.file("r.y4m")).size() > 20 * 100000);
  CHECK(read_file(folder.file("r.y4m")) == read_file(folder.file("p.y4m")));
  const std::string encode = cd + "texcast encode '" + film + "' ";
  REQUIRE(shell(encode + "a.mkv --frames 20 --format ycocg-bc4 --crf 26 --transform off && texcast verify a.mkv")
              .exit_code == 0);
  CHECK(std::filesystem::file_size(folder.file("a.mkv")) < lossy);
  for (const std::string& refused : {"texcast send" + how + " --crf 26 --plain", "texcast send" + how + " --crf 52",
                                     "texcast send '" + film + "' pcap:b.pcap --crf 20 --format ycocg-dxt5",
                                     encode + "a.mov --crf 20", encode + "b.mkv --crf 20 --coding plain"})
    CHECK(shell(cd + refused).exit_code == 2);
}

TEST_CASE("transform coding: files and streams need fewer bytes, are decoded alike, and say so") {
  const Folder folder;
  const std::string film = small_film(folder), cd = "cd '" + folder.file("") + "'\n";
  const std::string how = " --frames 20 --format ycocg-bc4 --crf 26 --overwrite --json --transform ";
  // The picture's PSNR against the film, and the bytes of the file.
  struct Result {
    double psnr = 0;
    uintmax_t bytes = 0;
  };
  const auto measured = [&](const std::string& name) {
    const Outcome made =
        shell(cd + "texcast verify " + name + ".mkv && texcast decode " + name + ".mkv " + name +
              ".nut --overwrite && ffmpeg -v info -i film.mkv -i " + name +
              ".nut -lavfi '[0:v]format=gbrp,setpts=N[a];[1:v]format=gbrp,setpts=N[b];[a][b]psnr' -f null - "
              "2>&1 | grep -o 'average:[0-9.]*' | cut -d: -f2");
    REQUIRE(made.exit_code == 0);
    return Result{std::stod(made.out.substr(made.out.rfind('\n', made.out.size() - 2) + 1)),
                  std::filesystem::file_size(folder.file(name + ".mkv"))};
  };
  std::map<std::string, Result> files;
  for (const std::string transform : {"on", "off"}) {
    CAPTURE(transform);
    REQUIRE(shell(cd + "texcast encode film.mkv e" + transform + ".mkv" + how + transform).exit_code == 0);
    files[transform] = measured("e" + transform);
    const Outcome sent = shell(cd + "texcast send film.mkv pcap:" + transform + ".pcap" + how + transform);
    REQUIRE(sent.exit_code == 0);
    const json tiles = json::parse(sent.out)["tiles"];
    const int64_t coded = tiles["coded"].get<int64_t>() + tiles["intra"].get<int64_t>();
    CHECK((tiles["transform"].get<int64_t>() * 2 > coded) == (transform == "on"));
    if (transform == "off") CHECK(tiles["transform"] == 0);
    const Outcome received = shell(cd + "texcast receive pcap:" + transform + ".pcap r" + transform +
                                   ".mkv --coding compact --overwrite --json");
    REQUIRE(received.exit_code == 0);
    CHECK(json::parse(received.out)["tiles"]["transform"] == tiles["transform"]);
    CHECK(json::parse(received.out)["tiles"]["wrong_now"] == 0);
    const Result recorded = measured("r" + transform);
    CHECK(std::abs(recorded.psnr - files[transform].psnr) < 1);
    // It holds the payloads of the stream, and its first key frame.
    CHECK(recorded.bytes < 2 * std::filesystem::file_size(folder.file(transform + ".pcap")));
    for (const std::string name : {"e", "r"}) {
      const bool has_transform = transform == "on";
      const json info = json::parse(shell(cd + "texcast info " + name + transform + ".mkv --json").out);
      CHECK(info["coding_version"] == (has_transform ? 4 : 2));
      const std::string text = shell(cd + "texcast info " + name + transform + ".mkv").out;
      CHECK((text.find("coded stream, transform coding, ") != std::string::npos) == has_transform);
    }
  }
  MESSAGE(files["on"].bytes << " bytes, " << files["on"].psnr << " dB; without " << files["off"].bytes << ", "
                            << files["off"].psnr);
  CHECK(files["on"].bytes * 10 < files["off"].bytes * 9);
  CHECK(files["on"].psnr > files["off"].psnr - 0.5);
  CHECK(std::filesystem::file_size(folder.file("on.pcap")) < std::filesystem::file_size(folder.file("off.pcap")));
}

TEST_CASE("transform coding: a lossy stream over loopback is recorded without a wrong tile, and the statistics count") {
  const Folder folder;
  const std::string film = small_film(folder), port = std::to_string(free_port());
  const Outcome outcome =
      shell("cd '" + folder.file("") + "'\n" + "texcast receive rtp://127.0.0.1:" + port +
            " r.mkv --coding compact --frames 20 --timeout 10 --json --stats-json stats.jsonl > r.json 2> r.log &\n" +
            "while ! grep -q listening r.log; do sleep 0.05; done\n" + "texcast send film.mkv rtp://127.0.0.1:" + port +
            " --format ycocg-bc4 --crf 26 --transform on --frames 20 --json > s.json || exit 91\n" +
            "wait %1 || exit 92\n" + "texcast verify r.mkv || exit 93\n");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json sent = json::parse(read_file(folder.file("s.json"))),
             received = json::parse(read_file(folder.file("r.json")));
  CHECK(received["packets"]["lost"] == 0);
  CHECK(received["recording"]["frames"] == sent["frames_sent"]);  // a busy machine drops some
  CHECK(received["tiles"]["damaged_payloads"] == 0);
  CHECK(received["tiles"]["wrong_now"] == 0);
  CHECK(received["tiles"]["transform"] == sent["tiles"]["transform"]);
  const std::string stats = read_file(folder.file("stats.jsonl"));
  REQUIRE_FALSE(stats.empty());
  CHECK(json::parse(stats.substr(stats.rfind('\n', stats.size() - 2) + 1))["tiles"]["transform"] ==
        sent["tiles"]["transform"]);
  CHECK(sent["tiles"]["transform"] > 0);
}

TEST_CASE("transform coding: options that contradict it are errors that say what to do") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  for (const auto& [command, says] :
       {std::pair<std::string, std::string>{"encode test a.mkv --transform on",
                                            "--transform on is for lossy coded streams: give --crf N"},
        {"encode test a.mkv --crf 23 --transform on --format bc1",
         "choose one of ycocg-bc4, ycocg-bc4-422, ycocg-bc4-444"},
        {"encode test a.mkv --crf 23 --transform perhaps", "give on, off or auto"},
        {"encode '" + data("kodim05_127x95.png") + "' --to x --transform on", "--transform is for videos"},
        {"send test pcap:a.pcap --frames 2 --transform on --crf 23", "bc1 has no transform coding"},
        {"send test pcap:a.pcap --frames 2 --transform on", "--crf N"}}) {
    CAPTURE(command);
    const Outcome run = shell(cd + "texcast " + command);
    CHECK(run.exit_code == 2);
    CHECK_MESSAGE(run.err.find(says) != std::string::npos, run.err);
  }
}

TEST_CASE("a capture plays the same frames that encode writes") {
  const Folder folder;
  const std::string film = small_film(folder);
  for (const auto& [format, coding] : {std::pair<std::string, std::string>{"bc1", ""},
                                       {"bc1", " --plain"},
                                       {"bc7", ""},
                                       {"etc2-alpha", ""},
                                       {"ycocg-bc4-444", ""}}) {
    CAPTURE(format + coding);
    const std::string cd = "cd '" + folder.file("") + "'\n";
    const bool dds = format != "ycocg-bc4-444";
    const std::string how = " --frames 20 --overwrite --format " + format;
    write_file(folder.file("key"), "correct horse battery staple\r\nand no more\n");
    const std::string key = dds ? " --key-file key" : "";  // encrypt one of the two
    const Outcome sent = shell(cd + "texcast send '" + film + "' pcap:a.pcap --json" + how + key + coding);
    REQUIRE(sent.exit_code == 0);
    CHECK(json::parse(sent.out)["coding"] == (coding.empty() ? "compact" : "raw"));
    if (dds) {
      REQUIRE(shell(cd + "texcast encode '" + film + "' e_%05d.dds" + how).exit_code == 0);
      const Outcome played =
          shell(cd + "texcast play pcap:a.pcap --no-window --overwrite --record p_%05d.dds --json" + key);
      REQUIRE(played.exit_code == 0);
      CHECK(json::parse(played.out)["frames_shown"] == 20);
      CHECK(json::parse(played.out)["packets"]["lost"] == 0);
      check_same_frames(folder, "e_", "p_", 20);
    } else {
      // There is no DDS for this format: compare the decoded recordings.
      REQUIRE(shell(cd + "texcast encode '" + film + "' e.mov" + how).exit_code == 0);
      REQUIRE(shell(cd + "texcast play pcap:a.pcap --no-window --record p.mov").exit_code == 0);
      REQUIRE(shell(cd + "texcast decode e.mov e.y4m && texcast decode p.mov p.y4m").exit_code == 0);
      const std::string left = read_file(folder.file("e.y4m"));
      CHECK(left.size() > 20 * 100000);
      CHECK(left == read_file(folder.file("p.y4m")));
      // Without a device to transcode to Hap Q the planes are recorded.
      REQUIRE(shell(cd + "texcast encode '" + film + "' f.mkv --layout planes" + how).exit_code == 0);
      const Outcome received = shell(cd + "OCL_ICD_VENDORS=/nonexistent texcast receive pcap:a.pcap q.mov");
      REQUIRE(received.exit_code == 0);
      CHECK(received.err.find("recording its planes") != std::string::npos);
      CHECK(json::parse(shell(cd + "texcast info q.mov --json").out)["format"] == "ycocg-bc4-444");
      REQUIRE(shell(cd + "texcast decode f.mkv f.y4m && texcast decode q.mov q.y4m").exit_code == 0);
      CHECK(read_file(folder.file("f.y4m")) == read_file(folder.file("q.y4m")));
      CHECK(left != read_file(folder.file("q.y4m")));
    }
  }
}

TEST_CASE("send puts a coded stream on the wire by default, and nothing of texcast's own for UltraGrid") {
  const Folder folder;
  write_file(folder.file("key"), "correct horse battery staple\n");
  struct Row {
    std::string options, begins;  // regular expression for the hexadecimal beginning of every datagram
  };
  // docs/wire.md: "TC", version 1, type 4 for data and 5 for parity; RTP with UltraGrid's payload types; encrypted.
  for (const Row& row : std::initializer_list<Row>{{"", "5443010."},
                                                   {"--refresh 1 --for texcast", "5443010."},
                                                   {"--key-file key", "54430201"},
                                                   {"--plain --fec none", "9014"},
                                                   {"--plain --key-file key", "54430201"},
                                                   {"--fec ultragrid-rs:20:24", "801b"},
                                                   {"--fec ultragrid-ldgm:64:64:5", "8016"},
                                                   {"--fec mult:2", "[89]014"},
                                                   {"--key-file key --crypto ultragrid-cbc", "[89]018"},
                                                   {"--for ultragrid", "801b"},
                                                   {"--for ultragrid --fec none", "[89]014"},
                                                   {"--for ultragrid --size 66x64", "[89]014"},
                                                   {"--for ultragrid --key-file key --crypto ultragrid-cbc", "801e"}}) {
    CAPTURE(row.options);
    const std::string size = row.options.find("--size") == std::string::npos ? " --size 64x64 " : " ";
    const Outcome sent = shell("cd '" + folder.file("") + "'\ntexcast send test pcap:a.pcap --overwrite --frames 3" +
                               size + row.options);
    REQUIRE_MESSAGE(sent.exit_code == 0, sent.err);
    transport::PcapReader reader(folder.file("a.pcap"));
    size_t count = 0;
    while (const auto datagram = reader.next()) {
      ++count;
      std::string begin;
      for (size_t i = 0; i < 4; ++i) {
        char digits[3];
        // The marker is on the last packet of a frame.
        const unsigned value = std::to_integer<unsigned>(datagram->payload[i]);
        std::snprintf(digits, sizeof digits, "%02x", i == 1 && begin[0] != '5' ? value & 0x7F : value);
        begin += digits;
      }
      CHECK_MESSAGE(std::regex_search(begin, std::regex("^" + row.begins)), begin);
    }
    CHECK(count >= 3);
  }
}

TEST_CASE(
    "a capture that begins in the middle of a coded stream: an error if short, shown after a second, or refreshed") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  // Removes the first frame of the capture: pcap has a header of 24 bytes, then records with their length at byte 8.
  const auto cut = [&](int frames, const std::string& options) {
    REQUIRE(shell(cd + "texcast send '" + data("kodim23_256x192.png") +
                  "' pcap:whole.pcap --overwrite --fec none --loop --fps 30 --frames " + std::to_string(frames) +
                  options)
                .exit_code == 0);
    const std::string whole = read_file(folder.file("whole.pcap"));
    std::string rest = whole.substr(0, 24), timestamp;
    for (size_t at = 24; at < whole.size();) {
      const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(whole[at + i])); };
      const size_t bytes = 16 + byte(8) + (byte(9) << 8);
      const std::string datagram = whole.substr(at, bytes);
      const size_t begin = datagram.find("TC\x01\x04");  // docs/wire.md: the time stamp is at byte 8
      REQUIRE(begin != std::string::npos);
      if (timestamp.empty()) timestamp = datagram.substr(begin + 8, 4);
      if (datagram.substr(begin + 8, 4) != timestamp) rest += datagram;
      at += bytes;
    }
    write_file(folder.file("cut.pcap"), rest);
  };
  cut(20, "");
  const Outcome none = shell(cd + "texcast play pcap:cut.pcap --no-window");
  CHECK(none.exit_code == 7);
  CHECK(none.err.find("begins in the middle of a coded stream, and lacks the reference of its 19 frames") !=
        std::string::npos);

  cut(60, "");
  const Outcome holes = shell(cd + "texcast play pcap:cut.pcap --no-window --json");
  REQUIRE(holes.exit_code == 0);
  const json shown = json::parse(holes.out);
  CHECK(shown["frames_shown"] >= 28);
  CHECK(shown["frames_shown"] <= 30);  // of 59, without those of one second
  CHECK(shown["frames_concealed"] == shown["frames_shown"]);

  cut(60, " --refresh 0.5");
  const Outcome refreshed = shell(cd + "texcast play pcap:cut.pcap --no-window --json --record p_%05d.dds");
  REQUIRE(refreshed.exit_code == 0);
  const json all = json::parse(refreshed.out);
  CHECK(all["frames_shown"] >= 59 - 18);
  CHECK(all["frames_concealed"] == 0);
  REQUIRE(shell(cd + "texcast encode '" + data("kodim23_256x192.png") + "' e.dds --format bc1").exit_code == 0);
  char last[16];
  std::snprintf(last, sizeof last, "%05d.dds", all["frames_shown"].get<int>() - 1);
  const std::string healed = read_file(folder.file(std::string("p_") + last));
  REQUIRE(healed.size() > 128);  // the header has the rate
  CHECK(healed.substr(128) == read_file(folder.file("e.dds")).substr(128));
}

TEST_CASE("each frame of a static stream counts as shown, and only the first is drawn") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  for (const std::string coding : {"", " --plain"}) {
    REQUIRE(shell(cd + "texcast send '" + data("kodim23_256x192.png") +
                  "' pcap:a.pcap --overwrite --loop --fps 30 --frames 10" + coding)
                .exit_code == 0);
    const Outcome played = shell(cd + "texcast play pcap:a.pcap --no-window --json");
    REQUIRE(played.exit_code == 0);
    CHECK(json::parse(played.out)["frames_shown"] == 10);
    CHECK(json::parse(played.out)["frames_unchanged"] == (coding.empty() ? 9 : 0));
  }
}

TEST_CASE("a stream over loopback is completely recorded, with the same frames that encode writes") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const Outcome outcome = shell(
      "cd '" + folder.file("") + "'\n" + "texcast receive rtp://127.0.0.1:" + port +
      " r_%05d.dds --frames 30 --timeout 10 --json " + "--stats-json stats.jsonl > receive.json 2> receive.log &\n" +
      "while ! grep -q listening receive.log; do sleep 0.05; done\n" + "texcast send test rtp://127.0.0.1:" + port +
      " --size 320x176 --fps 25 --frames 30 --json > send.json || exit 91\n" + "wait %1 || exit 92\n" +
      "texcast encode test e_%05d.dds --size 320x176 --fps 25 --frames 30 || exit 93\n");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json sent = json::parse(read_file(folder.file("send.json")));
  const json received = json::parse(read_file(folder.file("receive.json")));
  CHECK(received["packets"]["lost"] == 0);
  CHECK(received["frames_lost"] == 0);
  CHECK(received["recording"]["frames"] == sent["frames_sent"]);  // a busy machine drops some
  if (sent["frames_dropped"] == 0) check_same_frames(folder, "e_", "r_", 30);
  const std::string stats = read_file(folder.file("stats.jsonl"));
  REQUIRE_FALSE(stats.empty());
  const json last = json::parse(stats.substr(stats.rfind('\n', stats.size() - 2) + 1));
  CHECK(last["frames"]["in"] == sent["frames_sent"]);
  // An unchanged frame is one packet, and is shown without waiting for parity.
  CHECK(last["packets"]["received"] >= sent["frames_sent"]);
  CHECK(last["packets"]["received"] <= sent["packets"]);
}

TEST_CASE("send reports unreachable destinations within two seconds, and lists receivers by the stream's port") {
  const std::string to = "127.0.0.1:" + std::to_string(free_port());
  const Outcome alone = shell("texcast send test rtp://" + to + " --size 64x64 --frames 132");
  CHECK(alone.exit_code == 0);
  CHECK(alone.err.find("texcast: nobody listens at " + to) != std::string::npos);

  const Folder folder;
  const Outcome both =
      shell("cd '" + folder.file("") + "'\n\"$program\" receive rtp://" + to +
            " a.mov 2> said & receiver=$!\n"
            "until grep -q listening said; do sleep 0.02; done\ntexcast send test rtp://" +
            to + " --size 64x64 --frames 150 --json > sent.json\nkill -INT $receiver; wait; cat said >&2");
  CHECK(both.err.find("nobody") == std::string::npos);
  CHECK(both.err.find("; texcast send INPUT rtp://" + to) != std::string::npos);
  const auto sent = nlohmann::json::parse(read_file(folder.file("sent.json")));
  REQUIRE(sent["receivers"].size() == 1);
  CHECK(sent["receivers"][0]["address"] == to);
  CHECK(sent["fps"].get<double>() <= 60);
}

TEST_CASE("several devices write the same file as one, and the report names them all") {
  const Folder folder;
  const auto encode = [&](const std::string& device, const std::string& output) {
    const Outcome outcome = shell("export POCL_DEVICES='pthread pthread'\ntexcast encode '" + data("clip.mp4") + "' '" +
                                  folder.file(output) + "' --frames 21 --json --device " + device);
    REQUIRE(outcome.exit_code == 0);
    return json::parse(outcome.out)["device"].get<std::string>();
  };
  encode("cpu-reference", "one.mov");
  const std::string one = read_file(folder.file("one.mov"));
  CHECK(one.size() > 21 * 1000);
  CHECK(encode("0,1,cpu-reference", "mixed.mov").find("cpu-reference") != std::string::npos);
  CHECK(read_file(folder.file("mixed.mov")) == one);
  encode("all", "all.mov");
  CHECK(read_file(folder.file("all.mov")) == one);
}

TEST_CASE("Ctrl-C closes the recording, which can be read") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const Outcome outcome = shell("cd '" + folder.file("") + "'\n" + "\"$program\" play rtp://127.0.0.1:" + port +
                                " --no-window --record r.mov > play.txt 2> play.log &\n" +
                                "player=$!\n"
                                "while ! grep -q listening play.log; do sleep 0.05; done\n"
                                "\"$program\" send test rtp://127.0.0.1:" +
                                port + " --size 64x64 --fps 50 > send.txt 2>&1 &\n" +
                                "sender=$!\n"
                                "recorded() { stat -c %s r.mov.journal 2> /dev/null || echo 0; }\n"
                                "until [ \"$(recorded)\" -ge 2000 ]; do sleep 0.02; done  # 40 bytes a frame\n"
                                "kill -TERM $player; wait $player; echo player $?\n"
                                "kill -TERM $sender; wait $sender; echo sender $?\n"
                                "texcast info r.mov --json > info.json\n");
  INFO(outcome.err);
  CHECK(outcome.out == "player 143\nsender 143\n");
  const json info = json::parse(read_file(folder.file("info.json")));
  CHECK(info["frames"] > 10);
}

TEST_CASE("a recording played without a window shows every frame, and off-screen its last picture can be saved") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  REQUIRE(shell(cd + "texcast encode test a.mov --frames 12 --size 128x96 --fps 24").exit_code == 0);
  const Outcome all = shell(cd + "texcast play a.mov --no-window --json");
  REQUIRE(all.exit_code == 0);
  CHECK(json::parse(all.out)["frames_shown"] == 12);
  const Outcome list = shell(cd + "texcast play a.mov a.mov a.mov --no-window --loop --frames 40 --json");
  REQUIRE(list.exit_code == 0);
  const json sources = json::parse(list.out)["sources"];
  REQUIRE(sources.size() == 4);  // one loop and four frames
  CHECK(sources[2]["frames_shown"] == 12);
  CHECK(sources[3]["frames_shown"] == 4);
  // From the ninth frame on in the first round, and from the first one in the second.
  const Outcome late = shell(cd + "texcast play a.mov --no-window --start 0.34 --json");
  REQUIRE(late.exit_code == 0);
  CHECK(json::parse(late.out)["frames_shown"] == 4);
  const Outcome late_list = shell(cd + "texcast play a.mov a.mov --no-window --start 0.34 --loop --frames 13 --json");
  REQUIRE(late_list.exit_code == 0);
  const json rounds = json::parse(late_list.out)["sources"];
  REQUIRE(rounds.size() == 3);
  CHECK(rounds[0]["frames_shown"] == 4);
  CHECK(rounds[1]["frames_shown"] == 4);
  CHECK(rounds[2]["frames_shown"] == 5);  // of 12: it does not begin in the middle again
  const Outcome drawn = shell(cd + "texcast play a.mov --offscreen --size 256x192 --screenshot s.png --osd --json");
  if (drawn.exit_code == 4) {
    MESSAGE("SKIP: no off-screen OpenGL here: " << drawn.err);
    return;
  }
  REQUIRE(drawn.exit_code == 0);
  CHECK(read_file(folder.file("s.png")).starts_with("\x89PNG"));
}

TEST_CASE("encoding preserves the picture: PSNR is plausible, and better formats give more") {
  const Folder folder;
  const auto psnr = [&](const std::string& format) {
    const Outcome outcome = shell("texcast encode '" + data("clip.mp4") + "' '" + folder.file("a.mov") +
                                  "' --overwrite --frames 5 --psnr --json --format " + format);
    REQUIRE(outcome.exit_code == 0);
    const json report = json::parse(outcome.out);
    CHECK(report["frames"] == 5);
    CHECK(report["psnr_worst_db"] <= report["psnr_db"]);
    return report["psnr_db"].get<double>();
  };
  const double bc1 = psnr("bc1");
  CHECK(bc1 > 32);
  CHECK(bc1 < 50);
  CHECK(psnr("ycocg-bc4-444") > bc1 + 3);
}

TEST_CASE("FFmpeg and texcast decode the same pixels from an encoded file") {
  const Folder folder;
  const Outcome outcome =
      shell("cd '" + folder.file("") + "'\n" + "texcast encode '" + data("clip.mp4") + "' a.mov --frames 3 && " +
            "texcast decode a.mov ours.png --frames 1 && "
            "ffmpeg -v error -i a.mov -frames:v 1 -f rawvideo -pix_fmt rgb24 theirs.rgb && "
            "ffmpeg -v error -i ours.png -f rawvideo -pix_fmt rgb24 ours.rgb && cmp ours.rgb theirs.rgb");
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("alpha: FFmpeg and texcast decode the same pixels from Hap5, HapM and HapA") {
  const Folder folder;
  for (const auto& [format, pixels] : {std::pair{"bc3", "rgba"}, {"ycocg-dxt5-alpha", "rgba"}, {"bc4", "gray"}}) {
    CAPTURE(std::string(format));
    const Outcome outcome = shell("cd '" + folder.file("") + "'\n" +
                                  "texcast encode "
                                  "'lavfi:testsrc2=size=130x66:rate=25,format=rgba,geq=r=r(X\\,Y):g=g(X\\,Y):b=b(X\\,Y)"
                                  ":a=2*X+Y/2,format=yuva444p' a.mov --overwrite --frames 2 --psnr --json "
                                  "--device cpu-reference --format " +
                                  format +
                                  " && texcast decode a.mov ours.png --overwrite --frames 1 > decode.txt && "
                                  "ffmpeg -y -v error -i a.mov -frames:v 1 -f rawvideo -pix_fmt " +
                                  pixels +
                                  " theirs.raw && "
                                  "ffmpeg -y -v error -i ours.png -f rawvideo -pix_fmt " +
                                  pixels + " ours.raw && cmp ours.raw theirs.raw");
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const json report = json::parse(outcome.out);
    CHECK(report["psnr_db"] > (std::string(format) == "bc4" ? 45 : 28));
    CHECK(report.contains("psnr_alpha_db") == (std::string(pixels) == "rgba"));
    if (report.contains("psnr_alpha_db")) CHECK(report["psnr_alpha_db"] > 45);
  }
}

TEST_CASE("a recording killed with -9 is recognised, recovered, and complete") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  // At least two seconds have been recorded when it is killed.
  const Outcome killed = shell(cd + R"sh(
    "$built" encode test show.mov --size 64x64 --frames 1000000 2> /dev/null &
    for wait in $(seq 3000); do
      [ "$(stat -c %s show.mov.journal 2> /dev/null || echo 0)" -lt 5000 ] || break
      sleep 0.01
    done
    kill -9 $!
    wait $! 2> /dev/null
    texcast info show.mov)sh");
  CHECK(killed.exit_code == 5);
  CHECK_MESSAGE(killed.err.find("it was not closed: texcast recover show.mov") != std::string::npos, killed.err);
  const Outcome recovered = shell(cd + "texcast recover show.mov --json");
  REQUIRE_MESSAGE(recovered.exit_code == 0, recovered.err);
  const json report = json::parse(recovered.out);
  CHECK(report["frames"] >= 110);  // records of 40 bytes after the header
  CHECK(report["damaged"] == 0);
  const Outcome verified = shell(cd + "texcast verify show.mov && texcast info show.mov --json");
  CHECK_MESSAGE(verified.exit_code == 0, verified.err);
  CHECK(verified.out.find("\"frames\": " + std::to_string(report["frames"].get<int>())) != std::string::npos);
}

TEST_CASE("audio is copied, and parts are listed") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  REQUIRE(shell("ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -c:v mpeg4 -c:a aac '" +
                folder.file("in.mp4") + "'")
              .exit_code == 0);
  const Outcome encoded = shell(cd + "texcast encode in.mp4 out.mov --split 0.5s --audio copy --json");
  REQUIRE_MESSAGE(encoded.exit_code == 0, encoded.err);
  CHECK(json::parse(encoded.out)["files"] == json({"out.mov", "out-2.mov"}));
  const Outcome info = shell(cd + "texcast info out-2.mov --json");
  CHECK(json::parse(info.out)["audio"][0]["codec"] == "aac");
  CHECK(shell(cd + "texcast encode in.mp4 out.dds --frames 1 --audio copy").exit_code == 2);
}

// Mesa's drivers can be set to lack an extension; others ignore that.
TEST_CASE("formats that OpenGL lacks are transcoded, reported in a line, and listed by doctor") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const std::string cd = "cd '" + folder.file("") + "'; export MESA_EXTENSION_OVERRIDE=-GL_ARB_ES3_compatibility\n";
  const Outcome doctor = shell(cd + "texcast doctor --json");
  if (doctor.out.find("llvmpipe") == std::string::npos) {
    MESSAGE("SKIP: this OpenGL is not Mesa's software renderer");
    return;
  }
  CHECK(std::regex_search(
      doctor.out,
      std::regex(
          "off-screen: all are shown without transcoding, but [^\"]*transcoded to bc[17] on [^:]+: [a-z0-9, -]*etc2")));
  const Outcome deviceless = shell(cd + "OCL_ICD_VENDORS=/nonexistent texcast doctor --json");
  CHECK(std::regex_search(deviceless.out, std::regex("not shown without an OpenCL device: [^;\"]*etc2")));
  const Outcome outcome = shell(cd + "texcast play rtp://127.0.0.1:" + port +
                                " --offscreen --frames 3 --timeout 20 --screenshot s.png > played 2> play.log &\n"
                                "while ! grep -q listening play.log; do sleep 0.05; done\n"
                                "\"$program\" send test rtp://127.0.0.1:" +
                                port +
                                " --size 64x64 --fps 25 --format etc2 --device cpu-reference > sent 2>&1 &\n"
                                "wait %1; echo player $?; kill -TERM %2; wait %2; echo sender $?\n");
  const std::string said = read_file(folder.file("play.log"));
  INFO(said);
  CHECK(outcome.out == "player 0\nsender 143\n");
  CHECK(std::regex_search(said, std::regex("the GPU \\(.*\\) does not support ETC2: shown as bc[17], transcoded on ")));
  CHECK(read_file(folder.file("s.png")).starts_with("\x89PNG"));
}

TEST_CASE("ASTC textures are shown without support in OpenGL, close to their decoded colours") {
  const Folder folder;
  const std::string cd =
      "cd '" + folder.file("") + "'; export MESA_EXTENSION_OVERRIDE=-GL_KHR_texture_compression_astc_ldr\n";
  // 127x95: blocks extend beyond the picture, and beyond the device's frame.
  for (const std::string format : {"astc-5x5", "astc-6x6", "astc-8x8"}) {
    CAPTURE(format);
    REQUIRE(shell(cd + "texcast encode '" + data("kodim05_127x95.png") +
                  "' e.ktx2 --overwrite --device cpu-reference " + "--format " + format +
                  " && texcast decode e.ktx2 e.png --overwrite && " +
                  "ffmpeg -v error -y -i e.png -f rawvideo -pix_fmt rgb24 e.rgb")
                .exit_code == 0);
    const Outcome played =
        shell(cd + "texcast play e.ktx2 --offscreen --frames 1 --json --screenshot s.png --overwrite && " +
              "ffmpeg -v error -y -i s.png -f rawvideo -pix_fmt rgb24 s.rgb");
    if (has_no_off_screen(played)) return;
    INFO(played.err);
    REQUIRE(played.exit_code == 0);
    const json report = json::parse(played.out);
    if (!report.contains("transcoding")) {
      MESSAGE("SKIP: this OpenGL is not Mesa's software renderer");
      return;
    }
    CHECK(report["transcoding"]["from"] == format);
    const std::string decoded = read_file(folder.file("e.rgb")), shown = read_file(folder.file("s.rgb"));
    REQUIRE(decoded.size() == size_t{127} * 95 * 3);
    REQUIRE(shown.size() == decoded.size());
    double sum = 0;
    for (size_t i = 0; i < shown.size(); ++i) {
      const double difference = static_cast<uint8_t>(shown[i]) - static_cast<uint8_t>(decoded[i]);
      sum += difference * difference;
    }
    const double rms = std::sqrt(sum / static_cast<double>(shown.size()));
    CHECK(rms < 9);  // the error of BC1 for this picture
  }
}

TEST_CASE("while the player transcodes the received blocks are recorded, and the report has both") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const std::string cd = "cd '" + folder.file("") + "'\n", picture = "'" + data("kodim23_256x192.png") + "'";
  Outcome played;
  std::thread player([&] {
    played = shell(cd + "export MESA_EXTENSION_OVERRIDE=-GL_ARB_texture_compression_bptc\n\"$program\" send " +
                   picture + " rtp://127.0.0.1:" + port +
                   " --loop --fps 20 --format bc7 --device cpu-reference > sent 2>&1 & sender=$!\n"
                   "texcast play rtp://127.0.0.1:" +
                   port + " --offscreen --device cpu-reference --control p --timeout 30 --json; code=$?; : > over\n" +
                   "kill -INT $sender; wait $sender; exit $code");
  });
  // Waits until the player runs and shows frames; it may have no OpenGL.
  const Outcome recorded = shell(cd + R"sh(
until texcast ctl p get position 2> /dev/null | grep -q .; do [ ! -e over ] || exit 0; sleep 0.05; done
texcast ctl p record start r.mov
until texcast ctl p get statistics | grep -q '"shown": *[0-9][0-9]'; do sleep 0.05; done
texcast ctl p record stop; texcast ctl p quit)sh");
  player.join();
  if (has_no_off_screen(played)) return;
  INFO(played.err);
  REQUIRE(played.exit_code == 0);
  CHECK(recorded.exit_code == 0);
  const json report = json::parse(played.out);
  CHECK(report["format"] == "bc7");
  CHECK(report["recording"]["files"] == json({"r.mov"}));
  if (!report.contains("transcoding")) {
    MESSAGE("SKIP: this OpenGL is not Mesa's software renderer");
    return;
  }
  CHECK(report["transcoding"]["from"] == "bc7");
  CHECK(report["transcoding"]["to"] == "bc3");
  CHECK(report["transcoding"]["device"] == "cpu-reference");
  CHECK(json::parse(shell(cd + "texcast info r.mov --json").out)["format"] == "bc7");
  REQUIRE(shell(cd + "texcast encode " + picture + " e.mov --format bc7 --device cpu-reference && " +
                "texcast decode e.mov e.rgb && texcast decode r.mov r.rgb --frames 1")
              .exit_code == 0);
  const std::string encoded = read_file(folder.file("e.rgb"));
  CHECK(encoded.size() == size_t{256} * 192 * 3);
  CHECK(read_file(folder.file("r.rgb")) == encoded);
}

TEST_CASE("remote control of player and sender: a hundred commands, recordings, a screenshot, quitting") {
  const Folder folder;
  const std::string port = std::to_string(free_port()), cd = "cd '" + folder.file("") + "'\n";
  Outcome both;
  std::thread programs([&] {
    both = shell(cd + "texcast send test rtp://127.0.0.1:" + port +
                 " --size 64x64 --fps 30 --crf 30 --control send.socket > sent &\n"
                 "texcast play rtp://:" +
                 port + " --offscreen --control play.socket --size 64x64 > played\nwait");
  });
  // Polls until the program answers, instead of waiting for a fixed time.
  const auto ask = [&](const std::string& socket, const std::vector<std::string>& words) -> control::Message {
    for (;;) {
      try {
        return control::Client(folder.file(socket)).ask(words);
      } catch (const Error&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
  };
  ask("send.socket", {"get", "source"});
  while (ask("play.socket", {"get", "position"}).data_json == "null")
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  control::Client watcher(folder.file("play.socket"));
  {
    control::Client player(folder.file("play.socket")), sender(folder.file("send.socket"));
    CHECK(watcher.ask({"observe", "recording", "pause"}).error.empty());
    for (int i = 1; i <= 30; ++i) {
      CHECK(player.ask({"set", "volume", std::to_string(i)}).error.empty());
      CHECK(player.ask({"get", "volume"}).data_words == std::to_string(i));
      CHECK(player.ask({"toggle", "pause"}).data_words == (i % 2 == 1 ? "true" : "false"));
      if (i % 3 == 0) CHECK(sender.ask({"get", "destinations"}).data_words == "rtp://127.0.0.1:" + port);
    }
    CHECK(sender.ask({"get", "crf"}).data_words == "30");
    CHECK(sender.ask({"get", "bitrate"}).data_words.empty());
    CHECK(sender.ask({"set", "crf", "none"}).code == 2);  // it would be neither
    CHECK(sender.ask({"set", "crf", "20"}).error.empty());
    CHECK(sender.ask({"set", "bitrate", "4M:30M"}).error.empty());
    CHECK(sender.ask({"get", "bitrate"}).data_words == "4000000:30000000");
    CHECK(sender.ask({"set", "crf", "none"}).error.empty());
    CHECK(sender.ask({"set", "bitrate", "1k"}).code == 2);
    CHECK(sender.ask({"set", "bitrate", "5M"}).error.empty());
    CHECK(sender.ask({"get", "bitrate"}).data_words == "5000000");
    CHECK(player.ask({"record", "start", "a.mov"}).error.empty());
    CHECK(player.ask({"get", "recording"}).data_words == "a.mov");
    CHECK(player.ask({"record", "start", "b.mov"}).code == 2);
    CHECK(player.ask({"observe", "statistics"}).error.empty());
    for (int i = 0; i < 2; ++i) CHECK(json::parse(player.next_event()->data_json)["frames"]["shown"] > 0);
    CHECK(player.ask({"record", "stop"}).data_words == "a.mov");
    CHECK(player.ask({"record", "stop"}).code == 2);
    CHECK(player.ask({"record", "start"}).data_words == "texcast-1.mov");  // is closed by quit
    CHECK(player.ask({"seek", "-5"}).code == 2);
    CHECK(json::parse(sender.ask({"get", "statistics"}).data_json)["frames"]["sent"] > 0);
    CHECK(player.next_event().has_value());  // wait for a second of that recording
  }
  const Outcome ctl = shell(cd + R"sh(
texcast ctl play.socket screenshot shot.png
texcast ctl play.socket get nothing; echo "nothing $?"
texcast ctl play.socket watch | head -n 1 | cut -c 1-22
texcast ctl send.socket quit && texcast ctl play.socket quit
while [ -e play.socket ] || [ -e send.socket ]; do sleep 0.01; done
texcast ctl play.socket get source; echo "gone $?"
)sh");
  programs.join();
  INFO(both.err);
  CHECK(both.exit_code == 0);
  CHECK(ctl.out == "shot.png\nnothing 2\n{\"event\": \"statistics\"\ngone 6\n");
  for (const char* file : {"a.mov", "texcast-1.mov"}) {
    CHECK(json::parse(shell("texcast info '" + folder.file(file) + "' --json").out)["frames"] > 0);
    CHECK(shell("texcast verify '" + folder.file(file) + "'").exit_code == 0);
  }
  CHECK(read_file(folder.file("shot.png")).starts_with("\x89PNG"));
  CHECK(read_file(folder.file("played")).find("a.mov, texcast-1.mov, ") != std::string::npos);
  std::vector<std::string> told = events_left(watcher);
  CHECK(std::erase(told, "pause true") == 15);
  CHECK(std::erase(told, "pause false") == 15);
  CHECK(told == std::vector<std::string>{"recording started a.mov", "recording stopped [\"a.mov\"]",
                                         "recording started texcast-1.mov", "recording stopped [\"texcast-1.mov\"]"});
}

TEST_CASE("a running sender changes its settings, and reports why if it cannot") {
  const Folder folder;
  const std::string port = std::to_string(free_port()), other = std::to_string(free_port());
  const std::string address = "rtp://127.0.0.1:" + port, another = "rtp://127.0.0.1:" + other;
  Outcome both;
  std::thread programs([&] {
    both = shell("cd '" + folder.file("") + "'\ntexcast send '" + data("clip.mp4") + "' " + address +
                 " --loop --device cpu-reference --audio-source test --control s > sent &\ntexcast play " + address +
                 " --no-window --control p > played &\ntexcast receive " + another +
                 " a.mov --json --control r > received\nwait");
  });
  std::unique_ptr<control::Client> sender;
  while (!sender) {
    try {
      sender = std::make_unique<control::Client>(folder.file("s"));
    } catch (const Error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  const auto get = [&](const std::string& property) { return sender->ask({"get", property}).data_words; };
  const auto set = [&](const std::string& property, const std::string& value) {
    const control::Message answer = sender->ask({"set", property, value});
    INFO(property << " " << value << ": " << answer.error);
    CHECK(answer.error.empty());
  };
  control::Client watcher(folder.file("s"));
  CHECK(watcher.ask({"observe", "stream", "destination", "pause", "end"}).error.empty());
  CHECK(watcher.ask({"observe", "recording"}).code == 2);  // not an event of send
  CHECK(get("format") == "bc1");
  for (const char* format : {"ycocg-dxt5", "bc1", "ycocg-bc4-422", "bc1"}) {
    set("format", format);
    CHECK(get("format") == format);
  }
  set("quality", "normal");
  CHECK(get("quality") == "normal");
  CHECK(sender->ask({"set", "quality", "finest"}).code == 2);
  CHECK(sender->ask({"set", "method", "lspiro9"}).code == 2);
  CHECK(sender->ask({"set", "crf", "20"}).error.find("the stream is lossless: start `send` again with --crf") == 0);
  CHECK(get("quality") == "normal");
  set("rate", "500M");
  CHECK(get("rate") == "500000000");
  set("rate", "none");
  CHECK(get("rate").empty());
  CHECK(sender->ask({"destination", "add", another}).error.empty());
  CHECK(get("destinations") == address + "\n" + another);
  CHECK_FALSE(sender->ask({"destination", "add", "nonsense"}).error.empty());
  CHECK(sender->ask({"destination", "push", another}).code == 2);
  while (!std::filesystem::exists(folder.file("a.mov"))) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  // The added destination receives audio too, until it is removed.
  control::Client receiver(folder.file("r"));
  CHECK(receiver.ask({"observe", "statistics"}).error.empty());
  const auto sound = [&]() -> std::optional<int> {
    const auto event = receiver.next_event();
    if (!event) return std::nullopt;  // the program has ended
    const json statistics = json::parse(event->data_json);
    return statistics.contains("sound") ? statistics["sound"]["packets"].get<int>() : 0;
  };
  std::optional<int> heard = 0;
  while (heard == 0) heard = sound();
  CHECK(heard);
  CHECK(sender->ask({"destination", "remove", another}).error.empty());
  CHECK(get("destinations") == address);
  for (std::optional<int> before = -1; heard && heard != before; heard = sound()) before = heard;
  CHECK(heard);
  CHECK(sender->ask({"toggle", "pause"}).data_words == "true");
  CHECK(get("pause") == "true");
  set("position", "0.5");
  CHECK(sender->ask({"seek", "-0.2"}).error.empty());
  set("pause", "false");
  CHECK(json::parse(sender->ask({"get", "statistics"}).data_json)["frames"]["in"] > 0);
  for (const char* socket : {"p", "r"}) CHECK(control::Client(folder.file(socket)).ask({"quit"}).error.empty());
  CHECK(sender->ask({"quit"}).error.empty());
  programs.join();
  INFO(both.err);
  CHECK(both.exit_code == 0);
  CHECK(json::parse(shell("texcast info '" + folder.file("a.mov") + "' --json").out)["frames"] > 0);
  std::vector<std::string> streams, others;
  for (const std::string& event : events_left(watcher)) {
    const bool is_stream = event.starts_with("stream ");
    const json data = is_stream ? json::parse(event.substr(7)) : json();
    (is_stream ? streams : others)
        .push_back(is_stream ? data["format"].get<std::string>() + " " + data["quality"].get<std::string>() + " " +
                                   data["rate"].dump()
                             : event);
  }
  CHECK(streams == std::vector<std::string>{"ycocg-dxt5 fast null", "bc1 fast null", "ycocg-bc4-422 fast null",
                                            "bc1 fast null", "bc1 normal null", "bc1 normal 500000000",
                                            "bc1 normal null"});
  CHECK(others == std::vector<std::string>{"destination added " + another, "destination removed " + another,
                                           "pause true", "pause false"});
}

TEST_CASE("remote control of receive: events of the stream, and quit closes the recording") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const Outcome run =
      shell("cd '" + folder.file("") + "'\ntexcast receive rtp://127.0.0.1:" + port +
            " a.mov --control s --json > received &\n"
            "until texcast ctl s get source > /dev/null 2>&1; do sleep 0.05; done\n"
            "texcast receive rtp://127.0.0.1:" +
            std::to_string(free_port()) +
            " b.mov --control s; echo \"taken $?\"\n"
            "texcast ctl s get recording\n"
            "texcast send test rtp://127.0.0.1:" +
            port +
            " --size 64x64 --frames 30 --json > sent\n"
            // Packets that the receiver has not read when it ends are lost; a busy sender drops frames.
            "frames=$(grep -o '\"frames_sent\": *[0-9]*' sent | grep -o '[0-9]*$')\n"
            "until texcast ctl s get statistics | grep -q '\"in\": *'$frames'\\b'; do sleep 0.05; done\n"
            "texcast ctl s quit; wait; ls\n");
  CHECK(run.out == "taken 1\na.mov\na.mov\nreceived\nsent\n");
  const json sent = json::parse(read_file(folder.file("sent")));
  CHECK(sent["frames_in"] == 30);
  CHECK(sent["frames_sent"] > 0);
  CHECK(json::parse(read_file(folder.file("received")))["recording"]["frames"] == sent["frames_sent"]);
}

TEST_CASE("observers get events of streams, recordings, receivers and ends, from sender and receiver") {
  const Folder folder;
  const std::string port = std::to_string(free_port()), cd = "cd '" + folder.file("") + "'\n";
  Outcome both;
  const auto connected = [&](const char* socket) {
    for (;;) {
      try {
        return std::make_unique<control::Client>(folder.file(socket));
      } catch (const Error&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
  };
  std::thread receiving([&] {
    both = shell(cd + "texcast receive rtp://127.0.0.1:" + port + " a.mov --frames 60 --control r > received");
  });
  const auto receiver = connected("r");
  CHECK(receiver->ask({"observe", "stream", "recording", "end"}).error.empty());
  std::thread sending([&] {
    shell(cd + "texcast send test rtp://127.0.0.1:" + port +
          " --size 64x64 --fps 20 --frames 120 --device cpu-reference --control s > sent");
  });
  const auto sender = connected("s");
  CHECK(sender->ask({"observe", "receiver", "end"}).error.empty());
  const std::vector<std::string> of_receiver = events_left(*receiver), of_sender = events_left(*sender);
  receiving.join();
  sending.join();
  CHECK(both.exit_code == 0);
  CHECK(of_receiver ==
        std::vector<std::string>{"recording started a.mov",
                                 R"(stream {"coding":"compact","format":"bc1","fps":20,"height":64,"width":64})",
                                 "recording stopped [\"a.mov\"]", R"(end {"source":"rtp://127.0.0.1:)" + port + "\"}"});
  CHECK(of_sender == std::vector<std::string>{"receiver joined 127.0.0.1:" + port, "receiver left 127.0.0.1:" + port,
                                              R"(end {"source":"test"})"});
}

namespace {

// Whether measured latencies equal the sums of their stages. The time code has whole milliseconds.
void check_ages(const json& ages) {
  CHECK(ages["measured_ms"]["p50"] > 0);
  CHECK(ages["difference_ms"]["p50"] <= 1);
  CHECK(ages["difference_ms"]["p95"] <= 1.5);
}

std::set<std::string> names_of(const json& stages) {
  std::set<std::string> names;
  for (const auto& [name, value] : stages.items()) names.insert(name);
  return names;
}

const std::set<std::string> kPictureStages = {"encode", "send", "network", "assemble", "wait", "upload", "present"};
const std::set<std::string> kSoundStages = {"packet", "network", "wait", "device"};

}  // namespace

TEST_CASE("latency: the measured latency of the picture equals the sum of its stages") {
  for (const std::string how :
       {"--format bc1", "--format ycocg-bc4 --plain --latency 0", "--format ycocg-bc4 --quality fast --crf 23"}) {
    CAPTURE(how);
    const Outcome run = shell("texcast latency --size 512x288 --fps 30 --frames 60 --json " + how);
    if (has_no_off_screen(run)) return;
    REQUIRE(run.exit_code == 0);
    const json report = json::parse(run.out);
    CHECK(report["frames_looked_at"] > 5);
    CHECK(report["frames_read"] == report["frames_looked_at"]);
    check_ages(report);
    CHECK(names_of(report["stages_ms"]) == kPictureStages);
    CHECK_FALSE(report.contains("sound"));
  }
  CHECK(shell("texcast latency --size 200x100").exit_code == 2);
}

TEST_CASE("latency: two programs measure the same as one, for audio too") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const Outcome run = shell("cd '" + folder.file("") + "'\n: > said\ntexcast latency --show rtp://127.0.0.1:" + port +
                            " --audio --json > shown 2> said & shows=$!\n"
                            "until grep -q listening said || ! kill -0 $shows; do sleep 0.05; done\n"
                            "grep -q listening said && texcast latency rtp://127.0.0.1:" +
                            port +
                            " --size 512x288 --fps 30 --frames 120 --audio --json > sent || kill -INT $shows\n"
                            "wait $shows; code=$?; cat said >&2; exit $code");
  if (has_no_off_screen(run)) return;
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const json shown = json::parse(read_file(folder.file("shown"))), sent = json::parse(read_file(folder.file("sent")));
  CHECK(shown["frames_read"] > 5);
  CHECK(shown["frames_read"] == shown["frames_looked_at"]);
  check_ages(shown);
  CHECK(names_of(shown["stages_ms"]) == kPictureStages);
  CHECK(sent["frames_sent"] > 100);
  // With one clock the delay of a packet is above 0 and below the round-trip time.
  CHECK(shown["network_least_ms"] > 0);
  REQUIRE(sent["receivers"].size() == 1);
  const json& sound = shown["sound"];
  CHECK(sound["clicks"] > 0);
  check_ages(sound);
  CHECK(names_of(sound["stages_ms"]) == kSoundStages);
  // From the click's beginning to its block's end: 0 to 5 ms, by its position in the block. The beginning is found to
  // within some samples, as the receiver's sound is resampled, so that the stage may be outside by that at the block's
  // first or last sample.
  constexpr double kFoundMs = 0.1;
  CHECK(sound["stages_ms"]["packet"]["p50"] >= -kFoundMs);
  CHECK(sound["stages_ms"]["packet"]["p50"] <= 5 + kFoundMs);
  CHECK(sound["stages_ms"]["device"]["p50"] >= 10);  // a buffer, and the position in it
}

TEST_CASE("latency: of a window by screen capture; a covered time code is reported") {
  const Folder folder;
  const Outcome run = shell("cd '" + folder.file("") + R"sh('
command -v Xvfb > /dev/null || exit 77
exec 4< <(exec Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>&1 > xvfb 2>&1)
xvfb=$!
read -r -u 4 number
export DISPLAY=:$number
latency() { texcast latency --size 512x288 --fps 20 --frames "$1" --grab "$2" --json; }
latency 60 screen > whole; echo $?
latency 10 screen:300x100+0+0 > part 2> said; echo $?
kill "$xvfb"
)sh");
  if (run.exit_code == 77) {
    MESSAGE("SKIP: no Xvfb here");
    return;
  }
  INFO(run.err);
  REQUIRE(run.out == "0\n1\n");
  CHECK(read_file(folder.file("said")).find("screen:300x100+0+0") != std::string::npos);
  const json report = json::parse(read_file(folder.file("whole")));
  CHECK(report["frames_read"] > 5);
  check_ages(report);
  auto stages = kPictureStages;
  stages.insert("screen");
  CHECK(names_of(report["stages_ms"]) == stages);
  // Visible after it was given to the window system, and hardly later than the next frame was.
  CHECK(report["stages_ms"]["screen"]["p50"] > -report["stages_ms"]["present"]["p50"].get<double>() - 1);
  CHECK(report["grab"] == "screen");
}

TEST_CASE("latency: options for the other end or without effect are refused") {
  for (const std::string words :
       {"rtp://127.0.0.1:9 --show rtp://:5004", "--show pcap:a.pcap", "rtp://127.0.0.1:9 --window",
        "rtp://127.0.0.1:9 --grab screen", "--show rtp:// --fps 30", "rtp://127.0.0.1:9 --latency 0",
        "--show rtp:// --format bc3", "--show rtp:// --plain", "--show rtp:// --crf 20", "--plain --crf 20",
        "--show rtp:// --passes 3", "--show rtp:// --device cpu-reference", "--grab screen --window",
        "--grab window:Terminal", "--grab monitor"}) {
    CAPTURE(words);
    CHECK(shell("texcast latency " + words).exit_code == 2);
  }
}

TEST_CASE("an interrupt ends a stream with its report and then by the signal, also if it comes twice at once") {
  // On a busy machine the second may come so late that it counts separately, and ends the program without a report.
  for (int tries = 10; tries > 0; --tries) {
    const Folder folder;
    const Outcome echoed =
        shell("cd '" + folder.file("") +
              "'\n\"$program\" send test rtp://127.0.0.1:9 --size 64x64 --json > report 2> said & sender=$!\n"
              "until grep -q 'sending 64x64' said; do sleep 0.02; done; sleep 0.2\n"
              "kill -INT $sender $sender; wait $sender");
    CHECK(echoed.exit_code == 130);
    if (read_file(folder.file("report")).empty() && tries > 1) continue;
    CHECK(json::parse(read_file(folder.file("report")))["width"] == 64);
    break;
  }
}
