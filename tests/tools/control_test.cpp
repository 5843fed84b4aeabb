// The socket of --control: every request of a client is answered, whatever it contains; and the table of commands.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "check_error.h"
#include "control/client.h"
#include "control/dispatcher.h"
#include "control/inbox.h"
#include "control/server.h"
#include "temporary_folder.h"
#include "texcast/error.h"

using namespace texcast;
using namespace texcast::control;
using nlohmann::json;
using texcast::test::check_error;
using texcast::test::TemporaryFolder;

namespace {

// A client that sends raw bytes by system calls.
class RawClient {
 public:
  explicit RawClient(const std::string& path) : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const timeval limit{.tv_sec = 20,
                        .tv_usec = 0};  // a server that does not answer fails the test instead of blocking it
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    connected = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  void send_bytes(const std::string& bytes) const {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t sent = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<size_t>(sent);
    }
  }
  void end_sending() const { shutdown(socket_, SHUT_WR); }
  // Empty: the server has closed the connection.
  std::string line() {
    while (held_.find('\n') == std::string::npos) {
      char bytes[4096];
      const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) return "";
      held_.append(bytes, static_cast<size_t>(count));
    }
    const std::string first = held_.substr(0, held_.find('\n'));
    held_.erase(0, first.size() + 1);
    return first;
  }
  json answer() { return json::parse(line()); }
  json ask(const json& command, int id = 7) {
    send_bytes(json{{"command", command}, {"request_id", id}}.dump() + "\n");
    return answer();
  }
  bool connected = false;

 private:
  int socket_;
  std::string held_;
};

// Answers every command with its arguments.
void echo_words(const Request& request, Reply reply) {
  if (!request.wrong.empty()) return reply.answer(Answer::failure(ErrorKind::usage, request.wrong));
  reply.answer(Answer::success(Json(request.words)));
}

struct ReceiveRows {
  bool quit = false;
  std::string recording = "a.mov";
  Dispatcher rows{kReceive};
  ReceiveRows() {
    rows.property("source", [] { return Json("rtp://:5004"); });
    rows.property("recording", [this] { return Json(recording); });
    rows.property("statistics", [] { return Json::object({{"frames", 3}}); });
    rows.property("version", []() -> Json { throw Error(ErrorKind::corrupt, "no version"); });
    rows.command("quit", [this](Words) { return quit = true, Json(); });
  }
  json ask(std::vector<std::string> words) {
    json got;
    rows.obey({.words = std::move(words), .id = 5, .wrong = {}},
              Reply([&](const Answer& answer) { got = json::parse(answer_line(answer, 5)); }));
    return got;
  }
};

}  // namespace

TEST_CASE("control: requests as in mpv's IPC; an invalid request is answered with the reason") {
  const Request good = parse_request(R"({"command": ["set", "volume", 50, true, 0.5, "a b"], "request_id": -3})");
  CHECK(good.wrong.empty());
  CHECK(good.words == std::vector<std::string>{"set", "volume", "50", "true", "0.5", "a b"});
  CHECK(good.id == -3);
  CHECK(parse_request(R"({"command":["x"]})").id == 0);
  for (const std::string line :
       {"", "x", "[]", "{}", R"({"command": "set"})", R"({"command": []})", R"({"command": [null]})",
        R"({"command": [["a"]]})", R"({"command": [{}]})", R"({"command": ["a"], "request_id": "1"})",
        R"({"command": ["a"], "request_id": 1.5})", R"({"command": ["a\u0000b"]})", "{\"command\": [\"\xFF\"]}",
        R"({"command": ["a"]} x)"}) {
    CAPTURE(line);
    const Request request = parse_request(line);
    CHECK_FALSE(request.wrong.empty());
    CHECK(request.words.empty());
  }
  CHECK(parse_request(R"({"command": [1e400], "request_id": 4})").words.size() <= 1);
  CHECK(parse_request(R"({"command": {}, "request_id": 4})").id == 4);  // so that the client can match the answer
  CHECK_FALSE(parse_request(std::string(60000, '[')).wrong.empty());
  std::string many = R"({"command": ["a")";
  for (int i = 0; i < 64; ++i) many += ",1";
  CHECK_FALSE(parse_request(many + "]}").wrong.empty());
}

