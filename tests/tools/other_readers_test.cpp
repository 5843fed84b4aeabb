// Texture files are read by a program other than FFmpeg: Pillow, which has its own decoders for BC1, BC3, BC6H and BC7.
// docs/format.md lists the other programs that were tried.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "program.h"

using namespace texcast::test;

namespace {

// Debian's python3, because another one in PATH would lack its packages.
constexpr const char* kPython = "/usr/bin/python3";

int largest_difference(const std::string& a, const std::string& b) {
  int most = 0;
  for (size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i])));
  return most;
}

}  // namespace

TEST_CASE("Pillow decodes .dds like texcast: sRGB, signed and unsigned half floats, and the first level") {
  if (shell(std::string(kPython) + " -c 'from PIL import DdsImagePlugin'").exit_code != 0) {
    MESSAGE("SKIP: no Pillow here (python3-pil)");
    return;
  }
  struct File {
    const char* options;
    int most;  // difference of a byte: expansion of 5 and 6 bits, half floats as bytes
  };
  const Folder folder;
  for (const auto& [options, most] :
       {File{"bc1", 1}, File{"bc3 --mips box", 1}, File{"bc7 --quality high", 0}, File{"bc7 --srgb", 0},
        File{"bc7 --mips kaiser", 0}, File{"bc6h", 1}, File{"bc6h-signed --mips box", 1}}) {
    CAPTURE(std::string(options));
    const Outcome made =
        shell("cd '" + folder.path.string() + "'\ntexcast encode '" + data("kodim05_127x95.png") +
              "' a.dds --device cpu-reference --overwrite --format " + options +
              "\ntexcast decode a.dds ours.rgb --overwrite\n" + kPython +
              " -c 'from PIL import Image; open(\"theirs.rgb\", \"wb\").write(Image.open(\"a.dds\").convert(\"RGB\")"
              ".tobytes())'");
    REQUIRE_MESSAGE(made.exit_code == 0, made.err);
    const std::string ours = read_file(folder.file("ours.rgb")), theirs = read_file(folder.file("theirs.rgb"));
    REQUIRE(ours.size() == 3 * 127 * 95);
    REQUIRE(theirs.size() == ours.size());
    CHECK(largest_difference(ours, theirs) <= most);
  }
}
