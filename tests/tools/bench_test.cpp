// `texcast bench` as a user runs it, with small frames and few rounds on any device.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

json document(const std::string& command) {
  const Outcome outcome = shell(command);
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.complaints().empty());
  return json::parse(outcome.out);
}

const json* named(const json& list, const std::string& key, const std::string& value) {
  for (const json& entry : list)
    if (entry.at(key) == value) return &entry;
  return nullptr;
}

// PSNR of a picture, computed independently.
double encode_db(const std::string& picture, const Folder& folder) {
  return document("texcast encode --format bc1 '" + picture + "' '" + folder.file("o.dds") +
                  "' --overwrite --method refine --psnr --json")
      .at("psnr_db");
}

}  // namespace

TEST_CASE("bench: kernels and pipeline, with every field of the JSON") {
  const json report = document("texcast bench --size 64x48 --rounds 2 --only 'bc1 ' --json");
  REQUIRE(report["devices"].size() == 1);
  const json& entry = report["devices"][0];
  CHECK_FALSE(entry["device"]["name"].get<std::string>().empty());
  CHECK(entry["source"] == json({{"pixel_format", "nv12"}, {"width", 64}, {"height", 48}}));

  const json& kernels = entry["kernels"]["kernels"];
  REQUIRE(kernels.size() >= 7);
  CHECK(kernels[0]["memory_floor"] == true);
  const double floor_us = kernels[0]["median_us"];
  CHECK(floor_us > 0);
  CHECK(kernels[0]["times_floor"] == 1.0);
  for (const json& k : kernels) {
    INFO(k.dump());
    if (k.contains("failure")) continue;
    CHECK(k["rounds"] >= 1);
    CHECK(k["rounds"] <= 2);
    const double median = k["median_us"];
    CHECK(k["min_us"] <= median);
    CHECK(k["max_us"] >= median);
    CHECK(k["megapixels_per_s"].get<double>() == doctest::Approx(64 * 48 / median).epsilon(1e-6));
    CHECK(k["times_floor"].get<double>() == doctest::Approx(median / floor_us).epsilon(1e-6));
    if (k["memory_floor"] == true) continue;
    CHECK(k["format"] == "bc1");
    CHECK(k["name"].get<std::string>().find(k["method"].get<std::string>()) != std::string::npos);
    CHECK(k.contains("form"));
    CHECK(k.contains("source_memory"));
  }

  const json& pipeline = entry["pipeline"];
  CHECK(pipeline["frames_in_flight"] >= 1);
  const double limit = pipeline["upload"]["frames_per_s"];
  CHECK(limit > 0);
  const double bytes = pipeline["upload"]["frame_bytes"];
  CHECK(bytes >= 64 * 48 * 3 / 2);
  CHECK(pipeline["upload"]["both_ways_percent"].get<double>() ==
        doctest::Approx(100 * pipeline["upload"]["both_ways_frames_per_s"].get<double>() / limit).epsilon(1e-6));
  CHECK(pipeline["upload"]["gigabytes_per_s"].get<double>() == doctest::Approx(limit * bytes / 1e9).epsilon(1e-6));
  REQUIRE(pipeline["qualities"].size() == 4);
  for (const std::string quality : {"fast", "normal", "high", "best"}) {
    const json* row = named(pipeline["qualities"], "quality", quality);
    REQUIRE(row != nullptr);
    const double rate = row->at("frames_per_s");
    CHECK(rate > 0);
    CHECK(row->at("slowest_frames_per_s") <= rate);
    CHECK(row->at("fastest_frames_per_s") >= rate);
    CHECK(row->at("percent_of_upload").get<double>() == doctest::Approx(100 * rate / limit).epsilon(1e-6));
    CHECK(row->at("frames") >= 1);
    for (const char* stage : {"stage_in", "upload", "kernel", "download"}) CHECK(row->at("stages_ms").contains(stage));
  }
  CHECK_FALSE(entry.contains("psnr"));  // no pictures
}

TEST_CASE("bench of several devices: each alone, then all together, compared with their mean") {
  const std::string two = "export POCL_DEVICES='pthread pthread'\n";
  const json report = document(two + "texcast bench pipeline --device all --size 64x48 --only 'bc1 fast' --json");
  const size_t devices = report["devices"].size();
  REQUIRE(devices >= 2);
  double alone = 0, upload_alone = 0;
  for (const json& entry : report["devices"]) {
    alone += entry["pipeline"]["qualities"][0]["frames_per_s"].get<double>() / static_cast<double>(devices);
    upload_alone += entry["pipeline"]["upload"]["frames_per_s"].get<double>() / static_cast<double>(devices);
  }
  const json& together = report["together"];
  CHECK(together["gains"][0]["format"] == "bc1");
  CHECK(together["gains"][0]["times_one"].get<double>() ==
        doctest::Approx(together["qualities"][0]["frames_per_s"].get<double>() / alone).epsilon(1e-6));
  CHECK(together["upload_times_one"].get<double>() ==
        doctest::Approx(together["upload"]["frames_per_s"].get<double>() / upload_alone).epsilon(1e-6));
  const Outcome table = shell(two + "texcast bench pipeline --device 0,1 --size 64x48 --only 'bc1 fast'");
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("2 devices together") != std::string::npos);
  CHECK(table.out.find("x one") != std::string::npos);
}

