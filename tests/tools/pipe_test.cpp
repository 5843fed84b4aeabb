// Pipes as OUTPUT: what goes into them, and what happens to a command when its reader is slow, stuck or gone. A failed
// command leaves no file.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "program.h"

using namespace texcast::test;

namespace {

bool tells(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

Outcome in_shell(const Folder& folder, const std::string& text) {
  return shell("cd '" + folder.file("") + "'\n" + text);
}

void make_clip(const Folder& folder, const std::string& options = "") {
  REQUIRE(in_shell(folder, "texcast -q encode test a.mov --size 64x48 --frames 12 --device cpu-reference " + options)
              .exit_code == 0);
}

std::set<std::string> files_in(const Folder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file(""))) names.insert(entry.path().filename());
  return names;
}

// Sums of the frames that ffmpeg reads from its standard input, as RGB.
constexpr const char* kSums =
    "ffmpeg -v error -i - -map 0:v -pix_fmt rgb24 -f framemd5 - | grep -v '^#' | sed 's/.*, //'";

}  // namespace

TEST_CASE("decode - gives ffmpeg exactly the decoded pixels, and its report goes to stderr") {
  const Folder folder;
  make_clip(folder);
  const std::string wanted =
      in_shell(
          folder,
          std::string("texcast -q decode a.mov a.rgb\nffmpeg -v error -f rawvideo -pix_fmt rgb24 -s 64x48 -i a.rgb "
                      "-f framemd5 - | grep -v '^#' | sed 's/.*, //'"))
          .out;
  REQUIRE(wanted.size() == 12 * 33);
  for (const std::string words : {"decode a.mov -", "decode a.mov pipe:1", "decode a.mov /dev/stdout",
                                  "decode a.mov - --container mkv", "-q decode a.mov - --container nut"}) {
    CAPTURE(words);
    const Outcome piped = in_shell(folder, "texcast " + words + " | " + kSums);
    CHECK(piped.out == wanted);
    CHECK(tells(piped.err, "decoded     12 frames") == !words.starts_with("-q"));
  }
  const Outcome json = in_shell(folder, "texcast decode a.mov - --json 2> said | wc -c; cat said");
  CHECK(nlohmann::json::parse(json.out.substr(json.out.find('{')))["frames"] == 12);
}

TEST_CASE("y4m, images and alpha go through a pipe as into a file") {
  const Folder folder;
  make_clip(folder, "--format bc7");
  CHECK(in_shell(folder,
                 "texcast -q decode a.mov - --container y4m > p.y4m; texcast -q decode a.mov f.y4m; cmp p.y4m f.y4m")
            .exit_code == 0);
  CHECK(in_shell(folder,
                 "texcast -q decode a.mov - --frames 1 --container png > p.png\n"
                 "texcast -q decode a.mov f.png --frames 1; cmp p.png f.png")
            .exit_code == 0);
  CHECK(
      in_shell(folder, "texcast -q decode a.mov - | ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 -").out ==
      "rgba\n");
}

TEST_CASE("encode - writes Matroska or one texture, as into a file") {
  const Folder folder;
  make_clip(folder);
  const std::string encode = "texcast -q encode test ", options = " --size 64x48 --frames 12 --device cpu-reference";
  const Outcome stream = in_shell(folder, encode + "-" + options + " > p.mkv\ntexcast -q decode p.mkv p.rgb && " +
                                              "texcast -q decode a.mov a.rgb && cmp p.rgb a.rgb");
  INFO(stream.err);
  CHECK(stream.exit_code == 0);
  CHECK(in_shell(folder, encode + "- --size 64x48 --frames 1 --device cpu-reference --container ktx2 > p.ktx2\n" +
                             encode + "f.ktx2 --size 64x48 --frames 1 --device cpu-reference; cmp p.ktx2 f.ktx2")
            .exit_code == 0);
}

TEST_CASE("a FIFO is opened once, so that its reader gets everything") {
  const Folder folder;
  make_clip(folder);
  const Outcome outcome = in_shell(folder,
                                   "mkfifo p.y4m\n\"$program\" -q decode a.mov p.y4m --overwrite & cat p.y4m > got\n"
                                   "wait $!; echo $?; texcast -q decode a.mov f.y4m; cmp got f.y4m && echo same");
  CHECK(outcome.out == "0\nsame\n");
}

