// Frames received into lent memory: where they are, who may read which bytes when, and the behaviour without memory.
#include "transport/frame_store.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "../times.h"
#include "support.h"
#include "transport/packet.h"
#include "transport/wire_choice.h"
#include "ultragrid_sender.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

// Lends a limited number at a time. Free memory is overwritten, which reveals users that still rely on it.
class TestStore final : public FrameStore {
 public:
  explicit TestStore(size_t most = ReceiveSession::kMostLoans) : most_(most) {}
  ~TestStore() override { CHECK(on_loan() == 0); }
  std::optional<LentMemory> lend(size_t bytes) override {
    if (on_loan() + kept() >= most_) return std::nullopt;
    auto place = std::ranges::find_if(places_, [](const Place& p) { return !p.lent && !p.kept; });
    if (place == places_.end()) place = places_.emplace(places_.end());
    place->memory.assign(bytes + 100, std::byte{0xAA});
    place->lent = true;
    most_on_loan = std::max(most_on_loan, on_loan());
    return LentMemory{place->memory, static_cast<size_t>(place - places_.begin())};
  }
  void take_back(size_t index) override {
    REQUIRE(places_[index].lent);
    places_[index].lent = false;
    spoil(places_[index]);
  }
  // Like a thread that shows frames for a while.
  void keep(size_t index) {
    REQUIRE(places_[index].lent);
    places_[index].kept = true;
  }
  void let_go(size_t index) {
    places_[index].kept = false;
    spoil(places_[index]);
  }
  bool holds(size_t index, Bytes bytes) const {
    const std::vector<std::byte>& memory = places_[index].memory;
    return places_[index].lent && bytes.data() >= memory.data() &&
           bytes.data() + bytes.size() <= memory.data() + memory.size();
  }
  size_t on_loan() const { return static_cast<size_t>(std::ranges::count(places_, true, &Place::lent)); }
  size_t kept() const {
    return static_cast<size_t>(std::ranges::count_if(places_, [](const Place& p) { return p.kept && !p.lent; }));
  }
  size_t most_on_loan = 0;

 private:
  struct Place {
    std::vector<std::byte> memory{};
    bool lent = false, kept = false;
  };
  static void spoil(Place& place) {
    if (!place.lent && !place.kept) std::ranges::fill(place.memory, std::byte{0x55});
  }
  const size_t most_;
  std::vector<Place> places_;
};

FecChoice fec(const char* text) { return parse_fec(text).value(); }

// The packet with only this many bytes of its piece (all if it has fewer), each changed by `change`.
Datagram part_of(const Datagram& packet, size_t bytes, std::byte change = {}) {
  const auto rtp = parse_rtp(packet);
  REQUIRE(rtp);
  const auto header = static_cast<size_t>(rtp->payload.data() - packet.data()) + kVideoHeaderBytes;
  Datagram part(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(std::min(header + bytes, packet.size())));
  for (size_t i = header; i < part.size(); ++i) part[i] ^= change;
  return part;
}

void put(ReceiveSession& session, const std::vector<Datagram>& packets, SteadyTime now) {
  for (const Datagram& packet : packets) session.on_datagram(packet, now, wall_of(now));
}

}  // namespace

TEST_CASE("frames are in the store's memory, each contiguous: raw, with parity, in FEC blocks, in tiles") {
  const auto frames = [] {
    std::vector<std::vector<std::byte>> list;
    for (uint32_t i = 0; i < 12; ++i) list.push_back(random_bytes(kSmallFrame, i));
    return list;
  }();
  for (const char* how : {"none", "30%", "ultragrid-rs:20:30", "ultragrid-ldgm:64:64:5", "mult:2", "tiles"}) {
    CAPTURE(how);
    TestStore store;
    {
      ReceiveSession session({}, &store);
      const auto packetizer =
          std::string_view(how) == "tiles" ? nullptr : make_packetizer(small_settings(), {.fec = fec(how)});
      UltraGridSender tiles;
      SteadyTime now{1s};
      size_t shown = 0;
      for (const auto& bytes : frames) {
        const auto packets = packetizer ? datagrams(*packetizer, bytes, pts_only(now.time_since_epoch()))
                                        : tiles.send({.tiles = {bytes, bytes, bytes, bytes}});
        for (size_t i = 0; i < packets.size(); ++i) {
          if (i == 2 && shown % 3 == 2) continue;  // a loss, or a case for parity
          session.on_datagram(packets[i], now, wall_of(now));
          while (const auto frame = session.poll(now, wall_of(now))) {
            CHECK(store.holds(frame->memory, frame->bytes));
            CHECK(std::ranges::count(frame->bytes, std::byte{0xAA}) < 100);  // no old content of the store
            if (packetizer && frame->concealed_bytes == 0) CHECK(same(frame->bytes, frames[shown]));
            ++shown;
          }
        }
        now += 16ms;
      }
      while (session.poll(now + 1s, wall_of(now))) ++shown;
      CHECK(shown == frames.size());
      CHECK(store.on_loan() == 1);  // the one delivered last
      CHECK(store.most_on_loan <= 4);
    }
  }
}

