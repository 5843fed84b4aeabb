// The tuner: the fastest form is used, whichever it is, and its bytes are the reference's.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "check.h"
#include "data_folder.h"
#include "environment.h"
#include "ref/encode.h"
#include "temporary_folder.h"
#include "texcast/encoder.h"
#include "texcast/error.h"
#include "tuner/tune.h"

using namespace texcast;
using namespace texcast::tuner;
using check::ScopedEnv;
using stages::Form;
using std::chrono::microseconds;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr ColorSpec kFullRgb{ColorMatrix::bt709, ColorRange::full};

stages::StageSettings small(PixelFormat source = PixelFormat::nv12, Method method = Method::range) {
  return {.source = {source, 65, 9, is_rgb(source) ? kFullRgb : ColorSpec{}}, .method = method};
}

// Made-up times: `fastest` takes 1 us, everything else 5.
MakeRun dream(const Tuning& fastest, std::vector<Tuning>* tried = nullptr) {
  return [=](const stages::StageSettings& settings) -> tuner::Run {
    const Tuning tuning = tuning_of(settings);
    if (tried != nullptr) tried->push_back(tuning);
    return [us = tuning == fastest ? 1 : 5]() -> nanoseconds { return microseconds(us); };
  };
}

MakeRun never_asked() {
  return [](const stages::StageSettings&) -> tuner::Run {
    FAIL("timed, though nothing had to be timed");
    return {};
  };
}

std::vector<fs::path> cached(const TemporaryFolder& folder) {
  std::vector<fs::path> files;
  if (fs::exists(folder.path / "texcast"))
    for (const auto& entry : fs::directory_iterator(folder.path / "texcast"))
      if (entry.path().extension() == ".tuning") files.push_back(entry.path());
  return files;
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::byte> encode_one(const EncoderSettings& settings, const check::Frame& frame) {
  const auto encoder = check::make_built_encoder(settings);
  encoder->submit(frame.view(), {});
  const auto blocks = encoder->next().texture.blocks;
  return {blocks.begin(), blocks.end()};
}

// Copies the kernels. Files whose path begins with `broken` do not build (none if it is empty).
void copy_kernels(const fs::path& to, const std::string& broken) {
  const fs::path from = test::source_folder() + "/cl_kernels";
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const fs::path path = fs::relative(entry.path(), from);
    if (entry.is_directory())
      fs::create_directory(to / path);
    else
      std::ofstream(to / path) << (!broken.empty() && path.string().starts_with(broken) ? "#error broken\n" : "")
                               << content(entry.path());
  }
}

}  // namespace

TEST_CASE("tuner: the likely forms are among all forms, the default first") {
  for (const Method method : kMethods)
    for (const PixelFormat source : {PixelFormat::nv12, PixelFormat::rgb24}) {
      const auto settings = small(source, method);
      const auto likely = candidates(check::device(), settings, Extent::likely);
      const auto all = candidates(check::device(), settings, Extent::all);
      CHECK(likely.front().form == stages::best_form(check::device(), settings));
      CHECK(all.front() == likely.front());
      CHECK(all.size() > likely.size() - 1);
      for (const Tuning& tuning : likely) CHECK(std::find(all.begin(), all.end(), tuning) != all.end());
      for (const Tuning& tuning : all) {
        CHECK(std::count(all.begin(), all.end(), tuning) == 1);
        CHECK(stages::has_form(with(settings, tuning)));
        CHECK(tuning_of(with(settings, tuning)) == tuning);
      }
    }
}

TEST_CASE("tuner: each form can be the fastest, is stored, and gives the reference's bytes") {
  if (check::spared("every form tuned")) return;
  const auto settings = small();
  const auto frame = check::make_frame(settings.source, check::Pattern::random, 1);
  const auto all = candidates(check::device(), settings, Extent::all);
  size_t number = 0;
  for (const Tuning& winner : all) {
    CAPTURE(describe(winner));
    const TemporaryFolder folder;
    const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
    const auto chosen = choose(check::device(), settings, TuneMode::again, dream(winner));
    CHECK(tuning_of(chosen) == winner);
    CHECK(remembered(check::device(), settings) == winner);
    CHECK(tuning_of(choose(check::device(), settings, TuneMode::automatic, never_asked())) == winner);
    CHECK(tuning_of(choose(check::device(), settings, TuneMode::off, never_asked())) == all.front());
  }
  for (const Tuning& tuning : all) {
    // An interpreter is too slow for all of them; the first and the last of a kind have every form.
    if (check::tiny_only() && number++ % 5 != 0) continue;
    const auto stage = stages::make_stage(check::device(), with(settings, tuning));
    CHECK(check::equals_reference(*stage, settings, frame, describe(tuning)));
  }
}

