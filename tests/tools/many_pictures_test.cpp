// Many pictures in one `encode`: inputs, rules, numbers, failures, interruptions, and alpha.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"

using namespace texcast::test;
namespace fs = std::filesystem;

namespace {

const std::string kReference = " --device cpu-reference ";

// A folder with pictures that FFmpeg makes, and what is done there.
class Pictures {
 public:
  // `source`: a graph of lavfi.
  void make(const std::string& name, const std::string& source) const {
    fs::create_directories((folder_.path / name).parent_path());
    REQUIRE(in("ffmpeg -v error -y -f lavfi -i \"" + source + "\" -frames:v 1 '" + name + "'").exit_code == 0);
  }
  void make_sized(const std::string& name, const std::string& size) const { make(name, "testsrc2=size=" + size); }
  Outcome in(const std::string& text) const { return shell("cd '" + folder_.path.string() + "'\n" + text); }
  nlohmann::json info(const std::string& file) const {
    const Outcome outcome = in("texcast info --json " + file);
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
    return nlohmann::json::parse(outcome.out);
  }
  // "f_1.png 64x48 bc7", of what is in the folder
  std::vector<std::string> textures(const std::string& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path / folder)) {
      if (!entry.is_regular_file()) continue;
      const auto about = info("'" + entry.path().string() + "'");
      found.push_back(fs::relative(entry.path(), folder_.path / folder).string() + " " +
                      std::to_string(about["width"].get<int>()) + "x" + std::to_string(about["height"].get<int>()) +
                      " " + about["format"].get<std::string>());
    }
    std::ranges::sort(found);
    return found;
  }
  const Folder& folder() const { return folder_; }

 private:
  Folder folder_;
};

using Names = std::vector<std::string>;

// The entries of `encode --json` by input.
std::map<std::string, nlohmann::json> entries(const Outcome& outcome) {
  std::map<std::string, nlohmann::json> by_input;
  const auto report = nlohmann::json::parse(outcome.out);
  for (const auto& entry : report["files"]) by_input[entry["input"]] = entry;
  return by_input;
}

}  // namespace

TEST_CASE("files, folders and patterns become textures in the tree of the folder, of their own sizes") {
  const Pictures p;
  p.make_sized("in/a.png", "64x48");
  p.make_sized("in/deep/er/b.tga", "20x36");
  p.make_sized("one.bmp", "12x8");
  p.make_sized("two.bmp", "16x8");
  write_file(p.folder().file("in/notes.txt"), "no picture");
  const Outcome made = p.in("texcast encode in one.bmp 't*.bmp' ./one.bmp --to out --json" + kReference);
  REQUIRE_MESSAGE(made.exit_code == 0, made.err);
  CHECK(entries(made).size() == 4);
  CHECK(p.textures("out") ==
        Names{"a.ktx2 64x48 bc7", "deep/er/b.ktx2 20x36 bc7", "one.ktx2 12x8 bc7", "two.ktx2 16x8 bc7"});
  REQUIRE(p.in("texcast encode in/a.png --to out --ext astc" + kReference).exit_code == 0);
  REQUIRE(p.in("texcast encode in/a.png --to out --ext dds" + kReference).exit_code == 0);
  CHECK(p.info("out/a.astc")["format"] == "astc-6x6");
  CHECK(p.info("out/a.dds")["format"] == "bc7");
  CHECK(p.in("texcast encode nothing.png --to out" + kReference).exit_code == 5);
  CHECK(p.in("texcast encode 'nothing*.png' --to out" + kReference).exit_code == 5);
  CHECK(p.in("texcast encode one.bmp two.bmp out.dds" + kReference).err.find("--to FOLDER") != std::string::npos);
}

TEST_CASE("a texture of many has the bytes that encode makes of its picture alone, with any number of jobs") {
  const Pictures p;
  p.make_sized("a.png", "70x50");
  p.make_sized("b.png", "70x50");
  p.make("c.png", "testsrc=size=33x17,format=rgba,colorchannelmixer=aa=0.4");
  const std::string options = "--format bc7 --mips kaiser --srgb" + kReference;
  for (const std::string jobs : {"1", "3"}) {
    REQUIRE(p.in("texcast encode a.png b.png c.png --to out" + jobs + " --jobs " + jobs + " " + options).exit_code ==
            0);
    for (const std::string name : {"a", "b", "c"}) {
      REQUIRE(p.in("texcast encode " + name + ".png alone.ktx2 --overwrite " + options).exit_code == 0);
      CHECK(read_file(p.folder().file("alone.ktx2")) ==
            read_file(p.folder().file("out" + jobs + "/" + name + ".ktx2")));
    }
  }
}

