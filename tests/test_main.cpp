#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("TEXCAST_TUNE", "off", 0);  // no test waits for the tuner but its own
  return doctest::Context(argc, argv).run();
}