TEST_CASE("tuner: the first use times the likely forms once") {
  const TemporaryFolder folder;
  const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
  const auto settings = small(PixelFormat::rgb24, Method::refine);
  const auto likely = candidates(check::device(), settings, Extent::likely);
  REQUIRE(likely.size() > 1);
  std::vector<Tuning> tried;
  const auto first = choose(check::device(), settings, TuneMode::automatic, dream(likely.back(), &tried));
  CHECK(tried == likely);
  CHECK(tuning_of(first) == likely.back());
  CHECK(cached(folder).size() == 1);
  choose(check::device(), settings, TuneMode::automatic, never_asked());
}

TEST_CASE("tuner: a single likely form is not timed") {
  const TemporaryFolder folder;
  const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
  const auto settings = small(PixelFormat::nv12, Method::refine_once);
  if (candidates(check::device(), settings, Extent::likely).size() > 1) {
    MESSAGE("SKIP: ", check::device().info().name, " has several");
    return;
  }
  choose(check::device(), settings, TuneMode::automatic, never_asked());
  CHECK(cached(folder).empty());
}

TEST_CASE("tuner: a damaged file counts as missing, and is written again") {
  const TemporaryFolder folder;
  const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
  const auto settings = small();
  const Tuning winner = candidates(check::device(), settings, Extent::all).back();
  remember(check::device(), settings, winner);
  REQUIRE(cached(folder).size() == 1);
  const fs::path file = cached(folder).front();
  const std::string good = content(file);
  REQUIRE(good.size() > 100);
  std::string swapped = good;
  std::swap(swapped[20], swapped[21]);
  const std::string unknown_form = good.substr(0, good.rfind("form ")) + "form none source buffer";
  std::string other_size = good;
  other_size.replace(other_size.rfind("group_size"), std::string::npos, "group_size 3 blocks_per_group 8\n");
  for (const std::string& bad : {std::string(), good.substr(0, good.size() / 2), good.substr(0, good.size() - 1),
                                 swapped, unknown_form, other_size, good + "x", std::string(1 << 20, 'x')}) {
    std::ofstream(file, std::ios::binary) << bad;
    CHECK_FALSE(remembered(check::device(), settings).has_value());
    CHECK(tuning_of(choose(check::device(), settings, TuneMode::again, dream(winner))) == winner);
    CHECK(content(file) == good);
  }
  CHECK(cached(folder).size() == 1);
}

TEST_CASE("tuner: a stored result is for one method, texture, source, size and set of kernels") {
  const TemporaryFolder folder;
  const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
  const auto settings = small(PixelFormat::rgba, Method::refine);
  const Tuning winner = candidates(check::device(), settings, Extent::all).back();
  remember(check::device(), settings, winner);
  CHECK(remembered(check::device(), settings) == winner);
  std::map<std::string, stages::StageSettings> others;
  others["method"] = others["texture"] = others["source"] = others["width"] = others["height"] = others["range"] =
      settings;
  others["method"].method = Method::refine_once;
  others["texture"].texture = TextureFormat::ycocg_bc4_444;
  others["source"].source.pixel_format = PixelFormat::bgra;
  others["width"].source.width += 64;
  others["height"].source.height += 4;
  others["range"].source.color.range = ColorRange::limited;
  for (const auto& [what, other] : others) {
    CAPTURE(what);
    CHECK_FALSE(remembered(check::device(), other).has_value());
  }
  const TemporaryFolder kernels;
  copy_kernels(kernels.path, "");
  {
    const ScopedEnv same("TEXCAST_KERNEL_DIR", kernels.path.string());
    CHECK(remembered(check::device(), settings) == winner);
    std::ofstream(kernels.path / "common/load.cl", std::ios::app) << "\n";
    CHECK_FALSE(remembered(check::device(), settings).has_value());
  }
}

