// Whole ways through the program: what goes in is what comes out.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "program.h"
#include "transport/pcap.h"

using namespace texcast;
using namespace texcast::test;
using nlohmann::json;

namespace {

// Frame files of two sequences are the same bytes, and there are `count` of each.
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

}  // namespace

TEST_CASE("what was sent to a capture and played from it equals what encode writes, frame for frame") {
  const Folder folder;
  for (const auto& [format, coding] :
       {std::pair<std::string, std::string>{"bc1", ""}, {"bc1", " --plain"}, {"ycocg-bc4-444", ""}}) {
    CAPTURE(format + coding);
    const std::string cd = "cd '" + folder.file("") + "'\n";
    const bool dds = format == "bc1";
    const std::string how = " --frames 20 --overwrite --format " + format;
    write_file(folder.file("key"), "correct horse battery staple\r\nand no more\n");
    const std::string key = dds ? " --key-file key" : "";  // one of the two is encrypted
    const Outcome sent = shell(cd + "texcast send '" + data("clip.mp4") + "' pcap:a.pcap --json" + how + key + coding);
    REQUIRE(sent.exit_code == 0);
    CHECK(json::parse(sent.out)["coding"] == (coding.empty() ? "compact" : "plain"));
    if (dds) {
      REQUIRE(shell(cd + "texcast encode '" + data("clip.mp4") + "' e_%05d.dds" + how).exit_code == 0);
      const Outcome played =
          shell(cd + "texcast play pcap:a.pcap --no-window --overwrite --record p_%05d.dds --json" + key);
      REQUIRE(played.exit_code == 0);
      CHECK(json::parse(played.out)["frames_shown"] == 20);
      CHECK(json::parse(played.out)["packets"]["lost"] == 0);
      check_same_frames(folder, "e_", "p_", 20);
    } else {
      // No DDS for this format: compare what both recordings decode to.
      REQUIRE(shell(cd + "texcast encode '" + data("clip.mp4") + "' e.mov" + how).exit_code == 0);
      REQUIRE(shell(cd + "texcast play pcap:a.pcap --no-window --record p.mov").exit_code == 0);
      REQUIRE(shell(cd + "texcast decode e.mov e.y4m && texcast decode p.mov p.y4m").exit_code == 0);
      const std::string left = read_file(folder.file("e.y4m"));
      CHECK(left.size() > 20 * 100000);
      CHECK(left == read_file(folder.file("p.y4m")));
      // Without a device to make Hap Q on, the planes as they are.
      REQUIRE(shell(cd + "texcast encode '" + data("clip.mp4") + "' f.mkv --layout planes" + how).exit_code == 0);
      const Outcome received = shell(cd + "OCL_ICD_VENDORS=/nonexistent texcast receive pcap:a.pcap q.mov");
      REQUIRE(received.exit_code == 0);
      CHECK(received.err.find("recording its planes as they are") != std::string::npos);
      CHECK(json::parse(shell(cd + "texcast info q.mov --json").out)["format"] == "ycocg-bc4-444");
      REQUIRE(shell(cd + "texcast decode f.mkv f.y4m && texcast decode q.mov q.y4m").exit_code == 0);
      CHECK(read_file(folder.file("f.y4m")) == read_file(folder.file("q.y4m")));
      CHECK(left != read_file(folder.file("q.y4m")));
    }
  }
}

TEST_CASE("what send puts on the wire: compact unless it is told otherwise, and nothing of texcast's for UltraGrid") {
  const Folder folder;
  write_file(folder.file("key"), "correct horse battery staple\n");
  struct Row {
    std::string options, begins;  // of every datagram, hexadecimal: a regular expression
  };
  // docs/wire.md: "TC", version 1, type 4 of data and 5 of parity; RTP with the payload types of UltraGrid; sealed.
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
    "a capture that begins within a compact stream: told where it is short, shown from a second on, or refreshed") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  // The capture without its first frame: pcap's header of 24 bytes, then records with their length at byte 8.
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
  CHECK(none.err.find("begins within a compact stream, and what its 19 frames differ from") != std::string::npos);

  cut(60, "");
  const Outcome holes = shell(cd + "texcast play pcap:cut.pcap --no-window --json");
  REQUIRE(holes.exit_code == 0);
  const json shown = json::parse(holes.out);
  CHECK(shown["frames_shown"] >= 28);
  CHECK(shown["frames_shown"] <= 30);  // of 59, less those of one second
  CHECK(shown["frames_concealed"] == shown["frames_shown"]);

  cut(60, " --refresh 0.5");
  const Outcome refreshed = shell(cd + "texcast play pcap:cut.pcap --no-window --json --record p_%05d.dds");
  REQUIRE(refreshed.exit_code == 0);
  const json all = json::parse(refreshed.out);
  CHECK(all["frames_shown"] >= 59 - 18);
  CHECK(all["frames_concealed"] == 0);
  REQUIRE(shell(cd + "texcast encode '" + data("kodim23_256x192.png") + "' e.dds").exit_code == 0);
  char last[16];
  std::snprintf(last, sizeof last, "%05d.dds", all["frames_shown"].get<int>() - 1);
  const std::string healed = read_file(folder.file(std::string("p_") + last));
  REQUIRE(healed.size() > 128);  // the header, which has the rate
  CHECK(healed.substr(128) == read_file(folder.file("e.dds")).substr(128));
}

