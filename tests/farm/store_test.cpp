// Stores: what has its final name is complete, drafts vanish, and links do not let others change what is stored.
#include "farm/store.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "check_error.h"
#include "farm/content_id.h"
#include "media/new_file.h"
#include "sha256.h"
#include "temporary_folder.h"

using namespace texcast;
using namespace texcast::farm;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string put(Store& store, const std::string& id, const std::string& text) {
  const auto draft = store.begin(id, ".bin");
  write(draft->path(), text);
  return draft->keep();
}

size_t drafts_in(const test::TemporaryFolder& folder) {
  size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.file("store/.drafts")))
    if (entry.path().extension() == ".bin") ++count;
  return count;
}

}  // namespace

TEST_CASE("an output gets its final name when it is kept, and a draft that is not kept vanishes") {
  const test::TemporaryFolder folder;
  Store store(folder.file("store"));
  CHECK_FALSE(store.find("a", ".bin"));
  {
    const auto draft = store.begin("a", ".bin");
    write(draft->path(), "half");
    CHECK_FALSE(store.find("a", ".bin"));
    CHECK(drafts_in(folder) == 1);
  }
  CHECK(drafts_in(folder) == 0);
  CHECK_FALSE(store.find("a", ".bin"));
  const std::string stored = put(store, "a", "whole");
  CHECK(stored == folder.file("store/a.bin"));
  CHECK(store.find("a", ".bin") == stored);
  CHECK_FALSE(store.find("a", ".dds"));
  CHECK(content(stored) == "whole");
  struct stat status {};
  REQUIRE(stat(stored.c_str(), &status) == 0);
  CHECK((status.st_mode & 0222) == 0);
  CHECK(drafts_in(folder) == 0);
}

TEST_CASE("drafts of a process that is gone are removed, and those of a running one are not") {
  const test::TemporaryFolder folder;
  Store running(folder.file("store"));
  const auto draft = running.begin("a", ".bin");
  write(draft->path(), "half");
  const fs::path own = fs::path(draft->path()).parent_path();
  // As a killed process leaves it: nobody holds the lock.
  const fs::path left = own.string() + "0", foreign = own.parent_path() / "other-host.1.2";
  for (const fs::path& gone : {left, foreign}) {
    fs::create_directories(gone);
    write((gone / "lock").string(), "");
    write((gone / "0-b.bin").string(), "half");
  }
  const Store next(folder.file("store"));
  CHECK(fs::exists(draft->path()));
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(foreign));  // its machine may still write
}

TEST_CASE("an output is delivered by a link, and by its rule for files that exist") {
  const test::TemporaryFolder folder;
  Store store(folder.file("store"));
  const std::string stored = put(store, "a", "bytes");
  const std::string output = folder.file("deep/er/out.bin");
  CHECK(deliver(stored, output, IfExists::refuse) == output);
  CHECK(fs::equivalent(stored, output));
  CHECK(deliver(stored, output, IfExists::refuse) == output);  // it is there
  write(folder.file("copy.bin"), "bytes");
  CHECK(deliver(stored, folder.file("copy.bin"), IfExists::refuse) == folder.file("copy.bin"));
  write(folder.file("other.bin"), "BYTES");
  CHECK_THROWS_AS((void)deliver(stored, folder.file("other.bin"), IfExists::refuse), NameTaken);
  CHECK(content(folder.file("other.bin")) == "BYTES");
  CHECK(deliver(stored, folder.file("other.bin"), IfExists::number) == folder.file("other-2.bin"));
  CHECK(deliver(stored, folder.file("other.bin"), IfExists::overwrite) == folder.file("other.bin"));
  CHECK(content(folder.file("other.bin")) == "bytes");
  CHECK(std::distance(fs::directory_iterator(folder.file("deep/er")), fs::directory_iterator()) == 1);
}

