// Streams that come, change and go while viewers watch, and who may open the WebSocket.
#include "server_support.h"

using namespace texcast;
using namespace texcast::test;
using nlohmann::json;

namespace {

json next_text(WebClient& client) { return json::parse(client.read_text()); }

web::StreamOffer offer(const std::string& name, const std::string& family) {
  return {.name = name, .families = {family}, .format = name};
}

}  // namespace

TEST_CASE("a viewer waits for the first stream, and for the next one after an end") {
  web::Server server(settings());
  const auto client = viewer(server.port());
  auto stream = server.add(bc1());
  auto changed = next_text(*client);
  CHECK(changed["type"] == "changed");
  CHECK(changed["variant"] == "bc1");
  wait_until([&] { return stream->has_viewers(); });
  stream->end("The film is over.");
  CHECK(next_text(*client) == json::parse(R"({"type":"ended","message":"The film is over."})"));
  wait_until([&] { return !stream->has_viewers(); });
  stream->send(web::Channel::picture, std::vector{packet("late")});
  const auto next = server.add(bc1());  // the name is free again
  CHECK(next_text(*client)["type"] == "changed");
  wait_until([&] { return next->has_viewers(); });
  next->send(web::Channel::picture, std::vector{packet("first of the next")});
  CHECK(datagrams_in(client->read_binary(), 0) == std::vector<std::string>{"first of the next"});
}

TEST_CASE("a stream whose owner lets it go has ended") {
  web::Server server(settings());
  auto stream = server.add(bc1());
  const auto client = viewer(server.port());
  stream.reset();
  CHECK(next_text(*client)["type"] == "ended");
}

TEST_CASE("a stream wakes nobody after its owner has let it go") {
  auto wakes = std::make_unique<int>(0);
  web::Server server(settings());
  auto stream = server.add(bc1());
  stream->on_feedback([count = wakes.get()] { ++*count; });
  const auto client = viewer(server.port());
  wait_until([&] { return stream->has_viewers(); });
  stream.reset();
  wakes.reset();  // AddressSanitizer sees a later call
  CHECK(next_text(*client)["type"] == "ended");
}

TEST_CASE("viewers get the variant that their GPU takes, or that they ask for, or a line that says why not") {
  web::Server server(settings());
  const auto bc7 = server.add(offer("bc7", "bptc")), bc1s = server.add(offer("bc1", "s3tc")),
             etc = server.add(offer("etc2", "etc2"));
  const auto variant = [&](const json& more) {
    WebClient client(server.port());
    REQUIRE(client.upgrade().status == 101);
    client.send_text(hello(more));
    const auto answer = next_text(client);
    return answer["type"] == "welcome" ? answer["variant"].get<std::string>() : answer["code"].dump();
  };
  CHECK(variant({{"takes", {"s3tc", "bptc"}}}) == "bc7");
  CHECK(variant({{"takes", {"etc2", "astc"}}}) == "etc2");
  CHECK(variant({{"takes", {"s3tc", "bptc"}}, {"variant", "bc1"}}) == "bc1");
  CHECK(variant({{"takes", {"s3tc"}}, {"variant", "bc7"}}) == "bc1");
  CHECK(variant({{"takes", {"s3tc"}}, {"variant", "none such"}}) == "bc1");
  CHECK(variant({{"takes", {"astc"}}}) == "4002");
  CHECK(variant({{"takes", json::array()}}) == "4002");
  const auto plain = server.add({.name = "rgba", .families = {}, .format = "rgba"});
  CHECK(variant({{"takes", json::array()}}) == "rgba");
  CHECK_THROWS(server.add(offer("bc1", "s3tc")));
}

TEST_CASE("viewers learn of a change of the format before its first datagram, and move if their GPU lacks it") {
  web::Server server(settings());
  const auto first = server.add(offer("main", "s3tc"));
  const auto both = viewer(server.port(), {{"takes", {"s3tc", "bptc"}}}),
             old = viewer(server.port(), {{"takes", {"s3tc"}}});
  wait_until([&] { return first->viewers() == 2; });
  first->change({.name = "main", .families = {"bptc"}, .format = "bc7"});
  first->send(web::Channel::picture, std::vector{packet("new")});
  const auto changed = next_text(*both);
  CHECK(changed["type"] == "changed");
  CHECK(changed["variants"][0]["format"] == "bc7");
  CHECK(datagrams_in(both->read_binary(), 0) == std::vector<std::string>{"new"});
  CHECK(refusal(*old) == 4002);
  const auto second = server.add(offer("second", "s3tc"));
  const auto late = viewer(server.port(), {{"takes", {"s3tc"}}});
  first->change({.name = "main", .families = {"astc"}, .format = "astc"});
  CHECK(next_text(*both)["variant"] == "second");
  wait_until([&] { return first->viewers() == 0 && second->viewers() == 2; });
}

TEST_CASE("the server ends: viewers get a line, and streams live on without any") {
  std::shared_ptr<web::Stream> stream;
  std::unique_ptr<WebClient> client;
  {
    web::Server server(settings());
    stream = server.add(bc1());
    client = viewer(server.port());
    wait_until([&] { return stream->has_viewers(); });
  }
  CHECK(next_text(*client)["type"] == "ended");
  CHECK(client->read_close() == 4009);
  CHECK(!stream->has_viewers());
  stream->send(web::Channel::picture, std::vector{packet("nobody")});
  stream->change(bc1());
  std::vector<web::Stream::Feedback::Kind> kinds;
  stream->take_feedback([&](const web::Stream::Feedback& feedback) { kinds.push_back(feedback.kind); });
  using Kind = web::Stream::Feedback::Kind;
  CHECK(kinds == std::vector{Kind::joined, Kind::left});
  stream->end("");
}

