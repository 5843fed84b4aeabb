// Every BC1 kernel in every form against codec/ref, byte for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"

using namespace texcast;
using stages::Form;

namespace {

FrameFormat rgba(check::Size size) {
  return {PixelFormat::rgba, size.width, size.height, {ColorMatrix::bt709, ColorRange::full}};
}

}  // namespace

TEST_CASE("bc1 range fit, one item a block") {
  for (const auto size : check::sizes())
    check::check_all_patterns({rgba(size), TextureFormat::bc1, Quality::fast, Form::wide}, "bc1 range wide");
}

TEST_CASE("bc1 lspiro step 1, one item a block") {
  for (const auto size : check::sizes())
    check::check_all_patterns({rgba(size), TextureFormat::bc1, Quality::normal, Form::wide}, "bc1 lspiro1 wide");
}

TEST_CASE("bc1 in the paper's form, any number of blocks a group") {
  for (const int per_group : check::tiny_only() ? std::vector{1, 2} : std::vector{1, 2, 6, 8, 16})
    for (const auto size : check::sizes()) {
      if (size.width > 1000 && per_group != 8) continue;
      for (const Quality quality : {Quality::fast, Quality::normal})
        check::check_all_patterns({rgba(size), TextureFormat::bc1, quality, Form::group, per_group},
                                  fmt::format("bc1 {} group of {}", name(quality), per_group));
    }
}

TEST_CASE("a wide kernel gives the same whatever its group size") {
  for (const int group_size : {1, 16, 128})
    check::check_all_patterns({.source = rgba({13, 9}), .quality = Quality::fast, .group_size = group_size},
                              fmt::format("bc1 range wide, group of {}", group_size));
}
