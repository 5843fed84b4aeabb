#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// LLVM, in drivers that compile kernels and shaders, gives threads signal stacks of its own, which the sanitizer would
// take for the one that it gave them, and unmap.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "use_sigaltstack=0"; }
#endif
#endif

int main(int argc, char** argv) {
  setenv("TEXCAST_TUNE", "off", 0);  // no test waits for the tuner but its own
  doctest::Context context(argc, argv);
  context.setOption("duration", true);  // what tests cost can be read in every log
  return context.run();
}
