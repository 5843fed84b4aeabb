// A process that crashes in a driver leaves a note behind, which others can tell from that of a running process.
#include "build_note.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ocl/cache.h"
#include "temporary_folder.h"

using namespace texcast;
using ocl::BuildNote;
namespace fs = std::filesystem;

namespace {

const std::string kBuilt = ocl::content_hash("a program"), kBuiltToo = ocl::content_hash("another");

// A process that runs the given function and then waits to be killed.
class Process {
 public:
  explicit Process(const std::function<void()>& work) {
    int ready[2] = {};
    REQUIRE(pipe(ready) == 0);
    process_ = fork();
    if (process_ == 0) {
      close(ready[0]);
      work();
      if (write(ready[1], "r", 1) != 1) _exit(1);
      pause();
      _exit(0);
    }
    close(ready[1]);
    char byte = 0;
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
  }
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void end() {
    if (process_ == 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

}  // namespace

TEST_CASE("the note exists while something is built, and the end of the last build removes it") {
  const test::TemporaryFolder folder;
  BuildNote note;
  note.begin(folder.path, "PoCL", kBuilt);
  REQUIRE_FALSE(fs::is_empty(folder.path));
  const fs::path file = fs::directory_iterator(folder.path)->path();
  struct stat found {};
  REQUIRE(stat(file.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  note.begin(folder.path, "PoCL", kBuiltToo);
  note.end(1);
  CHECK_FALSE(fs::is_empty(folder.path));
  note.end(1);
  CHECK(fs::is_empty(folder.path));
  note.end(1);  // more than there are
  note.begin(folder.path, "PoCL", kBuilt);
  CHECK_FALSE(fs::is_empty(folder.path));
}

TEST_CASE("a process that exits normally leaves no note") {
  const test::TemporaryFolder folder;
  {
    BuildNote note;
    note.begin(folder.path, "PoCL", kBuilt);
  }
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE(
    "the note of a process that was killed during a build is found with the build; that of a running process is not") {
  const test::TemporaryFolder folder;
  BuildNote* theirs = nullptr;
  Process other([&] {
    theirs = new BuildNote;  // leaked, so that no destructor removes the note
    theirs->begin(folder.path, "Some driver, with a comma", kBuilt);
    theirs->begin(folder.path, "Some driver, with a comma", kBuiltToo);
  });
  BuildNote ours;
  ours.begin(folder.path, "PoCL", kBuilt);
  CHECK(BuildNote::left_in(folder.path).empty());
  CHECK(ours.others_build_in(folder.path));
  other.end();
  CHECK_FALSE(ours.others_build_in(folder.path));
  const auto left = BuildNote::left_in(folder.path);
  REQUIRE(left.size() == 1);
  CHECK(left[0].driver == "Some driver, with a comma");
  CHECK(left[0].programs == std::vector{kBuilt, kBuiltToo});
  CHECK(left[0].since > 0);
  CHECK(BuildNote::left_in(folder.path).empty());  // another process takes care of it already
  fs::remove(left[0].file);
  ours.end(1);
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("a note is removed long after its builds ended, even if nothing was launched") {
  const test::TemporaryFolder folder;
  BuildNote note;
  note.begin(folder.path, "PoCL", kBuilt);
  note.end_before(SteadyTime{});
  CHECK_FALSE(fs::is_empty(folder.path));
  note.end_before(steady_now() + std::chrono::seconds(1));
  CHECK(fs::is_empty(folder.path));
  note.begin(folder.path, "PoCL", kBuiltToo);
  CHECK_FALSE(fs::is_empty(folder.path));
}

TEST_CASE("if the note cannot be written, builds go on without it") {
  BuildNote note;
  note.begin("/proc/nowhere", "PoCL", kBuilt);
  note.begin({}, "PoCL", kBuilt);
  note.end(2);
  CHECK(BuildNote::left_in("/proc/nowhere").empty());
  CHECK_FALSE(note.others_build_in("/nonexistent"));
}

TEST_CASE("an unreadable note names nothing") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "building-abcdef";
  FILE* out = std::fopen(file.c_str(), "w");
  REQUIRE(out != nullptr);
  std::fputs("program ../../etc/passwd\nprogram \n\nsince x\nnonsense", out);
  std::fclose(out);
  REQUIRE(chmod(file.c_str(), 0600) == 0);
  const auto left = BuildNote::left_in(folder.path);
  REQUIRE(left.size() == 1);
  CHECK(left[0].programs.empty());
  CHECK(left[0].driver.empty());
  CHECK(left[0].since == 0);
}
