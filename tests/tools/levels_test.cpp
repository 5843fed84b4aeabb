// Mip levels: --mips and --srgb, and how `info` and `decode` read the files.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"

using namespace texcast::test;

namespace {

// 127x95.
std::string encode_levels(const std::string& output, const std::string& options) {
  return "texcast encode '" + data("kodim05_127x95.png") + "' " + output + " --device cpu-reference --overwrite " +
         options;
}

std::string rgb_of(const std::string& picture) {
  return "ffmpeg -v error -i " + picture + " -f rawvideo -pix_fmt rgb24 - > " + picture + ".rgb\n";
}

// The mean absolute difference of two pictures of the same size.
double mean_difference(const std::string& a, const std::string& b) {
  REQUIRE(a.size() == b.size());
  REQUIRE(!a.empty());
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += std::abs(static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]));
  return sum / static_cast<double>(a.size());
}

}  // namespace

TEST_CASE("--mips writes every level of any format, and decode --level returns it as a picture of its size") {
  const Folder folder;
  const std::string cd = "cd '" + folder.path.string() + "'\n";
  for (const auto& [format, file] : {std::pair{"bc1", "a.dds"},
                                     {"bc4", "a.ktx2"},
                                     {"bc5", "a.dds"},
                                     {"ycocg-bc4", "a.dds"},
                                     {"ycocg-bc4", "a.ktx2"}}) {
    CAPTURE(std::string(format));
    const std::string name(file);
    const Outcome made = shell(cd + encode_levels(name, std::string("--mips box --format ") + format));
    REQUIRE_MESSAGE(made.exit_code == 0, made.err);
    const Outcome info = shell(cd + "texcast info --json " + name);
    CHECK(nlohmann::json::parse(info.out)["levels"] == 7);
    const Outcome decoded =
        shell(cd + "texcast decode " + name + " three.png --level 3 --overwrite > /dev/null\n" + rgb_of("three.png"));
    REQUIRE_MESSAGE(decoded.exit_code == 0, decoded.err);
    CHECK(read_file(folder.file("three.png.rgb")).size() == 3 * 15 * 11);
    CHECK(shell(cd + "texcast decode " + name + " x.png --level 7").err.find("no level 7") != std::string::npos);
    CHECK(shell(cd + "texcast verify " + name).exit_code == 0);
    if (name != "a.dds") continue;  // in a .ktx2 the last bytes belong to the largest level
    const std::string whole = read_file(folder.file(name));
    write_file(folder.file(name), whole.substr(0, whole.size() - 1));
    CHECK(shell(cd + "texcast verify " + name).exit_code == 7);
  }
}

// FFmpeg's area filter works on the stored values, so it gives nearly the same as a box filter for data; compared with
// filtering of light it is a little darker where a picture has contrast.
TEST_CASE("levels look like the picture scaled down by another program") {
  const Folder folder;
  const std::string cd = "cd '" + folder.path.string() + "'\n";
  const Outcome other = shell(cd + "ffmpeg -v error -i '" + data("kodim05_127x95.png") +
                              "' -vf scale=63:47:flags=area other.png\n" + rgb_of("other.png"));
  REQUIRE(other.exit_code == 0);
  const std::string theirs = read_file(folder.file("other.png.rgb"));
  for (const std::string filter : {"box", "kaiser"}) {
    CAPTURE(filter);
    REQUIRE(shell(cd + encode_levels("a.dds", "--format ycocg-bc4-444 --quality high --mips " + filter) +
                  "\ntexcast decode a.dds one.png --level 1 --overwrite\n" + rgb_of("one.png"))
                .exit_code == 0);
    const std::string ours = read_file(folder.file("one.png.rgb"));
    CHECK(mean_difference(ours, theirs) < (filter == "box" ? 8 : 12));
    CHECK(mean_difference(ours, theirs) > 1);  // filtering light differs from filtering values
  }
}

namespace {

// Pixels of a .pfm as R, G, B from the top left.
std::vector<float> floats_of(const std::string& pfm, int width, int height) {
  const std::string bytes = read_file(pfm);
  const size_t row = sizeof(float) * 3 * static_cast<size_t>(width), all = row * static_cast<size_t>(height);
  REQUIRE(bytes.size() > all);
  std::vector<float> pixels(all / sizeof(float));
  for (size_t y = 0; y < static_cast<size_t>(height); ++y)  // rows are stored from bottom to top
    std::memcpy(&pixels[y * row / sizeof(float)], &bytes[bytes.size() - (y + 1) * row], row);
  return pixels;
}

// Alternating columns of (0, 8, -2) and (8, 0, 0), with a mean of (4, 4, -1).
const std::string kLightInColumns =
    "\"lavfi:color=size=64x32:duration=0.04,format=gbrpf32le,geq=r='8*mod(X,2)':g='8-8*mod(X,2)':b='2*mod(X,2)-2'\"";

}  // namespace

