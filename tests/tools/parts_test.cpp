// `encode --part` and `join`: the parts of a video, joined, are the video that one run encodes, by what ffprobe reads.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "program.h"

using namespace texcast::test;
using nlohmann::json;

namespace {

// A video that the tests encode.
struct Film {
  const char* about;
  std::string input;
  std::string options;
  const char* extension;
  int parts;
  int frames;
};

std::string inside(const Folder& folder, const std::string& text) { return "cd '" + folder.file("") + "'\n" + text; }

Outcome done_in(const Folder& folder, const std::string& text) {
  Outcome outcome = shell(inside(folder, text));
  INFO(text);
  CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
  return outcome;
}

std::string encode(const Film& film, const std::string& output) {
  return "texcast -q encode " + film.input + " " + output + film.extension + " --device cpu-reference " + film.options;
}

// Encodes part 1 to part N and joins them.
json join(const Folder& folder, const Film& film) {
  std::string names;
  for (int k = film.parts; k >= 1; --k) {
    const std::string number = std::to_string(k);
    done_in(folder, encode(film, "part" + number) + " --part " + number + "/" + std::to_string(film.parts));
    names += " part" + number + film.extension;
  }
  return json::parse(done_in(folder, "texcast join" + names + " joined" + film.extension + " --json").out);
}

// A line for each packet of the track, with its times, flags and contents.
std::string packets_of(const Folder& folder, const std::string& file, const std::string& track) {
  return done_in(folder,
                 "ffprobe -v error -select_streams " + track +
                     " -show_packets -show_data_hash md5 -show_entries packet=pts,duration,size,flags,data_hash "
                     "-of csv=p=0 " +
                     file)
      .out;
}

// PCM may be in other packets.
std::string samples_of(const Folder& folder, const std::string& file) {
  return done_in(folder, "ffmpeg -v error -i " + file + " -map 0:a -f md5 -").out;
}

const std::string kTest = "test";
const std::string kCard = "-t 2.2s --size 64x48 --fps 25 ";

}  // namespace

TEST_CASE("the parts of a video are joined to the video that one run encodes") {
  const std::string clip = "'" + data("clip.mp4") + "'";
  for (const Film& film : {
           Film{"Hap", kTest, kCard, ".mov", 3, 55},
           Film{"Hap in Matroska", kTest, kCard, ".mkv", 3, 55},
           Film{"three tracks", kTest, kCard + "--format ycocg-bc4 --layout planes", ".mov", 2, 55},
           Film{"lossless", kTest, kCard + "--coding compact --keyframe-interval 500ms", ".mkv", 4, 55},
           Film{"lossy", kTest, kCard + "--format ycocg-bc4 --crf 23 --keyframe-interval 700ms", ".mkv", 3, 55},
           Film{"a rate that no second divides", kTest, "-t 3s --size 64x48 --fps 23.976", ".mov", 3, 72},
           Film{"another rate than the input's", "lavfi:testsrc2=size=64x48:rate=25", "-t 2s --fps 30", ".mkv", 3, 60},
           Film{"filters", "lavfi:testsrc2=size=64x48:rate=25", "-t 2s --vf tmix=frames=3", ".mkv", 3, 50},
           Film{"a file with B-frames", clip, "-t 4s", ".mkv", 2, 96},
       }) {
    INFO(film.about);
    const Folder folder;
    done_in(folder, encode(film, "whole"));
    const json report = join(folder, film);
    CHECK(report["parts"] == film.parts);
    if (film.frames > 0) CHECK(report["frames"] == film.frames);
    for (const std::string track : {"v:0", "v:1", "v:2"})
      CHECK(packets_of(folder, "joined" + std::string(film.extension), track) ==
            packets_of(folder, "whole" + std::string(film.extension), track));
  }
}

TEST_CASE("the sound of joined parts is that of the whole video") {
  const std::string film =
      "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=24:duration=3.3 -f lavfi -i "
      "anoisesrc=duration=3.3:seed=5 -c:v libx264 -g 48 -bf 3 -c:a ";
  for (const char* extension : {".mov", ".mkv"}) {
    const std::string whole = "whole" + std::string(extension), joined = "joined" + std::string(extension);
    const Film coded{"AAC", "film.mp4", "", extension, 3, 0}, pcm{"PCM", "film.mov", "--audio pcm", extension, 3, 0};
    const Folder folder, other;
    done_in(folder, film + "aac film.mp4");
    done_in(folder, encode(coded, "whole"));
    join(folder, coded);
    CHECK(packets_of(folder, joined, "a:0") == packets_of(folder, whole, "a:0"));
    CHECK(packets_of(folder, joined, "v:0") == packets_of(folder, whole, "v:0"));
    done_in(other, film + "pcm_s16le film.mov");
    done_in(other, encode(pcm, "whole"));
    join(other, pcm);
    CHECK(samples_of(other, joined) == samples_of(other, whole));
  }
}