TEST_CASE("bench psnr pools squared errors over pictures of different sizes, weighted by size") {
  const Folder folder;
  const std::string small = data("kodim05_127x95.png"), large = data("kodim23_256x192.png");
  const json report = document("texcast bench psnr '" + small + "' '" + large + "' --only 'bc1 refine' --json");
  const json& psnr = report["devices"][0]["psnr"];
  CHECK(psnr["pictures"] == json({small, large}));
  CHECK(psnr["megapixels"].get<double>() == doctest::Approx((127 * 95 + 256 * 192) / 1e6));
  REQUIRE(psnr["scores"].size() == 2);  // refine-once as well
  const json* refine = named(psnr["scores"], "method", "refine");
  REQUIRE(refine != nullptr);
  CHECK(refine->at("format") == "bc1");
  CHECK(refine->at("qualities") == json({"normal"}));
  CHECK(refine->at("bits_per_pixel") == 4);
  const auto mse = [](double db) { return 255 * 255 / std::pow(10, db / 10); };
  const double texels[] = {127 * 95, 256 * 192};
  const double pooled =
      (mse(encode_db(small, folder)) * texels[0] + mse(encode_db(large, folder)) * texels[1]) / (texels[0] + texels[1]);
  CHECK(refine->at("psnr_db").get<double>() == doctest::Approx(10 * std::log10(255 * 255 / pooled)).epsilon(1e-6));
  CHECK_FALSE(report["devices"][0].contains("kernels"));
}

TEST_CASE("bench measures LSpiro with the given passes and radius") {
  const auto report = [](const std::string& options) {
    return document("texcast bench --size 64x48 --rounds 1 --only 'bc1 lspiro3' --json '" + data("kodim05_127x95.png") +
                    "' " + options)["devices"][0];
  };
  const json near = report(""), wide = report("--passes 2 --radius 2");
  CHECK(near["kernels"]["kernels"][1]["radius"] == 1);
  CHECK(wide["kernels"]["kernels"][1]["passes"] == 2);
  CHECK(wide["kernels"]["kernels"][1]["radius"] == 2);
  CHECK(wide["psnr"]["scores"][0]["psnr_db"] > near["psnr"]["scores"][0]["psnr_db"]);
  CHECK(shell("texcast bench --radius 9").exit_code == 2);
}

TEST_CASE("bench as a table: every part, and for skipped parts the option that includes them") {
  const Outcome all =
      shell("texcast bench '" + data("kodim05_127x95.png") + "' --size 32x32 --rounds 1 --only 'bc1 r'");
  CHECK(all.exit_code == 0);
  for (const char* part : {"memory floor", "x floor", "bc1 refine, one item a block", "--everything"})
    CHECK_MESSAGE(all.out.find(part) != std::string::npos, part);
  for (const char* part : {"the limit", "% of limit", "1 picture", "PSNR dB"})
    CHECK_MESSAGE(all.out.find(part) != std::string::npos, part);
  const Outcome one = shell("texcast bench pipeline --size 32x32 --only 'bc1 fast'");
  CHECK(one.exit_code == 0);
  CHECK(one.out.find("memory floor") == std::string::npos);
  CHECK(one.out.find("bc1 fast") != std::string::npos);
  CHECK(one.out.find("bc1 normal") == std::string::npos);
}

TEST_CASE("bench --tune: every variant of a kernel, and the choice of later encoders") {
  const Folder folder;
  const std::string cache = "export XDG_CACHE_HOME='" + folder.file("cache") + "'\n";
  const json report =
      document(cache + "texcast bench --tune --size 64x48 --source rgb24 --only 'ycocg-bc4-444 refine' --json");
  const json& entry = report["devices"][0];
  CHECK_FALSE(entry.contains("kernels"));
  REQUIRE(entry["tune"].size() == 1);
  const json& kernel = entry["tune"][0];
  CHECK(kernel["format"] == "ycocg-bc4-444");
  CHECK(kernel["method"] == "refine");
  CHECK(kernel["height"] == 48);
  REQUIRE(kernel["forms"].size() >= 4);
  int winners = 0;
  double fastest = 1e12;
  for (const json& form : kernel["forms"])
    if (!form.contains("left_out")) fastest = std::min(fastest, form["median_us"].get<double>());
  for (const json& form : kernel["forms"]) {
    if (form.contains("left_out") || form["winner"] == false) continue;
    ++winners;
    CHECK(form["median_us"] == fastest);
    CHECK(form["name"] == kernel["winner"]);
  }
  CHECK(winners == 1);
  CHECK(shell("ls '" + folder.file("cache") + "/texcast' | grep -c tuning").out == "1\n");
  CHECK(shell("texcast bench tune --only nothing").exit_code == 2);
}

TEST_CASE("encode --tune again times variants on a CPU, not during its frames, and writes the same file") {
  const Folder folder;
  const std::string cache = "export XDG_CACHE_HOME='" + folder.file("cache") + "'\n";
  const auto encode = [&](const std::string& tune, const std::string& output) {
    return shell(cache + "texcast encode '" + data("kodim05_127x95.png") + "' '" + folder.file(output) +
                 "' --method refine --tune " + tune);
  };
  CHECK(encode("off", "off.dds").err.find("first use") == std::string::npos);
  CHECK(encode("auto", "first.dds").err.find("first use") == std::string::npos);
  CHECK(encode("auto", "second.dds").err.find("first use") == std::string::npos);
  CHECK(encode("again", "again.dds").err.find("timing all") != std::string::npos);
  const std::string bytes = read_file(folder.file("off.dds"));
  CHECK_FALSE(bytes.empty());
  for (const std::string name : {"first.dds", "second.dds", "again.dds"}) CHECK(read_file(folder.file(name)) == bytes);
}