TEST_CASE("control: lines are found however their bytes are split, and have a maximum length") {
  LineReader reader;
  for (const char c : std::string("one\r\ntwo\n\nthr")) reader.add(std::string_view(&c, 1));
  CHECK(reader.next() == "one");
  CHECK(reader.next() == "two");
  CHECK(reader.next() == "");
  CHECK_FALSE(reader.next());
  reader.add("ee\n" + std::string(kMostLineBytes, 'x') + "\n");
  CHECK(reader.next() == "three");
  CHECK(reader.next()->size() == kMostLineBytes);
  CHECK_FALSE(reader.too_long());
  reader.add(std::string(kMostLineBytes + 1, 'x'));
  CHECK_FALSE(reader.next());
  CHECK(reader.too_long());
}

TEST_CASE("control: a dispatcher gets, sets, toggles, lists, and answers failures with their exit code") {
  ReceiveRows receiver;
  receiver.rows.check();
  CHECK(receiver.ask({"get", "source"}) == json{{"error", "success"}, {"data", "rtp://:5004"}, {"request_id", 5}});
  CHECK(receiver.ask({"get", "statistics"})["data"]["frames"] == 3);
  CHECK(receiver.ask({"get", "version"}) == json{{"error", "no version"}, {"code", 7}, {"request_id", 5}});
  CHECK(receiver.ask({"quit"})["error"] == "success");
  CHECK(receiver.quit);
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{{"nonsense"},
                                                                                     {"get"},
                                                                                     {"get", "volume"},
                                                                                     {"get", "a", "b"},
                                                                                     {"set", "source", "x"},
                                                                                     {"toggle", "source"},
                                                                                     {""}}) {
    CAPTURE(wrong[0]);
    CHECK(receiver.ask(wrong)["code"] == 2);
  }
  size_t rows = 0;
  for (const Row& row : table()) rows += (row.programs & kReceive) != 0 ? 1 : 0;
  const json help = receiver.ask({"help"});
  CHECK(help["data"].size() == rows);
  const auto listed = parse_help(*parse_message(help.dump()));
  CHECK(listed.size() == rows);
  CHECK(listed[0].name == "source");
  CHECK(listed[0].use == "get");
  CHECK(parse_help(*parse_message(receiver.ask({"get", "source"}).dump())).empty());
}

TEST_CASE("control: values are set through the property's function, and booleans are toggled") {
  bool paused = false;
  double volume = 100;
  Dispatcher rows(kPlay);
  rows.property(
      "pause", [&] { return Json(paused); }, [&](const std::string& value) { paused = parse_truth(value); });
  rows.property(
      "volume", [&] { return Json(volume); }, [&](const std::string& value) { volume = std::stod(value); });
  std::string error, data;
  const auto ask = [&](std::vector<std::string> words) {
    rows.obey({.words = std::move(words), .id = 0, .wrong = {}}, Reply([&](const Answer& a) {
                error = a.error;
                data = a.data.text();
              }));
    return error.empty();
  };
  CHECK(ask({"set", "pause", "true"}));
  CHECK(paused);
  CHECK(ask({"toggle", "pause"}));
  CHECK_FALSE(paused);
  CHECK(data == "false");  // the new value
  CHECK(ask({"set", "volume", "30"}));
  CHECK(volume == 30);
  CHECK_FALSE(ask({"toggle", "volume"}));
  CHECK_FALSE(ask({"set", "pause", "maybe"}));
  CHECK(error.find("maybe") != std::string::npos);
}

TEST_CASE("control: a reply that is destroyed without an answer sends an error") {
  std::string error;
  {
    const Reply forgotten([&](const Answer& answer) { error = answer.error; });
  }
  CHECK(error.find("ended") != std::string::npos);
  Inbox inbox;
  std::string second;
  inbox.put({.words = {"quit"}, .id = 0, .wrong = {}}, Reply([&](const Answer& answer) { second = answer.error; }));
  CHECK(second.empty());
  inbox.close();
  CHECK(second == error);
}

