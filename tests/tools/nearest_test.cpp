#include "text/nearest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace texcast;

TEST_CASE("what was probably meant: one letter wrong, missing, surplus or swapped, or only the beginning") {
  const std::vector<std::string> options{"--quality", "--quiet", "--format", "--for", "--frames", "--crf"};
  CHECK(nearest("--qualty", options) == "--quality");    // left out
  CHECK(nearest("--qualityy", options) == "--quality");  // inserted
  CHECK(nearest("--fromat", options) == "--format");     // swapped
  CHECK(nearest("--cfr", options) == "--crf");
  CHECK(nearest("--FRAMES", options) == "--frames");
  CHECK(nearest("--qual", options) == "--quality");  // begins one
  CHECK(nearest("--colour", options).empty());
  CHECK(nearest("", options).empty());
  CHECK(nearest("x", {"y", "z"}).empty());  // every letter is near every other one
  CHECK(nearest("bc8", {"bc1", "bc7"}) == "bc1");
  CHECK(nearest(std::string(200, 'a'), {std::string(199, 'a')}).empty());
  CHECK(nearest("high", {}).empty());
  CHECK(did_you_mean("hihg", {"fast", "high"}) == "; did you mean high?");
  CHECK(did_you_mean("purple", {"fast", "high"}).empty());
}