TEST_CASE("levels of half floats are the mean of the light, also above 1 and below 0") {
  const Folder folder;
  const std::string cd = "cd '" + folder.path.string() + "'\n";
  for (const auto& [format, blue] : {std::pair{"bc6h", 0.0F}, {"bc6h-signed", -1.0F}})
    for (const std::string file : {"a.dds", "a.ktx2"})
      for (const std::string filter : {"box", "kaiser"}) {
        CAPTURE(format);
        CAPTURE(file);
        CAPTURE(filter);
        const Outcome made = shell(cd + "texcast encode " + kLightInColumns + " " + file +
                                   " --device cpu-reference --overwrite --format " + format + " --mips " + filter +
                                   "\ntexcast decode " + file + " one.pfm --level 1 --overwrite\n" + "texcast decode " +
                                   file + " last.pfm --level 6 --overwrite\n");
        REQUIRE_MESSAGE(made.exit_code == 0, made.err);
        const std::vector<float> one = floats_of(folder.file("one.pfm"), 32, 16);
        const size_t inner = 3 * (16 * 8 + 8);  // the Kaiser filter is affected by the picture's edge
        const std::vector<float> last = floats_of(folder.file("last.pfm"), 1, 1);
        for (const float* texel : {&one[inner], last.data()}) {
          CHECK(texel[0] == doctest::Approx(4).epsilon(0.02));
          CHECK(texel[1] == doctest::Approx(4).epsilon(0.02));
          CHECK(std::abs(texel[2] - blue) < 0.02);
        }
      }
}

TEST_CASE("the level of black and white texels is half as bright, in sRGB's curve") {
  const Folder folder;
  const Outcome made = shell("cd '" + folder.path.string() +
                             "'\ntexcast encode \"lavfi:color=size=64x32:duration=0.04,format=gbrpf32le,"
                             "geq=r='mod(X,2)':g='mod(X,2)':b='mod(X,2)'\" a.dds --device cpu-reference --mips box\n"
                             "texcast decode a.dds one.rgb --level 1\n");
  REQUIRE_MESSAGE(made.exit_code == 0, made.err);
  const std::string pixels = read_file(folder.file("one.rgb"));
  REQUIRE(pixels.size() == 3 * 32 * 16);
  for (const char byte : pixels) CHECK(std::abs(static_cast<unsigned char>(byte) - 188) <= 4);
  CHECK(read_file(folder.file("a.dds"))[128] == 72);  // DXGI_FORMAT_BC1_UNORM_SRGB
}

// A slope of 4 a texel, 32 a texel of level 3 and a 64th of that a step of 8 bits.
TEST_CASE("levels of 16 bits are computed with 16 bits") {
  const Folder folder;
  const std::string cd = "cd '" + folder.path.string() + "'\n";
  const auto mean = [](int x) { return 20000 + 4 * (8 * x + 3.5); };
  for (const std::string format : {"eac-r11", "eac-r11-signed"})
    for (const std::string file : {"a.dds", "a.ktx2"}) {
      CAPTURE(format);
      CAPTURE(file);
      const Outcome made =
          shell(cd + "texcast encode \"lavfi:color=size=256x64:duration=0.04,format=gray16le,geq=lum='20000+4*X'\" " +
                file + " --device cpu-reference --quality best --overwrite --mips box --format " + format +
                "\ntexcast decode " + file + " three.png --level 3 --overwrite\n" +
                "ffmpeg -v error -i three.png -f rawvideo -pix_fmt gray16le -y three.raw");
      REQUIRE_MESSAGE(made.exit_code == 0, made.err);
      const std::string pixels = read_file(folder.file("three.raw"));
      REQUIRE(pixels.size() == 2 * 32 * 8);
      for (size_t i = 0; i < pixels.size() / 2; ++i) {
        const int value = static_cast<unsigned char>(pixels[2 * i]) | static_cast<unsigned char>(pixels[2 * i + 1])
                                                                          << 8;
        CHECK(std::abs(value - mean(static_cast<int>(i % 32))) <= 48);
      }
    }
}

