// The cache of compiled programs. If the usual directory is not writable, the device still works, and a message says
// so. Cached files may be damaged, by a power failure or because a driver crashed: the next start must cope.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

using namespace texcast::test;

namespace {

namespace fs = std::filesystem;

struct CacheTest {
  // A kernel on PoCL must make the same blocks as the reference encoder.
  static constexpr const char* kEncode =
      "texcast encode test o.dds --frames 1 --size 64x64 --quality fast --overwrite --device pocl";
  static constexpr const char* kReference =
      "texcast encode test o.dds --frames 1 --size 64x64 --quality fast --overwrite --device cpu-reference";

  Folder folder;
  std::string mine = folder.file("texcast-" + std::to_string(geteuid()));
  // `where` may set HOME or XDG_CACHE_HOME.
  Outcome run(const std::string& where, const std::string& command) const {
    return shell("unset HOME XDG_CACHE_HOME XDG_RUNTIME_DIR POCL_CACHE_DIR\nexport TMPDIR='" +
                 fs::path(mine).parent_path().string() + "' " + where + "\ncd '" + folder.file("") + "'\n" + command);
  }
  // The finding of `doctor` with that value of "check".
  nlohmann::json doctor_finds(const std::string& where, const std::string& check) const {
    const auto report = nlohmann::json::parse(run(where, "texcast doctor --json").out);
    for (const auto& finding : report["checks"])
      if (finding["check"] == check) return finding;
    return {{"found", "nothing"}, {"health", ""}, {"mend", ""}};
  }
  std::string doctor_says(const std::string& where) const { return doctor_finds(where, "cache")["found"]; }
  // Files with this extension in the directories of PoCL's programs.
  std::vector<fs::path> kept(const std::string& extension) const {
    std::vector<fs::path> files;
    const fs::path cache = mine + "/pocl";
    if (fs::exists(cache))
      for (const auto& entry : fs::recursive_directory_iterator(cache))
        if (entry.path().parent_path() != cache && entry.path().extension() == extension) files.push_back(entry.path());
    return files;
  }
  // Starts the program until nothing is compiled any more, and returns the last outcome: if an encoder ends before its
  // compiler has started, the next start compiles.
  Outcome settled(const std::string& where) const {
    for (int start = 0; start < 10; ++start)
      if (Outcome outcome = run(where, kEncode); outcome.err.find("compil") == std::string::npos) return outcome;
    FAIL("every start compiles");
    return {};
  }
  // Returns and removes the file of the last encode.
  std::string take_made() const {
    const std::string made = read_file(folder.file("o.dds"));
    fs::remove(folder.file("o.dds"));
    return made;
  }
};

bool tells(const Outcome& outcome, const std::string& words) { return outcome.err.find(words) != std::string::npos; }

// Not even root can write to these.
const char* const kUnwritable[] = {"", "HOME=/proc", "HOME=/nonexistent", "XDG_CACHE_HOME=/proc/cache",
                                   "HOME=/proc XDG_CACHE_HOME=/sys"};

}  // namespace

TEST_CASE("without a writable home the device works, with a private cache") {
  for (const std::string where : kUnwritable) {
    CAPTURE(where);
    const CacheTest test;
    const Outcome devices = test.run(where, "texcast devices");
    CHECK(devices.exit_code == 0);
    CHECK(devices.err.empty());
    CHECK(test.doctor_says(where).starts_with(test.mine));
    struct stat found = {};
    REQUIRE(lstat(test.mine.c_str(), &found) == 0);
    CHECK((found.st_mode & 0777) == 0700);
    CHECK(!fs::exists("/nonexistent"));
  }
}