TEST_CASE("when the reader of a pipe has enough, a command ends quietly by SIGPIPE") {
  const Folder folder;
  make_clip(folder);
  for (const std::string words : {"decode a.mov -", "decode a.mov - --container y4m",
                                  "encode test - --size 256x256 --device cpu-reference --snappy off"}) {
    CAPTURE(words);
    const Outcome outcome = in_shell(
        folder, "\"$program\" " + words + " 2> said | head -c 10 > /dev/null; echo ${PIPESTATUS[0]}; cat said");
    // A small output may be in the pipe before the reader ends.
    CHECK((outcome.out == "141\n" || (words.starts_with("decode") && tells(outcome.out, "decoded "))));
  }
  CHECK(in_shell(folder, "texcast -q encode test - --size 64x64 --device cpu-reference > /dev/full").exit_code == 1);
}

TEST_CASE("receive - gives pictures and sound as NUT, or pictures at a constant rate as y4m") {
  for (const std::string container : {"nut", "y4m"}) {
    CAPTURE(container);
    const Folder folder;
    const std::string address = "rtp://127.0.0.1:" + std::to_string(free_port());
    const Outcome outcome =
        in_shell(folder, "\"$program\" receive " + address + " - --container " + container +
                             " --timeout 5 > got 2> said & receiver=$!\n"
                             "until grep -q listening said; do sleep 0.02; done\n"
                             "texcast -q send test " +
                             address +
                             " --size 64x48 --fps 20 --frames 40 --audio-source test --device cpu-reference\n"
                             "wait $receiver; echo $?; cat said >&2\n"
                             "ffprobe -v error -count_frames -show_entries stream=codec_name,pix_fmt -of csv=p=0 got\n"
                             "ffmpeg -v error -i got -map 0:v -f framemd5 - | grep -vc '^#'");
    INFO(outcome.err);
    // Lost frames are repeated in y4m, but those at the beginning and the end may be missing.
    CHECK(tells(outcome.err, "recording   stdout." + container));
    if (container == "nut") CHECK(outcome.out.starts_with("0\nrawvideo,rgb24\npcm_s16le"));
    if (container == "y4m") CHECK(outcome.out.starts_with("0\nrawvideo,yuv444p\n"));
    const int frames = std::stoi(outcome.out.substr(outcome.out.rfind('\n', outcome.out.size() - 2) + 1));
    CHECK(frames >= 36);
    CHECK(frames <= 41);
  }
}

TEST_CASE("a reader that stops reading costs frames of the pipe, not of the network, and no interrupt waits for it") {
  const Folder folder;
  const std::string address = "rtp://127.0.0.1:" + std::to_string(free_port());
  const Outcome outcome = in_shell(
      folder,
      "{ \"$program\" receive " + address +
          " - --stats-json stats 2> said & echo $! > pid; wait $!; echo $? > code; } | { until [ -e over ]; do "
          "sleep 0.05; "
          "done; } &\nuntil grep -q listening said; do sleep 0.02; done\n"
          "texcast -q send test " +
          address +
          " --size 256x256 --fps 30 --frames 240 --device cpu-reference\n"  // a busy machine sends fewer
          "until [ $(wc -l < stats) -ge 4 ]; do sleep 0.05; done\n"
          "kill -INT $(cat pid); until [ -e code ]; do sleep 0.02; done; : > over; wait; cat code; tail -n 1 stats");
  INFO(outcome.err);
  REQUIRE(outcome.out.starts_with("130\n"));
  const auto stats = nlohmann::json::parse(outcome.out.substr(4));
  CHECK(stats["frames"]["in"] > 100);
  CHECK(stats["dropped"]["not_recorded"] > 40);  // all but the queue, and what the pipe holds
}

