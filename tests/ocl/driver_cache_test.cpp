// Programs as PoCL 3.1 stores them, written by the test and then damaged in every way that a power cut, a full disk or
// a bad disk can damage them.
#include "driver_cache.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "log_lines.h"
#include "ocl/cache.h"
#include "program_sums.h"
#include "temporary_folder.h"

using namespace texcast;
using ocl::DriverCache;
namespace fs = std::filesystem;

namespace {

const std::string kProgram = ocl::content_hash("a program"), kOther = ocl::content_hash("another");

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

// Stores a program as PoCL does; `hash` has two letters and 37.
struct Pocl {
  fs::path cache;
  fs::path folder(char letter) const { return cache / std::string(2, letter) / std::string(37, letter); }
  fs::path kernel(char letter) const { return folder(letter) / "bc1/64-1-1-goffs0-smallgrid/bc1.so"; }
  void touch(char letter) const {
    static int64_t next = 1'000'000'000;  // seconds; each build is later than the previous one
    const timespec time{++next, 0};
    const timespec both[2] = {time, time};
    if (!fs::exists(folder(letter) / "last_accessed")) write(folder(letter) / "last_accessed", "");
    REQUIRE(utimensat(AT_FDCWD, (folder(letter) / "last_accessed").c_str(), both, 0) == 0);
  }
  void build(char letter) const {
    if (!fs::exists(folder(letter) / "program.bc"))
      write(folder(letter) / "program.bc", "BC" + std::string(5000, letter));
    touch(letter);
  }
  // As a process that compiles the program at the same time as another one: both write a file and rename it, and the
  // compiler does not give the same bytes twice.
  void build_at_once(char letter, const std::string& version) const {
    write(cache / "tempfile_build", "BC" + std::string(5000, letter) + version);
    fs::create_directories(folder(letter));
    fs::rename(cache / "tempfile_build", folder(letter) / "program.bc");
    touch(letter);
  }
  void launch_at_once(char letter, const std::string& version) const {
    write(cache / "tempfile_launch", "ELF" + std::string(9000, letter) + version);
    fs::create_directories(kernel(letter).parent_path());
    fs::rename(cache / "tempfile_launch", kernel(letter));
  }
  void launch(char letter) const {
    if (!fs::exists(kernel(letter))) write(kernel(letter), "ELF" + std::string(9000, letter));
  }
};

struct CacheTest {
  test::TemporaryFolder folder;
  Pocl pocl{folder.path};

  DriverCache open(bool is_ours = true) { return {folder.path, is_ours}; }
  // A process that builds, launches, and exits normally.
  void run(const std::string& program, char letter, bool is_ours = true) {
    DriverCache cache = open(is_ours);
    const auto before = cache.begin(program);
    pocl.build(letter);
    cache.end(program, before);
    pocl.launch(letter);
    cache.seal();
  }
};

}  // namespace

TEST_CASE("a program that was built and launched is there at the next start, and is not touched") {
  CacheTest test;
  test.run(kProgram, 'A');
  DriverCache cache = test.open();
  CHECK(cache.has(kProgram));
  CHECK_FALSE(cache.has(kOther));
  CHECK(cache.begin(kProgram).is_there);
  CHECK(fs::exists(test.pocl.folder('A') / "program.bc"));
  CHECK(fs::exists(test.pocl.kernel('A')));
  const auto state = cache.examine();
  CHECK(state.programs == 1);
  CHECK(state.removed == 0);
}

TEST_CASE("a file that is empty, cut, longer or has one bit flipped invalidates its program, and no other") {
  const std::vector<std::pair<const char*, std::function<void(const fs::path&)>>> kDamages = {
      {"empty", [](const fs::path& file) { fs::resize_file(file, 0); }},
      {"cut", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }},
      {"cut by a byte", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); }},
      {"zeros", [](const fs::path& file) { write(file, std::string(fs::file_size(file), '\0')); }},
      {"longer", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) + 4096); }},
      {"flipped first bit",
       [](const fs::path& file) {
         std::string bytes = bytes_of(file);
         bytes.front() ^= 1;
         write(file, bytes);
       }},
      {"flipped last bit",
       [](const fs::path& file) {
         std::string bytes = bytes_of(file);
         bytes.back() ^= static_cast<char>(0x80);
         write(file, bytes);
       }},
      {"a link",
       [](const fs::path& file) {
         fs::rename(file, file.string() + ".away");
         fs::create_symlink(file.string() + ".away", file);
       }},
  };
  for (const auto& damage : kDamages)
    for (const bool is_kernel : {false, true})
      for (const bool is_ours : {false, true}) {
        CAPTURE(std::string(damage.first));
        CAPTURE(is_kernel);
        CAPTURE(is_ours);
        CacheTest test;
        test.run(kProgram, 'A', is_ours);
        test.run(kOther, 'B', is_ours);
        damage.second(is_kernel ? test.pocl.kernel('A') : test.pocl.folder('A') / "program.bc");
        DriverCache cache = test.open(is_ours);
        CHECK_FALSE(cache.begin(kProgram).is_there);
        CHECK_FALSE(fs::exists(test.pocl.folder('A')));
        CHECK(cache.begin(kOther).is_there);
        CHECK(fs::exists(test.pocl.kernel('B')));
        // It is compiled again, to the same files.
        test.run(kProgram, 'A', is_ours);
        CHECK(test.open(is_ours).has(kProgram));
      }
}

