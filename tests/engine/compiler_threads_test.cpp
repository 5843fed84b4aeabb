// Compiler threads have a low priority, but not while somebody waits for their result.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "ocl/program.h"

using namespace texcast;

namespace {

int nice_value() { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); }

}  // namespace

TEST_CASE(
    "compiler threads lower their priority while at work, also those that start later, but not for a caller that "
    "waits") {
  ocl::CompilerThreads compilers;
  const int usual = nice_value();
  int before = 0, behind = 0, later = 0;
  std::thread([&] {
    compilers.run([&] {
      before = nice_value();
      compilers.step_back();
      behind = nice_value();
    });
    compilers.run([&] { later = nice_value(); });
    CHECK(nice_value() == usual);
  }).join();
  CHECK(before == usual);
  CHECK(behind == 10);
  CHECK(later == 10);
}

TEST_CASE("an exception of the compiler reaches the caller that waits for it") {
  ocl::CompilerThreads compilers;
  CHECK_THROWS_WITH_AS(compilers.run([] { throw std::runtime_error("no such builtin"); }), "no such builtin",
                       std::runtime_error);
  bool again = false;
  compilers.run([&] { again = true; });
  CHECK(again);
}
