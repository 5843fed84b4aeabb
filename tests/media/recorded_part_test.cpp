// The text that says which part of a recording a file holds; the values are written by hand, as files have them.
#include "media/recorded_part.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

using namespace texcast;
using namespace texcast::media;
using namespace std::chrono_literals;

TEST_CASE("the text of a part is written and read") {
  const std::string id(64, 'c');
  for (const auto& [part, text] : std::vector<std::pair<RecordedPart, std::string>>{
           {{.number = 2, .count = 4, .begin = 4s, .end = 8s}, "2/4 from 4000000000 to 8000000000"},
           {{.number = 4, .count = 4, .begin = 12s, .end = {}}, "4/4 from 12000000000"},
           {{.number = 1, .count = 2, .begin = {}, .end = 1s, .identity = id}, "1/2 from 0 to 1000000000 of " + id},
           {{.number = 2, .count = 2, .begin = 1s, .end = {}, .identity = id}, "2/2 from 1000000000 of " + id}}) {
    CHECK(part_text(part) == text);
    CHECK(part_of_text(text) == part);
  }
}

TEST_CASE("other texts are no parts") {
  const std::string id(64, 'c');
  for (const std::string& text : std::vector<std::string>{
           "", "2/4", "0/4 from 0", "5/4 from 0", "1/4 from -1", "1/4 from 8 to 8", "1/4 from 0 to 8 x",
           "1/20000 from 0", "1/4 from 0 of ", "1/4 from 0 of " + id + "c", "1/4 from 0 of " + id.substr(1),
           "1/4 from 0 of " + id.substr(1) + "C", "1/4 from 0 of " + id + " to 8"}) {
    INFO(text);
    CHECK_FALSE(part_of_text(text));
  }
}
