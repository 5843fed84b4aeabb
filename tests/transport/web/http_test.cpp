// HTTP: the page's files with their headers, and refusals.
#include <fmt/core.h>

#include "server_support.h"

using namespace texcast;
using namespace texcast::test;

namespace {

// A request of which every line is given.
HttpReply ask(const web::Server& server, const std::string& lines, bool head_only = false) {
  WebClient client(server.port());
  client.send(lines + "\r\n\r\n");
  return client.read_reply(head_only);
}

}  // namespace

TEST_CASE("the page comes with headers that keep other sites and injected scripts out") {
  web::Server server(settings());
  WebClient client(server.port());
  const HttpReply page = client.get("/");
  REQUIRE(page.status == 200);
  const auto has = [&](const char* name, const std::string& value) {
    const auto found = page.headers.find(name);
    CHECK_MESSAGE((found != page.headers.end() && found->second == value), name);
  };
  has("content-security-policy",
      fmt::format("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' "
                  "ws://127.0.0.1:{}; "
                  "style-src 'self'; img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
                  "frame-ancestors 'none'",
                  server.port()));
  has("x-content-type-options", "nosniff");
  has("x-frame-options", "DENY");
  has("referrer-policy", "no-referrer");
  has("cross-origin-opener-policy", "same-origin");
  has("cross-origin-embedder-policy", "require-corp");
  has("cross-origin-resource-policy", "same-origin");
  has("cache-control", "no-cache");
  has("vary", "Accept-Encoding");
  CHECK(page.headers.count("server") == 0);
  CHECK(page.head.find("libwebsockets") == std::string::npos);
}

TEST_CASE("a browser that has a file asks whether it changed, and gets it only then") {
  web::Server server(settings());
  WebClient client(server.port());
  const std::string tag = client.get("/").headers.at("etag");
  CHECK(tag.size() == 34);
  CHECK(client.get("/main.js").headers.at("etag") != tag);
  const HttpReply same = client.get("/", "If-None-Match: \"old\", W/" + tag + "\r\n");
  CHECK(same.status == 304);
  CHECK(same.headers.at("etag") == tag);
  CHECK(client.get("/", "If-None-Match: \"old\"\r\n").status == 200);
  auto changed = settings();
  const std::vector<web::File> files = {{.path = "/", .type = "text/html", .gzip = bytes_of("the new page")}};
  changed.page = files;
  web::Server updated(changed);
  WebClient second(updated.port());
  const HttpReply update = second.get("/", "If-None-Match: " + tag + "\r\n");
  CHECK(update.status == 200);
  CHECK(update.body == "the new page");
}

TEST_CASE("HEAD gives the headers of GET without a body") {
  web::Server server(settings());
  const HttpReply reply = ask(server, fmt::format("HEAD /main.js HTTP/1.1\r\nHost: 127.0.0.1:{}", server.port()), true);
  CHECK(reply.status == 200);
  CHECK(reply.headers.at("content-length") == "100000");
  WebClient client(server.port());
  client.send(fmt::format("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\n\r\nGET / HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\n\r\n",
                          server.port()));
  CHECK(client.read_reply(true).headers.at("content-length") == "8");
  CHECK(client.read_reply().body == "the page");
}

TEST_CASE("a client without gzip gets a line that says so; one that does not say gets gzip") {
  web::Server server(settings());
  const std::string host = fmt::format("\r\nHost: 127.0.0.1:{}", server.port());
  const HttpReply refused = ask(server, "GET / HTTP/1.1" + host + "\r\nAccept-Encoding: identity");
  CHECK(refused.status == 406);
  CHECK(refused.body == "This page is only served compressed by gzip.\n");
  CHECK(ask(server, "GET / HTTP/1.1" + host).headers.at("content-encoding") == "gzip");
}

TEST_CASE("no path but the page's files") {
  web::Server server(settings());
  for (const char* path :
       {"/other", "/main.js/", "/main.jsx", "//main.js", "/../main.js", "/%2e%2e/etc/passwd", "/../../../../etc/passwd",
        "/MAIN.JS", "/.", "/%00", "/main.js%00", "/stream/", "/index.html"}) {
    CAPTURE(path);
    const HttpReply reply = ask(server, fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}", path, server.port()));
    // libwebsockets removes "//", "/." and "/../" before it looks; then it is a file of the page.
    const bool normalised =
        reply.status == 200 && (reply.body == "the page" || reply.headers.at("content-length") == "100000");
    CHECK((reply.status == 404 || reply.status == 0 || reply.status == 403 || normalised));
  }
  CHECK(ask(server, fmt::format("GET /stream HTTP/1.1\r\nHost: 127.0.0.1:{}", server.port())).status == 426);
}

TEST_CASE("no method but GET and HEAD") {
  web::Server server(settings());
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    CAPTURE(method);
    const HttpReply reply =
        ask(server, fmt::format("{} / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 0", method, server.port()));
    CHECK(reply.status == 405);
    CHECK(reply.headers.at("allow") == "GET, HEAD");
  }
  // libwebsockets answers these itself, or closes.
  for (const char* method : {"CONNECT", "TRACE", "BREW"}) {
    const HttpReply reply = ask(server, fmt::format("{} / HTTP/1.1\r\nHost: 127.0.0.1:{}", method, server.port()));
    CHECK((reply.status == 0 || reply.status == 403));
    CHECK(reply.headers.count("server") == 0);
  }
}

TEST_CASE("a Host that is not this machine's is refused") {
  auto with_name = settings();
  with_name.names = {"video.example.org"};
  web::Server server(with_name);
  CHECK(ask(server, "GET / HTTP/1.1\r\nHost: evil.example:8080").status == 421);
  CHECK(ask(server, "GET / HTTP/1.1\r\nHost: evil.example:8080").body.find("evil.example") != std::string::npos);
  CHECK(ask(server, "GET / HTTP/1.1").status == 400);
  CHECK(ask(server, "GET / HTTP/1.1\r\nHost: a b").status == 400);
  CHECK(ask(server, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example").status == 400);
  CHECK(ask(server, "GET / HTTP/1.1\r\nHost: video.example.org").status == 200);
  CHECK(ask(server, "GET / HTTP/1.1\r\nHost: localhost:8080").status == 200);
  CHECK(ask(server, "GET / HTTP/1.1\r\nHost: 192.0.2.77").status == 200);
}

TEST_CASE("requests that are none end their own connection only") {
  web::Server server(settings());
  WebClient good(server.port());
  CHECK(good.get("/").status == 200);
  const std::string host = fmt::format("Host: 127.0.0.1:{}\r\n", server.port());
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string(1000, '\0'), std::string(1000, '\xFF'), std::string("GET"),
        std::string("GET /\r\n\r\n"), std::string("GET / HTTP/9.9\r\n") + host + "\r\n",
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03", 11),
        "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n" + host + "\r\n",
        "GET / HTTP/1.1\r\n" + host + "X: " + std::string(20'000, 'a') + "\r\n\r\n",
        "GET / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFF\r\n",
        "GET / HTTP/1.1\r\n" + host +
            "Upgrade: h2c\r\nConnection: Upgrade\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
        "GET / HTTP/1.1\r\n" + host + "Upgrade: something\r\nConnection: Upgrade\r\n\r\n",
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")}) {
    CAPTURE(bytes.substr(0, 60));
    WebClient client(server.port());
    client.try_send(bytes);
    shutdown_writing(client);
    while (client.read_reply().status != 0) {
    }
    CHECK(good.get("/").body == "the page");
  }
}