TEST_CASE("control: each client gets its own answers, in order") {
  const TemporaryFolder folder;
  const std::string path = folder.file("s");
  {
    Server server(path, {"statistics"}, echo_words);
    struct stat made {};
    REQUIRE(stat(path.c_str(), &made) == 0);
    CHECK((made.st_mode & 0777) == 0600);
    RawClient a(path), b(path);
    CHECK(a.ask({"x", 1})["data"] == json{"x", "1"});
    CHECK(b.ask({"y"}, 9) == json{{"error", "success"}, {"data", {"y"}}, {"request_id", 9}});
    std::string hundred;
    for (int i = 0; i < 100; ++i) hundred += R"({"command":["n"],"request_id":)" + std::to_string(i) + "}\n";
    a.send_bytes(hundred);
    for (int i = 0; i < 100; ++i) REQUIRE(a.answer()["request_id"] == i);
    b.send_bytes("not JSON\n\n  \n");
    CHECK(b.answer()["code"] == 2);
    b.send_bytes(R"({"command":["last"]})"
                 "\n");
    b.end_sending();  // as `echo … | socat` does
    CHECK(b.answer()["data"] == json{"last"});
    CHECK(b.line().empty());
  }
  CHECK(access(path.c_str(), F_OK) != 0);  // removed
}

TEST_CASE("control: events are sent only to clients that observe them") {
  const TemporaryFolder folder;
  Server server(folder.file("s"), {"statistics"}, echo_words);
  RawClient a(folder.file("s")), b(folder.file("s"));
  CHECK(b.ask({"hello"})["error"] == "success");
  CHECK_FALSE(server.observed("statistics"));
  CHECK(a.ask({"observe", "nothing"})["code"] == 2);
  CHECK(a.ask({"observe", "statistics"})["error"] == "success");
  CHECK(server.observed("statistics"));
  server.tell("statistics", Json::object({{"frames", 4}}));
  CHECK(a.answer() == json{{"event", "statistics"}, {"data", {{"frames", 4}}}});
  CHECK(b.ask({"still"})["data"] == json{"still"});  // and no event is sent before it
  CHECK(a.ask({"unobserve", "statistics"})["error"] == "success");
  CHECK_FALSE(server.observed("statistics"));
}

TEST_CASE("control: a ninth client is refused; a place that becomes free is used again") {
  const TemporaryFolder folder;
  Server server(folder.file("s"), {}, echo_words);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (size_t i = 0; i < Server::kMostClients; ++i) {
    clients.push_back(std::make_unique<RawClient>(folder.file("s")));
    REQUIRE(clients.back()->ask({"here"})["error"] == "success");
  }
  RawClient ninth(folder.file("s"));
  CHECK(ninth.answer()["code"] == 1);
  CHECK(ninth.line().empty());
  clients.pop_back();
  // The server notices the disconnection later; until then there may be no place.
  for (bool had_place = false; !had_place;) {
    RawClient again(folder.file("s"));
    had_place = again.ask({"here"})["error"] == "success";
  }
}