namespace {

// R, G, B and alpha of the last level, 1x1, of a picture of 64x32 texels.
std::string last_texel(const Folder& folder, const std::string& planes, const std::string& options) {
  const Outcome made =
      shell("cd '" + folder.path.string() + "'\ntexcast encode \"lavfi:color=size=64x32:duration=0.04," + planes +
            "\" a.dds --device cpu-reference --quality best --overwrite --mips box " + options +
            "\ntexcast decode a.dds last.png --level 6 --overwrite\n" +
            "ffmpeg -v error -y -i last.png -f rawvideo -pix_fmt rgba last.rgba");
  REQUIRE_MESSAGE(made.exit_code == 0, made.err);
  const std::string texel = read_file(folder.file("last.rgba"));
  REQUIRE(texel.size() == 4);
  return texel;
}
int byte_of(const std::string& texel, size_t channel) { return static_cast<unsigned char>(texel[channel]); }

}  // namespace

// Half of the texels point to the right (x = 1), half towards the viewer: 45 degrees between, x = 0.707, is 218.
TEST_CASE("--normal-map averages directions: x and y, or x, y and z") {
  const Folder folder;
  const std::string planes = "format=gbrp,geq=r='if(mod(X,2),255,128)':g=128:b='if(mod(X,2),128,255)'";
  for (const std::string format : {"bc5", "bc5-signed", "eac-rg11", "bc7"}) {
    CAPTURE(format);
    const std::string normal = last_texel(folder, planes, "--normal-map --format " + format);
    CHECK(std::abs(byte_of(normal, 0) - 218) <= 2);
    CHECK(std::abs(byte_of(normal, 1) - 128) <= 2);
    if (format == "bc7") CHECK(std::abs(byte_of(normal, 2) - 218) <= 2);
    CHECK(std::abs(byte_of(last_texel(folder, planes, "--format " + format), 0) - 218) > 10);  // the mean of the values
  }
}

TEST_CASE("levels do not mix the colours of transparent texels into opaque ones") {
  const Folder folder;
  const std::string planes =
      "format=gbrap,geq=r='if(mod(X,2),255,0)':g='if(mod(X,2),0,255)':b=0:a='if(mod(X,2),255,0)'";
  const std::string weighted = last_texel(folder, planes, "--format bc7");
  CHECK(byte_of(weighted, 0) >= 253);
  CHECK(byte_of(weighted, 1) <= 2);
  CHECK(std::abs(byte_of(weighted, 3) - 128) <= 2);
  const std::string separate = last_texel(folder, planes, "--format bc7 --separate-alpha");
  CHECK(std::abs(byte_of(separate, 0) - 188) <= 2);
  CHECK(std::abs(byte_of(separate, 1) - 188) <= 2);
}

namespace {

// The RGBA texels of a picture that was encoded as bc7 at another size.
std::string resized(const Folder& folder, const std::string& planes, const std::string& options) {
  const Outcome made = shell(
      "cd '" + folder.path.string() + "'\ntexcast encode \"lavfi:color=size=48x20:duration=0.04," + planes +
      "\" a.ktx2 --device cpu-reference --quality best --overwrite --format bc7 " + options +
      "\ntexcast decode a.ktx2 a.png --overwrite\n" + "ffmpeg -v error -y -i a.png -f rawvideo -pix_fmt rgba a.rgba");
  REQUIRE_MESSAGE(made.exit_code == 0, made.err);
  CHECK(made.err.find("aspect") == std::string::npos);
  return read_file(folder.file("a.rgba"));
}

}  // namespace

TEST_CASE("--resize scales pictures in linear light, weighted by alpha") {
  const Folder folder;
  // 48 x 20: 48 is nearer to 64 than to 32 by its ratio, and 20 to 16.
  const std::string slope = resized(folder, "format=gbrp,geq=r='4*X':g=90:b='10*Y'", "--resize pow2");
  REQUIRE(slope.size() == 4 * 64 * 16);
  for (int y = 4; y < 12; ++y)
    for (int x = 12; x < 52; ++x) {
      const size_t at = 4 * static_cast<size_t>(64 * y + x);
      CHECK(std::abs(byte_of(slope, at) - 4 * ((x + 0.5) * 48 / 64 - 0.5)) <= 3);
      CHECK(std::abs(byte_of(slope, at + 1) - 90) <= 2);
      CHECK(std::abs(byte_of(slope, at + 2) - 10 * ((y + 0.5) * 20 / 16 - 0.5)) <= 3);
    }
  // Black and white columns have half of the light.
  const std::string columns =
      resized(folder, "format=gbrp,geq=r='255*mod(X,2)':g='255*mod(X,2)':b='255*mod(X,2)'", "--resize 6x20");
  REQUIRE(columns.size() == 4 * 6 * 20);
  for (size_t x = 1; x < 5; ++x) CHECK(std::abs(byte_of(columns, 4 * (6 * 10 + x)) - 188) <= 4);
  const std::string leaves =
      resized(folder, "format=gbrap,geq=r='if(mod(X,2),255,0)':g='if(mod(X,2),0,255)':b=0:a='if(mod(X,2),255,0)'",
              "--resize 6x20");
  for (size_t x = 1; x < 5; ++x) {
    CHECK(byte_of(leaves, 4 * (6 * 10 + x)) >= 250);
    CHECK(byte_of(leaves, 4 * (6 * 10 + x) + 1) <= 5);
  }
}