TEST_CASE("a part is a file of its own, which plays from its first frame") {
  const Folder folder;
  done_in(folder, encode({"", kTest, kCard, ".mkv", 2, 55}, "whole"));
  done_in(folder, encode({"", kTest, kCard, ".mkv", 2, 55}, "half") + " --part 2/2");
  // Its first frame is the 28th of the whole, 1.1 s after the start.
  CHECK(done_in(folder, "texcast -q decode half.mkv - --frames 1 | md5sum").out ==
        done_in(folder, "texcast -q decode whole.mkv - --frames 1 --start 1.12 | md5sum").out);
}

TEST_CASE("join says which part is missing, twice, or of another video, and leaves no output") {
  const Folder folder;
  const std::string part = "texcast -q encode test --device cpu-reference --size 64x48 --fps 25 -t 2s ";
  for (const char* k : {"1", "2", "3"}) done_in(folder, part + "a" + k + ".mkv --part " + k + "/3");
  done_in(folder, part + "b2.mkv --part 2/4");
  done_in(folder, "texcast -q encode test --device cpu-reference --size 64x64 --fps 25 -t 2s c2.mkv --part 2/3");
  done_in(folder, part + "d.mkv");
  done_in(folder, "texcast -q encode test --device cpu-reference --size 64x48 --fps 25 -t 5s e2.mkv --part 2/3");
  done_in(folder, part + "f2.mkv --part 2/3 --quality best");  // of the same size, length and tracks
  for (const char* name : {"i", "j"})                          // videos that differ in a pixel
    done_in(folder, "ffmpeg -v error -f lavfi -i \"color=gray:size=64x48:rate=25:duration=2,drawbox=w=2:h=2:color=" +
                        std::string(*name == 'i' ? "red" : "blue") + "\" -c:v ffv1 " + name + ".nut");
  const std::string of_file = "texcast -q encode --device cpu-reference -t 2s ";
  done_in(folder, of_file + "i.nut i1.mkv --part 1/2");
  done_in(folder, of_file + "j.nut i2.mkv --part 2/2");
  // Inputs of which nothing is known but what is in the parts
  done_in(folder, of_file + "file:i.nut u1.mkv --part 1/2");
  done_in(folder, of_file + "file:i.nut v2.mkv --part 2/2 --resize 32x32");
  done_in(folder, "texcast -q encode --device cpu-reference -t 1s file:i.nut w2.mkv --part 2/2");
  for (const auto& [arguments, exit_code, said] : std::vector<std::tuple<std::string, int, std::string>>{
           {"a1.mkv a2.mkv out.mkv", 2, "part 3 of 3 is missing"},
           {"a3.mkv a1.mkv out.mkv", 2, "part 2 of 3 is missing"},
           {"a2.mkv a3.mkv out.mkv", 2, "part 1 of 3 is missing"},
           {"a1.mkv a2.mkv a2.mkv a3.mkv out.mkv", 2, "are both part 2 of 3"},
           {"a1.mkv b2.mkv a3.mkv out.mkv", 2, "'b2.mkv' one of 4"},
           {"a1.mkv c2.mkv a3.mkv out.mkv", 2, "'a1.mkv' and 'c2.mkv' are parts of different recordings"},
           {"a1.mkv e2.mkv a3.mkv out.mkv", 2, "'a1.mkv' and 'e2.mkv' are parts of different recordings"},
           {"a1.mkv f2.mkv a3.mkv out.mkv", 2, "'a1.mkv' and 'f2.mkv' are parts of different recordings"},
           {"i1.mkv i2.mkv out.mkv", 2, "'i1.mkv' and 'i2.mkv' are parts of different recordings"},
           {"u1.mkv i2.mkv out.mkv", 2, "'u1.mkv' and 'i2.mkv' are parts of different recordings"},
           {"u1.mkv v2.mkv out.mkv", 2, "different options"},
           {"u1.mkv w2.mkv out.mkv", 2, "does not begin where 'u1.mkv' ends"},
           {"d.mkv out.mkv", 5, "'d.mkv' is no part"},
           {"none.mkv out.mkv", 5, "none.mkv"},
           {"a1.mkv a2.mkv a3.mkv out.mov", 2, "another extension"},
           {"a1.mkv a2.mkv a3.mkv a3.mkv", 2, "is one of the parts"},
           {"a1.mkv a2.mkv a3.mkv d.mkv", 1, "d.mkv"},
           {"a1.mkv", 2, "OUTPUT"},
           {"a1.mkv a2.mkv a3.mkv -", 2, "needs the name of a file"}}) {
    const std::string about = arguments;  // a structured binding cannot be captured
    const Outcome outcome = shell(inside(folder, "texcast join " + arguments));
    INFO(about);
    CHECK_MESSAGE(outcome.exit_code == exit_code, outcome.err);
    CHECK_MESSAGE(outcome.err.find(said) != std::string::npos, outcome.err);
    CHECK(!std::filesystem::exists(folder.file("out.mkv")));
  }
}