TEST_CASE("damaged checksums are ignored") {
  for (const bool is_cut : {false, true}) {
    CacheTest test;
    test.run(kProgram, 'A');
    const fs::path sums = test.pocl.folder('A') / "texcast-sums";
    std::string bytes = bytes_of(sums);
    REQUIRE(bytes.size() > 100);
    if (is_cut)
      bytes.resize(bytes.size() - 1);
    else
      bytes[bytes.size() / 2] ^= 1;
    write(sums, bytes);
    CHECK_FALSE(ocl::read_sums(test.pocl.folder('A')).has_value());
    CHECK_FALSE(test.open().has(kProgram));
  }
}

TEST_CASE("checksums record each file's length and hash") {
  CacheTest test;
  test.run(kProgram, 'A');
  const auto sums = ocl::read_sums(test.pocl.folder('A'));
  REQUIRE(sums.has_value());
  CHECK(sums->programs == std::vector{kProgram});
  REQUIRE(sums->files.size() == 2);
  const auto& kernel = sums->files.at("bc1/64-1-1-goffs0-smallgrid/bc1.so");
  CHECK(kernel.bytes == 9003);
  CHECK(kernel.hash == ocl::content_hash("ELF" + std::string(9000, 'A')));
  CHECK(sums->files.contains("program.bc"));
}

TEST_CASE("a file that a later launch adds gets a checksum too, and a removed file is not damage") {
  CacheTest test;
  test.run(kProgram, 'A');
  {
    DriverCache cache = test.open();
    const auto before = cache.begin(kProgram);
    test.pocl.build('A');
    cache.end(kProgram, before);
    write(test.pocl.folder('A') / "bc1/128-1-1/bc1.so", "ELF of another launch");
    cache.seal();
  }
  CHECK(ocl::read_sums(test.pocl.folder('A'))->files.size() == 3);
  fs::remove_all(test.pocl.folder('A') / "bc1");
  DriverCache cache = test.open();
  CHECK(cache.has(kProgram));
  const auto before = cache.begin(kProgram);
  test.pocl.build('A');
  cache.end(kProgram, before);
  cache.seal();
  CHECK(ocl::read_sums(test.pocl.folder('A'))->files.size() == 1);
}

TEST_CASE("processes that compile a program at once, to different bytes, leave no damage in whichever order they end") {
  for (const bool is_ours : {false, true})
    for (const bool second_knows_sums : {false, true})
      for (const bool first_seals_last : {false, true}) {
        CAPTURE(is_ours);
        CAPTURE(second_knows_sums);
        CAPTURE(first_seals_last);
        CacheTest test;
        {
          DriverCache first = test.open(is_ours), second = test.open(is_ours);
          const auto before_first = first.begin(kProgram), before_second = second.begin(kProgram);
          CHECK_FALSE(before_first.is_there);
          CHECK_FALSE(before_second.is_there);
          test.pocl.build_at_once('A', "first");
          first.end(kProgram, before_first);
          test.pocl.launch_at_once('A', "first");
          first.seal();
          if (second_knows_sums) CHECK(second.has(kProgram));
          test.pocl.build_at_once('A', "second");
          // Before the second process writes its sums, those of the first are not the ones of this file.
          DriverCache third = test.open(is_ours);
          CHECK(third.has(kProgram));
          second.end(kProgram, before_second);
          if (first_seals_last) second.seal();
          test.pocl.launch_at_once('A', "second");
          write(test.pocl.folder('A') / "bc1/128-1-1/bc1.so", "ELF of another launch");
          first.seal();
          if (!first_seals_last) second.seal();
          CHECK(third.examine().removed == 0);
          CHECK(test.open(is_ours).begin(kProgram).is_there);
        }
        DriverCache alone = test.open(is_ours);
        CHECK(alone.examine().removed == 0);
        CHECK(alone.begin(kProgram).is_there);
        CHECK(bytes_of(test.pocl.kernel('A')).ends_with("second"));
        CHECK(ocl::read_sums(test.pocl.folder('A'))->files.size() == 3);
      }
}

