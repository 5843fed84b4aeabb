// The words of options: every option of a texture is among them, and they stand for the same options again.
#include "cli/encode_words.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check_error.h"
#include "option_list.h"

using namespace texcast;
using namespace texcast::cli;

namespace {
using Words = std::vector<std::string>;

// A value for each option, in the spelling of encode_words().
const std::map<std::string, std::string> kValues = {{"--format", "bc5"},
                                                    {"--quality", "best"},
                                                    {"--method", "refine"},
                                                    {"--passes", "7"},
                                                    {"--radius", "2"},
                                                    {"--start", "61.000000001"},
                                                    {"--frames", "12"},
                                                    {"--duration", "0.5"},
                                                    {"--fps", "23.976023976023978"},
                                                    {"--size", "64x48"},
                                                    {"--rotate", "90"},
                                                    {"--aspect", "16:9"},
                                                    {"--deinterlace", "off"},
                                                    {"--vf", "crop=64:32,eq=contrast=1.2"},
                                                    {"--cursor", "off"},
                                                    {"--coding", "compact"},
                                                    {"--snappy", "off"},
                                                    {"--chunks", "4"},
                                                    {"--zstd", "off"},
                                                    {"--layout", "planes"},
                                                    {"--crf", "23.5"},
                                                    {"--keyframe-interval", "0.25"},
                                                    {"--transform", "on"},
                                                    {"--audio", "pcm"},
                                                    {"--resize", "512x256"},
                                                    {"--mips", "kaiser"}};
}  // namespace

TEST_CASE("every option that is about one texture is among the words of a manifest") {
  for (const auto& [option, type] : texture_options()) {
    const std::string about = option;
    INFO(about);
    Words given = {option};
    if (!type.empty()) {
      REQUIRE(kValues.contains(option));
      given.push_back(kValues.at(option));
    }
    const Words words = encode_words(encode_options_of(given));
    const Words last(words.end() - static_cast<int>(given.size()), words.end());
    CHECK(last == given);
    CHECK(encode_words(encode_options_of(words)) == words);
  }
}

TEST_CASE("words that are spelt in other ways stand for the same options") {
  for (const auto& [one, other] :
       std::vector<std::pair<Words, Words>>{{{"--start", "1:30"}, {"--start", "90"}},
                                            {{"--format", "BC7"}, {"--format", "bc7"}},
                                            {{"--fps", "30000/1001"}, {"--fps", "29.97002997002997"}},
                                            {{"--srgb", "--mips", "box"}, {"--mips", "Box", "--srgb"}},
                                            {{}, {"--format", "bc1"}},
                                            {{"--aspect", "32:18"}, {"--aspect", "16:9"}},
                                            {{"--resize", "pow2"}, {"--resize", "pow2"}}})
    CHECK(encode_words(encode_options_of(one)) == encode_words(encode_options_of(other)));
}

TEST_CASE("words that no job may have are refused") {
  for (const auto& [words, said] : std::vector<std::pair<Words, std::string>>{
           {{"--device", "pocl"}, "'--device' is not an option for the texture of one file"},
           {{"--overwrite"}, "not an option"},
           {{"-y"}, "not an option"},
           {{"in.png"}, "not an option"},
           {{"--part", "1/2"}, "not an option"},
           {{"--manifest", "a"}, "not an option"},
           {{"--quality"}, "--quality needs a value"},
           {{"--quality", "9"}, "unknown quality"}})
    test::check_error(ErrorKind::usage, said, [&, words = words] { (void)encode_options_of(words); });
}
