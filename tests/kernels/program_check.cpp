// Building programs: the cache of binaries, kernels from a folder, and the message about a kernel that does not build.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

size_t binaries_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  return static_cast<size_t>(std::ranges::count_if(
      fs::directory_iterator(folder), [](const auto& entry) { return entry.path().extension() == ".clbin"; }));
}

// Returns the output to stderr of the whole process, drivers included, while `work` runs.
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

TEST_CASE("a compiler's warnings are kept out of the program's stderr") {
  TemporaryFolder folder;
  const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
  // A macro defined twice causes a warning on every device. Its number is new for each build, so that no driver finds
  // the program in a cache of its own.
  const auto fresh = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::string options = "-DTWICE=1 -DTWICE=" + std::to_string(fresh);
  CHECK(stderr_of(folder.path / "stderr", [&] {
          ocl::build_program(check::device(), "common/memory_floor.cl", options);
        }).empty());
}

TEST_CASE("the message about a kernel that does not build has its file and line, before and after its includes") {
  TemporaryFolder folder;
  const ScopedEnv kernels("TEXCAST_KERNEL_DIR", folder.path.string());
  fs::create_directory(folder.path / "inner");
  std::ofstream(folder.path / "fine.cl") << "#define ONE 1\n\n\n";
  std::ofstream(folder.path / "inner/broken.cl") << "#include \"fine.cl\"\nint f() { return not_here; }\n";
  std::ofstream(folder.path / "late.cl")
      << "int g();\n#include \"fine.cl\"\n#include \"fine.cl\"\nint g() { return nor_here; }\n";
  const auto message_of = [&](const std::string& path) -> std::string {
    try {
      ocl::build_program(check::device(), path, "");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::no_device);
      return error.what();
    }
    return "";
  };
  for (const auto& [path, place, what] : {std::array{"inner/broken.cl", "inner/broken.cl:2:", "not_here"},
                                          std::array{"late.cl", "late.cl:4:", "nor_here"}}) {
    const std::string message = message_of(path);
    CAPTURE(message);
    CHECK(message.find(place) != std::string::npos);
    CHECK(message.find(what) != std::string::npos);
  }
}

TEST_CASE("kernel files: each is included once, at the first include") {
  TemporaryFolder folder;
  const ScopedEnv kernels("TEXCAST_KERNEL_DIR", folder.path.string());
  std::ofstream(folder.path / "last.cl") << "last\n";
  std::ofstream(folder.path / "middle.cl") << "#include \"last.cl\"\nmiddle\n";
  std::ofstream(folder.path / "first.cl") << "# include \"middle.cl\" // why\n\n#include \"last.cl\"\nfirst";
  CHECK(ocl::program_source("first.cl") ==
        "#line 1 \"first.cl\"\n#line 1 \"middle.cl\"\n#line 1 \"last.cl\"\nlast\n#line 2 \"middle.cl\"\nmiddle\n"
        "#line 2 \"first.cl\"\n\n\nfirst\n");
}

TEST_CASE("kernel files that include each other in a circle, or a missing file, are errors") {
  TemporaryFolder folder;
  const ScopedEnv kernels("TEXCAST_KERNEL_DIR", folder.path.string());
  std::ofstream(folder.path / "a.cl") << "\n#include \"b.cl\"\n";
  std::ofstream(folder.path / "b.cl") << "#include \"a.cl\"\n";
  std::ofstream(folder.path / "c.cl") << "#include \"nowhere.cl\"\n";
  CHECK_THROWS_WITH_AS(ocl::program_source("a.cl"), "b.cl:1: a.cl includes itself, in a circle", Error);
  CHECK_THROWS_WITH_AS(ocl::program_source("c.cl"), "TEXCAST_KERNEL_DIR has no nowhere.cl", Error);
}

TEST_CASE("built binaries are cached, and a damaged one is built again") {
  TemporaryFolder folder;
  const ScopedEnv cache("XDG_CACHE_HOME", folder.path.string());
  ocl::build_program(check::device(), "common/memory_floor.cl", "-DSOURCE_FORMAT=TEXCAST_RGBA");
  const fs::path cached = folder.path / "texcast";
  if (binaries_in(cached) == 0) {
    MESSAGE("SKIP: binaries of programs: ", check::device().info().name, " provides none");
    return;
  }
  CHECK(binaries_in(cached) == 1);
  ocl::build_program(check::device(), "common/memory_floor.cl", "-DSOURCE_FORMAT=TEXCAST_RGBA");
  CHECK(binaries_in(cached) == 1);
  ocl::build_program(check::device(), "common/memory_floor.cl", "-DSOURCE_FORMAT=TEXCAST_BGRA");
  CHECK(binaries_in(cached) == 2);
  for (const auto& file : fs::directory_iterator(cached))
    if (file.path().extension() == ".clbin") fs::resize_file(file, fs::file_size(file) / 2);
  CHECK_NOTHROW(ocl::build_program(check::device(), "common/memory_floor.cl", "-DSOURCE_FORMAT=TEXCAST_RGBA"));
}

TEST_CASE("devices that are opened together share a context and its programs with those that are open already") {
  const std::vector<DeviceInfo> infos = {check::device().info()};
  const auto build = [](const ocl::Device& device) {
    return ocl::build_program(device, "common/memory_floor.cl", "-DSOURCE_FORMAT=TEXCAST_RGBA");
  };
  const ocl::Device first = ocl::Device::open_together(infos).front();
  const ocl::Device second = ocl::Device::open_together(infos).front();
  const ocl::Device other(infos.front());
  CHECK(first.context()() == second.context()());
  CHECK(first.context()() != other.context()());
  const cl::Program program = build(first);
  CHECK(build(second)() == program());
  CHECK(build(other)() != program());
  first.distrust();  // the next one is built again
  CHECK(build(second)() != program());
}
