// Cube maps and arrays from several pictures: --cube and --array.
#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "program.h"

using namespace texcast::test;

namespace {

constexpr int kSide = 24;

// Six pictures f0.png … f5.png that differ in every texel; in strip.png and column.png in a row and a column, and in
// cross.png as a cross, in which another program has put them.
void make_pictures(const Folder& folder) {
  std::string script = "cd '" + folder.path.string() + "'\n";
  for (int i = 0; i < 6; ++i)
    script += "ffmpeg -v error -f lavfi -i \"color=size=24x24:duration=0.04,format=gbrp,geq=r='9*X+" +
              std::to_string(i) + "':g='9*Y':b='" + std::to_string(40 * i) + "'\" -frames:v 1 -pix_fmt rgb24 f" +
              std::to_string(i) + ".png\n";
  const std::string inputs =
      "ffmpeg -v error -i f0.png -i f1.png -i f2.png -i f3.png -i f4.png -i f5.png -filter_complex ";
  script += inputs + "hstack=inputs=6 strip.png\n" + inputs + "vstack=inputs=6 column.png\n";
  script += inputs + "'xstack=inputs=6:layout=48_24|0_24|24_0|24_48|24_24|72_24:fill=black' cross.png\n";
  const Outcome made = shell(script);
  REQUIRE_MESSAGE(made.exit_code == 0, made.err);
}

std::string encode(const std::string& inputs_and_output, const std::string& options) {
  return "texcast encode " + inputs_and_output + " --device cpu-reference --overwrite " + options + "\n";
}

// The texels of one image of a file.
std::string image(const Folder& folder, const std::string& file, const std::string& part) {
  const Outcome decoded =
      shell("cd '" + folder.path.string() + "'\ntexcast decode " + file + " one.rgb --overwrite " + part);
  REQUIRE_MESSAGE(decoded.exit_code == 0, decoded.err);
  return read_file(folder.file("one.rgb"));
}

}  // namespace

TEST_CASE("each face and layer is what its picture would be by itself, with all levels") {
  const Folder folder;
  make_pictures(folder);
  const std::string cd = "cd '" + folder.path.string() + "'\n", options = "--format bc1 --mips kaiser";
  for (const std::string extension : {".dds", ".ktx2"}) {
    CAPTURE(extension);
    const Outcome made =
        shell(cd + "set -e\n" + encode("f?.png cube" + extension, options + " --cube") +
              encode("f0.png f1.png f2.png array" + extension, options + " --array --srgb") +
              encode("f?.png f5.png f4.png f3.png f2.png f1.png f0.png both" + extension, options + " --array --cube"));
    REQUIRE_MESSAGE(made.exit_code == 0, made.err);
    for (const int i : {0, 1, 2, 5}) {
      const std::string number = std::to_string(i);
      REQUIRE(shell(cd + encode("f" + number + ".png alone" + extension, options)).exit_code == 0);
      for (const std::string level : {" --level 0", " --level 3"}) {
        const std::string alone = image(folder, "alone" + extension, level);
        REQUIRE(alone.size() == (level == " --level 0" ? 3 * kSide * kSide : 3 * 3 * 3));
        CHECK(image(folder, "cube" + extension, "--face " + number + level) == alone);
        CHECK(image(folder, "both" + extension, "--face " + number + level) == alone);
        CHECK(image(folder, "both" + extension, "--layer 1 --face " + std::to_string(5 - i) + level) == alone);
        if (i < 3) CHECK(image(folder, "array" + extension, "--layer " + number + level) == alone);
      }
    }
    const auto info = nlohmann::json::parse(shell(cd + "texcast info --json both" + extension).out);
    CHECK(info["layers"] == 2);
    CHECK(info["faces"] == 6);
    CHECK(info["levels"] == 5);
    CHECK(shell(cd + "texcast verify both" + extension).exit_code == 0);
    CHECK(shell(cd + "texcast info array" + extension).out.find("sRGB transfer") != std::string::npos);
  }
}

TEST_CASE("a picture that has all faces in a row, a column or a cross gives the same cube map as six pictures") {
  const Folder folder;
  make_pictures(folder);
  const std::string cd = "cd '" + folder.path.string() + "'\n", options = "--format bc7 --cube --mips box";
  REQUIRE(shell(cd + encode("f?.png six.ktx2", options)).exit_code == 0);
  for (const std::string picture : {"strip", "column", "cross"}) {
    CAPTURE(picture);
    const Outcome made = shell(cd + encode(picture + ".png one.ktx2", options + " --json"));
    REQUIRE_MESSAGE(made.exit_code == 0, made.err);
    CHECK(nlohmann::json::parse(made.out)["faces"] == 6);
    CHECK(read_file(folder.file("one.ktx2")) == read_file(folder.file("six.ktx2")));
  }
}

TEST_CASE("pictures that do not fit together are refused, and leave no file") {
  const Folder folder;
  make_pictures(folder);
  const std::string cd = "cd '" + folder.path.string() + "'\n";
  for (const auto& [words, why] : std::initializer_list<std::pair<std::string, std::string>>{
           {"f0.png f1.png a.dds", "2 inputs for one output, 'a.dds'; several need --to FOLDER, --cube or --array"},
           {"f0.png f1.png a.dds --cube", "in the order +X -X +Y -Y +Z -Z; there are 2"},
           {"f0.png a.dds --cube", "'f0.png' has 24x24"},
           {"f0.png strip.png a.dds --array", "'strip.png' has 144x24 and 'f0.png' has 24x24"},
           {"strip.png strip.png strip.png strip.png strip.png strip.png a.dds --cube", "must be square, not 144x24"},
           {"f0.png f1.png a.astc --array --format astc-4x4", "--array makes one .dds or .ktx2"},
           {"f0.png f1.png a.mov --array", "--array makes one .dds or .ktx2"},
           {"f0.png f1.png a%02d.dds --array", "--array makes one .dds or .ktx2"},
           {"f0.png f1.png a.dds --array --format etc2", "DDS cannot hold an array of etc2; KTX2 can"},
           {"f0.png f1.png a.ktx2 --array --format ycocg-bc4", "several planes"},
           {"f0.png f1.png a.dds --array --psnr", "leave out --psnr"},
           {"strip.png a.dds --cube --resize pow2", "--resize scales pictures of one face each"}}) {
    const Outcome outcome = shell(cd + "texcast encode " + words + " --device cpu-reference");
    CAPTURE(words);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.find(why) != std::string::npos);
  }
  CHECK(shell(cd + "ls a*").out.empty());
  // The remedy that the message names.
  CHECK(shell(cd + encode("f0.png strip.png a.dds", "--array --resize 24x24")).exit_code == 0);
  // A file that exists is kept.
  CHECK(shell(cd + "texcast encode f0.png f1.png a.dds --array --device cpu-reference").exit_code == 1);
}
