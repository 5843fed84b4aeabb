// The addresses that are printed for browsers.
#include "server_support.h"
#include "server_urls.h"

using namespace texcast;
using namespace texcast::test;
using namespace texcast::web;

namespace {

RankedInterface interface(const char* name, RankedInterface::Kind kind, std::vector<std::string> addresses,
                          bool up = true) {
  return {.interface = {.name = name, .up = up, .addresses = std::move(addresses)}, .kind = kind};
}

}  // namespace

TEST_CASE("addresses that lead to viewers come first") {
  using Kind = RankedInterface::Kind;
  std::vector<RankedInterface> interfaces = {
      interface("docker0", Kind::bridge, {"172.17.0.1"}),
      interface("tun0", Kind::other, {"10.8.0.2"}),
      interface("eth1", Kind::hardware, {"10.0.0.5", "fe80::2", "2001:db8::5"}),
      interface("eth2", Kind::hardware, {"10.0.0.6"}, false),
      interface("wlan0", Kind::default_route, {"192.168.1.20", "fd00::20"}),
  };
  interfaces.push_back(interface("lo", Kind::other, {"127.0.0.1", "::1"}));
  interfaces.back().interface.loopback = true;
  CHECK(urls_of(interfaces, 8080, false) ==
        std::vector<std::string>{"http://192.168.1.20:8080/", "http://10.0.0.5:8080/", "http://10.8.0.2:8080/",
                                 "http://172.17.0.1:8080/", "http://[fd00::20]:8080/", "http://[2001:db8::5]:8080/",
                                 "http://localhost:8080/"});
  CHECK(urls_of({}, 80, false) == std::vector<std::string>{"http://localhost/"});
  CHECK(urls_of({}, 443, true) == std::vector<std::string>{"https://localhost/"});
  CHECK(urls_of({}, 443, false) == std::vector<std::string>{"http://localhost:443/"});
}

TEST_CASE("a server on all addresses is reached by IPv4 and IPv6, and each of its URLs works as Host") {
  auto all = settings();
  all.address = "";
  web::Server server(all);
  CHECK(server.urls().back() == "http://localhost:" + std::to_string(server.port()) + "/");
  CHECK(WebClient(server.port()).get("/").status == 200);
  try {
    CHECK(WebClient(server.port(), "::1").upgrade().status == 101);
  } catch (const std::runtime_error&) {
    MESSAGE("SKIP: this machine has no IPv6");
  }
  for (const std::string& url : server.urls()) {
    const std::string host = url.substr(7, url.size() - 8);
    WebClient client(server.port());
    client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    CHECK_MESSAGE(client.read_reply().status == 200, host);
  }
}

TEST_CASE("a server on one address says only that one") {
  auto one = settings();
  one.address = "127.0.0.3";
  const web::Server server(one);
  CHECK(server.urls() == std::vector{"http://127.0.0.3:" + std::to_string(server.port()) + "/"});
  CHECK_THROWS(WebClient(server.port()));
  CHECK(WebClient(server.port(), "127.0.0.3").get("/").status == 200);
}