TEST_CASE("checksums that two processes add to one program are all kept") {
  CacheTest test;
  test.run(kProgram, 'A');
  DriverCache first = test.open(), second = test.open();
  const auto use = [&](DriverCache& cache, const std::string& program, const std::string& kernel) {
    const auto before = cache.begin(program);
    test.pocl.build('A');
    cache.end(program, before);
    write(test.pocl.folder('A') / kernel, "ELF of " + kernel);
  };
  use(first, kProgram, "bc1/128-1-1/bc1.so");
  use(second, kOther, "bc1/256-1-1/bc1.so");
  first.seal();
  second.seal();
  first.seal();
  const auto sums = ocl::read_sums(test.pocl.folder('A'));
  REQUIRE(sums.has_value());
  CHECK(sums->programs.size() == 2);
  CHECK(sums->files.size() == 4);
}

TEST_CASE("while another process lives, a file that nothing has replaced and that has other bytes is still damage") {
  CacheTest test;
  test.run(kProgram, 'A');
  DriverCache other = test.open();
  CHECK_FALSE(other.has(kOther));
  auto sums = ocl::read_sums(test.pocl.folder('A'));
  REQUIRE(sums.has_value());
  sums->files.at("program.bc").hash = ocl::content_hash("the bytes before the disk flipped one");
  ocl::write_sums(test.pocl.folder('A'), *sums);
  CHECK_FALSE(test.open().has(kProgram));
  CHECK_FALSE(fs::exists(test.pocl.folder('A')));
}

TEST_CASE("a file that was replaced by a process that is gone is damage, also if another process has begun since") {
  for (const bool is_ours : {false, true}) {
    CAPTURE(is_ours);
    CacheTest test;
    test.run(kProgram, 'A', is_ours);
    test.pocl.build_at_once('A', "a process that ended in a power cut");
    DriverCache alone = test.open(is_ours);
    CHECK_FALSE(alone.has(kOther));
    CHECK_FALSE(test.open(is_ours).has(kProgram));
    CHECK_FALSE(fs::exists(test.pocl.folder('A')));
  }
}

TEST_CASE("two programs that PoCL stores in one folder are both known") {
  CacheTest test;
  test.run(kProgram, 'A');
  test.run(kOther, 'A');
  CHECK(test.open().has(kProgram));
  CHECK(test.open().has(kOther));
}

TEST_CASE("an unrecorded program may be in any folder, so that all are checked") {
  CacheTest test;
  test.run(kProgram, 'A');
  fs::resize_file(test.pocl.kernel('A'), 10);
  DriverCache cache = test.open();
  CHECK_FALSE(cache.begin(kOther).is_there);
  CHECK_FALSE(fs::exists(test.pocl.folder('A')));
}

TEST_CASE("files without checksums are removed by the first process that is alone, and kept while another runs") {
  CacheTest test;
  test.run(kProgram, 'A');
  const fs::path late = test.pocl.folder('A') / "bc1/128-1-1/bc1.so";
  const auto leave_something = [&] {  // as a process that was killed before it wrote checksums
    test.pocl.build('B');
    test.pocl.launch('B');
    write(late, "ELF of another launch");
  };
  {
    DriverCache other = test.open();
    CHECK(other.begin(kProgram).is_there);
    leave_something();
    DriverCache cache = test.open();
    CHECK_FALSE(cache.begin(kOther).is_there);
    CHECK(fs::exists(test.pocl.kernel('B')));
    CHECK(fs::exists(late));
  }
  DriverCache cache = test.open();
  CHECK_FALSE(cache.begin(kOther).is_there);
  CHECK_FALSE(fs::exists(test.pocl.folder('B')));
  CHECK_FALSE(fs::exists(late));
  CHECK(cache.has(kProgram));
  CHECK(fs::exists(test.pocl.kernel('A')));
  // Files that this process creates itself are not touched by its later checks.
  leave_something();
  CHECK_FALSE(cache.has(kOther));
  CHECK(fs::exists(test.pocl.kernel('B')));
}