TEST_CASE("losses are concealed from the frame delivered before, which stays on loan until the next delivery") {
  TestStore store;
  ReceiveSession session({}, &store);
  PlainPacketizer packetizer(small_settings());
  std::vector<std::vector<std::byte>> frames;
  SteadyTime now{1s};
  for (uint32_t i = 0; i < 4; ++i) {
    frames.push_back(random_bytes(kSmallFrame, i));
    auto packets = datagrams(packetizer, frames[i], pts_only(now.time_since_epoch()));
    if (i > 0) packets.erase(packets.begin() + 2);
    put(session, packets, now);
    now += 10ms;
    const auto frame = session.poll(now, wall_of(now));
    REQUIRE(frame);
    REQUIRE(frame->concealed.size() == (i > 0 ? 1 : 0));
    std::vector<std::byte> expected = frames[i];
    for (const ByteRange& hole : frame->concealed)
      std::copy_n(frames[0].begin() + hole.begin, hole.end - hole.begin, expected.begin() + hole.begin);
    CHECK(same(frame->bytes, expected));
  }
}

TEST_CASE("no memory: frames are counted and dropped as a whole, none of their packets requested, later ones shown") {
  const auto settings = small_settings();
  for (const bool parity : {false, true}) {
    CAPTURE(parity);
    TestStore store(3);
    ReceiveSession session({.request_lost = true}, &store);
    const auto packetizer = make_packetizer(settings, {.fec = fec(parity ? "30%" : "none"), .answers_requests = true});
    SteadyTime now{1s};
    uint64_t sent = 0;
    size_t requests = 0;
    std::vector<uint64_t> numbers;
    std::vector<size_t> kept;
    for (uint32_t i = 0; i < 12; ++i) {
      auto packets = datagrams(*packetizer, random_bytes(kSmallFrame, i), pts_only(now.time_since_epoch()));
      if (i == 5) packets.erase(packets.begin() + 1);
      if (i == 8)  // the thread that showed them has caught up
        for (const size_t place : kept) store.let_go(place);
      for (const Datagram& packet : packets) {
        session.on_datagram(packet, now, wall_of(now));
        ++sent;
        while (const auto frame = session.poll(now, wall_of(now))) {
          CHECK(frame->concealed_bytes == 0);
          numbers.push_back(frame->number);
          if (i >= 8) continue;
          store.keep(frame->memory);
          kept.push_back(frame->memory);
        }
        now += 1ms;
      }
      now += 8ms;
      CHECK_FALSE(session.poll(now, wall_of(now)));
      for (; session.poll_feedback(now); now += 1ms) ++requests;
    }
    CHECK(numbers == std::vector<uint64_t>{0, 1, 2, 8, 9, 10, 11});
    const ReceiveCounters& c = session.counters();
    CHECK(c.frames_unbuffered == 5);
    CHECK(c.frames_complete == 7);
    CHECK(c.frames_lost == 0);
    CHECK(c.frames_concealed == 0);
    CHECK(c.lost == 1);
    CHECK(c.packets + c.surplus == sent);
    CHECK(requests == 0);
    CHECK_FALSE(session.next_deadline());
  }
}

TEST_CASE("no memory to compose a picture of tiles: counted, and the stream continues") {
  TestStore store(2);
  ReceiveSession session({}, &store);
  UltraGridSender sender;
  SteadyTime now{1s};
  std::optional<size_t> kept;
  std::vector<uint64_t> numbers;
  for (uint32_t i = 0; i < 6; ++i) {
    if (i == 4) store.let_go(*kept);
    put(session, sender.send({.tiles = {random_bytes(2048, i), random_bytes(2048, i + 100)}}), now);
    while (const auto frame = session.poll(now, wall_of(now))) {
      numbers.push_back(frame->number);
      if (kept) continue;
      store.keep(frame->memory);
      kept = frame->memory;
    }
    now += 20ms;
  }
  CHECK(numbers.size() + session.counters().frames_unbuffered == 6);
  CHECK(numbers.back() == 5);
}

