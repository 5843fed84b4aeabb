// Messages of viewers, which may be anything, and messages to viewers.
#include "messages.h"

#include <algorithm>

#include "check_error.h"
#include "server_support.h"

using namespace texcast;
using namespace texcast::test;
using namespace texcast::web;

namespace {

std::string payload(const Message& message) { return {message.bytes.begin() + message.room, message.bytes.end()}; }

Datagrams parse(const std::string& message) { return parse_datagrams(bytes_of(message)); }

}  // namespace

TEST_CASE("a hello is read with all of its members") {
  const auto parsed = parse_hello(R"({"type":"hello","takes":["s3tc","astc"],"password":"pässword","link":"L",)"
                                  R"("resume":"R","variant":"bc1","later":[{}]})");
  REQUIRE(parsed);
  CHECK(parsed->takes == std::vector<std::string>{"s3tc", "astc"});
  CHECK(parsed->password == "pässword");
  CHECK(parsed->link == "L");
  CHECK(parsed->resume == "R");
  CHECK(parsed->variant == "bc1");
  const auto least = parse_hello(R"({"type":"hello","password":null})");
  REQUIRE(least);
  CHECK(least->takes.empty());
  CHECK(least->password.empty());
}

TEST_CASE("a hello that is none is refused with a reason") {
  const std::string deep(4000, '[');
  const std::string families = [] {
    std::string list = R"("a")";
    for (int i = 0; i < 16; ++i) list += R"(,"a")";
    return list;
  }();
  for (const std::string& text :
       {std::string(), std::string("hello"), std::string("[]"), std::string("{}"), std::string(R"({"type":"bye"})"),
        std::string(R"({"type":7})"), std::string(R"({"type":"hello")"),
        std::string(R"({"type":"hello","takes":"s3tc"})"), std::string(R"({"type":"hello","takes":[1]})"),
        std::string(R"({"type":"hello","takes":[")") + std::string(65, 'x') + "\"]}",
        R"({"type":"hello","takes":[)" + families + "]}", std::string(R"({"type":"hello","password":1})"),
        std::string(R"({"type":"hello","password":")") + std::string(1025, 'x') + "\"}",
        std::string(R"({"type":"hello","variant":{}})"), std::string("{\"type\":\"hello\",\"link\":\"\xFF\"}"), deep,
        std::string(R"({"type":"hello"})") + std::string(5000, ' ')}) {
    CAPTURE(text);
    const auto parsed = parse_hello(text);
    REQUIRE(!parsed);
    CHECK(parsed.error().message.size() > 10);
  }
}

TEST_CASE("the datagrams of a message are found") {
  const std::string message = binary_message(1, {"a", std::string(300, 'b'), "c"});
  const Datagrams parsed = parse(message);
  CHECK(parsed.known);
  CHECK(!parsed.malformed);
  CHECK(parsed.channel == Channel::sound);
  REQUIRE(parsed.datagrams.size() == 3);
  CHECK(std::ranges::equal(parsed.datagrams[1], bytes_of(std::string(300, 'b'))));
  CHECK(!parse(std::string(1, '\0')).malformed);  // none is allowed
  CHECK(parse(std::string(1, '\0')).datagrams.empty());
}

TEST_CASE("a truncated datagram makes the rest of a message malformed") {
  const std::string whole = binary_message(0, {"first", "second"});
  for (size_t bytes = 9; bytes < whole.size(); ++bytes) {
    const std::string cut = whole.substr(0, bytes);
    const Datagrams parsed = parse(cut);
    CHECK(parsed.malformed);
    CHECK(parsed.datagrams.size() == 1);
  }
  CHECK(parse("").malformed);
  CHECK(parse(binary_message(0, {""})).malformed);
  CHECK(parse(binary_message(0, {std::string(2046, 'x')})).malformed);  // 2049 bytes
  CHECK(!parse(binary_message(0, {std::string(2045, 'x')})).malformed);
  const Datagrams unknown = parse(binary_message(9, {"x"}));
  CHECK(!unknown.known);
  CHECK(unknown.datagrams.empty());
}

TEST_CASE("datagrams are put into as few messages as possible, each whole") {
  const std::string large(15'000, 'l'), largest(65'507, 'x');
  const auto messages = datagram_messages(
      Channel::picture,
      std::vector{packet("p", "head"), packet(large), packet(large), packet(large), packet(largest), packet("z")});
  REQUIRE(messages.size() == 4);
  CHECK(datagrams_in(payload(*messages[0]), 0) == std::vector<std::string>{"headp", large, large});
  CHECK(datagrams_in(payload(*messages[1]), 0) == std::vector<std::string>{large});
  CHECK(datagrams_in(payload(*messages[2]), 0) == std::vector<std::string>{largest});
  CHECK(datagrams_in(payload(*messages[3]), 0) == std::vector<std::string>{"z"});
  CHECK(messages[0]->datagrams == 3);
  for (const auto& message : messages) CHECK(message->size() <= 65'535);
  CHECK(datagram_messages(Channel::sound, {}).empty());
  check_misuse([] { datagram_messages(Channel::sound, std::vector{packet("")}); });
  const std::string too_large(65'508, 'x');
  check_misuse([&] { datagram_messages(Channel::sound, std::vector{packet(too_large)}); });
}

TEST_CASE("a stream's name that is no UTF-8 still gives a welcome that is JSON") {
  const StreamOffer offer{.name = "\xFF", .families = {}, .format = "rgba"};
  const auto text = nlohmann::json::parse(welcome_text("welcome", &offer, std::span(&offer, 1), "\xC3", ""));
  CHECK(text["variants"][0]["family"] == "none");
}
