// `encode --store`: outputs under content addresses, which are made once and are never half made.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "work_folder.h"

using namespace texcast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Strings = std::vector<std::string>;

// How often each status is in a report.
std::map<std::string, int> statuses(const Outcome& outcome) {
  std::map<std::string, int> counts;
  const json report = json::parse(outcome.out);
  for (const json& file : report["files"]) ++counts[file["status"].get<std::string>()];
  return counts;
}
using Counts = std::map<std::string, int>;

// The id of the first job that a run with these words has.
std::string id_of(const WorkFolder& p, const std::string& words) {
  p.done(words + " --manifest id.json --overwrite");
  return p.manifest("id.json")["jobs"][0]["id"];
}

}  // namespace

TEST_CASE("an id counts the input's bytes and what changes the output, and nothing else") {
  const WorkFolder p;
  p.make_pictures(2);
  p.done("test clip.mov --size 32x32 -t 2s");
  fs::create_directory(p.file("else"));
  fs::copy_file(p.file("in/1.png"), p.file("else/name.png"));
  const std::string picture = id_of(p, "in/1.png a.ktx2");
  const std::string video = id_of(p, "clip.mov a.mkv --crf 23");
  const std::string coded = id_of(p, "clip.mov a.mkv --coding compact --format ycocg-bc4");
  for (const auto& [words, id] : std::vector<std::pair<std::string, std::string>>{
           {"in/1.png a.ktx2 --format BC7 --quality fast", picture},
           {"in/1.png --to out", picture},
           {"else/name.png other.KTX2 --zstd on", picture},
           {"in/1.png a.ktx2 --jobs 1 --psnr -v", picture},
           {"clip.mov b.mkv --crf 23.0 --format bc1 --coding compact --keyframe-interval 1000ms --audio copy", video},
           {"clip.mov b.mkv --format ycocg-bc4-420 --coding compact --transform off", coded}}) {
    const std::string about = words;
    INFO(about);
    CHECK(id_of(p, words) == id);
  }
  std::set<std::string> ids = {picture, video, coded};
  const Strings others = {"in/2.png a.ktx2",
                          "in/1.png a.dds",
                          "in/1.png a.ktx2 --format bc1",
                          "in/1.png a.ktx2 --quality normal",
                          "in/1.png a.ktx2 --mips box",
                          "in/1.png a.ktx2 --mips kaiser",
                          "in/1.png a.ktx2 --zstd off",
                          "in/1.png a.ktx2 --srgb",
                          "in/1.png a.ktx2 --resize pow2",
                          "in/1.png a.ktx2 --rotate 90",
                          "clip.mov a.mkv",
                          "clip.mov a.mov",
                          "clip.mov a.mkv --crf 24",
                          "clip.mov a.mkv --crf 23 --keyframe-interval 500ms",
                          "clip.mov a.mkv --crf 23 --frames 5",
                          "clip.mov a.mkv --crf 23 --parts 2",
                          "clip.mov a.mkv --crf 23 --format ycocg-bc4",
                          "clip.mov a.mkv --crf 23 --format ycocg-bc4 --transform off",
                          "test a.mkv --crf 23 --frames 5",
                          "test a.mkv --crf 23 --frames 5 --size 32x32"};
  for (const std::string& words : others) {
    INFO(words);
    CHECK(ids.insert(id_of(p, words)).second);
  }
  p.done("clip.mov a.mkv --parts 2 --manifest parts.json");
  const json parts = p.manifest("parts.json")["jobs"];
  CHECK(parts[0]["id"] != parts[1]["id"]);
}

TEST_CASE("what is in the store is not encoded again, by any run or process") {
  const WorkFolder p;
  p.make_pictures(3);
  fs::copy_file(p.file("in/1.png"), p.file("in/copy.png"));
  p.done("in --to out --mips box --manifest jobs.json");
  const json jobs = p.manifest("jobs.json")["jobs"];
  CHECK(statuses(p.done("--manifest jobs.json --store store --jobs 4 --json")) == Counts{{"done", 3}, {"stored", 1}});
  for (const json& job : jobs) {
    const std::string stored = "store/" + job["id"].get<std::string>() + ".ktx2";
    REQUIRE(fs::exists(p.file(stored)));
    CHECK(fs::equivalent(p.file(stored), p.file(job["output"])));
  }
  CHECK(statuses(p.done("--manifest jobs.json --store store --json")) == Counts{{"stored", 4}});
  fs::remove_all(p.file("out"));
  fs::remove(p.file("store/" + jobs[1]["id"].get<std::string>() + ".ktx2"));
  CHECK(statuses(p.done("in --to out --mips box --store store --json")) == Counts{{"done", 1}, {"stored", 3}});
  p.done("in --to plain --mips box");
  for (const std::string name : {"1.ktx2", "2.ktx2", "3.ktx2", "copy.ktx2"})
    CHECK(p.bytes("out/" + name) == p.bytes("plain/" + name));
  CHECK(statuses(p.done("test a.mkv --size 32x32 --frames 9 --store store --json")) == Counts{{"done", 1}});
  CHECK(statuses(p.done("test b.mkv --size 32x32 --frames 9 --store store --json")) == Counts{{"stored", 1}});
  CHECK(fs::equivalent(p.file("a.mkv"), p.file("b.mkv")));
  // An output that is replaced without the store leaves the stored file as it was.
  const std::string before = p.bytes("a.mkv");
  p.done("test b.mkv --size 32x32 --frames 3 --overwrite");
  p.done("in/2.png out/1.ktx2 --overwrite");
  CHECK(p.bytes("a.mkv") == before);
  CHECK(p.bytes("out/1.ktx2") != p.bytes("out/copy.ktx2"));
  CHECK(p.bytes("out/copy.ktx2") == p.bytes("plain/copy.ktx2"));
}

