// Audio over a network that loses, reorders and duplicates: the output equals the input, or reports what is missing.
#include "transport/audio_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <vector>

#include "secret_keys.h"
#include "simulated_network.h"
#include "support.h"
#include "transport/audio_packetizer.h"
#include "transport/sealing.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr uint32_t kSamples = 240;
constexpr WallTime kCaptured{nanoseconds(1'700'000'000'000'000'000)};
constexpr nanoseconds kBuffer = 5ms;

// A sender of random samples, and the output of its receiver.
struct Run {
  explicit Run(AudioPacketizerSettings wanted = {}, AudioSessionSettings receive = {})
      : settings(wanted), packetizer(wanted), session(receive) {}

  std::vector<Datagram> buffer(int number) {
    std::vector<std::vector<std::byte>> bytes;
    for (int c = 0; c < settings.channels; ++c) bytes.push_back(random_bytes(2 * kSamples, sent_seed(number, c)));
    const std::vector<Bytes> channels(bytes.begin(), bytes.end());
    std::vector<Datagram> all;
    for (const OutgoingPacket& packet : packetizer.packetize({.channels = channels,
                                        .samples = kSamples,
                                        .position = uint64_t{kSamples} * static_cast<uint64_t>(number),
                                        .captured = kCaptured + number * kBuffer}))
      all.push_back(join(packet));
    return all;
  }
  static uint32_t sent_seed(int number, int channel) { return static_cast<uint32_t>(1000 * number + channel); }

  void take(Bytes datagram, SteadyTime now) {
    session.on_datagram(datagram, now, kCaptured);
    drain(now);
  }
  void drain(SteadyTime now) {
    while (const auto unit = session.next(now)) {
      // Contiguous: each unit begins at the end of the previous one.
      if (unit->new_stream)
        ++streams;
      else
        CHECK(unit->position == end);
      end = unit->position + unit->samples;
      latest = std::max(latest, now - unit->arrived);
      if (unit->kind != AudioUnit::Kind::sound) {
        (unit->kind == AudioUnit::Kind::lost ? lost_samples : silent_samples) += unit->samples;
        continue;
      }
      const auto number = static_cast<int>(unit->position / kSamples);
      if (settings.extension) CHECK(unit->captured == kCaptured + number * kBuffer);
      for (size_t c = 0; c < unit->channels.size(); ++c) {
        if (unit->channels[c].empty())
          ++lost_channels;
        else if (same(unit->channels[c], random_bytes(2 * kSamples, sent_seed(number, static_cast<int>(c)))))
          ++right;
        else
          ++wrong;
      }
    }
  }

  AudioPacketizerSettings settings;
  AudioPacketizer packetizer;
  AudioSession session;
  uint64_t end = 0;
  nanoseconds latest{};
  int streams = 0, right = 0, wrong = 0, lost_channels = 0;
  uint64_t lost_samples = 0, silent_samples = 0;
};

void over_network(Run& run, const NetworkSettings& settings, int buffers) {
  SimulatedNetwork network(settings);
  SteadyTime now{1h};
  const auto take = [&](const Datagram& datagram, SteadyTime at) { run.take(datagram, at); };
  for (int i = 0; i < buffers; ++i, now += kBuffer) {
    for (Datagram& datagram : run.buffer(i)) network.send(std::move(datagram), now);
    network.deliver(now + kBuffer, take);
    run.drain(now + kBuffer);
  }
  network.deliver(now + 1s, take);
  run.drain(now + 1s);
}

}  // namespace

TEST_CASE("all audio comes out in order, with its time") {
  for (const int channels : {1, 2, 6}) {
    CAPTURE(channels);
    Run run({.channels = channels, .first_sequence = 65530, .first_buffer_id = 0x3FFFF0});
    over_network(run, {}, 100);
    CHECK(run.right == 100 * channels);
    CHECK(run.streams == 1);
    CHECK(run.lost_samples == 0);
    CHECK(run.latest == 0ns);
    CHECK(run.session.counters().malformed == 0);
    CHECK(run.session.counters().foreign == 0);
  }
}

