// Access: passwords, links, addresses, and names of the server.
#include "access.h"

#include <arpa/inet.h>

#include <array>
#include <set>

#include "host_names.h"
#include "page_files.h"
#include "server_support.h"

using namespace texcast;
using namespace texcast::test;
using namespace texcast::web;
using namespace std::chrono_literals;
using transport::PeerAddress;

namespace {

PeerAddress address(const std::string& text) {
  std::array<std::byte, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return PeerAddress::of_ipv4(std::span(bytes).first(4), 5000);
  REQUIRE(inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1);
  return PeerAddress::of_ipv6(bytes, 5000);
}

const SteadyTime kStart{1000s};
const PeerAddress kPublic = address("203.0.113.9");

Hello with(std::string Hello::*member, const std::string& value) {
  Hello hello;
  hello.*member = value;
  return hello;
}

}  // namespace

TEST_CASE("private addresses are those of RFC 1918, RFC 4193, link-local and loopback") {
  for (const char* text :
       {"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "127.0.0.1", "127.9.9.9",
        "169.254.7.7", "::1", "fe80::1", "febf::1", "fc00::1", "fdff::1", "::ffff:192.168.3.4"})
    CHECK_MESSAGE(is_private(address(text)), text);
  for (const char* text : {"9.255.255.255",
                           "11.0.0.0",
                           "172.15.255.255",
                           "172.32.0.0",
                           "192.167.255.255",
                           "192.169.0.0",
                           "126.0.0.1",
                           "128.0.0.1",
                           "169.253.0.1",
                           "100.64.0.1",
                           "8.8.8.8",
                           "0.0.0.0",
                           "::",
                           "::2",
                           "fec0::1",
                           "fe00::1",
                           "fb00::1",
                           "2001:db8::1",
                           "::ffff:8.8.8.8",
                           "::192.168.0.1",
                           "64:ff9b::192.168.0.1"})
    CHECK_MESSAGE(!is_private(address(text)), text);
}

TEST_CASE("without a password and links only private addresses are let in") {
  AccessControl access({}, {});
  CHECK(access.admit({}, address("192.168.1.9"), kStart).refusal == Refusal::none);
  CHECK(access.admit({}, kPublic, kStart).refusal == Refusal::network);
  CHECK(access.admit({}, kPublic, kStart).message.find("own network") != std::string::npos);
}

TEST_CASE("a password lets in everybody who knows it, and a viewer back in without it") {
  AccessControl access({.password = "correct horse"}, {});
  CHECK(access.admit({}, address("192.168.1.9"), kStart).refusal == Refusal::password);
  for (const char* wrong : {"", "correct", "correct horse ", "Correct horse"})
    CHECK(access.admit(with(&Hello::password, wrong), kPublic, kStart).refusal == Refusal::password);
  AccessControl fresh({.password = "correct horse"}, {});
  const auto in = fresh.admit(with(&Hello::password, "correct horse"), kPublic, kStart);
  CHECK(in.refusal == Refusal::none);
  CHECK(in.resume.size() == 22);
  CHECK(in.link_holder.empty());
  const auto again = fresh.admit(with(&Hello::resume, in.resume), kPublic, kStart);
  CHECK(again.refusal == Refusal::none);
  CHECK(again.resume == in.resume);
  CHECK(fresh.admit(with(&Hello::resume, in.resume + "x"), kPublic, kStart).refusal == Refusal::password);
  CHECK(access.admit(with(&Hello::resume, in.resume), kPublic, kStart).refusal ==
        Refusal::password);  // another server's
}

TEST_CASE("an address has five wrong passwords, then one in ten seconds") {
  AccessControl access({.password = "word"}, {});
  const auto tries = [&](const PeerAddress& from, SteadyTime now, const std::string& word) {
    return access.admit(with(&Hello::password, word), from, now);
  };
  for (int i = 0; i < 5; ++i) CHECK(tries(kPublic, kStart, "wrong").message == "The password is wrong.");
  // From now on not even the right one is compared, so that nothing is learnt by going on.
  CHECK(tries(kPublic, kStart, "word").refusal == Refusal::password);
  CHECK(tries(kPublic, kStart, "word").message.find("Too many wrong") == 0);
  CHECK(tries(kPublic, kStart + 9s, "word").refusal == Refusal::password);
  CHECK(tries(address("203.0.113.8"), kStart, "word").refusal == Refusal::none);
  CHECK(tries(kPublic, kStart + 11s, "wrong").message == "The password is wrong.");
  CHECK(tries(kPublic, kStart + 12s, "word").refusal == Refusal::password);
  CHECK(tries(kPublic, kStart + 25s, "word").refusal == Refusal::none);
  CHECK(tries(kPublic, kStart + 25s, "word").refusal == Refusal::none);  // right ones cost nothing
  // All addresses of an IPv6 network count as one.
  for (int i = 0; i < 5; ++i)
    CHECK(tries(address("2001:db8:1:2::" + std::to_string(i + 1)), kStart, "wrong").message ==
          "The password is wrong.");
  CHECK(tries(address("2001:db8:1:2:ffff::9"), kStart, "word").refusal == Refusal::password);
  CHECK(tries(address("2001:db8:1:3::9"), kStart, "word").refusal == Refusal::none);
}