TEST_CASE("a process that never gives the folder back holds nobody up for long") {
  CacheTest test;
  test.run(kProgram, 'A');
  const Descriptor stopped(::open((test.pocl.cache / "in-use").c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  REQUIRE(fcntl(stopped.get(), F_OFD_SETLK, &lock) == 0);
  const test::LogLines lines;
  DriverCache cache(test.folder.path, true, std::chrono::milliseconds(20));
  CHECK(cache.has(kProgram));
  CHECK(lines.count() == 1);
  CHECK(cache.has(kProgram));
  CHECK(lines.count() == 1);
  // It goes on after all, and is not alone then.
  lock.l_type = F_UNLCK;
  REQUIRE(fcntl(stopped.get(), F_OFD_SETLK, &lock) == 0);
  CHECK(cache.has(kProgram));
  lock.l_type = F_WRLCK;
  CHECK(fcntl(stopped.get(), F_OFD_SETLK, &lock) != 0);
}

TEST_CASE("the programs of a start that crashed are removed: those that it recorded, and those without checksums") {
  CacheTest test;
  test.run(kProgram, 'A');
  test.run(kOther, 'B');
  test.pocl.build('C');  // never recorded
  for (const bool is_ours : {false, true}) {
    test.pocl.build('D');
    DriverCache cache = test.open(is_ours);
    cache.forget({kOther}, 0);
    CHECK(fs::exists(test.pocl.folder('A')));
    CHECK_FALSE(fs::exists(test.pocl.folder('B')));
    CHECK_FALSE(fs::exists(test.pocl.folder('C')));
    CHECK_FALSE(fs::exists(test.pocl.folder('D')));
    CHECK(cache.has(kProgram));
    CHECK_FALSE(cache.has(kOther));
  }
  // But not those that were last used before the crash.
  test.pocl.build('C');
  test.open(false).forget({}, std::numeric_limits<int64_t>::max());
  CHECK(fs::exists(test.pocl.folder('C')));
}

TEST_CASE("a program that this process has built is removed also before it has checksums") {
  CacheTest test;
  DriverCache cache = test.open();
  const auto before = cache.begin(kProgram);
  test.pocl.build('A');
  cache.end(kProgram, before);
  cache.forget({kProgram}, std::numeric_limits<int64_t>::max());
  CHECK_FALSE(fs::exists(test.pocl.folder('A')));
  cache.seal();
  CHECK_FALSE(fs::exists(test.pocl.folder('A')));
}

TEST_CASE("in a folder that others use too, their files are not touched") {
  CacheTest test;
  test.pocl.build('A');
  test.pocl.launch('A');
  write(test.folder.path / "notes.txt", "somebody's");
  DriverCache cache = test.open(false);
  cache.begin(kProgram);
  CHECK(cache.examine().programs == 0);
  CHECK(fs::exists(test.pocl.kernel('A')));
  CHECK(fs::exists(test.folder.path / "notes.txt"));
}

TEST_CASE("temporary files that are an hour old are removed, in a folder of our own") {
  for (const bool is_ours : {false, true}) {
    CacheTest test;
    const fs::path old_one = test.folder.path / "tempfile_abcdef", new_one = test.folder.path / "tempfile_ghijkl";
    write(old_one, "");
    write(new_one, "");
    const timespec long_ago[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    REQUIRE(utimensat(AT_FDCWD, old_one.c_str(), long_ago, 0) == 0);
    DriverCache cache = test.open(is_ours);
    cache.begin(kProgram);
    CHECK(fs::exists(old_one) != is_ours);
    CHECK(fs::exists(new_one));
  }
}

TEST_CASE("only this user can access files once they are recorded") {
  CacheTest test;
  const mode_t before = umask(0);
  test.run(kProgram, 'A');
  umask(before);
  for (const fs::path& file : {test.pocl.kernel('A'), test.pocl.folder('A') / "program.bc",
                               test.pocl.folder('A') / "last_accessed", test.pocl.folder('A') / "texcast-sums"}) {
    CAPTURE(file.string());
    struct stat found {};
    REQUIRE(stat(file.c_str(), &found) == 0);
    CHECK((found.st_mode & 077) == 0);
  }
}

TEST_CASE("a folder that does not exist, or cannot be written, is not an error") {
  DriverCache nowhere("/nonexistent/pocl", true);
  CHECK_FALSE(nowhere.begin(kProgram).is_there);
  nowhere.end(kProgram, {});
  nowhere.seal();
  nowhere.forget({kProgram}, 0);
  CHECK(nowhere.examine().programs == 0);
}
