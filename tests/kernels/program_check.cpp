// Building programs: the binary cache, kernels from a folder, and what a user reads when a kernel does not build.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "check.h"
#include "environment.h"
#include "ocl/program.h"
#include "temporary_folder.h"

using namespace texcast;
using check::ScopedEnv;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

size_t files_in(const fs::path& folder) {
  return fs::exists(folder) ? static_cast<size_t>(std::distance(fs::directory_iterator(folder), {})) : 0;
}

// What anything in the process, a driver too, writes to stderr while `work` runs.
template <typename Work>
std::string stderr_of(const fs::path& file, Work&& work) {
  const int before = dup(STDERR_FILENO), to = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(before >= 0);
  REQUIRE(to >= 0);
  dup2(to, STDERR_FILENO);
  close(to);
  work();
  dup2(before, STDERR_FILENO);
  close(before);
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a compiler's warnings stay away from the program's stderr") {
  TemporaryFolder folder;
  const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
  // A macro defined twice is a warning on every processor. A number that no build had before, so that no driver finds
  // the program in a cache of its own.
  const auto fresh = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::string options = "-DTWICE=1 -DTWICE=" + std::to_string(fresh);
  CHECK(stderr_of(folder.path / "stderr", [&] {
          ocl::build_program(check::device(), {"shared_layout.h", "memory_floor.cl"}, options);
        }).empty());
}

TEST_CASE("a kernel that does not build is reported with its file and line") {
  TemporaryFolder folder;
  std::ofstream(folder.path / "fine.cl") << "kernel void fine(global int* out) {\n  out[0] = 1;\n}\n";
  std::ofstream(folder.path / "broken.cl") << "kernel void broken(global int* out) {\n  out[0] = no_such_thing;\n}\n";
  const ScopedEnv kernels("TEXCAST_KERNEL_DIR", folder.path.string());
  std::string message;
  try {
    ocl::build_program(check::device(), {"fine.cl", "broken.cl"}, "");
  } catch (const Error& error) {
    message = error.what();
    CHECK(error.kind() == ErrorKind::no_device);
  }
  CAPTURE(message);
  CHECK(message.find("no_such_thing") != std::string::npos);
  CHECK(message.find("broken.cl:2:") != std::string::npos);
}

TEST_CASE("built binaries are cached, and a damaged one is built anew") {
  TemporaryFolder folder;
  const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
  const std::vector<std::string> files = {"shared_layout.h", "load.cl", "lanes.cl", "memory_floor.cl"};
  ocl::build_program(check::device(), files, "-DSOURCE_FORMAT=TEXCAST_RGBA");
  const fs::path cached = folder.path / "texcast";
  if (files_in(cached) == 0) {
    MESSAGE("SKIP: ", check::device().info().name, " gives no binaries");
    return;
  }
  CHECK(files_in(cached) == 1);
  ocl::build_program(check::device(), files, "-DSOURCE_FORMAT=TEXCAST_RGBA");
  CHECK(files_in(cached) == 1);
  ocl::build_program(check::device(), files, "-DSOURCE_FORMAT=TEXCAST_BGRA");
  CHECK(files_in(cached) == 2);
  for (const auto& file : fs::directory_iterator(cached)) fs::resize_file(file, fs::file_size(file) / 2);
  CHECK_NOTHROW(ocl::build_program(check::device(), files, "-DSOURCE_FORMAT=TEXCAST_RGBA"));
}
