// A stream as a camera, as a user makes it, read by another program from PipeWire.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "../camera/node_reader.h"
#include "../screen/wayland/own_desktop.h"
#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

constexpr int kStillWidth = 256, kStillHeight = 128;

int still_color_at(int x, int y, int channel) {
  return channel == 0   ? x * 255 / kStillWidth
         : channel == 1 ? y * 255 / kStillHeight
                        : (x / 32 + y / 32) % 2 * 160 + 40;
}

std::string still_picture() {
  std::string ppm = "P6 " + std::to_string(kStillWidth) + " " + std::to_string(kStillHeight) + " 255\n";
  for (int y = 0; y < kStillHeight; ++y)
    for (int x = 0; x < kStillWidth; ++x)
      for (int c = 0; c < 3; ++c) ppm += static_cast<char>(still_color_at(x, y, c));
  return ppm;
}

double psnr_of_bgrx(const std::vector<uint8_t>& picture) {
  if (picture.size() != size_t{4} * kStillWidth * kStillHeight) return 0;
  double error = 0;
  for (int y = 0; y < kStillHeight; ++y)
    for (int x = 0; x < kStillWidth; ++x)
      for (int c = 0; c < 3; ++c) {
        const double difference =
            picture[static_cast<size_t>(4 * (y * kStillWidth + x) + c)] - still_color_at(x, y, 2 - c);
        error += difference * difference;
      }
  return 10 * std::log10(255.0 * 255 * 3 * kStillWidth * kStillHeight / std::max(error, 1e-9));
}

// The lines of statistics, one for each second, after the first frame.
int seconds_with_frames(const std::string& statistics) {
  int seconds = 0;
  std::istringstream lines(statistics);
  for (std::string line; std::getline(lines, line);)
    if (line.ends_with('}') && line.find("\"frames\": {\"in\": 0,") == std::string::npos) ++seconds;
  return seconds;
}

// A sender and a receiver, until there is a file named "over".
std::string camera_script(const std::string& port, const std::string& send_options) {
  return "\"$program\" receive 127.0.0.1:" + port +
         " pipewire:Studio --device cpu-reference --json --stats-json stats > out 2> err & receiver=$!\n"
         "\"$program\" -q send still.ppm rtp://127.0.0.1:" +
         port + " --fps 25 --loop --device cpu-reference " + send_options +
         " > sent 2>&1 & sender=$!\n"
         "until [ -e over ]; do sleep 0.05; done\n"
         "kill -INT $receiver; wait $receiver; code=$?; kill -INT $sender; wait $sender; exit $code";
}

}  // namespace

TEST_CASE("a program reads a received picture from a camera, which decodes and converts only what it must") {
  OwnDesktop desktop;
  if (!desktop.start_bus() || !desktop.start_pipewire()) {
    MESSAGE("SKIP: there is no " << desktop.missing());
    return;
  }
  for (const bool is_coded : {true, false}) {
    CAPTURE(is_coded);
    const Folder folder;
    write_file(folder.file("still.ppm"), still_picture());
    auto streamed = std::async(std::launch::async, [&] {
      return shell(inside(folder, camera_script(std::to_string(free_port()), is_coded ? "--format bc1" : "--plain")));
    });
    // Frames come while no program reads the camera, for a second at least.
    CHECK(comes_true([&] { return seconds_with_frames(read_file(folder.file("stats"))) >= 2; }));
    {
      NodeReader reader("texcast.Studio", SPA_VIDEO_FORMAT_BGRx);
      CHECK(reader.has_more_than(6, kStillWidth));
      CHECK(comes_true([&] { return psnr_of_bgrx(reader.picture()) > 32; }));
      MESSAGE("PSNR " << psnr_of_bgrx(reader.picture()) << " dB");
    }
    write_file(folder.file("over"), "");
    const Outcome outcome = streamed.get();
    INFO(read_file(folder.file("err")));
    INFO(read_file(folder.file("sent")));
    CHECK(outcome.exit_code == 130);  // by SIGINT
    const json report = json::parse(read_file(folder.file("out")));
    const json& camera = report["camera"];
    CAPTURE(camera.dump());
    CHECK(camera["converted"] >= 1);
    CHECK(camera["converted"] <= 4);  // the picture does not change, but its first tiles may come late
    CHECK(camera["sent"].get<int>() > 6);
    CHECK(camera["repeated"].get<int>() >= 2);
    CHECK((camera["not_decoded"] == 0) == !is_coded);
  }
}

TEST_CASE("a camera that there cannot be is one line that says what to install or to leave out") {
  const Folder folder;
  const std::string port = std::to_string(free_port());
  const auto says = [&](const std::string& arguments, int exit_code, const std::string& words) {
    const Outcome outcome = shell(
        inside(folder, "XDG_RUNTIME_DIR=$PWD texcast receive 127.0.0.1:" + port + " " + arguments + " --timeout 1"));
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.exit_code == exit_code);
    CHECK(outcome.complaints().size() == 1);
    CHECK(outcome.err.find(words) != std::string::npos);
  };
  says("pipewire:Studio", 5, "systemctl --user start pipewire wireplumber");
  says("v4l2:/dev/video-none", 5, "install v4l2loopback-dkms");
  says("v4l2:still.ppm", 5, "install v4l2loopback-dkms");
  says("pipewire:Studio --layout hapq", 2, "--layout is for files");
  says("pipewire:Studio --no-audio", 2, "--no-audio is for files");
}
