#include <doctest/doctest.h>

#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "bench/kernels.h"
#include "bench/picture_quality.h"
#include "bench/pipeline.h"

using namespace texcast;
using namespace texcast::bench;

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    CHECK(line.size() <= 120);
    all.push_back(line);
  }
  CHECK(text.back() == '\n');
  return all;
}

KernelTiming timing(const char* name, double median_us, bool is_floor = false) {
  KernelTiming t;
  t.candidate = {name, {.source = {PixelFormat::nv12, 1000, 500, {}}}, is_floor};
  t.time = {.min_us = median_us / 2, .median_us = median_us, .max_us = 2 * median_us, .rounds = 30};
  return t;
}

bool ends(const std::string& line, const std::string& with) { return line.ends_with(with); }

}  // namespace

TEST_CASE("multiples are relative to the median of the memory floor in the same run") {
  std::vector<KernelTiming> timings = {timing("a", 30), timing("floor", 12, true), timing("b", 6)};
  work_out(timings);
  CHECK(timings[0].times_floor == 2.5);
  CHECK(timings[1].times_floor == 1);
  CHECK(timings[2].times_floor == 0.5);
  CHECK(timings[0].megapixels_per_second == doctest::Approx(500000.0 / 30));
  timings[1].failure = "no room";
  work_out(timings);
  CHECK(timings[0].times_floor == 0);
}

TEST_CASE("a table of kernels has a line for each kernel, also for those that failed") {
  std::vector<KernelTiming> timings = {timing("floor", 10, true), timing("a", 40), timing("b", 0)};
  timings[2].failure = "does not build";
  work_out(timings);
  const auto rows = lines(kernel_table(timings));
  REQUIRE(rows.size() == 4);
  CHECK(rows[2].starts_with("a "));
  CHECK(ends(rows[2], "20.0       40.0       80.0     30    12500     4.00"));
  CHECK(rows[3].find("does not build") != std::string::npos);
}

TEST_CASE("a table of the pipeline begins with the limit, and marks rates measured on a single frame") {
  PipelineReport report;
  report.upload.frame_bytes = 1'000'000;
  report.upload.frames = {.per_second = 2000, .slowest = 1900, .fastest = 2100, .rounds = 5, .pieces = 1000};
  report.upload.both_ways = {.per_second = 1800, .slowest = 1800, .fastest = 1800, .rounds = 5, .pieces = 900};
  report.qualities.resize(2);
  report.qualities[0].stages = {
      .upload = nanoseconds(230'400), .kernel = nanoseconds(99'600), .download = nanoseconds(77'000)};
  report.qualities[0].frames = {.per_second = 1500, .slowest = 1000, .fastest = 1600, .rounds = 5, .pieces = 700};
  report.qualities[1].quality = Quality::best;
  report.qualities[1].frames = {.per_second = 0.5, .slowest = 0.5, .fastest = 0.5, .rounds = 0, .pieces = 1};
  work_out(report);
  const auto rows = lines(pipeline_table(report));
  REQUIRE(rows.size() == 6);
  CHECK(rows[1].find("2.00 GB/s") != std::string::npos);
  CHECK(ends(rows[1], "0.500      100.0"));
  CHECK(ends(rows[2], "0.556       90.0"));
  CHECK(ends(rows[3], "0.667       75.0       230       100       77"));
  CHECK(rows[4].find("best") != std::string::npos);
  CHECK(rows[4].find('*') != std::string::npos);
  CHECK(rows[5].starts_with("*"));
}

TEST_CASE("a table of the gain of several devices: uploads, then every quality") {
  std::vector<PipelineReport> alone(2);
  for (PipelineReport& report : alone) {
    report.qualities.resize(1);
    report.upload.frames.per_second = 4000;
    report.qualities[0].frames.per_second = 3500;
  }
  PipelineReport together = alone[0];
  together.upload.frames.per_second = 8000;
  together.qualities[0].frames.per_second = 6650;
  const auto rows = lines(gain_table(alone, together));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].starts_with("2 devices "));
  CHECK(ends(rows[1], "8000      2.00"));
  CHECK(rows[2].starts_with("bc1 fast "));
  CHECK(ends(rows[2], "6650      1.90"));
}

TEST_CASE("a table of picture quality") {
  QualityScore score{.texture = TextureFormat::bc1, .method = Method::refine, .bits_per_pixel = 4};
  score.qualities = {Quality::normal};
  score.psnr_db = 35.558;
  QualityScore lossless = score;
  lossless.psnr_db = std::numeric_limits<double>::infinity();
  QualityScore black = score;
  black.options.allow_black = true;
  const auto rows = lines(quality_table({score, lossless, black}));
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].starts_with("bc1 refine "));
  CHECK(rows[1].find(" normal ") != std::string::npos);
  CHECK(ends(rows[1], " 35.56"));
  CHECK(ends(rows[2], " inf"));
  CHECK(rows[3].starts_with("bc1 refine --black "));
}

TEST_CASE("a megapixel per second is a texel per microsecond") {
  const FrameFormat hd{PixelFormat::nv12, 1920, 1080, {}};
  CHECK(megapixels_per_second(hd, 10) == 207360);
  CHECK(megapixels_per_second(hd, 1e6) == doctest::Approx(2.0736));
  CHECK(megapixels_per_second(hd, 0) == 0);
}

TEST_CASE("candidates: the memory floor first, then the requested kernels") {
  const FrameFormat hd{PixelFormat::nv12, 1920, 1080, {}};
  const auto all = all_candidates(hd);
  CHECK(all.front().is_floor);
  for (size_t i = 1; i < all.size(); ++i) CHECK_FALSE(all[i].is_floor);
  const auto few = all_candidates(hd, "ycocg-bc4-444");
  REQUIRE(few.size() > 1);
  CHECK(few.size() < all.size());
  CHECK(few.front().is_floor);
  for (size_t i = 1; i < few.size(); ++i)
    CHECK(few[i].repacked_from.value_or(few[i].settings.texture) == TextureFormat::ycocg_bc4_444);
  CHECK(all_candidates(hd, "no such kernel").size() == 1);
  const auto wide = all_candidates(hd, "bc1 lspiro3 --radius 4", {.passes = 3, .radius = 4});
  REQUIRE(wide.size() > 1);
  CHECK(wide.back().settings.options.radius == 4);
}