TEST_CASE("replacing an output that is linked to a store leaves the stored file as it is") {
  const test::TemporaryFolder folder;
  Store store(folder.file("store"));
  const std::string stored = put(store, "a", "bytes"), output = folder.file("out.bin");
  const std::string text = "others";
  for (const bool at_once : {true, false}) {
    deliver(stored, output, IfExists::refuse);
    if (at_once) {
      media::write_new_file(output, {std::as_bytes(std::span(text))}, true);
      CHECK(content(output) == text);
    } else {
      const media::NewFile file = media::create_file(output, true);
      CHECK(file.created);
    }
    CHECK(content(stored) == "bytes");
    fs::remove(output);
  }
}

TEST_CASE("the hash of a file is its SHA-256, also if it is larger than a piece, and follows its changes") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a");
  FileHashes hashes;
  for (const size_t size : {size_t{0}, size_t{3}, size_t{1} << 20, (size_t{1} << 20) + 1, size_t{3'000'000}}) {
    std::string text(size, 'x');
    if (size > 0) text.back() = 'y';
    write(path, text);
    CHECK(hashes.hash(path) == sha256_hex(std::as_bytes(std::span(text))));
  }
  test::check_error(ErrorKind::input, "b", [&] { (void)hashes.hash(folder.file("b")); });
  test::check_error(ErrorKind::input, "regular", [&] { (void)hashes.hash(folder.path.string()); });
  const std::atomic<bool> stop = true;
  test::check_error(ErrorKind::failed, "stopped", [&] { (void)FileHashes(&stop).hash(path); });
}

TEST_CASE("a file with the size and time of a known one is not read for its hash") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a");
  write(path, "one");
  FileHashes first, second, third;
  CHECK(!first.known(path));
  const std::string hash = first.hash(path);
  const auto known = first.known(path);
  REQUIRE(known);
  CHECK(known->hash == hash);
  CHECK(known->bytes == 3);
  const auto changed = fs::last_write_time(path);
  write(path, "two");
  fs::last_write_time(path, changed);
  second.know(path, *known);
  CHECK(second.hash(path) == hash);
  fs::last_write_time(path, changed + std::chrono::nanoseconds(1));
  third.know(path, *known);
  CHECK(third.hash(path) == sha256_hex(std::as_bytes(std::span("two", 3))));
}

TEST_CASE("a sample of a file depends on its size, its end and its pieces, and reads a part of a large file") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a");
  std::set<std::string> samples;
  const auto sample_of = [&](const std::string& text) {
    write(path, text);
    return sample_hash(path);
  };
  std::string text(200'000, 'x');
  const std::string plain = sample_of(text);
  CHECK(sample_of(text) == plain);
  for (size_t i = 0; i < text.size(); i += 9'973) {  // a file of a few pieces is read whole
    std::string other = text;
    other[i] = 'y';
    CHECK(samples.insert(sample_of(other)).second);
  }
  CHECK(samples.insert(sample_of(text + "x")).second);
  CHECK(samples.insert(sample_of("")).second);
  CHECK(!samples.contains(plain));
  write(path, "");
  fs::resize_file(path, uintmax_t{1} << 42);  // to read 4 TiB would take an hour
  CHECK(samples.insert(sample_hash(path)).second);
}

TEST_CASE("a content id depends on every name and value, and on where one ends") {
  const std::string id = ContentId().add("ab", "c").add("d", "").hex();
  CHECK(id.size() == 64);
  const std::string bytes = "2:ab1:c1:d0:";
  CHECK(id == sha256_hex(std::as_bytes(std::span(bytes))));
  CHECK(id != ContentId().add("a", "bc").add("d", "").hex());
  CHECK(id != ContentId().add("d", "").add("ab", "c").hex());
  CHECK(id != ContentId().add("ab", "c").hex());
}

TEST_CASE("files with the same content are the same, and others are not") {
  const test::TemporaryFolder folder;
  const std::string one = folder.file("1"), other = folder.file("2");
  const std::string text((size_t{1} << 20) + 5, 'x');
  write(one, text);
  write(other, text);
  CHECK(same_content(one, other));
  CHECK(same_content(one, one));
  write(other, text.substr(1) + "y");
  CHECK_FALSE(same_content(one, other));
  write(other, text.substr(1));
  CHECK_FALSE(same_content(one, other));
}