TEST_CASE("processes with shares of many pictures make each texture once") {
  const Pictures p;
  for (const char* name : {"a", "b", "c", "d", "e"}) p.make_sized(std::string("in/") + name + ".png", "8x8");
  const auto share = [&](const std::string& words) {
    return nlohmann::json::parse(p.in("texcast encode " + words + " --json" + kReference).out)["done"];
  };
  CHECK(share("in --to out --part 2/3") == 2);
  CHECK(p.textures("out") == Names{"b.ktx2 8x8 bc7", "e.ktx2 8x8 bc7"});
  CHECK(share("in --to out --part 1/3") == 2);
  CHECK(share("in --to out --part 3/3") == 1);
  CHECK(p.textures("out").size() == 5);
  CHECK(share("in --to out --part 6/6") == 0);
  for (int n = 1; n <= 3; ++n) p.make_sized("n" + std::to_string(n) + ".png", "8x8");
  CHECK(share("n%d.png m%d.dds --part 2/2") == 1);
  CHECK(fs::exists(p.folder().file("m2.dds")));
  CHECK(!fs::exists(p.folder().file("m1.dds")));
  CHECK(p.in("texcast encode n1.png m.dds --if-newer --part 1/2" + kReference).err.find("--part is for videos") !=
        std::string::npos);
}

TEST_CASE("the first line of --rules that matches a picture says how it is encoded, and the options say the rest") {
  const Pictures p;
  for (const std::string name : {"in/wall_n.png", "in/wall_a.png", "in/wall.png", "in/ui/icon.png", "in/ui/icon_n.png"})
    p.make_sized(name, "32x32");
  write_file(p.folder().file("rules"),
             "# by name\n\n*_n.png = bc5 --mips box\r\n  *_a.png=bc4\nui/* = bc1 --quality best --srgb\n");
  const Outcome made = p.in("texcast encode in --to out --rules rules --mips kaiser --srgb --json" + kReference);
  REQUIRE_MESSAGE(made.exit_code == 0, made.err);
  CHECK(p.textures("out") == Names{"ui/icon.ktx2 32x32 bc1", "ui/icon_n.ktx2 32x32 bc5", "wall.ktx2 32x32 bc7",
                                   "wall_a.ktx2 32x32 bc4", "wall_n.ktx2 32x32 bc5"});
  auto by_input = entries(made);
  CHECK(by_input["in/wall_n.png"]["levels"] == 6);
  CHECK(by_input["in/wall_a.png"]["levels"] == 1);
  CHECK(by_input["in/wall.png"]["levels"] == 6);
  CHECK(by_input["in/ui/icon.png"]["quality"] == "best");
  for (const auto& [rule, why] : {std::pair{"*.png bc5", "PATTERN = FORMAT"},
                                  {"*.png =", "no format"},
                                  {"= bc5", "no pattern"},
                                  {"*.png = bc99", "unknown format"},
                                  {"*.png = bc5 --mips", "needs a value"},
                                  {"*.png = bc7 --srgb yes", "takes no value"},
                                  {"*.png = bc5 --jobs 3", "'--jobs' is not an option"},
                                  {"*.png = bc5 --srgb", "no sRGB variant"}}) {
    INFO(rule);
    write_file(p.folder().file("wrong"), std::string("# wrong\n") + rule + "\n");
    const Outcome outcome = p.in("texcast encode in --to other --rules wrong" + kReference);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.find(why) != std::string::npos);
    CHECK_FALSE(fs::exists(p.folder().path / "other"));
  }
  CHECK(p.in("texcast encode in --to other --rules nowhere" + kReference).exit_code == 5);
}

TEST_CASE("two pictures that would become the same texture are an error before anything is written") {
  const Pictures p;
  p.make_sized("a.png", "16x16");
  p.make_sized("a.bmp", "16x16");
  p.make_sized("in/a.png", "16x16");
  for (const std::string inputs : {"a.png a.bmp", "a.png in"}) {
    const Outcome outcome = p.in("texcast encode " + inputs + " --to out" + kReference);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.find("would both become 'out/a.ktx2'") != std::string::npos);
    CHECK_FALSE(fs::exists(p.folder().path / "out"));
  }
}

