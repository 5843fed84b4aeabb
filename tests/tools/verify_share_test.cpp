// `encode --verify-share`: jobs are encoded twice, and a difference fails them.
#include <doctest/doctest.h>

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

// A generated video that is another one each time: FFmpeg chooses its seed.
const std::string kOtherEachTime = "lavfi:life=size=64x64:rate=25";

void change_a_byte(const std::string& path) {
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] ^= 1;
  fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
  write_file(path, bytes);
}

}  // namespace

TEST_CASE("jobs are encoded twice, and their outputs are those of one time") {
  const WorkFolder p;
  p.make_pictures(2);
  p.done("in --to out --manifest jobs.json");
  const json plain = json::parse(p.done("--manifest jobs.json --verify-share 100% --json").out);
  CHECK(plain["done"] == 2);
  CHECK(plain["verified"] == 2);
  CHECK(p.names("out") == std::vector<std::string>{"1.ktx2", "2.ktx2"});
  for (const std::string extension : {"mov", "mkv"}) {
    const std::string words =
        "test a." + extension + " --size 32x32 --frames 30 --store store --verify-share 100% --json";
    CHECK(json::parse(p.done(words).out)["verified"] == 1);
    CHECK(fs::exists(p.file("a." + extension)));
  }
  CHECK(p.encode("test b.mov --frames 2 --verify-share 1%").err.find("--manifest and --store") != std::string::npos);
}

TEST_CASE("a job whose second result differs fails, and leaves no output") {
  const WorkFolder p;
  for (const std::string name : {"a.mov", "a.mkv"})
    for (const std::string store : {"", " --store store"}) {
      p.done("'" + kOtherEachTime + "' " + name + " --frames 5 --manifest jobs.json --overwrite");
      const Outcome outcome = p.encode("--manifest jobs.json --verify-share 100%" + store);
      INFO(name, store);
      CHECK(outcome.exit_code == 7);
      CHECK_MESSAGE(outcome.err.find("was encoded twice, and the results differ") != std::string::npos, outcome.err);
      CHECK(!fs::exists(p.file(name)));
      CHECK(p.names("store").size() == (fs::exists(p.file("store")) ? 1 : 0));
      CHECK(p.names("").size() == (fs::exists(p.file("store")) ? 2 : 1));  // the manifest, and no temporary file
    }
}

TEST_CASE("second times are jobs of a manifest, which compare with what is stored") {
  const WorkFolder p;
  p.make_pictures(2);
  p.done("in --to out --manifest pictures.json --verify-share 100%");
  p.done("test a.mkv --size 32x32 --frames 30 --manifest video.json --verify-share 100%");
  const json jobs = p.manifest("pictures.json")["jobs"];
  REQUIRE(jobs.size() == 4);
  CHECK(!jobs[0].contains("verify"));
  CHECK(jobs[2]["verify"] == true);
  CHECK(jobs[2]["id"] == jobs[0]["id"]);
  CHECK(p.encode("--manifest pictures.json --verify-share 1%").err.find("leave out --verify-share") !=
        std::string::npos);
  // Jobs 3 and 4 verify, before there is something to compare with and then after it.
  for (const std::string store : {"", " --store store"}) {
    fs::remove_all(p.file("out"));
    const std::string last = "--manifest pictures.json --part 3/4" + store;
    const Outcome early = p.encode(last);
    CHECK(early.exit_code == 5);
    CHECK(early.err.find("do the job that makes it first") != std::string::npos);
    p.done("--manifest pictures.json --part 1/4" + store);
    CHECK(json::parse(p.done(last + " --json").out)["verified"] == 1);
    change_a_byte(p.file(store.empty() ? "out/1.ktx2" : "store/" + jobs[0]["id"].get<std::string>() + ".ktx2"));
    const Outcome differs = p.encode(last);
    CHECK(differs.exit_code == 7);
    CHECK(differs.err.find("the results differ (their bytes; 'out/1.ktx2')") != std::string::npos);
  }
  // A video whose file differs in random numbers only is the same, and one with another frame is not.
  CHECK(json::parse(p.done("--manifest video.json --json").out)["verified"] == 1);
  p.done("test a.mkv --size 32x32 --frames 30 --quality best --overwrite");
  const Outcome differs = p.encode("--manifest video.json --part 2/2");
  CHECK(differs.exit_code == 7);
  CHECK(differs.err.find("packet 0 of track 0") != std::string::npos);
}

TEST_CASE("a share of the jobs is chosen by their ids, the same by every process") {
  const WorkFolder p;
  p.make_pictures(1);
  for (int i = 10; i < 26; ++i)
    fs::copy_file(p.file("in/1.png"), p.file("in/" + std::to_string(i) + (i % 2 == 0 ? ".jpg" : ".tga")));
  p.done("in --to out --manifest all.json --mips box --overwrite");
  // Ids as SHA-256 are even: each of these shares takes the ids up to a bound.
  for (const auto& [share, bound] : std::vector<std::pair<std::string, std::string>>{{"50%", "8"}, {"25%", "4"}}) {
    p.done("in --to out --manifest jobs.json --mips box --overwrite --verify-share " + share);
    for (const auto& job : p.manifest("all.json")["jobs"]) {
      int times = 0;
      for (const auto& other : p.manifest("jobs.json")["jobs"])
        if (other["output"] == job["output"]) ++times;
      CHECK(times == (job["id"].get<std::string>() < bound ? 2 : 1));
    }
  }
}
