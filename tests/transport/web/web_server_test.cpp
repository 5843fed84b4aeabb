// The server's ordinary work: pages, viewers, datagrams, feedback.
#include "server_support.h"

using namespace texcast;
using namespace texcast::test;
using nlohmann::json;

TEST_CASE("a viewer is welcomed with the stream that its GPU takes") {
  web::Server server(settings());
  const auto bptc = server.add({.name = "bc7", .families = {"bptc"}, .format = "bc7"});
  const auto stream = server.add(bc1());
  WebClient client(server.port());
  const HttpReply reply = client.upgrade();
  CHECK(reply.status == 101);
  CHECK(reply.headers.at("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // RFC 6455, section 1.3
  CHECK(reply.headers.at("sec-websocket-protocol") == "texcast.1");
  CHECK(reply.headers.count("server") == 0);
  client.send_text(hello());
  const auto welcome = json::parse(client.read_text());
  CHECK(welcome["type"] == "welcome");
  CHECK(welcome["variant"] == "bc1");
  CHECK(welcome["name"] == "Studio \"A\"");
  CHECK(welcome["sound"] == true);
  CHECK(welcome["sealed"] == false);
  CHECK(welcome["variants"].size() == 2);
  CHECK(welcome["variants"][0] == json::parse(R"({"name":"bc7","family":"bptc","families":["bptc"],"format":"bc7"})"));
}

TEST_CASE("datagrams reach all viewers, and feedback comes back with its sender") {
  std::atomic<int> wakes = 0;
  web::Server server(settings());
  const auto stream = server.add(bc1());
  CHECK(stream->viewers() == 0);
  stream->on_feedback([&] { ++wakes; });
  const auto first = viewer(server.port()), second = viewer(server.port());
  wait_until([&] { return stream->viewers() == 2; });
  const std::vector packets = {packet("yload", "pa"), packet("other")};
  stream->send(web::Channel::picture, packets);
  stream->send(web::Channel::sound, std::vector{packet("beep")});
  for (const auto& client : {first.get(), second.get()}) {
    std::string picture = client->read_binary(), sound = client->read_binary();
    if (picture[0] == 1) std::swap(picture, sound);  // sound may overtake pictures
    CHECK(datagrams_in(picture, 0) == std::vector<std::string>{"payload", "other"});
    CHECK(datagrams_in(sound, 1) == std::vector<std::string>{"beep"});
  }
  second->send_binary(binary_message(0, {"nack", "report"}));
  second->send_binary(binary_message(7, {"ignored"}));
  second->send_binary(binary_message(1, {"sound's"}));
  using Feedback = web::Stream::Feedback;
  std::vector<std::pair<web::ViewerId, std::string>> came;
  std::vector<web::ViewerId> joined;
  wait_until([&] {
    stream->take_feedback([&](const Feedback& feedback) {
      CHECK(feedback.from.known());
      if (feedback.kind == Feedback::Kind::joined) joined.push_back(feedback.viewer);
      if (feedback.kind == Feedback::Kind::datagram)
        came.emplace_back(feedback.viewer, std::string(reinterpret_cast<const char*>(feedback.datagram.data()),
                                                       feedback.datagram.size()));
    });
    return came.size() == 3;
  });
  CHECK(joined == std::vector<web::ViewerId>{1, 2});
  CHECK(came == std::vector<std::pair<web::ViewerId, std::string>>{{2, "nack"}, {2, "report"}, {2, "sound's"}});
  CHECK(wakes > 0);
  stream->send_to(2, web::Channel::picture, std::vector{packet("again")});
  CHECK(datagrams_in(second->read_binary(), 0) == std::vector<std::string>{"again"});
  second->close();
  wait_until([&] { return stream->viewers() == 1; });
  std::vector<web::ViewerId> left;
  wait_until([&] {
    stream->take_feedback([&](const Feedback& feedback) {
      if (feedback.kind == Feedback::Kind::left) left.push_back(feedback.viewer);
    });
    return !left.empty();
  });
  CHECK(left == std::vector<web::ViewerId>{2});
}

TEST_CASE("the page's files are served, and nothing else") {
  web::Server server(settings());
  WebClient client(server.port());
  const HttpReply page = client.get("/");
  CHECK(page.status == 200);
  CHECK(page.body == "the page");
  CHECK(page.headers.at("content-type") == "text/html; charset=utf-8");
  CHECK(page.headers.at("content-encoding") == "gzip");
  CHECK(client.get("/main.js?version=2").body == std::string(100'000, 'x'));
  CHECK(client.get("/other").status == 404);
}