TEST_CASE("a stream over loopback is received and recorded whole, and is what encode writes") {
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
  // A frame in which nothing changes is a packet; parity is not waited for.
  CHECK(last["packets"]["received"] >= sent["frames_sent"]);
  CHECK(last["packets"]["received"] <= sent["packets"]);
}

TEST_CASE("send says where nobody listens, within two seconds, and lists receivers under the stream's port") {
  const std::string to = "127.0.0.1:" + std::to_string(free_port());
  const Outcome alone = shell("texcast send test rtp://" + to + " --size 64x64 --frames 132");
  CHECK(alone.exit_code == 0);
  CHECK(alone.err.find("texcast: nobody listens at " + to) != std::string::npos);

  const Folder folder;
  const Outcome both = shell("texcast receive rtp://" + to + " '" + folder.file("a.mov") + "' --timeout 3 &\n" +
                             "sleep 1\ntexcast send test rtp://" + to + " --size 64x64 --frames 150 --json > '" +
                             folder.file("sent.json") + "'\nwait");
  CHECK(both.err.find("nobody") == std::string::npos);
  CHECK(both.err.find("; texcast send INPUT rtp://" + to) != std::string::npos);
  const auto sent = nlohmann::json::parse(read_file(folder.file("sent.json")));
  REQUIRE(sent["receivers"].size() == 1);
  CHECK(sent["receivers"][0]["address"] == to);
  CHECK(sent["fps"].get<double>() <= 60);
}

TEST_CASE("several devices write the file that one writes, and the report names them all") {
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

TEST_CASE("Ctrl-C closes the recording: it can be read") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const Outcome outcome = shell("cd '" + folder.file("") + "'\n" + "\"$program\" play rtp://127.0.0.1:" + port +
                                " --no-window --record r.mov > play.txt 2> play.log &\n" +
                                "player=$!\n"
                                "while ! grep -q listening play.log; do sleep 0.05; done\n"
                                "\"$program\" send test rtp://127.0.0.1:" +
                                port + " --size 64x64 --fps 50 > send.txt 2>&1 &\n" +
                                "sender=$!\n"
                                "sleep 2; kill -TERM $player; wait $player; echo player $?\n"
                                "kill -TERM $sender; wait $sender; echo sender $?\n"
                                "texcast info r.mov --json > info.json\n");
  INFO(outcome.err);
  CHECK(outcome.out == "player 0\nsender 0\n");
  const json info = json::parse(read_file(folder.file("info.json")));
  CHECK(info["frames"] > 10);
}

TEST_CASE("a recording played with no window shows every frame, and off-screen its last picture can be saved") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  REQUIRE(shell(cd + "texcast encode test a.mov --frames 12 --size 128x96 --fps 24").exit_code == 0);
  const Outcome all = shell(cd + "texcast play a.mov --no-window --json");
  REQUIRE(all.exit_code == 0);
  CHECK(json::parse(all.out)["frames_shown"] == 12);
  const Outcome list = shell(cd + "texcast play a.mov a.mov a.mov --no-window --loop --frames 40 --json");
  REQUIRE(list.exit_code == 0);
  const json sources = json::parse(list.out)["sources"];
  REQUIRE(sources.size() == 4);  // round once, and 4 more
  CHECK(sources[2]["frames_shown"] == 12);
  CHECK(sources[3]["frames_shown"] == 4);
  const Outcome drawn = shell(cd + "texcast play a.mov --offscreen --size 256x192 --screenshot s.png --osd --json");
  if (drawn.exit_code == 4) {
    MESSAGE("SKIP: no off-screen OpenGL here: " << drawn.err);
    return;
  }
  REQUIRE(drawn.exit_code == 0);
  CHECK(read_file(folder.file("s.png")).starts_with("\x89PNG"));
}

TEST_CASE("encoding keeps the picture: PSNR is sane, and finer formats are better") {
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

TEST_CASE("encode, then decode: FFmpeg and texcast read the same pixels out of the file") {
  const Folder folder;
  const Outcome outcome =
      shell("cd '" + folder.file("") + "'\n" + "texcast encode '" + data("clip.mp4") + "' a.mov --frames 3 && " +
            "texcast decode a.mov ours.png --frames 1 && "
            "ffmpeg -v error -i a.mov -frames:v 1 -f rawvideo -pix_fmt rgb24 theirs.rgb && "
            "ffmpeg -v error -i ours.png -f rawvideo -pix_fmt rgb24 ours.rgb && cmp ours.rgb theirs.rgb");
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("alpha, end to end: FFmpeg and texcast read the same pixels out of Hap5, HapM and HapA") {
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

TEST_CASE("a recording killed with -9 is told apart, recovered, and whole") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  // Two seconds of it are there at least when it is killed.
  const Outcome killed = shell(cd + R"sh(
    "$program" encode test show.mov --size 64x64 --frames 1000000 2> /dev/null &
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
  CHECK(report["frames"] >= 110);  // records of 40 bytes behind the header
  CHECK(report["damaged"] == 0);
  const Outcome verified = shell(cd + "texcast verify show.mov && texcast info show.mov --json");
  CHECK_MESSAGE(verified.exit_code == 0, verified.err);
  CHECK(verified.out.find("\"frames\": " + std::to_string(report["frames"].get<int>())) != std::string::npos);
}

TEST_CASE("sound goes along, and parts are named") {
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
