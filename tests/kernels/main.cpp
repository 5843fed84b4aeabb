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
  return context.run();
}
