#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// LLVM, in drivers that compile kernels and shaders, gives threads its own signal stacks. The sanitizer would take them
// for those that it allocated, and unmap them.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "use_sigaltstack=0"; }
#endif
#endif

int main(int argc, char** argv) {
  setenv("TEXCAST_TUNE", "off", 0);  // only the tuner's own tests wait for it
  doctest::Context context(argc, argv);
  context.setOption("duration", true);  // so that every log shows the duration of each test
  return context.run();
}