TEST_CASE("tuner: forms that fail are left out; with a used-up budget there is still a result") {
  const auto settings = small(PixelFormat::rgb24);
  const auto all = candidates(check::device(), settings, Extent::all);
  REQUIRE(all.size() >= 3);
  const MakeRun fails_but_third = [&](const stages::StageSettings& s) -> tuner::Run {
    if (tuning_of(s) != all[2]) throw Error(ErrorKind::no_device, "it does not build\nbecause");
    return [] { return nanoseconds(5); };
  };
  const Table third = tune(check::device(), settings, {Extent::all}, fails_but_third);
  CHECK(third.winner == all[2]);
  CHECK(third.rows.front().left_out == "it does not build");
  CHECK(third.rows[2].left_out.empty());
  CHECK(text(third, settings).find("it does not build") != std::string::npos);

  const MakeRun fails = [](const stages::StageSettings&) -> tuner::Run { throw Error(ErrorKind::no_device, "no"); };
  CHECK(tune(check::device(), settings, {Extent::all}, fails).winner == all.front());

  std::vector<Tuning> tried;
  const Table no_time = tune(check::device(), settings, {Extent::all, nanoseconds(1)}, dream(all.back(), &tried));
  CHECK(no_time.winner == all.front());
  CHECK(tried == std::vector{all.front()});
  CHECK(no_time.rows.back().left_out == "no time left");
}

TEST_CASE("tuner: frames that take too long are timed on some of their rows") {
  auto settings = small(PixelFormat::rgb24);
  settings.source.height = 4000;
  const auto per_row = [](nanoseconds time) -> MakeRun {
    return [time](const stages::StageSettings& s) -> tuner::Run {
      return [time, rows = s.source.height] { return time * rows; };
    };
  };
  const TuneSettings how{Extent::likely, std::chrono::seconds(2)};
  CHECK(tune(check::device(), settings, how, per_row(nanoseconds(10))).height == 4000);
  const int rows = tune(check::device(), settings, how, per_row(std::chrono::milliseconds(1))).height;
  CHECK(rows >= 64);
  CHECK(rows < 500);
  CHECK(rows % 4 == 0);
}

TEST_CASE("tuner: on the device itself") {
  const auto settings = small(PixelFormat::rgb24);
  const Table table =
      tune(check::device(), settings, {Extent::likely, std::chrono::milliseconds(1)}, runs_on(check::device()));
  CHECK(table.rows.front().left_out.empty());
  CHECK(table.rows.front().time.median_us > 0);
  CHECK(table.height == settings.source.height);
}

TEST_CASE("tuner: the encoder uses the stored form, or the default if that does not build any more") {
  const auto settings = small(PixelFormat::rgb24);
  const auto frame = check::make_frame(settings.source, check::Pattern::random, 1);
  std::vector<std::byte> want(texture_layout(TextureFormat::bc1, 65, 9).total_bytes);
  ref::encode(frame.view(), TextureFormat::bc1, Method::range, want);
  EncoderSettings encoding{.source = settings.source,
                           .method = Method::range,
                           .device = std::to_string(check::device().info().index),
                           .tune = TuneMode::automatic};
  for (const std::string broken : {"bc1/range", "paper/"}) {
    CAPTURE(broken);
    const TemporaryFolder folder;
    const TemporaryFolder kernels;
    const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
    copy_kernels(kernels.path, broken);
    const ScopedEnv from("TEXCAST_KERNEL_DIR", kernels.path.string());
    remember(check::device(), settings, {.form = Form::group, .blocks_per_group = 2});
    CHECK(encode_one(encoding, frame) == want);
    encoding.tune = TuneMode::off;
    if (broken == "bc1/range") CHECK_THROWS_AS(encode_one(encoding, frame), Error);
    encoding.tune = TuneMode::automatic;
  }
}

TEST_CASE("tuner: modes by name, and by the environment") {
  for (const TuneMode mode : kTuneModes) CHECK(tune_mode_from_name(name(mode)) == mode);
  CHECK_FALSE(tune_mode_from_name("on").has_value());
  {
    const ScopedEnv again("TEXCAST_TUNE", "again");
    CHECK(default_tune_mode() == TuneMode::again);
  }
  {
    const ScopedEnv unset("TEXCAST_TUNE", "");
    CHECK(default_tune_mode() == TuneMode::automatic);
  }
  const ScopedEnv wrong("TEXCAST_TUNE", "sometimes");
  CHECK_THROWS_AS(default_tune_mode(), Error);
}