TEST_CASE(
    "thousands of addresses with wrong passwords need bounded memory, and do not reset one another's count soon") {
  AccessControl access({.password = "word"}, {});
  for (int i = 0; i < 5; ++i) access.admit(with(&Hello::password, "wrong"), kPublic, kStart);
  for (int i = 0; i < 4000; ++i)
    access.admit(with(&Hello::password, "wrong"),
                 address("10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250)), kStart);
  CHECK(access.admit(with(&Hello::password, "word"), kPublic, kStart).refusal == Refusal::password);
}

TEST_CASE("a link lets in one viewer, who can come back") {
  AccessControl access({.links = 2}, {});
  const auto links = access.unused_links();
  REQUIRE(links.size() == 2);
  CHECK(links[0] != links[1]);
  CHECK(access.admit({}, address("127.0.0.1"), kStart).refusal == Refusal::link);
  CHECK(access.admit(with(&Hello::link, "x"), kPublic, kStart).refusal == Refusal::link);
  const auto in = access.admit(with(&Hello::link, links[0]), kPublic, kStart);
  CHECK(in.refusal == Refusal::none);
  CHECK(!in.link_holder.empty());
  CHECK(access.unused_links() == std::vector{links[1]});
  CHECK(access.admit(with(&Hello::link, links[0]), kPublic, kStart).refusal == Refusal::link);
  const auto again = access.admit(with(&Hello::resume, in.resume), kPublic, kStart);
  CHECK(again.refusal == Refusal::none);
  CHECK(again.link_holder == in.link_holder);
  const auto other = access.admit(with(&Hello::link, links[1]), kPublic, kStart);
  CHECK(other.link_holder != in.link_holder);
  CHECK(access.unused_links().empty());
}

TEST_CASE("links and a password: either lets in") {
  AccessControl access({.password = "word", .links = 1}, {});
  CHECK(access.admit(with(&Hello::password, "word"), kPublic, kStart).refusal == Refusal::none);
  CHECK(access.admit(with(&Hello::link, access.unused_links().front()), kPublic, kStart).refusal == Refusal::none);
  CHECK(access.admit(with(&Hello::link, "used"), kPublic, kStart).refusal == Refusal::link);
  CHECK(access.admit({}, kPublic, kStart).refusal == Refusal::password);
}

TEST_CASE("tokens are random and need no escaping in a URL") {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(random_token());
  CHECK(tokens.size() == 100);
  for (const std::string& token : tokens)
    CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
          std::string::npos);
}

TEST_CASE("Host headers are taken apart, and malformed ones refused") {
  CHECK(parse_host("192.0.2.1:8080") == HostAndPort{"192.0.2.1", "8080", true});
  CHECK(parse_host("[FE80::1]:8080") == HostAndPort{"fe80::1", "8080", true});
  CHECK(parse_host("[::1]") == HostAndPort{"::1", "", true});
  CHECK(parse_host("Studio.Local.") == HostAndPort{"studio.local", "", false});
  for (const char* text : {"", ":8080", "a b", "a/b", "a:b", "a:123456", "a:80:80", "[::1", "[x]:1", "[::1]x", "a;b",
                           "a,b", "a\r\nb", "ä", "user@host", "'self'", "a*"})
    CHECK_MESSAGE(!parse_host(text), text);
  CHECK(!parse_host(std::string(300, 'a')));
}

TEST_CASE("an origin is the server's own only with the same host and port") {
  CHECK(same_origin("http://192.0.2.1:8080", "192.0.2.1:8080"));
  CHECK(same_origin("https://Studio:8080", "studio:8080"));
  CHECK(same_origin("http://studio", "studio:80"));
  CHECK(same_origin("https://studio", "studio:443"));
  CHECK(same_origin("https://studio", "studio"));
  CHECK(same_origin("http://[::1]:8080", "[::1]:8080"));
  for (const char* text :
       {"http://192.0.2.1", "http://192.0.2.1:8081", "http://192.0.2.2:8080", "http://192.0.2.1:8080.evil.example",
        "http://evil.example", "http://evil.example/192.0.2.1:8080", "null", "", "192.0.2.1:8080",
        "file://192.0.2.1:8080", "http://192.0.2.1:8080@evil.example", "chrome-extension://192.0.2.1:8080", "http",
        "https", "http:", "http:/", "http://", "://192.0.2.1:8080", "http192.0.2.1:8080"})
    CHECK_MESSAGE(!same_origin(text, "192.0.2.1:8080"), text);
}

TEST_CASE("a name that is not this machine's is not accepted, as it could be an attacker's (DNS rebinding)") {
  const HostNames names({"Video.Example.org", "*.lan"});
  const auto accepted = [&](const char* host) {
    const auto parsed = parse_host(host);
    return parsed && names.accepts(*parsed);
  };
  for (const char* host : {"192.0.2.1:8080", "[2001:db8::1]:8080", "localhost", "LOCALHOST:8080", "a.localhost",
                           "video.example.org", "video.example.org.:443", "studio.lan"})
    CHECK_MESSAGE(accepted(host), host);
  for (const char* host :
       {"evil.example", "example.org", "x.video.example.org", "video.example.org.evil.example", "a.b.lan", ".lan",
        "lan", "localhost.evil.example", "192.0.2.1.evil.example", "0x7f000001", "2130706433"})
    CHECK_MESSAGE(!accepted(host), host);
  const auto own = machine_names();
  REQUIRE(own.size() >= 3);
  CHECK(HostNames(own).accepts({own[0], "", false}));
  CHECK(own[2].ends_with(".local"));
}

TEST_CASE("Accept-Encoding is understood as RFC 9110 says") {
  for (const char* yes :
       {"gzip", "GZip", "br, gzip", "deflate, gzip;q=1.0, *;q=0.5", "*", "x-gzip", "gzip;q=0.001", "identity, *;q=0.1"})
    CHECK_MESSAGE(accepts_gzip(yes), yes);
  for (const char* no : {"", "identity", "gzip;q=0", "gzip; q=0.000, *", "*;q=0", "br", "gzipped", "deflate;gzip"})
    CHECK_MESSAGE(!accepts_gzip(no), no);
}