TEST_CASE("control: clients that send endless lines or do not read are disconnected; others go on") {
  const TemporaryFolder folder;
  Server server(folder.file("s"), {"statistics"}, echo_words);
  RawClient good(folder.file("s"));
  RawClient endless(folder.file("s"));
  endless.send_bytes(std::string(200'000, 'x'));
  CHECK(endless.answer()["code"] == 2);
  CHECK(endless.line().empty());
  RawClient slow(folder.file("s"));
  CHECK(slow.ask({"observe", "statistics"})["error"] == "success");
  const Json data(std::string(60'000, 'y'));
  int told = 0;
  for (; told < 1000 && server.observed("statistics"); ++told) server.tell("statistics", data);
  CHECK(told < 100);  // a megabyte, and the socket's buffer
  CHECK(good.ask({"well"})["data"] == json{"well"});
}

TEST_CASE("control: no more is read from a client with too many pending commands") {
  const TemporaryFolder folder;
  std::atomic<int> handed_on = 0;
  std::atomic<bool> other_came = false;
  Inbox inbox;
  Server server(folder.file("s"), {}, [&](Request request, Reply reply) {
    ++handed_on;
    const bool is_other = request.words[0] == "properties";
    inbox.put(std::move(request), std::move(reply));
    if (is_other) other_came = true;
  });
  RawClient client(folder.file("s"));
  std::string requests;
  for (int i = 1; i <= 50; ++i) requests += R"({"command":["help"],"request_id":)" + std::to_string(i) + "}\n";
  client.send_bytes(requests);
  RawClient other(folder.file("s"));
  other.send_bytes("{\"command\":[\"properties\"]}\n");
  // Another client's command is handled, but no further one of the first.
  while (!other_came) std::this_thread::yield();
  CHECK(handed_on == static_cast<int>(Server::kMostWaiting) + 1);
  const Dispatcher rows(kReceive);
  std::atomic<bool> stop = false;
  std::thread owner([&] {
    while (!stop) inbox.obey(rows);
  });
  for (int i = 1; i <= 50; ++i) CHECK(client.answer()["request_id"] == i);
  stop = true;
  owner.join();
  CHECK(handed_on == 51);
}

TEST_CASE("control: a path in use is refused, a stale one is replaced") {
  const TemporaryFolder folder;
  const std::string path = folder.file("s");
  const auto listen_there = [&] { const Server server(path, {}, echo_words); };
  {
    const Server first(path, {}, echo_words);
    check_error(ErrorKind::failed, "another program listens", listen_there);
    CHECK(RawClient(path).connected);
  }
  {  // as a killed program leaves it: bound, but not listening
    const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    REQUIRE(bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    close(dead);
  }
  CHECK_FALSE(RawClient(path).connected);
  {
    const Server second(path, {}, echo_words);
    CHECK(RawClient(path).ask({"x"})["error"] == "success");
  }
  std::ofstream(path) << "a file";
  check_error(ErrorKind::failed, "not a socket", listen_there);
  CHECK(access(path.c_str(), F_OK) == 0);
  check_error(ErrorKind::failed, "none/s", [&] { const Server server(folder.file("none/s"), {}, echo_words); });
  check_error(ErrorKind::usage, "socket", [&] { const Server server(std::string(200, 'x'), {}, echo_words); });
  // Another program's socket at that path is not removed.
  std::remove(path.c_str());
  auto mine = std::make_unique<Server>(path, std::vector<std::string>{}, echo_words);
  std::remove(path.c_str());
  const Server theirs(path, {}, echo_words);
  mine.reset();
  CHECK(RawClient(path).connected);
}

TEST_CASE("control: the client of ctl asks, observes, and reports if no program listens") {
  const TemporaryFolder folder;
  check_error(ErrorKind::network, "no program listens", [&] { const Client client(folder.file("s")); });
  auto server = std::make_unique<Server>(folder.file("s"), std::vector<std::string>{"statistics"}, echo_words);
  Client client(folder.file("s"));
  const Message answer = client.ask({"a", "b"});
  CHECK(answer.error.empty());
  CHECK(answer.data_words == "a\nb");
  CHECK(json::parse(answer.data_json) == json{"a", "b"});
  CHECK(client.ask({"observe"}).code == 2);
  CHECK(client.ask({"observe", "statistics"}).error.empty());
  server->tell("statistics", Json(1));
  const auto event = client.next_event();
  REQUIRE(event);
  CHECK(event->event == "statistics");
  server.reset();
  CHECK_FALSE(client.next_event());
}

TEST_CASE("control: a client with a limit of patience gives up on a program that does not answer") {
  const TemporaryFolder folder;
  const std::string path = folder.file("hangs");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(listening, 1) == 0);
  Client client(path, std::chrono::milliseconds(20));
  check_error(ErrorKind::network, "does not answer", [&] { client.ask({"version"}); });
  close(listening);
}

TEST_CASE("control: docs/control.md has the program's table") {
  std::ostringstream text;
  text << std::ifstream(TEXCAST_DOCS "/control.md").rdbuf();
  CHECK_MESSAGE(text.str().find(table_as_markdown()) != std::string::npos, table_as_markdown());
}