TEST_CASE("parts by different spellings, devices and names of the same input join") {
  const Folder folder;
  done_in(folder, "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25:duration=2 -c:v ffv1 a.mkv");
  std::filesystem::create_directory(folder.file("other"));
  std::filesystem::copy_file(folder.file("a.mkv"), folder.file("other/b.mkv"));
  done_in(folder, "texcast -q encode a.mkv 1.mkv --part 1/2 --device cpu-reference");
  done_in(folder, "texcast -q encode other/b.mkv 2.mkv --part 2/2 --device pocl --format bc1 --snappy on --audio copy");
  done_in(folder, "texcast -q join 1.mkv 2.mkv joined.mkv");
}

TEST_CASE("the sound of a pipe is not lost in parts: it is refused, or left out on request") {
  const Folder folder;
  done_in(folder,
          "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25:duration=2 -f lavfi -i "
          "sine=duration=2 -c:v ffv1 -c:a flac film.mkv");
  const std::string encode = " a.mkv --part 2/2 -t 2s --device cpu-reference ";
  for (const std::string input :
       {"cat film.mkv | texcast encode -",
        "texcast encode 'lavfi:testsrc2=size=64x48:rate=25:duration=2[out0];sine=duration=2[out1]'"}) {
    INFO(input);
    const Outcome refused = shell(inside(folder, input + encode));
    CHECK(refused.exit_code == 2);
    CHECK_MESSAGE(refused.err.find("save the input to a file first, or give --audio none") != std::string::npos,
                  refused.err);
    CHECK(!std::filesystem::exists(folder.file("a.mkv")));
    done_in(folder, input + encode + "--audio none");
    std::filesystem::remove(folder.file("a.mkv"));
  }
  done_in(folder, "texcast encode film.mkv" + encode);
  CHECK(packets_of(folder, "a.mkv", "a:0") != "");
}

TEST_CASE("encode says why it cannot encode a part") {
  const Folder folder;
  for (const auto& [arguments, said] : std::vector<std::pair<std::string, std::string>>{
           {"test a.mov --part 0/3", "give K/N"},
           {"test a.mov --part 4/3", "give K/N"},
           {"test a.mov --part 2", "give K/N"},
           {"test a.mov --part 1/2", "give --duration"},
           {"test a.mov --part 1/2 --frames 50", "--duration"},
           {"test a.mov --part 1/2 -t 3s --split 1s", "--split"},
           {"test a%03d.dds --part 1/2 -t 3s", ".mov and .mkv"},
           {"test - --part 1/2 -t 3s", ".mov and .mkv"},
           {"test a.mkv --part 1/4 -t 3s --coding compact --keyframe-interval 1s", "are 3 parts"},
           {"test a.mkv --part 1/4 -t 3s --coding compact --keyframe-interval 0", "more than 0"},
           {"'" + data("kodim05_127x95.png") + "' a.mov --part 1/2", "for videos"}}) {
    const std::string about = arguments;
    const Outcome outcome = shell(inside(folder, "texcast encode " + arguments + " --device cpu-reference"));
    INFO(about);
    CHECK(outcome.exit_code == 2);
    CHECK_MESSAGE(outcome.err.find(said) != std::string::npos, outcome.err);
    CHECK(std::filesystem::is_empty(folder.file("")));
  }
}