TEST_CASE("compiling is announced before it starts, once in a run and once on a machine") {
  const CacheTest test;
  const std::string encode =
      "texcast encode test o.mov --frames 1 --size 32x32 --quality fast --overwrite --device pocl";
  const auto lines = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find("texcast: compiling for ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const Outcome first = test.run("HOME=/proc", encode);
  CHECK(first.exit_code == 0);
  CHECK(lines(first.err) == 1);
  CHECK(first.err.find(", once (may take up to half a minute); until then the processor can encode\n") !=
        std::string::npos);
  CHECK(lines(test.run("HOME=/proc", encode).err) == 0);
  fs::remove_all(test.mine + "/pocl");  // the driver's cache
  CHECK(lines(test.run("HOME=/proc", encode).err) == 1);
}

TEST_CASE("no later start compiles what doctor --prepare has built") {
  const CacheTest test;
  const Outcome prepared = test.run("HOME=/proc", "texcast doctor --prepare --format bc1 --device pocl");
  CHECK(prepared.exit_code == 0);
  CHECK(prepared.err.find("texcast: compiling for ") != std::string::npos);
  CHECK(prepared.out.find(" s  encoder of bc1 from yuv420p\n") != std::string::npos);
  CHECK(prepared.out.find(" s  encoder of bc1 from bgra\n") != std::string::npos);
  // PoCL compiles parts of a kernel at its first launch without a message.
  const auto kept_by_pocl = [&] {
    return std::ranges::count_if(fs::recursive_directory_iterator(test.mine + "/pocl"),
                                 [](const fs::directory_entry& entry) { return entry.path().extension() == ".so"; });
  };
  const auto kept = kept_by_pocl();
  CHECK(kept > 0);
  for (const std::string use :
       {"encode test o.mov --frames 2 --size 64x64 --device pocl",
        "send test rtp://127.0.0.1:9 --frames 2 --size 96x64 --device pocl --no-announce",
        "send test rtp://127.0.0.1:9 --frames 2 --size 96x64 --device pocl --no-announce --plain"}) {
    CAPTURE(use);
    const Outcome used = test.run("HOME=/proc", "texcast " + use);
    CHECK(used.exit_code == 0);
    CHECK(used.err.find("compil") == std::string::npos);
    CHECK(kept_by_pocl() == kept);
  }
  const Outcome idle = test.run("HOME=/proc", "texcast doctor --format bc1");
  CHECK(idle.exit_code == 2);
}

TEST_CASE("a private cache that others can write to is not used") {
  const CacheTest test;
  fs::create_directory(test.mine);
  REQUIRE(chmod(test.mine.c_str(), 0777) == 0);
  CHECK_FALSE(test.doctor_says("HOME=/proc").starts_with(test.mine));
  fs::remove(test.mine);
  fs::create_directory(test.folder.file("elsewhere"));
  fs::create_symlink(test.folder.file("elsewhere"), test.mine);
  CHECK_FALSE(test.doctor_says("HOME=/proc").starts_with(test.mine));
  CHECK(fs::is_empty(test.folder.file("elsewhere")));
}

TEST_CASE("an unwritable POCL_CACHE_DIR is reported as the cause") {
  const CacheTest test;
  const Outcome devices =
      test.run("POCL_CACHE_DIR=/proc/pocl OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd", "texcast devices");
  CHECK(devices.exit_code == 3);
  CHECK(devices.err.find("POCL_CACHE_DIR, '/proc/pocl', is not writable") != std::string::npos);
}

TEST_CASE(
    "kernels that are empty, cut or flipped end no start, make no other blocks, and are there again at the next") {
  const CacheTest test;
  REQUIRE(test.run("HOME=/proc", CacheTest::kReference).exit_code == 0);
  const std::string right = test.take_made();
  REQUIRE(right.size() > 16 * 16 * 8);
  // If nothing is compiled, the device makes the blocks, not the CPU in the meantime.
  REQUIRE(test.settled("HOME=/proc").exit_code == 0);
  CHECK(test.take_made() == right);
  const auto flip = [](const fs::path& file, double where) {
    std::string bytes = read_file(file.string());
    bytes[static_cast<size_t>(where * static_cast<double>(bytes.size() - 1))] ^= 0x10;
    write_file(file.string(), bytes);
  };
  const std::vector<std::pair<std::string, std::function<void(const fs::path&)>>> damages = {
      {"empty", [](const fs::path& file) { fs::resize_file(file, 0); }},
      {"cut", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }},
      {"flipped near its start", [&](const fs::path& file) { flip(file, 0.02); }},
      {"flipped in its middle", [&](const fs::path& file) { flip(file, 0.5); }}};
  for (const auto& [damage, apply] : damages)
    for (const std::string extension : {".bc", ".so"}) {
      CAPTURE(damage);
      CAPTURE(extension);
      const auto files = test.kept(extension);
      REQUIRE(files.size() == 1);
      apply(files.front());
      const Outcome next = test.run("HOME=/proc", CacheTest::kEncode);
      INFO(next.err);
      CHECK(next.exit_code == 0);
      CHECK(tells(next, " holds are damaged and are compiled again"));
      CHECK(test.take_made() == right);
      CHECK(test.settled("HOME=/proc").exit_code == 0);
      CHECK(test.take_made() == right);
    }
}

TEST_CASE("doctor reports damaged kernels and removes them") {
  const CacheTest test;
  REQUIRE(test.settled("HOME=/proc").exit_code == 0);
  CHECK(test.doctor_finds("HOME=/proc", "kernels")["health"] == "ok");
  REQUIRE(test.kept(".so").size() == 1);
  fs::resize_file(test.kept(".so").front(), 100);
  const auto found = test.doctor_finds("HOME=/proc", "kernels");
  CHECK(found["health"] == "poor");
  CHECK(found["found"].get<std::string>().find("1 other damaged and removed") != std::string::npos);
  CHECK(test.kept(".so").empty());
}