TEST_CASE("a server that has ended goes on existing without viewers") {
  web::Server server(settings());
  const auto stream = server.add(bc1());
  const auto client = viewer(server.port());
  std::thread other([&] { server.end(); });  // any number of threads may end it
  server.end();
  other.join();
  CHECK(next_text(*client)["type"] == "ended");
  CHECK(client->read_close() == 4009);
  CHECK(server.viewers().empty());
  CHECK(!stream->has_viewers());
  stream->send(web::Channel::picture, std::vector{packet("nobody")});
  server.add({.name = "late", .families = {}, .format = "bc1"});
  CHECK(!server.urls().empty());
  CHECK_THROWS(WebClient(server.port()));  // refused, not left waiting
}

TEST_CASE("a server can have the port of one that has just ended, while its connections wait for their end") {
  auto again = settings();
  std::unique_ptr<WebClient> client;
  {
    web::Server server(settings());
    again.port = server.port();
    client = viewer(server.port());
  }
  web::Server server(again);
  CHECK(viewer(server.port()) != nullptr);
}

TEST_CASE("only pages of the server itself may open the WebSocket") {
  web::Server server(settings());
  const auto stream = server.add(bc1());
  const std::string own = "127.0.0.1:" + std::to_string(server.port());
  const auto status = [&](const std::map<std::string, std::string>& headers, const std::string& path = "/stream") {
    return WebClient(server.port()).upgrade(headers, path).status;
  };
  CHECK(status({}) == 101);
  CHECK(status({{"Origin", ""}}) == 101);  // no browser
  CHECK(status({{"Origin", "https://" + own}}) == 101);
  CHECK(status({{"Upgrade", "WebSocket"}}) == 101);
  CHECK(status({{"Connection", "keep-alive, Upgrade"}}) == 101);
  CHECK(status({{"Sec-WebSocket-Protocol", "other, texcast.1"}}) == 101);
  CHECK(status({{"Origin", "http://evil.example"}}) == 403);
  CHECK(status({{"Origin", "null"}}) == 403);
  CHECK(status({{"Origin", "http://127.0.0.1:1"}}) == 403);
  CHECK(status({{"Host", "evil.example"}, {"Origin", "http://evil.example"}}) == 403);  // DNS rebinding
  CHECK(status({{"Sec-WebSocket-Protocol", ""}}) == 403);
  CHECK(status({{"Sec-WebSocket-Protocol", "texcast.2"}}) == 403);
  CHECK(status({}, "/") == 403);
  CHECK(status({{"Sec-WebSocket-Key", ""}}) == 0);
  CHECK(status({{"Connection", "close"}}) == 0);
  CHECK(status({{"Sec-WebSocket-Extensions", "permessage-deflate"}}) == 101);
  CHECK(WebClient(server.port())
            .upgrade({{"Sec-WebSocket-Extensions", "permessage-deflate"}})
            .headers.count("sec-websocket-extensions") == 0);
}

TEST_CASE("passwords and links let in, each with its own refusal") {
  auto guarded = settings();
  guarded.access = {.password = "correct horse", .links = 1};
  web::Server server(guarded);
  const auto stream = server.add(bc1());
  CHECK(answer_to(server.port(), hello()) == 4001);
  CHECK(answer_to(server.port(), hello({{"password", "wrong"}})) == 4001);
  CHECK(answer_to(server.port(), hello({{"password", "correct horse"}})) == 0);
  REQUIRE(server.links().size() == 1);
  const std::string link = server.links().front();
  const std::string start = "http://127.0.0.1:" + std::to_string(server.port()) + "/#link=";
  REQUIRE(link.starts_with(start));
  const std::string token = link.substr(start.size());
  WebClient first(server.port());
  first.upgrade();
  first.send_text(hello({{"link", token}}));
  const auto welcome = next_text(first);
  REQUIRE(welcome["type"] == "welcome");
  CHECK(server.links().empty());
  CHECK(answer_to(server.port(), hello({{"link", token}})) == 4004);
  // The viewer comes back with its resume token; its earlier connection is closed then.
  WebClient second(server.port());
  second.upgrade();
  second.send_text(hello({{"resume", welcome["resume"]}}));
  CHECK(next_text(second)["type"] == "welcome");
  CHECK(refusal(first) == 4004);
  wait_until([&] { return stream->viewers() == 1; });
}

TEST_CASE("a link is not used up by a viewer that cannot watch") {
  auto guarded = settings();
  guarded.access.links = 2;
  guarded.most_viewers = 1;
  web::Server server(guarded);
  const auto stream = server.add(bc1());
  const auto token = [&] { return server.links().front().substr(server.links().front().find('=') + 1); };
  CHECK(answer_to(server.port(), hello({{"link", token()}, {"takes", {"astc"}}})) == 4002);
  CHECK(server.links().size() == 2);
  const auto client = viewer(server.port(), {{"link", token()}});
  CHECK(answer_to(server.port(), hello({{"link", token()}})) == 4003);
  CHECK(server.links().size() == 1);
}