TEST_CASE("--resize keeps the shape of a video, and scales each frame") {
  const Folder folder;
  const Outcome made =
      shell("cd '" + folder.path.string() +
            "'\ntexcast encode test a.mov --size 64x32 --frames 3 --device cpu-reference --resize 32x32\n"
            "texcast info --json a.mov");
  REQUIRE_MESSAGE(made.exit_code == 0, made.err);
  CHECK(made.out.find("\"width\": 32") != std::string::npos);
  const auto info = nlohmann::json::parse(made.out.substr(made.out.find('{')));
  CHECK(info["frames"] == 3);
  CHECK(info["shown_width"] == 64);
  CHECK(info["shown_height"] == 32);
}

TEST_CASE("--mips and --srgb are refused if they have no effect") {
  const Folder folder;
  const std::string cd = "cd '" + folder.path.string() + "'\n";
  const auto refused = [&](const std::string& output, const std::string& options, const std::string& why) {
    const Outcome outcome = shell(cd + encode_levels(output, options));
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  refused("a.mov", "--mips box", "--mips is for .dds and .ktx2");
  refused("a.mkv", "--srgb", "--srgb is for .dds and .ktx2");
  refused("a.dds", "--mips cubic", "unknown filter 'cubic'; choose box or kaiser");
  refused("a.ktx2", "--srgb --format bc5", "bc5 has no sRGB variant in .ktx2");
  refused("a.dds", "--resize 2", "invalid size '2'; give pow2 or WIDTHxHEIGHT");
  refused("a.dds", "--srgb --format ycocg-dxt5", "ycocg-dxt5 has no sRGB variant");
  refused("a.dds", "--normal-map --format bc5", "--normal-map says how pictures are filtered");
  refused("a.dds", "--separate-alpha --format bc7", "--separate-alpha says how pictures are filtered");
  refused("a.dds", "--normal-map --mips box --format bc4", "--normal-map needs two channels or more, not bc4");
  refused("a.dds", "--normal-map --mips box --srgb --format bc7", "normals are not colours");
  REQUIRE(shell(cd + encode_levels("s.dds", "--srgb --mips kaiser")).exit_code == 0);
  CHECK(read_file(folder.file("s.dds")).substr(84, 4) == "DX10");
  CHECK(read_file(folder.file("s.dds"))[128] == 99);  // DXGI_FORMAT_BC7_UNORM_SRGB
  REQUIRE(shell(cd + encode_levels("s.ktx2", "--srgb")).exit_code == 0);
  CHECK(static_cast<unsigned char>(read_file(folder.file("s.ktx2"))[12]) == 146);  // VK_FORMAT_BC7_SRGB_BLOCK
  REQUIRE(shell(cd + encode_levels("a.mov", "")).exit_code == 0);
  CHECK(shell(cd + "texcast decode a.mov x.png --level 1").err.find("only .dds and .ktx2 have levels") !=
        std::string::npos);
}

TEST_CASE("a sequence has all levels in every file") {
  const Folder folder;
  const std::string cd = "cd '" + folder.path.string() + "'\n";
  REQUIRE(shell(cd + "texcast encode test f%02d.ktx2 --size 40x24 --frames 3 --device cpu-reference --mips box")
              .exit_code == 0);
  for (const std::string file : {"f00.ktx2", "f01.ktx2", "f02.ktx2", "f%02d.ktx2"}) {
    const Outcome info = shell(cd + "texcast info --json " + file);
    REQUIRE(info.exit_code == 0);
    CHECK(nlohmann::json::parse(info.out)["levels"] == 6);
  }
  CHECK(shell(cd + "texcast decode f%02d.ktx2 small%02d.png --level 2").exit_code == 0);
}