TEST_CASE("after a crash in the driver the next start reports it and compiles again") {
  const CacheTest test;
  // Killed while the compiler runs.
  const Outcome ended =
      test.run("HOME=/proc",
               "\"$built\" encode test o.mov --frames 100000 --size 64x64 --device pocl & encoder=$!\n"
               "until ls '" +
                   test.mine +
                   "'/pocl/building-* > /dev/null 2>&1; do\n"
                   "  kill -0 $encoder 2> /dev/null || exit 1\n"
                   "  sleep 0.01\n"
                   "done\n"
                   "kill -9 $encoder; wait $encoder; exit 0");
  REQUIRE(ended.exit_code == 0);
  const Outcome next = test.run("HOME=/proc", CacheTest::kEncode);
  CHECK(next.exit_code == 0);
  CHECK(tells(next, "an earlier start ended while Portable Computing Language was building kernels"));
  const Outcome after = test.settled("HOME=/proc");
  CHECK(after.exit_code == 0);
  CHECK_FALSE(tells(after, "an earlier start"));

  // Killed after everything was recorded: its kernels are compiled again nevertheless.
  std::string note = "since 0\ndriver Portable Computing Language\n";
  for (const fs::path& sums : test.kept(""))
    if (sums.filename() == "texcast-sums") {
      const std::string text = read_file(sums.string());
      note += text.substr(text.find("program "), text.find('\n', text.find("program ")) + 1 - text.find("program "));
    }
  REQUIRE(note.find("program ") != std::string::npos);
  write_file(test.mine + "/pocl/building-abcdef", note);
  REQUIRE(chmod((test.mine + "/pocl/building-abcdef").c_str(), 0600) == 0);
  const Outcome again = test.run("HOME=/proc", CacheTest::kEncode);
  CHECK(again.exit_code == 0);
  CHECK(tells(again, "an earlier start ended"));
  CHECK(tells(again, "compiling for "));
  CHECK_FALSE(fs::exists(test.mine + "/pocl/building-abcdef"));
}

TEST_CASE("a usual cache directory that others can write to is not used, and doctor and program say so") {
  const CacheTest test;
  const std::string usual = test.folder.file("caches/texcast"),
                    where = "XDG_CACHE_HOME='" + test.folder.file("caches") + "'";
  fs::create_directories(usual);
  REQUIRE(chmod(usual.c_str(), 0777) == 0);
  const auto found = test.doctor_finds(where, "cache");
  CHECK(found["health"] == "poor");
  CHECK(found["found"].get<std::string>().find("others can write to " + usual) != std::string::npos);
  CHECK(found["mend"].get<std::string>().find(usual) != std::string::npos);
  const Outcome encode = test.run(where, CacheTest::kEncode);
  CHECK(encode.exit_code == 0);
  CHECK(tells(encode, "others can write to " + usual));
  CHECK(fs::is_empty(usual));
}

TEST_CASE("with any umask nobody else can read or write the cache") {
  for (const std::string mask : {"0", "0777"}) {
    CAPTURE(mask);
    if (mask == "0777" && geteuid() != 0) continue;  // PoCL could not read its own files
    const CacheTest test;
    const Outcome encode =
        test.run("XDG_CACHE_HOME='" + test.folder.file("caches") + "'",
                 "umask " + mask + "\n" + CacheTest::kEncode + " && umask 022 && find caches -perm /077 ! -type l");
    CHECK(encode.exit_code == 0);
    CHECK(encode.out.find("caches") == std::string::npos);
    CHECK(fs::exists(test.folder.file("caches/texcast/pocl")));
  }
}

TEST_CASE("on a full disk kernels are cached elsewhere, and the command goes on") {
  const CacheTest test;
  const Outcome encode =
      test.run("HOME=/proc",
               "mkdir caches\n"
               "unshare -rm mount -t tmpfs none caches || exit 77\n"
               "for size in 16k 64k 200k 400k 1m 4m; do\n"
               "  unshare -rm bash -c 'mount -t tmpfs -o size=$1 none caches && XDG_CACHE_HOME=$PWD/caches "
               "exec \"$2\" encode test o.dds --frames 1 --size 64x64 --overwrite --device pocl' - "
               "$size \"$built\" || echo \"size $size: exit $?\"\ndone");
  if (encode.exit_code == 77) {
    MESSAGE("SKIP: no namespace for a file system of our own: " << encode.err);
    return;
  }
  CHECK(encode.exit_code == 0);
  CHECK(encode.out.find("exit ") == std::string::npos);
  CHECK(tells(encode, "the disk of "));
  CHECK_FALSE(test.kept(".so").empty());
}
