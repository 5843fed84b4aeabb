// Building programs: the binary cache, kernels from a folder, and what a user reads when a kernel does not build.
#include <doctest/doctest.h>

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

}  // namespace

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
