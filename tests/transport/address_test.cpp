#include "transport/address.h"

#include <doctest/doctest.h>

#include "texcast/error.h"

using namespace texcast;
using namespace texcast::transport;

TEST_CASE("addresses") {
  struct Row {
    const char* url;
    bool listening, ipv6, multicast, loopback;
    uint16_t port;
  };
  const Row rows[] = {
      {"rtp://127.0.0.1:6000", false, false, false, true, 6000},
      {"rtp://127.0.0.1", false, false, false, true, 5004},
      {"rtp://127.0.0.1:6000/", false, false, false, true, 6000},
      {"rtp://[::1]:6001", false, true, false, true, 6001},
      {"rtp://[::1]", true, true, false, true, 5004},
      {"rtp://239.1.2.3:6002", false, false, true, false, 6002},
      {"rtp://[ff15::1]:6003", false, true, true, false, 6003},
      {"rtp://[ff02::1%lo]:6003", false, true, true, false, 6003},
      {"rtp://192.0.2.9@232.1.2.3:6002", true, false, true, false, 6002},
      {"rtp://[2001:db8::1]@[ff3e::1]:6002", true, true, true, false, 6002},
      {"rtp://192.0.2.1", false, false, false, false, 5004},
      {"rtp://:6004", true, true, false, false, 6004},
      {"rtp://", true, true, false, false, 5004},
      {"rtp://127.0.0.1:0", true, false, false, true, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.url);
    const Address address = resolve_address(row.url, row.listening);
    CHECK(address.ipv6 == row.ipv6);
    CHECK(address.multicast == row.multicast);
    CHECK(address.loopback == row.loopback);
    CHECK(address.port == row.port);
    CHECK(address.text == row.url);
    CHECK(address.length > 0);
    CHECK(address.source.known() == (std::string(row.url).find('@') != std::string::npos));
  }
}

TEST_CASE("texts of a peer: its host, and its host and port") {
  const PeerAddress v4 = peer_of(resolve_address("rtp://192.0.2.1:5010", false));
  CHECK(host_text(v4) == "192.0.2.1");
  CHECK(to_text(v4) == "192.0.2.1:5010");
  const PeerAddress v6 = peer_of(resolve_address("rtp://[2001:db8::1]:5010", false));
  CHECK(host_text(v6) == "2001:db8::1");
  CHECK(to_text(v6) == "[2001:db8::1]:5010");
  CHECK(host_text({}) == "unknown");
}

TEST_CASE("a source before @ requires a group, and listening") {
  for (const char* url :
       {"rtp://192.0.2.9@192.0.2.1:5004", "rtp://@232.1.2.3", "rtp://192.0.2.9@", "rtp://192.0.2.9@:1"})
    CHECK_THROWS_AS(resolve_address(url, true), Error);
  CHECK_THROWS_AS(resolve_address("rtp://192.0.2.9@232.1.2.3", false), Error);
  CHECK_THROWS_AS(resolve_address("rtp://192.0.2.9@[ff3e::1]", true), Error);  // of the other family
}

TEST_CASE("addresses without rtp:// are recognised, and names and files are not") {
  for (const char* word : {"192.0.2.1", "192.0.2.1:5004", "239.1.2.3:6002", "studio:5004", "studio.local:5004", ":5004",
                           ":0", "[::1]", "[::1]:5004", "[fe80::1%eth0]:5004", "192.0.2.1:99999", "fe80::1", "::1"}) {
    CAPTURE(word);
    CHECK(url_of_short_form(word) == "rtp://" + std::string(word));
  }
  for (const char* word : {"", ":", "studio", "studio.local", "Saal 1:2", "show.mov", "a/b:5004", "C:movie", "1.2.3",
                           "256.1.1.1", "rtp://192.0.2.1", "pcap:show.pcap", "pcap:1.pcap", "[studio]:5004", "[",
                           "x:1y", "a:b:5004", "10.0.0.1@232.1.2.3"}) {
    CAPTURE(word);
    CHECK_FALSE(url_of_short_form(word));
  }
  CHECK(resolve_address(*url_of_short_form("[::1]:6001"), false).port == 6001);
  CHECK_THROWS_AS(resolve_address(*url_of_short_form("192.0.2.1:99999"), false), Error);
  try {
    resolve_address(*url_of_short_form("fe80::1"), false);
    FAIL("taken");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("square brackets") != std::string::npos);
  }
}

TEST_CASE("messages name the error in malformed addresses") {
  for (const char* url : {"", "127.0.0.1:5004", "udp://127.0.0.1", "rtp://", "rtp://:5004",
                          "rtp://host:", "rtp://host:port", "rtp://host:0", "rtp://host:65536", "rtp://host:5004x",
                          "rtp://[::1", "rtp://[::1]5004", "rtp://::1", "rtp://host:5004/path", "rtp://host?x"}) {
    CAPTURE(url);
    try {
      resolve_address(url, false);
      FAIL("taken");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      CHECK(std::string(error.what()).find("rtp://HOST:PORT") != std::string::npos);
    }
  }
  try {
    resolve_address("rtp://no-such-host.invalid", false);
    FAIL("resolved");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::network);
    CHECK(std::string(error.what()).find("no-such-host.invalid") != std::string::npos);
  }
}
