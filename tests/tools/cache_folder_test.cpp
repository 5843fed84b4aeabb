// Where built programs go, when the usual place cannot be written: there is a device all the same, and it is said.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

using namespace texcast::test;

namespace {

namespace fs = std::filesystem;

struct CacheTest {
  Folder folder;
  std::string mine = folder.file("texcast-" + std::to_string(geteuid()));
  // `where` sets HOME or XDG_CACHE_HOME, or does not.
  Outcome run(const std::string& where, const std::string& command) const {
    return shell("unset HOME XDG_CACHE_HOME XDG_RUNTIME_DIR POCL_CACHE_DIR\nexport TMPDIR='" +
                 fs::path(mine).parent_path().string() + "' " + where + "\ncd '" + folder.file("") + "'\n" + command);
  }
  std::string doctor_says(const std::string& where) const {
    const auto report = nlohmann::json::parse(run(where, "texcast doctor --json").out);
    for (const auto& check : report["checks"])
      if (check["check"] == "cache") return check["found"];
    return "nothing";
  }
};

// Nobody can write these, not even root.
const char* const kUnwritable[] = {"", "HOME=/proc", "HOME=/nonexistent", "XDG_CACHE_HOME=/proc/cache",
                                   "HOME=/proc XDG_CACHE_HOME=/sys"};

}  // namespace

TEST_CASE("without a home that can be written there is a device, and a private cache") {
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

TEST_CASE("a compiler at work is named before it starts, once a run and once a machine") {
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
  CHECK(first.err.find(", once (about 4 s); until then the processor can encode\n") != std::string::npos);
  CHECK(lines(test.run("HOME=/proc", encode).err) == 0);
  fs::remove_all(test.mine + "/pocl");  // what the driver kept
  CHECK(lines(test.run("HOME=/proc", encode).err) == 1);
}

TEST_CASE("what doctor --prepare has built no later start compiles") {
  const CacheTest test;
  const Outcome prepared = test.run("HOME=/proc", "texcast doctor --prepare --format bc1 --device pocl");
  CHECK(prepared.exit_code == 0);
  CHECK(prepared.err.find("texcast: compiling for ") != std::string::npos);
  CHECK(prepared.out.find(" s  encoder of bc1 from yuv420p\n") != std::string::npos);
  CHECK(prepared.out.find(" s  encoder of bc1 from bgra\n") != std::string::npos);
  // PoCL compiles some of a kernel at its first launch, and says nothing.
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

TEST_CASE("a folder of ours that somebody else can write to is not used") {
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

TEST_CASE("a cache of PoCL that was asked for and cannot be written is named as the cause") {
  const CacheTest test;
  const Outcome devices =
      test.run("POCL_CACHE_DIR=/proc/pocl OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd", "texcast devices");
  CHECK(devices.exit_code == 3);
  CHECK(devices.err.find("POCL_CACHE_DIR, '/proc/pocl', cannot be written") != std::string::npos);
}
