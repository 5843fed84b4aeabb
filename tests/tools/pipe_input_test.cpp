// Pipes as inputs of the built program: `ffmpeg … | texcast send - DEST`, with sound, over loopback; `encode -`.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "media/audio_reader.h"
#include "program.h"

using namespace texcast;
using namespace texcast::test;
using nlohmann::json;

namespace {

// Two seconds of a moving picture with a tone from one second on.
const std::string kSource =
    "-f lavfi -i testsrc2=s=128x96:r=25:d=2 "
    "-f lavfi -i \"aevalsrc='gte(t,1)*0.5*sin(2000*PI*t)|gte(t,1)*0.5*sin(2000*PI*t)':s=48000:d=2\" ";
const std::string kRaw = "-c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le -f nut - ";

double tone_of(const std::string& file) {
  const auto reader = media::open_audio(file);
  REQUIRE(reader);
  reader->seek({});
  std::vector<float> all(2 * 48000 * 3);
  all.resize(2 * reader->read(all));
  for (size_t i = 0; i < all.size(); i += 2)
    if (std::abs(all[i]) > 0.1F) return static_cast<double>(i / 2) / 48000;
  return -1;
}

// FFmpeg's figure of the whole recording against the source.
double psnr_of(const Folder& folder, const std::string& file) {
  const Outcome outcome = shell(
      "cd '" + folder.file("") + "'\nffmpeg -v info -nostats -i " + file +
      " -f lavfi -i testsrc2=s=128x96:r=25:d=2,format=yuv420p -lavfi '[0:v]format=yuv420p[a];[a][1:v]psnr' -f null -");
  const size_t at = outcome.err.find("average:");
  REQUIRE_MESSAGE(at != std::string::npos, outcome.err);
  return std::stod(outcome.err.substr(at + 8));
}

}  // namespace

TEST_CASE("ffmpeg | texcast send - has every frame and the sound in sync, written at once or in real time") {
  for (const std::string pace : {"", "-re "}) {
    CAPTURE(pace);
    const Folder folder;
    const std::string port = std::to_string(free_port());
    const Outcome outcome = shell("cd '" + folder.file("") + "'\n" + "texcast receive rtp://127.0.0.1:" + port +
                                      " out.mkv --timeout 4 --frames 50 --json > receive.json 2> receive.log &\n"
                                      "while ! grep -q listening receive.log; do sleep 0.05; done\n"
                                      "ffmpeg -v error " +
                                      pace + kSource + kRaw + "| texcast send - rtp://127.0.0.1:" + port +
                                      " --device cpu-reference --json > send.json || exit 91\nwait %1 || exit 92\n",
                                  120);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const json sent = json::parse(read_file(folder.file("send.json")));
    CHECK(sent["frames_sent"] == 50);
    CHECK(sent["frames_dropped"] == 0);
    CHECK(sent["sound"]["source"] == "pcm_s16le of -");
    const json received = json::parse(read_file(folder.file("receive.json")));
    CHECK(received["sound"]["lost"] == 0);
    if (received["recording"]["frames"] != 50) continue;  // on a busy machine the recording begins later
    const double psnr = psnr_of(folder, "out.mkv"), tone = tone_of(folder.file("out.mkv"));
    MESSAGE(pace, "PSNR ", psnr, " dB, tone at ", tone, " s");
    CHECK(psnr > 28);
    CHECK(std::abs(tone - 1) < 0.01);
  }
}

TEST_CASE("encode - records a pipe with its sound, and compares it with its source") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  const Outcome outcome = shell(cd + "ffmpeg -v error " + kSource + kRaw +
                                "| texcast encode - out.mkv --device cpu-reference --psnr --json");
  REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
  const json report = json::parse(outcome.out);
  CHECK(report["frames"] == 50);
  CHECK(report["psnr_db"] > 28);
  CHECK(std::abs(tone_of(folder.file("out.mkv")) - 1) < 0.001);
  const Outcome cut = shell(cd + "ffmpeg -v quiet " + kSource + kRaw +
                            "| texcast encode - cut.mov --frames 30 --device cpu-reference --audio copy --json");
  CHECK(json::parse(cut.out)["frames"] == 30);
  CHECK(std::abs(tone_of(folder.file("cut.mov")) - 1) < 0.001);
}

TEST_CASE("a pipe that is empty, or can be read only once, has its message and exit code") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  const Outcome empty = shell(cd + ": | texcast encode - out.mkv");
  CHECK(empty.exit_code == 5);
  CHECK(empty.err.find("'-': it ended before the first byte") != std::string::npos);
  const Outcome again =
      shell(cd + "ffmpeg -v quiet " + kSource + kRaw + "| texcast send - pcap:a.pcap --frames 5 --loop");
  CHECK(again.exit_code == 2);
  CHECK(again.err.find("'-' can be read only once") != std::string::npos);
}

TEST_CASE("texture files are not read from standard input, and the message says what to do") {
  const Folder folder;
  for (const std::string command : {"info", "decode - out.png", "verify", "play --no-window"}) {
    CAPTURE(command);
    const bool has_input = command.find(" - ") != std::string::npos;
    const Outcome outcome =
        shell("cd '" + folder.file("") + "'\ntexcast " + command + (has_input ? "" : " -") + " < /dev/null");
    CHECK(outcome.exit_code == 2);
    CHECK((outcome.err + outcome.out).find("save it to a file first") != std::string::npos);
  }
}

TEST_CASE("--vf and --duration of the program, and their errors of usage") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n", in = "texcast encode lavfi:testsrc2=s=128x96:r=25:d=2 ";
  const std::string end = " --device cpu-reference --json";
  const json filtered = json::parse(shell(cd + in + "a.mov --vf scale=64:-2,fps=50 -t 500ms" + end).out);
  CHECK(filtered["frames"] == 25);
  CHECK(filtered["width"] == 64);
  CHECK(filtered["height"] == 48);
  CHECK(json::parse(shell(cd + "texcast decode a.mov a.y4m -t 0.2s --json").out)["frames"] == 10);
  const Outcome wrong = shell(cd + in + "b.mov --vf nosuch" + end);
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("No such filter: 'nosuch'") != std::string::npos);
  CHECK(shell(cd + "texcast encode test b.mov --vf hflip -t 1" + end).exit_code == 2);
  CHECK(shell(cd + in + "b.mov -t 0" + end).exit_code == 2);
}

TEST_CASE("an interrupt ends a command that waits for the writer of a pipe, although nothing is written") {
  const Folder folder;
  // Opening the FIFO for writing returns when the program has opened it for reading.
  const Outcome outcome = shell("cd '" + folder.file("") +
                                    "'\nmkfifo fifo\n\"$program\" encode fifo out.mkv 2> log & waiting=$!\n"
                                    "exec 9> fifo; kill -INT $waiting; wait $waiting; cat log",
                                120);
  CHECK(outcome.exit_code != 124);  // it did not hang
  CHECK(outcome.out.find("interrupted") != std::string::npos);
}
