// Runs the kernel tests on one device. Exit code 77, which CTest shows as skipped, where that device is not there.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdlib>

#include "check.h"
#include "texcast/error.h"

int main(int argc, char** argv) {
  setenv("TEXCAST_TUNE", "off", 0);  // no test waits for the tuner but its own
  try {
    const auto& info = check::device().info();
    fmt::print("device: {} ({}, driver {})\n", info.name, info.platform, info.driver);
  } catch (const texcast::Error& error) {
    fmt::print("SKIP: {}\n", error.what());
    return 77;
  }
  doctest::Context context(argc, argv);
  context.setOption("duration", true);  // what tests cost can be read in every log
  // llvmpipe is another compiler than PoCL's for what most use; of the other formats PoCL and Oclgrind have all.
  if (check::slow_compiler() && !check::has_all()) {
    constexpr const char* kSeldom =
        "*alpha_check*,*astc_check*,*bc6h_check*,*bc7_check*,*devices_check*,*eac_check*,*etc_check*,*table_check*,"
        "*tuner_check*";
    context.addFilter("source-file-exclude", kSeldom);
    fmt::print("kernels_test: SKIP: {}: llvmpipe compiles for minutes; TEXCAST_TEST_ALL=1 has them\n", kSeldom);
  }
  return context.run();
}
