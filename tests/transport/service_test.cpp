// Announcements and their parsing; RFC 6763 specifies TXT records.
#include "transport/service.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "texcast/error.h"
#include "transport/announcer.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

const ServiceFacts kFacts{.version = "0.1.0",
                          .sealed = "texcast",
                          .group = "239.1.2.3",
                          .format = "ycocg-bc4",
                          .coding = "compact",
                          .width = 1920,
                          .height = 1080,
                          .fps = 59.94,
                          .sound = "opus",
                          .paused = true,
                          .rate_bits_per_s = 300e6};

}  // namespace

TEST_CASE("a sender's announcement is parsed from its TXT record, which begins with the record's version") {
  const std::vector<std::string> txt = txt_of(ServiceKind::sender, kFacts);
  CHECK(txt == std::vector<std::string>{"txtvers=1", "texcast=0.1.0", "what=sender", "sealed=texcast",
                                        "group=239.1.2.3", "format=ycocg-bc4", "coding=compact", "size=1920x1080",
                                        "fps=59.94", "sound=opus", "rate=300000000", "paused=1"});
  CHECK(facts_of(txt) == kFacts);
  CHECK(txt_of(ServiceKind::player, {}) == std::vector<std::string>{"txtvers=1", "what=player"});
}

TEST_CASE("service types obey DNS-SD: 15 characters, letters, digits and hyphens") {
  for (const ServiceKind kind : {ServiceKind::player, ServiceKind::sender}) {
    const std::string_view type = service_type(kind);
    REQUIRE(type.ends_with("._udp"));
    const std::string_view label = type.substr(1, type.size() - 6);
    CHECK(label.size() <= 15);
    CHECK(std::ranges::all_of(label, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; }));
  }
}

TEST_CASE("invalid values in a TXT record from the network are ignored") {
  for (const std::string wrong : {"group=192.0.2.1",
                                  "group=studio",
                                  "group=239.1.2.3:5004",
                                  "group=",
                                  "group=fe80::1",
                                  "size=0x5",
                                  "size=5",
                                  "size=99999999999x1",
                                  "size=70000x1",
                                  "size=-4x4",
                                  "fps=0",
                                  "fps=nan",
                                  "fps=inf",
                                  "fps=-1",
                                  "fps=1e9",
                                  "fps=60x",
                                  "rate=-1",
                                  "rate=inf",
                                  "rate=1e16",
                                  "paused=0",
                                  "paused=yes",
                                  "sound=o pus",
                                  "format=a\x1b[2J",
                                  "format=\xff",
                                  "sealed=a b",
                                  "",
                                  "=",
                                  "=texcast",
                                  "format"}) {
    CAPTURE(wrong);
    CHECK(facts_of(std::vector{wrong}) == ServiceFacts{});
  }
  CHECK(facts_of(std::vector<std::string>{"format=" + std::string(300, 'a')}).format.empty());
  CHECK(facts_of(std::vector<std::string>{"group=ff05::1234"}).group == "ff05::1234");
  // The first occurrence of a key counts; unknown keys are ignored.
  CHECK(facts_of(std::vector<std::string>{"format=bc1", "later=1", "format=bc3"}).format == "bc1");
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {  // never throws, and yields nothing that was not there
    std::vector<std::string> txt = txt_of(ServiceKind::sender, kFacts);
    std::string& one = txt[random() % txt.size()];
    one[random() % one.size()] = static_cast<char>(random());
    const ServiceFacts facts = facts_of(txt);
    for (const std::string& text : {facts.version, facts.sealed, facts.group, facts.format, facts.coding})
      CHECK(std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; }));
  }
}

TEST_CASE("names: whole characters, 63 bytes, no control characters") {
  CHECK(fitting_name("Saal ä #2") == "Saal ä #2");
  CHECK(fitting_name("a\x1b[31mb\r\n") == "a[31mb");
  CHECK(fitting_name("a\xc2\x9b"
                     "31mb") == "a31mb");  // CSI as one character, U+009B
  CHECK(fitting_name("\xff\xc3"
                     "a\xed\xa0\x80\xc0\xaf") == "a");  // invalid UTF-8; a surrogate; overlong
  CHECK(fitting_name(std::string(62, 'a') + "ä") == std::string(62, 'a'));
  CHECK(fitting_name(std::string(61, 'a') + "ä").size() == 63);
  CHECK(fitting_name("\x7f").empty());
  // A name that would change how the text around it reads: "stu<RLO>oid" is displayed as "studio".
  CHECK(fitting_name("stu\u202Eoid") == "stuoid");
  for (const std::string control : {"\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A", "\u202D", "\u2066",
                                    "\u2069", "\u200B", "\uFEFF", "\U000E0041"})
    CHECK(fitting_name("a" + control + "b") == "ab");
  CHECK(fitting_name("\u0646\u200C\u0627") == "\u0646\u200C\u0627");  // needed to write Persian
  CHECK(same_name("Studio", "sTUDIO"));
  CHECK_FALSE(same_name("Ä", "ä"));
  CHECK_FALSE(same_name("studio", "studio 2"));
  const std::string usual = usual_name(5004);
  CHECK(usual == fitting_name(usual));
  CHECK(usual.find('.') == std::string::npos);
  CHECK(usual_name(5006) == usual + "-5006");
  CHECK_THROWS_AS(Announcer({.name = ""}), Error);
  CHECK_THROWS_AS(Announcer({.name = std::string(64, 'a')}), Error);
}

TEST_CASE("addresses of a service: this machine's, IPv4, IPv6, link-local ones with their interface") {
  const std::vector<ServiceAddress> addresses{{"fe80::1", "eth0", 5004},
                                              {"2001:db8::1", "eth0", 5004},
                                              {"192.0.2.1", "eth0", 5004},
                                              {"192.0.2.1", "wlan0", 5004},
                                              {"127.0.0.1", "lo", 5004}};
  CHECK(urls_of(ServiceKind::player, {}, addresses) ==
        std::vector<std::string>{"rtp://127.0.0.1:5004", "rtp://192.0.2.1:5004", "rtp://[2001:db8::1]:5004",
                                 "rtp://[fe80::1%eth0]:5004"});
  CHECK(urls_of(ServiceKind::sender, {}, addresses).empty());
  CHECK(urls_of(ServiceKind::sender, {.group = "239.1.2.3"}, addresses) ==
        std::vector<std::string>{"rtp://239.1.2.3:5004"});
  CHECK(urls_of(ServiceKind::player, {.group = "ff02::1234"}, {{"fe80::1", "eth0", 6000}}) ==
        std::vector<std::string>{"rtp://[ff02::1234%eth0]:6000"});
}
