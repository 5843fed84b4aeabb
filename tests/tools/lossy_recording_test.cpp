// Options of coded recordings as a user gives them: quality, PSNR and key frames.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

json encoded(const std::string& input, const std::string& output, const std::string& options) {
  const Outcome outcome = shell("texcast encode '" + input + "' '" + output +
                                "' --format ycocg-bc4-444 --device cpu-reference --overwrite --json " + options);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

std::string pixels_of(const std::string& picture) {
  const Outcome outcome = shell("ffmpeg -v error -i '" + picture + "' -f rawvideo -pix_fmt rgb24 -");
  REQUIRE(outcome.exit_code == 0);
  return outcome.out;
}

double psnr_between(const std::string& a, const std::string& b) {
  const std::string one = pixels_of(a), other = pixels_of(b);
  REQUIRE(one.size() == other.size());
  REQUIRE(!one.empty());
  double squares = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    const double off = static_cast<uint8_t>(one[i]) - static_cast<uint8_t>(other[i]);
    squares += off * off;
  }
  return 10 * std::log10(255 * 255 * static_cast<double>(one.size()) / squares);
}

// The flags of a file's packets, one letter each: K for key frames, else _.
std::string keys_of(const std::string& file) {
  const Outcome outcome = shell("ffprobe -v error -show_entries packet=flags -of csv=p=0 '" + file + "' | cut -c 1");
  std::string keys;
  for (const char c : outcome.out)
    if (c != '\n') keys += c;
  return keys;
}

}  // namespace

TEST_CASE("encode --psnr measures what a lossy recording shows") {
  const Folder folder;
  const std::string picture = data("kodim05_127x95.png"), recording = folder.file("o.mkv"),
                    shown = folder.file("o.png");
  for (const std::string options : {"--coding compact", "--crf 20", "--crf 40"}) {
    CAPTURE(options);
    const double reported = encoded(picture, recording, "--psnr " + options).at("psnr_db");
    REQUIRE(shell("texcast decode '" + recording + "' '" + shown + "' --overwrite").exit_code == 0);
    CHECK(reported == doctest::Approx(psnr_between(picture, shown)).epsilon(0.001));
  }
}

TEST_CASE("encode --keyframe-interval sets the distance of key frames, and 0 allows only the first") {
  const Folder folder;
  const std::string recording = folder.file("o.mkv");
  const auto keys_with = [&](const std::string& options) {
    encoded("test", recording, "--size 64x64 --fps 5 --frames 12 " + options);
    return keys_of(recording);
  };
  CHECK(keys_with("--coding compact") == "K____K____K_");
  CHECK(keys_with("--coding compact --keyframe-interval 0") == "K___________");
  CHECK(keys_with("--crf 30 --keyframe-interval 400ms") == "K_K_K_K_K_K_");
  CHECK(keys_with("--crf 30 --keyframe-interval 0:02") == "K_________K_");
}