TEST_CASE("packets that the network reorders or duplicates change nothing") {
  Run run;
  over_network(run, {.seed = 3, .reorder = 0.3, .duplicate = 0.2, .reorder_delay = 7ms}, 400);
  CHECK(run.right == 800);
  CHECK(run.session.counters().duplicates > 100);
  CHECK(run.session.counters().lost == 0);
}

TEST_CASE("any single lost packet, and any two in a row, are recovered by parity within 30 ms") {
  for (const int channels : {1, 2})
    for (const size_t burst : {1, 2}) {
      for (size_t at = 0; at < 30; ++at) {
        CAPTURE(channels);
        CAPTURE(burst);
        CAPTURE(at);
        Run run({.channels = channels});
        SteadyTime now{1h};
        for (const Datagram& datagram : run.buffer(0)) run.take(datagram, now);  // the stream is known
        size_t number = 0;
        SteadyTime lost_at{};
        nanoseconds waited{};
        for (int i = 1; i < 40; ++i, now += kBuffer) {
          for (const Datagram& datagram : run.buffer(i)) {
            const size_t n = number++;
            if (n >= at && n < at + burst) {
              if (n == at) lost_at = now;
              continue;
            }
            const auto before = run.session.counters().restored;
            run.take(datagram, now);
            if (run.session.counters().restored > before) waited = std::max(waited, now - lost_at);
          }
        }
        CHECK(run.wrong == 0);
        CHECK(run.lost_samples == 0);
        CHECK(run.right == 40 * channels);
        CHECK(waited <= 20ms);
      }
    }
}

TEST_CASE("with 1 % loss, parity recovers all but a few of ten thousand packets, and counts them") {
  Run run;
  over_network(run, {.seed = 5, .loss = 0.01}, 5000);
  CHECK(run.wrong == 0);
  CHECK(run.right >= 9990);
  CHECK(run.session.counters().restored >= 80);
  Run without({.parity = 0});
  over_network(without, {.seed = 5, .loss = 0.01}, 5000);
  CHECK(without.wrong == 0);
  CHECK(without.right < 9950);
  CHECK(static_cast<uint64_t>(10000 - without.right) ==
        static_cast<uint64_t>(without.lost_channels) + without.lost_samples / kSamples * 2);
}

TEST_CASE("a permanent loss is reported once parity can no longer arrive, and later audio continues") {
  Run run({.channels = 1});
  SteadyTime now{1h};
  for (int i = 0; i < 12; ++i, now += kBuffer)
    for (const Datagram& datagram : run.buffer(i))
      if (i < 4 || i >= 8) run.take(datagram, now);
  CHECK(run.lost_samples == 0);  // parity may still arrive
  const auto deadline = run.session.next_deadline();
  REQUIRE(deadline);
  CHECK(*deadline <= SteadyTime{1h} + 8 * kBuffer + 30ms);
  run.drain(*deadline);
  CHECK(run.lost_samples == 4 * kSamples);
  CHECK(run.right == 8);
  CHECK(run.streams == 1);
}

TEST_CASE("a sender that pauses causes silence of that length, and one that jumps starts again") {
  Run run({.channels = 1, .parity = 0});
  SteadyTime now{1h};
  const auto send = [&](int from, int to) {
    for (int i = from; i < to; ++i, now += kBuffer)
      for (const Datagram& datagram : run.buffer(i)) run.take(datagram, now);
  };
  send(0, 4);
  send(12, 16);
  CHECK(run.silent_samples == 8 * kSamples);
  CHECK(run.lost_samples == 0);
  CHECK(run.streams == 1);
  send(1000, 1004);
  CHECK(run.streams == 2);
  CHECK(run.right == 12);
}