TEST_CASE("bytes that progress() has reported as ready never change") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    TestStore store;
    ReceiveSession session({}, &store);
    PacketizerSettings settings = small_settings();
    settings.stream.width = 512;
    settings.stream.height = 256;
    settings.block_bytes = round % 2 ? 16 : 1;  // with 1, packets end within blocks
    const auto packetizer = make_packetizer(settings, {.fec = fec(round % 2 ? "20%" : "none")});
    SteadyTime now{1s};
    std::vector<std::byte> ready;  // copied when it was reported
    uint64_t id = 0;
    size_t told = 0, given = 0;
    const auto check = [&](uint64_t its_id, Bytes bytes) {
      if (its_id == id) CHECK(same(ready, bytes.first(ready.size())));
    };
    for (uint32_t f = 0; f < 4; ++f) {
      std::vector<Datagram> packets;
      for (const Datagram& packet :
           datagrams(*packetizer, random_bytes(65536, static_cast<uint32_t>(random())), pts_only(f * 16ms))) {
        const bool data = parse_rtp(packet).has_value();
        if (data && random() % 8 == 0) packets.push_back(part_of(packet, 1 + random() % 200, std::byte{0x11}));
        if (random() % 6 != 0) packets.push_back(packet);
        if (data && random() % 8 == 0) packets.push_back(part_of(packet, 1 + random() % 200, std::byte{0x22}));
        if (packets.size() > 4 && random() % 4 == 0)
          std::swap(packets.back(), packets[packets.size() - 1 - random() % 4]);
      }
      for (const Datagram& packet : packets) {
        session.on_datagram(packet, now, wall_of(now));
        if (const auto frame = session.poll(now, wall_of(now))) {
          check(frame->id, frame->bytes);
          ++given;
        }
        if (const auto progress = session.progress()) {
          CHECK(store.holds(progress->memory, progress->bytes));
          check(progress->id, progress->bytes);
          id = progress->id;
          ready.assign(progress->bytes.begin(),
                       progress->bytes.begin() + static_cast<std::ptrdiff_t>(progress->ready_bytes));
          told += ready.size();
        }
        now += 20us;
      }
      now += 30ms;
      while (const auto frame = session.poll(now, wall_of(now))) {
        check(frame->id, frame->bytes);
        ++given;
      }
    }
    CHECK(given >= 3);
    CHECK(told > 0);
  }
}

TEST_CASE("parity recovers a packet that arrived partly: the rest is written, the part unchanged") {
  PacketizerSettings settings = small_settings();
  const auto packetizer = make_packetizer(settings, {.fec = fec("50%")});
  const auto bytes = random_bytes(kSmallFrame, 1);
  for (size_t lost = 0; lost < 5; ++lost) {
    CAPTURE(lost);
    auto packets = datagrams(*packetizer, bytes, pts_only(1s));
    const auto offset = parse_video_header(parse_rtp(packets[lost])->payload)->offset;
    packets[lost] = part_of(packets[lost], 100, std::byte{0x11});
    TestStore store;
    ReceiveSession session({}, &store);
    put(session, packets, SteadyTime(1s));
    const auto frame = session.poll(SteadyTime(1s), WallTime(1s));
    REQUIRE(frame);
    CHECK(frame->concealed_bytes == 0);
    std::vector<std::byte> expected = bytes;
    for (size_t i = offset; i < offset + 100; ++i) expected[i] ^= std::byte{0x11};
    CHECK(same(frame->bytes, expected));
  }
}

TEST_CASE("heap memory is reused if it has the right size, otherwise freed") {
  HeapFrameStore store;
  const auto a = store.lend(3 << 20), b = store.lend(3 << 20);
  REQUIRE((a && b));
  CHECK(a->place != b->place);
  store.take_back(a->place);
  store.take_back(b->place);
  const uint64_t before = allocations();
  CHECK(store.lend(3 << 20)->place == b->place);  // the warmest
  const auto smaller = store.lend(2 << 20);
  CHECK(smaller->place == a->place);
  CHECK(smaller->bytes.size() == 3 << 20);
  CHECK(allocations() == before);
  store.take_back(a->place);
  CHECK(store.lend(1 << 18)->bytes.size() == 1 << 18);  // 3 MiB would be a waste
  CHECK(allocations() == before + 1);
}