TEST_CASE("encode goes on after a picture that fails, and says how many were done") {
  const Pictures p;
  p.make_sized("a.png", "16x16");
  p.make_sized("z.png", "16x16");
  write_file(p.folder().file("bad.png"), "no picture");
  Outcome outcome = p.in("texcast encode a.png bad.png z.png --to out --jobs 1" + kReference);
  CHECK(outcome.exit_code == 5);
  CHECK(outcome.err.find("bad.png") != std::string::npos);
  CHECK(outcome.out.find("encoded     2 files") != std::string::npos);
  CHECK(outcome.out.find("failed      1 file") != std::string::npos);
  CHECK(p.textures("out") == Names{"a.ktx2 16x16 bc7", "z.ktx2 16x16 bc7"});
  // Failures of two kinds: existing textures, and a picture that cannot be read.
  outcome = p.in("texcast encode a.png bad.png z.png --to out --json" + kReference);
  CHECK(outcome.exit_code == 1);
  auto by_input = entries(outcome);
  CHECK(by_input["a.png"]["status"] == "failed");
  CHECK(by_input["a.png"]["reason"].get<std::string>().find("exists already") != std::string::npos);
  CHECK(by_input["bad.png"]["status"] == "failed");
  // A video is no picture.
  outcome = p.in("texcast encode '" + data("clip.mp4") + "' a.png --to other" + kReference);
  CHECK(outcome.exit_code == 5);
  CHECK(outcome.err.find("video") != std::string::npos);
  CHECK(p.textures("other") == Names{"a.ktx2 16x16 bc7"});
  for (const std::string option : {"--start 1", "--fps 5", "--frames 2", "--crf 23", "--audio none"})
    CHECK(p.in("texcast encode a.png --to never " + option + kReference).exit_code == 2);
  CHECK_FALSE(fs::exists(p.folder().path / "never"));
}

TEST_CASE("--if-newer skips textures that are newer than their pictures and rules, and replaces the others") {
  const Pictures p;
  p.make_sized("a.png", "16x16");
  p.make_sized("b.png", "16x16");
  write_file(p.folder().file("rules"), "a* = bc1\n");
  const std::string command = "texcast encode a.png b.png --to out --if-newer --rules rules --json" + kReference;
  const auto states = [&] {
    const Outcome outcome = p.in(command);
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
    auto by_input = entries(outcome);
    return by_input["a.png"]["status"].get<std::string>() + " " + by_input["b.png"]["status"].get<std::string>();
  };
  CHECK(states() == "done done");
  CHECK(states() == "skipped skipped");
  const auto output_time = fs::last_write_time(p.folder().file("out/a.ktx2"));
  fs::last_write_time(p.folder().file("b.png"), output_time + std::chrono::hours(1));
  CHECK(states() == "skipped done");
  fs::last_write_time(p.folder().file("b.png"), output_time - std::chrono::hours(1));
  CHECK(states() == "skipped skipped");
  fs::last_write_time(p.folder().file("rules"), output_time + std::chrono::hours(1));
  CHECK(states() == "done done");
}

TEST_CASE("encode that is killed leaves only whole textures, and --if-newer makes the rest") {
  for (const std::string signal : {"KILL", "INT"}) {
    CAPTURE(signal);
    const Pictures p;
    p.make_sized("p_01.png", "640x480");
    Names expected;
    for (int i = 1; i <= 40; ++i) {
      const std::string number = (i < 10 ? "0" : "") + std::to_string(i);
      if (i > 1) fs::copy_file(p.folder().file("p_01.png"), p.folder().file("p_" + number + ".png"));
      expected.push_back("p_" + number + ".ktx2 640x480 bc7");
    }
    const std::string command = " encode 'p_*.png' --to out --jobs 2" + kReference;
    // Killed when the first texture appears.
    const Outcome killed =
        p.in("\"$built\"" + command + "> report &\nuntil ls out/*.ktx2 > /dev/null 2>&1; do sleep 0.01; done\nkill -" +
             signal + " $!\nwait $!\nls -A out | wc -l");
    const int made = std::stoi(killed.out);
    CHECK(made >= 1);
    CHECK(made < 40);
    CHECK(p.in("for f in out/*; do texcast verify $f || exit 1; done").exit_code == 0);
    const Outcome second = p.in("texcast" + command + "--if-newer --json");
    REQUIRE_MESSAGE(second.exit_code == 0, second.err);
    CHECK(nlohmann::json::parse(second.out)["skipped"] == made);
    CHECK(p.textures("out") == expected);
    CHECK(p.in("ls -A out | wc -l").out == "40\n");
  }
}