TEST_CASE("another sender is selected only once the first has been silent") {
  Run first({.channels = 1, .ssrc = 1}), second({.channels = 1, .ssrc = 2});
  SteadyTime now{1h};
  for (int i = 0; i < 10; ++i, now += kBuffer) {
    for (const Datagram& datagram : first.buffer(i)) first.take(datagram, now);
    for (const Datagram& datagram : second.buffer(i)) first.take(datagram, now);
  }
  CHECK(first.session.ssrc() == 1);
  CHECK(first.right == 10);
  CHECK(first.session.counters().foreign > 9);
  now += 400ms;
  for (int i = 10; i < 20; ++i, now += kBuffer)
    for (const Datagram& datagram : second.buffer(i)) first.take(datagram, now);
  CHECK(first.session.ssrc() == 2);
  CHECK(first.streams == 2);
  CHECK(first.right == 20);
}

TEST_CASE("a stock sender's audio works without the extension, and lost buffers are counted by their numbers") {
  Run run({.channels = 2, .extension = false});
  SteadyTime now{1h};
  for (int i = 0; i < 50; ++i, now += 10ms) {
    auto packets = run.buffer(i);
    if (i == 20 || i == 21) continue;
    if (i == 30) packets.pop_back();
    for (const Datagram& datagram : packets) run.take(datagram, now);
    run.drain(now + 9ms);
  }
  CHECK(run.wrong == 0);
  CHECK(run.lost_samples == 2 * kSamples);
  CHECK(run.lost_channels == 1);
  CHECK(run.right == 2 * 48 - 1);
  CHECK(run.streams == 1);
}

TEST_CASE("sealed audio is heard only with the key, and UltraGrid's ciphers work too") {
  const auto keys = secret_keys();
  Sealer sealer(*keys);
  Run with({.channels = 1}, {.keys = keys});
  Run without({.channels = 1});
  SteadyTime now{1h};
  for (int i = 0; i < 8; ++i, now += kBuffer)
    for (const Datagram& datagram : with.buffer(i)) {
      Datagram sealed(datagram.size() + kSealOverhead);
      sealer.seal(datagram, {}, sealed, kCaptured);
      with.take(sealed, now);
      without.take(sealed, now);
      with.take(datagram, now);  // not encrypted
    }
  CHECK(with.right == 8);
  CHECK(with.session.counters().refused == 12);
  CHECK(without.right == 0);
  CHECK(without.session.counters().refused == 12);

  for (const UltraGridMode mode : {UltraGridMode::gcm, UltraGridMode::cbc}) {
    const CryptoChoice choice = mode == UltraGridMode::gcm ? CryptoChoice::ultragrid_gcm : CryptoChoice::ultragrid_cbc;
    Run run({.channels = 2, .extension = false, .keys = keys.get(), .mode = mode}, {.keys = keys, .cipher = choice});
    Run deaf({.channels = 2}, {});
    for (int i = 0; i < 8; ++i)
      for (const Datagram& datagram : run.buffer(i)) {
        CHECK((datagram[1] & std::byte{0x7F}) == std::byte{25});
        run.take(datagram, now);
        deaf.take(datagram, now);
      }
    CHECK(run.right == 16);
    CHECK(deaf.right == 0);
  }
}

TEST_CASE("arbitrary bytes have no effect on an audio session except on its counters") {
  std::mt19937 random(11);
  Run run;
  SteadyTime now{1h};
  for (int i = 0; i < 2000; ++i, now += 1ms) {
    for (Datagram datagram : run.buffer(i)) {
      const size_t changes = random() % 4;
      for (size_t c = 0; c < changes; ++c)
        datagram[random() % datagram.size()] ^= static_cast<std::byte>(1 << random() % 8);
      if (random() % 10 == 0) datagram.resize(random() % datagram.size());
      run.session.on_datagram(datagram, now, kCaptured);
      while (const auto unit = run.session.next(now)) {
        CHECK(unit->stream.channels <= AudioSession::kMaxChannels);
        CHECK(unit->samples <= 96000);
      }
    }
  }
  CHECK(run.session.counters().packets > 1000);
}
