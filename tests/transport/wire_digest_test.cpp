// A sender's datagrams byte by byte: digests of those that texcast's packetizers made before they had helpers. A change
// here is a change of the protocol.
#include <doctest/doctest.h>

#include "secret_keys.h"
#include "sha256.h"
#include "support.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

TEST_CASE("the datagrams of three frames, by FEC, length and MTU, have not changed" *
          doctest::test_suite("one-thread")) {
  struct Row {
    const char* fec;
    bool requests;
    int mtu;
    size_t bytes;
    const char* digest;
  };
  const Row rows[] = {
      {"none", false, 1500, 100'000, "51985855c90b713b327433a49b32e454638c518fcee9441f57c8388f17f51085"},
      {"none", true, 1500, 100'000, "cadc014b269fbedd5d63bac7c4b61f0c5c52b7b94f6ac07cf61756e4ddc66c0a"},
      {"10%", true, 1500, 1'036'800, "6b981a65e091629d3063750239a686baa98759e4b1b47ef6f5c87e7d61217a29"},
      {"10%", true, 576, 1'000'001, "eee37f9a8b506b242b228dd2a21ef153bbfd82522ede6d2c7107d8374a2489d0"},
      {"33%", false, 9000, 4'147'200, "bc69184e7421b5d456600d8c7bdccf8a901669cf336456075aca202ec705cea4"},
      {"100%", true, 1500, 65'536, "697e1b7222a6e581719972cdc24f5b8e44a5d5a6fa5f459c0550222f3e738789"},
      {"10%", true, 1500, 1, "3cf52741a6e5d882779966e342ecbaa75f525e92659895049e44b76fa706d039"},
      {"mult:2", false, 1500, 50'000, "ef572434924bd81e502d894759169facaf7bcaec5290876bcd3c5c85c83ae9f4"},
      {"ultragrid-rs:20:24", false, 1500, 60'000, "4e75bb09e3d44ba53b5d473cdbd29cf8163945dd6e156b4fca940f177b0cbe1b"},
  };
  for (const Row& row : rows)
    for (const int threads : {0, 3}) {
      WorkAhead helpers(threads);
      PacketizerSettings settings = small_settings();
      settings.mtu = row.mtu;
      const auto packetizer =
          make_packetizer(settings, {.fec = parse_fec(row.fec).value(), .answers_requests = row.requests}, &helpers);
      Datagram all;
      for (uint32_t frame = 0; frame < 3; ++frame)
        for (const Datagram& datagram : datagrams(*packetizer, random_bytes(row.bytes, frame), pts_only(frame * 16ms)))
          all.insert(all.end(), datagram.begin(), datagram.end());
      CAPTURE(row.fec);
      CAPTURE(row.bytes);
      CAPTURE(threads);
      CHECK(sha256_hex(all) == row.digest);
    }
}
