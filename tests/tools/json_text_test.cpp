#include "text/json_text.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

using texcast::Json;
using Reader = nlohmann::ordered_json;

TEST_CASE("another library reads the document that is written") {
  Json written = Json::object({{"yes", true}, {"many", std::numeric_limits<uint64_t>::max()}, {"below", -3}});
  written["third"] = 1.0 / 3;
  written["nothing"] = Json();
  written["deep"]["er"]["still"] = 0.001;
  written["names"] = std::vector<std::string>{"a", "b"};
  Json list = Json::array();
  list.push(Json::object({{"x", 1}}));
  list.push("y");
  written["list"] = list;
  written["empty"] = Json::object();
  for (const int indent : {0, 2}) {
    const Reader read = Reader::parse(written.text(indent));
    CHECK(read["yes"] == true);
    CHECK(read["many"] == std::numeric_limits<uint64_t>::max());
    CHECK(read["below"] == -3);
    CHECK(read["third"].get<double>() == doctest::Approx(1.0 / 3).epsilon(1e-9));
    CHECK(read["nothing"].is_null());
    CHECK(read["deep"]["er"]["still"] == 0.001);
    CHECK(read["names"] == Reader({"a", "b"}));
    CHECK(read["list"].size() == 2);
    CHECK(read["list"][0]["x"] == 1);
    CHECK(read["empty"].is_object());
    CHECK(read.begin().key() == "yes");  // order is kept
  }
  CHECK(written.text().find('\n') == std::string::npos);
}

TEST_CASE("a member set twice is one member") {
  Json written;
  written["a"] = 1;
  written["a"] = 2;
  CHECK(written.text() == "{\"a\": 2}");
}

TEST_CASE("paths and names of any kind are preserved") {
  const std::string strange = "a\"b\\c\n\t\x01 ü /";
  CHECK(Reader::parse(Json(strange).text()) == strange);
}

TEST_CASE("control characters are escaped, and preserved") {
  const std::string name = "a\x7f\u009B31m\u202E\u2066\U000E0041 \u0646\u200C \U0001F3A5";
  const std::string text = Json(name).text();
  CHECK(Reader::parse(text) == name);
  CHECK(text == "\"a\\u007f\\u009b31m\\u202e\\u2066\\udb40\\udc41 \u0646\u200C \U0001F3A5\"");
}

TEST_CASE("numbers that JSON does not have become null") {
  CHECK(Json(std::numeric_limits<double>::infinity()).text() == "null");
  CHECK(Json(std::numeric_limits<double>::quiet_NaN()).text() == "null");
}

TEST_CASE("names that are not UTF-8 do not break the document") {
  // Input and expected output: each invalid byte becomes one U+FFFD.
  const std::pair<const char*, const char*> cases[] = {
      {"caf\xE9.mov", "caf\uFFFD.mov"},  // Latin-1
      {"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8E\xA5", "\u00E9 \u20AC \U0001F3A5"},
      {"cut \xE2\x82", "cut \uFFFD\uFFFD"},
      {"\xC0\xAF", "\uFFFD\uFFFD"},                      // overlong
      {"\xE0\x9F\xBF", "\uFFFD\uFFFD\uFFFD"},            // overlong
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},            // a surrogate
      {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},  // above U+10FFFF
      {"\xFF\x80", "\uFFFD\uFFFD"},
  };
  for (const auto& [bytes, text] : cases) {
    Json json = Json::object({{"file", bytes}});
    json[bytes] = 1;
    const auto parsed = nlohmann::json::parse(json.text());
    CHECK(parsed["file"] == text);
    CHECK(parsed[text] == 1);
  }
}
