// `encode --manifest`: the jobs of a run are listed, and processes that do shares of the list make the files of the
// run.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "work_folder.h"

using namespace texcast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the shares of a manifest make the files of the run that it lists") {
  const WorkFolder p;
  p.make_pictures(5);
  write_file(p.file("rules"), "4* = bc5 --mips box\n");
  p.done("in --to out --rules rules --srgb --manifest jobs.json");
  CHECK(!fs::exists(p.file("out")));
  const json jobs = p.manifest("jobs.json")["jobs"];
  REQUIRE(jobs.size() == 5);
  CHECK(jobs[0]["input"] == "in/1.png");
  CHECK(jobs[0]["output"] == "out/1.ktx2");
  CHECK(jobs[0]["options"] == json{"--format", "bc7", "--srgb"});
  CHECK(jobs[3]["options"] == json{"--format", "bc5", "--mips", "box"});
  const json second = json::parse(p.done("--manifest jobs.json --part 2/3 --json").out);
  CHECK(second["done"] == 2);
  CHECK(p.names("out") == Names{"2.ktx2", "5.ktx2"});
  p.done("--manifest jobs.json --part 1/3 --jobs 2");
  p.done("--manifest jobs.json --part 3/3");
  p.done("in --to whole --rules rules --srgb");
  for (const std::string name : {"1.ktx2", "2.ktx2", "3.ktx2", "4.ktx2", "5.ktx2"})
    CHECK(p.bytes("out/" + name) == p.bytes("whole/" + name));
}

TEST_CASE("a job that fails does not stop the others, and the last message counts and names those that failed") {
  const WorkFolder p;
  p.make_pictures(4);
  p.done("in --to out --manifest jobs.json");
  write_file(p.file("in/2.png"), "no picture");
  fs::remove(p.file("in/3.png"));
  const Outcome outcome = p.encode("--manifest jobs.json");
  CHECK(outcome.exit_code == 5);
  CHECK(p.names("out") == Names{"1.ktx2", "4.ktx2"});
  const auto complaints = outcome.complaints();
  REQUIRE(!complaints.empty());
  CHECK(complaints.back().find("2 of 4 jobs failed: in/2.png, in/3.png") != std::string::npos);
  // A job with wrong options, beside a job of a picture and a job of a video
  write_file(p.file("other.json"), R"({"texcast-manifest": 1, "jobs": [
    {"input": "in/1.png", "output": "a.dds", "options": ["--format", "bc99"]},
    {"input": "in/1.png", "output": "b.dds", "options": ["--snappy", "on"]},
    {"input": "in/1.png", "output": "c.dds"},
    {"input": "test", "output": "d.mov", "options": ["--frames", "2", "--size", "16x16"], "unknown": 1}]})");
  const Outcome mixed = p.encode("--manifest other.json");
  CHECK(mixed.exit_code == 2);
  CHECK(mixed.err.find("unknown format 'bc99'") != std::string::npos);
  CHECK(mixed.err.find("--snappy is for .mov and .mkv") != std::string::npos);
  CHECK(!fs::exists(p.file("a.dds")));
  CHECK(!fs::exists(p.file("b.dds")));
  CHECK(fs::exists(p.file("c.dds")));
  CHECK(fs::exists(p.file("d.mov")));
}

TEST_CASE("the parts of a video are jobs of a manifest, whose outputs join") {
  const WorkFolder p;
  const std::string options = " --size 64x48 --fps 25 -t 2s --coding compact --keyframe-interval 500ms ";
  p.done("test film.mkv --parts 3 --manifest jobs.json" + options);
  const json jobs = p.manifest("jobs.json")["jobs"];
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[1]["part"] == "2/3");
  CHECK(jobs[1]["output"] == "film-2.mkv");
  p.done("--manifest jobs.json --part 1/2");
  p.done("--manifest jobs.json --part 2/2");
  REQUIRE(p.in("texcast join film-?.mkv film.mkv").exit_code == 0);
  p.done("test whole.mkv" + options);
  const auto frames = [&](const std::string& name) { return p.in("texcast -q decode " + name + " - | md5sum").out; };
  CHECK(frames("film.mkv") == frames("whole.mkv"));
}

TEST_CASE("a job trusts the hash of an input that has kept its size and time, and reads one that has not") {
  const WorkFolder p;
  p.make_pictures(1);
  p.done("in --to out --manifest jobs.json");
  const auto changed = fs::last_write_time(p.file("in/1.png"));
  std::string picture = p.bytes("in/1.png");
  picture.back() ^= 1;  // of the checksum of the last chunk
  write_file(p.file("in/1.png"), picture);
  fs::last_write_time(p.file("in/1.png"), changed);
  p.done("--manifest jobs.json");
  fs::last_write_time(p.file("in/1.png"), changed + std::chrono::seconds(1));
  CHECK(p.encode("--manifest jobs.json --overwrite").err.find("write the manifest again") != std::string::npos);
}

TEST_CASE("a manifest is not replaced unasked, and says what it cannot list") {
  const WorkFolder p;
  p.make_pictures(1);
  p.done("in --to out --manifest jobs.json");
  const std::string before = p.bytes("jobs.json");
  CHECK(p.encode("in --to other --manifest jobs.json").exit_code == 1);
  CHECK(p.bytes("jobs.json") == before);
  p.done("in --to other --manifest jobs.json --overwrite");
  CHECK(p.bytes("jobs.json") != before);
  for (const auto& [words, said] : std::vector<std::pair<std::string, std::string>>{
           {"in --to out --part 1/2 --manifest m.json", "without INPUT"},
           {"in --to out --parts 2 --manifest m.json", "for videos"},
           {"test a.mov -t 9s --parts 2", "--manifest FILE"},
           {"test a.mov -t 1s --keyframe-interval 1s --parts 2 --manifest m.json", "--coding compact"},
           {"test a.mkv -t 2s --coding compact --parts 9 --manifest m.json", "are 2 parts"},
           {"test a%05d.dds --frames 2 --manifest m.json", "is a sequence"},
           {"test - --frames 2 --manifest m.json", "not a pipe"},
           {"screen a.mov --manifest m.json", "is no file"},
           {"test a.mov --split 1s --manifest m.json", "--split"},
           {"in/1.png in/1.png a.dds --array --manifest m.json", "one input"},
           {"--manifest m.json", "cannot read jobs from 'm.json'"},
           {"--manifest in/1.png", "not JSON"},
           {"--manifest jobs.json --format bc1", "--format is an option of each job"},
           {"--manifest jobs.json --srgb", "--srgb is an option of each job"},
           {"--manifest jobs.json --to other", "--to is for inputs"}}) {
    const std::string about = words;
    INFO(about);
    const Outcome outcome = p.encode(words);
    CHECK((outcome.exit_code == 2 || outcome.exit_code == 5));
    CHECK_MESSAGE(outcome.err.find(said) != std::string::npos, outcome.err);
    CHECK(!fs::exists(p.file("m.json")));
  }
  write_file(p.file("old.json"), R"({"texcast-manifest": 1, "version": "0.0.1", "jobs": []})");
  CHECK(p.encode("--manifest old.json").err.find("by texcast 0.0.1") != std::string::npos);
}