TEST_CASE("an output that exists is kept, unless it may be replaced, and nothing is encoded for it") {
  const WorkFolder p;
  p.make_pictures(1);
  write_file(p.file("a.ktx2"), "mine");
  const Outcome refused = p.encode("in/1.png a.ktx2 --store store");
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("'a.ktx2' exists already") != std::string::npos);
  CHECK(p.bytes("a.ktx2") == "mine");
  CHECK(p.names("store") == Strings{".drafts"});
  p.done("in/1.png a.ktx2 --store store --number");
  CHECK(p.bytes("a.ktx2") == "mine");
  CHECK(fs::exists(p.file("a-2.ktx2")));
  p.done("in/1.png a.ktx2 --store store --overwrite");
  CHECK(p.bytes("a.ktx2") == p.bytes("a-2.ktx2"));
  for (const auto& [words, said] :
       std::vector<std::pair<std::string, std::string>>{{"in/1.png - --store store", "not a pipe"},
                                                        {"- a.mov --store store", "is no file"},
                                                        {"in/1.png in/1.png a.dds --array --store store", "one input"},
                                                        {"in/1.png a.dds --store in/1.png", "in/1.png"}}) {
    const Outcome outcome = p.encode(words + " < /dev/null");
    CHECK(outcome.exit_code != 0);
    CHECK_MESSAGE(outcome.err.find(said) != std::string::npos, outcome.err);
  }
}

TEST_CASE("a job whose input has changed since its manifest was written fails") {
  const WorkFolder p;
  p.make_pictures(2);
  p.done("in --to out --manifest jobs.json");
  fs::copy_file(p.file("in/1.png"), p.file("in/2.png"), fs::copy_options::overwrite_existing);
  for (const std::string store : {"", " --store store"}) {
    const Outcome outcome = p.encode("--manifest jobs.json --overwrite" + store);
    CHECK(outcome.exit_code == 5);
    CHECK(outcome.err.find("'in/2.png' or its options have changed") != std::string::npos);
    CHECK(p.names("out") == Strings{"1.ktx2"});
  }
}

TEST_CASE("a killed process leaves no stored file, and the next one encodes only what is missing") {
  const WorkFolder p;
  p.make_pictures(1);
  write_file(p.file("jobs.json"), R"({"texcast-manifest": 1, "jobs": [
    {"input": "in/1.png", "output": "a.ktx2"},
    {"input": "test", "output": "b.mkv", "options": ["--size", "64x64"]}]})");
  // The video has no end.
  const Outcome killed = p.in(
      "$built -q encode --manifest jobs.json --store store --device cpu-reference &\n"
      "for i in $(seq 2000); do ls store/.drafts/*/*.mkv > /dev/null 2>&1 && break; sleep 0.05; done\n"
      "kill -9 $!\nwait $!");
  CHECK(killed.exit_code == 137);
  CHECK(fs::exists(p.file("a.ktx2")));
  CHECK(!fs::exists(p.file("b.mkv")));
  REQUIRE(p.names("store").size() == 2);  // .drafts and the picture
  REQUIRE(p.names("store/.drafts").size() == 1);
  write_file(p.file("jobs.json"), R"({"texcast-manifest": 1, "jobs": [
    {"input": "in/1.png", "output": "a.ktx2"},
    {"input": "test", "output": "b.mkv", "options": ["--size", "64x64", "--frames", "5"]}]})");
  CHECK(statuses(p.done("--manifest jobs.json --store store --json")) == Counts{{"done", 1}, {"stored", 1}});
  CHECK(p.names("store").size() == 3);
  CHECK(p.names("store/.drafts").empty());
}

TEST_CASE("a full disk fails its job, and leaves nothing of it in the store") {
  const WorkFolder p;
  p.make_pictures(1);
  write_file(p.file("jobs.json"), R"({"texcast-manifest": 1, "jobs": [
    {"input": "in/1.png", "output": "a.ktx2"},
    {"input": "test", "output": "b.mov", "options": ["--size", "512x512", "--frames", "99", "--snappy", "off"]},
    {"input": "test", "output": "c.mov", "options": ["--size", "16x16", "--frames", "2"]}]})");
  const Outcome outcome =
      p.in("ulimit -f 2048\n$built encode --manifest jobs.json --store store --device cpu-reference --json");
  CHECK(outcome.exit_code == 1);
  CHECK(statuses(outcome) == Counts{{"done", 2}, {"failed", 1}});
  CHECK(!fs::exists(p.file("b.mov")));
  CHECK(fs::exists(p.file("c.mov")));
  CHECK(p.names("store").size() == 3);
  CHECK(p.names("store/.drafts").empty());
  CHECK(statuses(p.done("--manifest jobs.json --store store --json")) == Counts{{"done", 1}, {"stored", 2}});
}

TEST_CASE("a store of the config file is for what can be stored") {
  const WorkFolder p;
  p.make_pictures(1);
  write_file(p.file("config.toml"), "[encode]\nstore = \"store\"\n");
  p.done("in/1.png a.ktx2 --config config.toml");
  CHECK(p.names("store").size() == 2);
  p.done("in/1.png in/1.png b.ktx2 --array --config config.toml");
  p.done("test c_%02d.dds --size 16x16 --frames 2 --config config.toml");
  p.done("in/1.png - --container ktx2 --config config.toml > d.ktx2");
  CHECK(p.names("store").size() == 2);
  CHECK(p.bytes("a.ktx2") == p.bytes("d.ktx2"));
}