TEST_CASE("textures of a sequence of pictures keep their numbers and sizes, and gaps") {
  const Pictures p;
  p.make_sized("t_1.png", "20x16");
  p.make_sized("t_2.png", "40x16");
  p.make_sized("t_5.png", "20x36");
  p.make_sized("t_x.png", "8x8");
  REQUIRE(p.in("texcast encode t_%d.png out/o_%03d.dds --format bc1" + kReference).exit_code == 0);
  CHECK(p.textures("out") == Names{"o_001.dds 20x16 bc1", "o_002.dds 40x16 bc1", "o_005.dds 20x36 bc1"});
  REQUIRE(p.in("texcast encode t_%d.png two/o_%d.ktx2 --frames 2" + kReference).exit_code == 0);
  CHECK(p.textures("two") == Names{"o_1.ktx2 20x16 bc7", "o_2.ktx2 40x16 bc7"});
  CHECK(p.in("texcast encode t_%d.png out/o_%03d.dds" + kReference).exit_code == 1);
  // A video has one size.
  const Outcome video = p.in("texcast encode t_%d.png v.mov" + kReference);
  CHECK(video.exit_code == 0);
  CHECK(video.err.find("fitted into 20x16") != std::string::npos);
}

TEST_CASE("alpha of pictures is kept by default, and a format that drops it causes a warning") {
  const Pictures p;
  p.make("clear.png", "color=red:size=16x16,format=rgba,colorchannelmixer=aa=0.5");
  p.make("opaque.png", "color=red:size=16x16,format=rgba");
  p.make("palette.png",
         "color=red:size=16x16:duration=0.04,format=rgba,colorchannelmixer=aa=0.2,split[a][b];[a]palettegen[p];[b][p]"
         "paletteuse");
  p.make("deep.png", "color=red:size=16x16,format=rgba64be,colorchannelmixer=aa=0.5");
  const auto encode = [&](const std::string& words) {
    const Outcome outcome = p.in("texcast encode " + words + " --overwrite" + kReference);
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
    return outcome.err;
  };
  for (const std::string output : {"x.ktx2", "x.dds", "x.astc"}) {
    CHECK(encode("clear.png " + output).find("transparent") == std::string::npos);
    REQUIRE(p.in("texcast decode " + output + " back.png --overwrite\n" +
                 "ffmpeg -v error -y -i back.png -vf format=rgba,alphaextract,format=gray -f rawvideo back.gray")
                .exit_code == 0);
    const std::string alpha = read_file(p.folder().file("back.gray"));
    REQUIRE(alpha.size() == 16 * 16);
    CHECK(std::ranges::all_of(alpha, [](char a) { return std::abs(static_cast<unsigned char>(a) - 128) <= 2; }));
  }
  for (const std::string input : {"clear.png", "palette.png", "deep.png"}) {
    CAPTURE(input);
    const std::string said = encode(input + " x.dds --format bc1");
    CHECK(said.find("'" + input + "' has transparent parts, which bc1 does not keep") != std::string::npos);
    CHECK(said.find("bc7") != std::string::npos);
    CHECK(said.find("bc6h") == std::string::npos);
    CHECK(encode(input + " --to out --format bc1").find("transparent parts") != std::string::npos);
  }
  CHECK(encode("opaque.png x.dds --format bc1").find("transparent") == std::string::npos);
  CHECK(encode("clear.png x.dds --format bc3").find("transparent") == std::string::npos);
  REQUIRE(p.in("ffmpeg -v error -f lavfi -i 'color=red:size=16x16,format=rgba,colorchannelmixer=aa=0.5' -frames:v 3 "
               "-c:v qtrle clear.mov")
              .exit_code == 0);
  CHECK(encode("clear.mov x.mov").find("'clear.mov' has transparent parts") != std::string::npos);
  CHECK(encode("clear.mov x.mov --format bc3").find("transparent") == std::string::npos);
  // Without --format, videos have the format that they had.
  encode("clear.mov v%d.dds");
  CHECK(p.info("v0.dds")["format"] == "bc1");
}