TEST_CASE("what cannot go into a pipe is refused") {
  const Folder folder;
  make_clip(folder);
  for (const auto& [words, message] :
       {std::pair<std::string, std::string>{"encode a.mov - --container mov", "its index goes before the data"},
        {"decode a.mov - --container mp4", "its index goes before the data"},
        {"encode a.mov - --container gif", "choose --container mkv, ktx2, dds, astc"},
        {"encode a.mov - --container ktx2", "can hold only one image"},
        {"encode a.mov - --split 1G", "--split and --max-disk are for files"},
        {"decode a.mov b.png --container nut", "--container is for - and FIFOs"},
        {"receive rtp://127.0.0.1:0 - --stats-json -", "exclude each other"},
        {"play rtp://127.0.0.1:0 --no-window --record -", "texcast receive SOURCE -"},
        {"recover a.mov -o -", "needs the name of a file"}}) {
    CAPTURE(words);
    const Outcome refused = in_shell(folder, "texcast " + words + " | cat; exit ${PIPESTATUS[0]}");
    CHECK(refused.exit_code == 2);
    CHECK(refused.out.empty());
    CHECK(tells(refused.err, message));
  }
  CHECK(in_shell(folder, "script -qec \"'$built' decode a.mov -\" /dev/null").exit_code == 2);  // a terminal
}

TEST_CASE("a failed command leaves no file that was not there before") {
  const Folder folder;
  make_clip(folder);
  write_file(folder.file("text.txt"), "no video\n");
  const auto before = files_in(folder);
  for (const auto& [words, code] : {std::pair<std::string, int>{"encode a.mov x.ktx2 --frames 3", 2},
                                    {"encode a.mov x.dds", 2},
                                    {"encode a.mov x.mov --start 100", 5},
                                    {"encode text.txt x.mov", 5},
                                    {"encode a.mov x.astc --format bc1 --frames 1", 2},
                                    {"decode a.mov x.png", 2},
                                    {"decode a.mov x.png --frames 2", 2},
                                    {"decode text.txt x.y4m", 5},
                                    {"decode a.mov x.nosuch", 2},
                                    {"receive pcap:missing.pcap x.mov", 5}}) {
    CAPTURE(words);
    CHECK(in_shell(folder, "texcast " + words + " --device cpu-reference").exit_code != 0);
    CHECK(in_shell(folder, "texcast " + words).exit_code == code);
    CHECK(files_in(folder) == before);
  }
  // Files of at most 4 KiB: no picture, and no frame of a recording.
  for (const std::string words : {"decode a.mov x.y4m", "decode a.mov x.rgb", "decode a.mov x.bmp --frames 1",
                                  "encode test x.dds --size 256x256 --frames 1 --device cpu-reference",
                                  "encode test x.mov --size 512x512 --frames 1 --snappy off --device cpu-reference"}) {
    CAPTURE(words);
    CHECK(in_shell(folder, "ulimit -f 4\ntexcast " + words).exit_code == 1);
    CHECK(files_in(folder) == before);
  }
  // The retry is not refused.
  CHECK(in_shell(folder, "texcast -q encode a.mov x.ktx2 --frames 1 --device cpu-reference").exit_code == 0);
}

TEST_CASE("--quiet leaves out the report, but not what was asked for; -y overwrites") {
  const Folder folder;
  make_clip(folder);
  const std::string encode = "encode a.mov b.mov -y --device cpu-reference";
  for (const std::string& words :
       {encode, encode, std::string("decode a.mov b.y4m -y"), std::string("recover a.mov"),
        std::string("send a.mov pcap:b.pcap -y --device cpu-reference"),
        std::string("play pcap:b.pcap --no-window --record c.mov -y"), std::string("receive pcap:b.pcap c.mov -y")}) {
    CAPTURE(words);
    const Outcome quiet = in_shell(folder, "texcast -q " + words);
    CHECK(quiet.exit_code == 0);
    CHECK(quiet.out.empty());
    CHECK(quiet.err.empty());
  }
  CHECK(in_shell(folder, "texcast -q " + encode + " --psnr").out.starts_with("PSNR "));
  CHECK(nlohmann::json::parse(in_shell(folder, "texcast -q " + encode + " --json").out)["frames"] == 12);
  CHECK(tells(in_shell(folder, "texcast -q info b.mov").out, "64x48"));
}
