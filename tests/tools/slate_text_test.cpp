#include "stream/slate_text.h"

#include <doctest/doctest.h>

#include "live/datagrams.h"
#include "stream/receive_texts.h"
#include "stream/stream_counts.h"
#include "stream/stream_feed.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

TEST_CASE("the slate shows the time without signal, after a second or four frame times") {
  SlateFacts facts{.title = "rtp://:5004", .had_frames = true, .quiet = 999ms, .frame_time = 17ms};
  CHECK(slate_lines(facts).empty());
  facts.quiet = 7900ms;
  CHECK(slate_lines(facts) == std::vector<std::string>{"no signal for 0:07", "rtp://:5004, waiting"});
  facts.quiet = 3723s;
  CHECK(slate_lines(facts)[0] == "no signal for 1:02:03");
  facts.quiet = 7900ms;
  facts.frame_time = 2s;  // frames are two seconds apart
  CHECK(slate_lines(facts).empty());
}

TEST_CASE("before the first frame the slate shows the source, and then advice by the packets received") {
  SlateFacts facts{.title = "rtp://:5004", .quiet = 1s};
  CHECK(slate_lines(facts) == std::vector<std::string>{"waiting for rtp://:5004"});
  facts.quiet = 4s;
  const auto advice = [&] { return slate_lines(facts).at(1); };
  CHECK(advice().find("firewall") != std::string::npos);
  facts.since.foreign = 10;
  CHECK(advice() == "packets are received, but no video: 0 malformed, 10 of other protocols");
  facts.since.refused = 100;
  facts.refusal = transport::Refusal::no_key;
  CHECK(advice().find("--key-file") != std::string::npos);
  facts.refusal = transport::Refusal::in_the_clear;
  CHECK(advice().find("not encrypted") != std::string::npos);
  facts.since.packets = 1000;
  CHECK(advice().find("complete enough") != std::string::npos);
  facts.unsupported = 1;
  CHECK(advice().find("cannot show") != std::string::npos);
}

TEST_CASE("a lost signal and packets of strangers are both shown; a capture has no firewall") {
  SlateFacts facts{.title = "rtp://:5004", .had_frames = true, .quiet = 5s, .since = {.refused = 3}};
  CHECK(slate_lines(facts).size() == 3);
  facts = {.title = "pcap:x", .live = false, .quiet = 5s};
  CHECK(slate_lines(facts).size() == 1);
}

TEST_CASE("counters as text: the first ones always, others above 0") {
  StreamStatus status;
  status.counters.packets = 7;
  status.counters.recovered_parity = 2;
  CHECK(words(packet_counts(status), 2) == "7 received, 0 lost, 2 recovered by parity");
  CHECK(words(dropped_counts(status)).empty());
}

TEST_CASE("the slate shows where to send to, until packets arrive") {
  SlateFacts facts{.title = "rtp://:5004", .send_to = {"rtp://192.168.1.20:5004", "rtp://10.0.0.3:5004"}, .quiet = 0s};
  CHECK(slate_lines(facts) == std::vector<std::string>{"waiting for rtp://:5004",
                                                       "texcast send INPUT rtp://192.168.1.20:5004",
                                                       "texcast send INPUT rtp://10.0.0.3:5004"});
  facts.quiet = 4s;
  CHECK(slate_lines(facts).at(3).find("firewall") != std::string::npos);
  facts.since.packets = 10;
  CHECK(slate_lines(facts).at(3).find("complete enough") != std::string::npos);
  facts.send_to.resize(9, "rtp://10.0.0.4:5004");
  CHECK(slate_lines(facts).size() == 5);
  facts.since.packets = 0;
  facts.port = 6004;
  facts.send_to.resize(1);
  CHECK(slate_lines(facts).at(2) == "nothing received yet: are UDP ports 6004 to 6007 open in the firewall?");
  CHECK(arrival_advice({}, 0, {}, 6004) ==
        "nothing was received: start `texcast send INPUT rtp://THIS-HOST:6004`, and open these UDP ports in the "
        "firewall: 6004 (video), 6005 (its RTCP), 6006 (sound), 6007 (its RTCP)");
  facts.had_frames = true;
  CHECK(slate_lines(facts)[0].starts_with("no signal for"));
  CHECK(slate_lines(facts)[1] == "rtp://:5004, waiting");
}

TEST_CASE("the slate of a waiting player shows the addresses of a network that comes later") {
  std::vector<std::string> urls{"rtp://127.0.0.1:5004"};
  StreamFeedSettings settings;
  settings.title = "rtp://:5004";
  settings.send_to = [&] { return urls; };
  const StreamFeed feed(std::make_unique<UdpDatagrams>(transport::resolve_address("rtp://127.0.0.1:0", true)),
                        settings);
  const SteadyTime begun = steady_now();
  CHECK(feed.slate(begun).at(1) == "texcast send INPUT rtp://127.0.0.1:5004");
  urls = {"rtp://192.168.1.20:5004"};
  CHECK(feed.slate(begun + 1s).at(1) == "texcast send INPUT rtp://192.168.1.20:5004");
}

TEST_CASE("a rejected stream gives advice: the cipher to name, and clocks or a replay") {
  const auto with = [](transport::Refusal why, int64_t seconds, std::string_view cipher) {
    transport::Refused refused(why);
    refused.seconds = seconds;
    refused.cipher = cipher;
    return advice(refused);
  };
  using transport::Refusal;
  CHECK(with(Refusal::other_cipher, 0, "ultragrid-ctr").find("give --crypto ultragrid-ctr") != std::string::npos);
  CHECK(with(Refusal::other_cipher, 0, "ultragrid-ctr").find("can be forged") != std::string::npos);
  CHECK(with(Refusal::other_cipher, 0, "ultragrid-gcm").find("forged") == std::string::npos);
  const std::string ago = with(Refusal::too_old, 86'400, {}), ahead = with(Refusal::from_the_future, 90, {});
  CHECK(ago.find("86400 seconds ago") != std::string::npos);
  CHECK(ago.find("replayed") != std::string::npos);
  CHECK(ahead.find("ahead of this one by 90 seconds") != std::string::npos);
  CHECK(ahead.find("replayed") == std::string::npos);
  for (const std::string& text : {ago, ahead}) CHECK(text.find("--max-age") != std::string::npos);
}

TEST_CASE("pictures that are too large are reported with the option that accepts them") {
  SlateFacts facts{.title = "rtp://:5004", .quiet = 4s};
  facts.since = {.oversized = 9, .oversized_width = 8192, .oversized_height = 4320};
  CHECK(slate_lines(facts).at(1).find("--max-size 8192x4320") != std::string::npos);
  facts.since = {.oversized = 9, .oversized_width = 65532, .oversized_height = 4};  // no option accepts that
  CHECK(slate_lines(facts).at(1).find("damaged or forged") != std::string::npos);
  facts.since = {.outside = 3};
  CHECK(slate_lines(facts).at(1) == "packets are received, but from hosts that --from does not list");
}
