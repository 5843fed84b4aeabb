// Manifests: what is written is read again, and what is wrong is named. Documents are written here by hand.
#include "farm/manifest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "check_error.h"
#include "temporary_folder.h"
#include "texcast/if_exists.h"

using namespace texcast;
using namespace texcast::farm;

namespace {

const std::string kId(64, 'a');

std::string document(const std::string& jobs) { return R"({"texcast-manifest": 1, "jobs": [)" + jobs + "]}"; }

std::string wrong(const std::string& text) {
  const auto manifest = parse_manifest(text);
  return manifest ? "" : manifest.error().message;
}

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a manifest by another program is read, and members that are not known are ignored") {
  const auto manifest = parse_manifest(document(
      R"({"input": "a.png", "output": "o/a.ktx2", "options": ["--format", "bc7"], "owner": {"name": "me"}},
         {"input": "ü.mp4", "output": "b.mkv", "part": "2/8", "verify": true, "id": ")" +
      kId + R"("})"));
  REQUIRE(manifest);
  const std::vector<ManifestJob> expected = {
      {.input = "a.png", .output = "o/a.ktx2", .options = {"--format", "bc7"}, .part = {}, .id = {}},
      {.input = "ü.mp4", .output = "b.mkv", .options = {}, .part = Share{2, 8}, .id = kId, .verify = true}};
  CHECK(manifest->jobs == expected);
  CHECK(manifest->version.empty());
}

TEST_CASE("a manifest that was written is read as it was, one job a line") {
  const Manifest made{
      .version = "1.2.3",
      .jobs = {{.input = "a \"b\"\\\n.png", .output = "o", .options = {"--vf", "eq"}, .part = {}, .id = {}},
               {.input = "b",
                .output = "p",
                .options = {},
                .part = Share{1, 3},
                .id = kId,
                .file = KnownFile{.hash = kId, .bytes = int64_t{5} << 40, .changed_s = 1'790'000'000, .changed_ns = 70},
                .verify = true}}};
  const std::string text = manifest_text(made);
  const auto read = parse_manifest(text);
  REQUIRE(read);
  CHECK(*read == made);
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  test::check_error(ErrorKind::usage, "not UTF-8", [] {
    (void)manifest_text(
        {.version = {}, .jobs = {{.input = "\xff", .output = "o", .options = {}, .part = {}, .id = {}}}});
  });
}

TEST_CASE("a wrong manifest is refused with the job and what is expected") {
  const auto job = [](const std::string& members) {
    return document(R"({"input": "a", "output": "b")" + members + "}");
  };
  CHECK(wrong(job("")) == "");
  for (const auto& row : std::vector<std::pair<std::string, std::string>>{
           {"", "not JSON"},
           {"[]", "no list of jobs"},
           {R"({"jobs": []})", "no list of jobs"},
           {R"({"texcast-manifest": "1", "jobs": []})", "not a number"},
           {R"({"texcast-manifest": 2, "jobs": []})", "update texcast"},
           {R"({"texcast-manifest": 1})", "\"jobs\" is not a list"},
           {R"({"texcast-manifest": 1, "jobs": {}})", "\"jobs\" is not a list"},
           {R"({"texcast-manifest": 1, "version": 3, "jobs": []})", "\"version\" is not a string"},
           {document("7"), "job 1: it is not an object"},
           {document(R"({"output": "b"})"), "job 1: \"input\" is missing"},
           {document(R"({"input": "a", "output": ""})"), "job 1: \"output\" is empty"},
           {document(R"({"input": "a", "output": "b"}, {"input": 1, "output": "b"})"),
            "job 2: \"input\" is not a string"},
           {document(R"({"input": "a\u0000b", "output": "b"})"), "NUL"},
           {job(R"(, "options": "--format bc7")"), "give words"},
           {job(R"(, "options": ["--frames", 7])"), "a word of \"options\" is not a string"},
           {job(R"(, "part": "0/8")"), "not K/N"},
           {job(R"(, "part": "9/8")"), "not K/N"},
           {job(R"(, "part": "1/8x")"), "not K/N"},
           {job(R"(, "part": "1/99999")"), "not K/N"},
           {job(R"(, "id": "a")"), "64 lower-case hex digits"},
           {job(R"(, "id": ")" + std::string(64, 'G') + "\""), "64 lower-case hex digits"},
           {job(R"(, "verify": 1)"), "neither true nor false"},
           {job(R"(, "file": 1)"), "\"file\" is not an object"},
           {job(R"(, "file": {"sha256": "a"})"), "64 lower-case hex digits"},
           {job(R"(, "file": {"sha256": ")" + kId + R"(", "bytes": -1})"), "number of bytes"},
           {job(R"(, "file": {"sha256": ")" + kId + R"(", "bytes": 1, "changed": "7"})"), "nine decimals"},
           {job(R"(, "file": {"sha256": ")" + kId + R"(", "bytes": 1, "changed": "7.-00000001"})"), "nine decimals"},
           {job(R"(, "file": {"sha256": ")" + kId + R"(", "bytes": 1, "changed": "7.0000000001"})"), "nine decimals"},
           {std::string(100'000, '['), "nested too deeply"},
           {job(R"(, "input2": ")" + std::string(10, 'x')), "not JSON"},
           {document(R"({"input": ")" + std::string(kLongestText + 1, 'x') + R"(", "output": "b"})"), "longer than"},
       }) {
    const std::string why = wrong(row.first);
    INFO(row.second);
    CHECK_MESSAGE(why.find(row.second) != std::string::npos, why);
  }
}

TEST_CASE("the shares of a list are disjoint, take every job, and keep their order") {
  std::vector<ManifestJob> jobs;
  for (int i = 0; i < 7; ++i)
    jobs.push_back({.input = std::to_string(i), .output = "o", .options = {}, .part = {}, .id = {}});
  const auto names = [&jobs](int number, int count) {
    std::string text;
    for (const ManifestJob& job : items_of_share(jobs, Share{number, count})) text += job.input;
    return text;
  };
  CHECK(names(1, 1) == "0123456");
  CHECK(names(1, 3) == "036");
  CHECK(names(2, 3) == "14");
  CHECK(names(3, 3) == "25");
  CHECK(names(8, 8).empty());
}

TEST_CASE("a share of ids are those up to a bound") {
  const auto id = [](const std::string& digits) { return digits + std::string(64 - digits.size(), '0'); };
  CHECK(is_in_share(id("0"), 0.01));
  CHECK(is_in_share(id("028f5c"), 0.01));  // 0.01 is 0x0.028f5c28f…
  CHECK_FALSE(is_in_share(id("028f5d"), 0.01));
  CHECK(is_in_share(std::string(64, 'f'), 1));
  CHECK_FALSE(is_in_share(id("8"), 0.5));
  CHECK_FALSE(is_in_share(id("0"), 0));
  CHECK_FALSE(is_in_share("", 1));
}

TEST_CASE("a manifest is written to a new file, and replaces one only when asked") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("jobs.json");
  const Manifest one{.version = {}, .jobs = {{.input = "a", .output = "b", .options = {}, .part = {}, .id = {}}}};
  write_manifest(path, one, false);
  CHECK(read_manifest(path) == one);
  CHECK_THROWS_AS(write_manifest(path, {}, false), NameTaken);
  CHECK(read_manifest(path) == one);
  write_manifest(path, {}, true);
  CHECK(read_manifest(path) == Manifest{});
  CHECK(text_of_file(path) == "{\"texcast-manifest\": 1, \"jobs\": [\n]}\n");
  test::check_error(ErrorKind::input, "jobs2.json", [&] { (void)read_manifest(folder.file("jobs2.json")); });
  std::ofstream(path) << "{}";
  test::check_error(ErrorKind::usage, "jobs.json", [&] { (void)read_manifest(path); });
}
