// Packets of recorded coded streams: frames are read back, and damaged packets are never taken for correct ones.
#include "container/compact_frame.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "../compact/lossy_stream.h"
#include "texcast/error.h"

using namespace texcast;
using container::CompactFrameReader;
using container::CompactFrameWriter;

namespace {

using Blocks = std::vector<std::byte>;

constexpr TextureDesc kTexture{.format = TextureFormat::bc1, .width = 200, .height = 70};

// Noise, of which a band changes from frame to frame.
std::vector<Blocks> some_frames(const TextureDesc& desc, size_t count) {
  std::mt19937 random(7);
  const auto byte = [&] { return static_cast<std::byte>(random()); };
  Blocks blocks(texture_layout(desc).total_bytes);
  std::ranges::generate(blocks, byte);
  std::vector<Blocks> frames;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * 97 % blocks.size();
    std::generate(blocks.begin() + static_cast<std::ptrdiff_t>(begin),
                  blocks.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 160, blocks.size())), byte);
    frames.push_back(blocks);
  }
  return frames;
}

// Every fourth packet is a key frame.
std::vector<Blocks> packets_of(const TextureDesc& desc, const std::vector<Blocks>& frames) {
  Workers workers(1);
  CompactFrameWriter writer(desc, workers);
  std::vector<Blocks> packets;
  for (size_t i = 0; i < frames.size(); ++i) {
    const Bytes packet = writer.write(frames[i], i % 4 == 0);
    packets.emplace_back(packet.begin(), packet.end());
  }
  return packets;
}

// A reader with two textures in turn, as its users have.
struct Reading {
  explicit Reading(const TextureDesc& desc)
      : reader(desc, workers), before(texture_layout(desc).total_bytes), now(before.size()) {}
  CompactFrameReader::Picture read(Bytes packet) {
    auto picture = reader.read(packet, has_before ? before.data() : nullptr, now);
    if (picture.is_there) before.swap(now);
    has_before = has_before || picture.is_there;
    return picture;
  }
  const Blocks& blocks() const { return before; }

  Workers workers{1};
  CompactFrameReader reader;
  Blocks before, now;
  bool has_before = false;
};

}  // namespace

TEST_CASE("frames are read back unchanged, and only key frames decode without others") {
  const auto frames = some_frames(kTexture, 10);
  const auto packets = packets_of(kTexture, frames);
  Reading reading(kTexture);
  for (size_t i = 0; i < frames.size(); ++i) {
    const auto head = container::check_compact_frame(packets[i]);
    REQUIRE(head.has_value());
    CHECK(head->is_key == (i % 4 == 0));
    const auto picture = reading.read(packets[i]);
    CHECK(picture.is_there);
    CHECK(picture.damage == "");
    CHECK(reading.blocks() == frames[i]);
    if (i % 4 != 0) CHECK(packets[i].size() < frames[i].size() / 4);
    Reading alone(kTexture);
    const auto picture_alone = alone.read(packets[i]);
    CHECK(picture_alone.damage.empty() == (i % 4 == 0));
    if (picture_alone.damage.empty()) CHECK(alone.blocks() == frames[i]);
  }
}

TEST_CASE("if a frame is missing, no frame that needs it is taken for correct") {
  const auto frames = some_frames(kTexture, 12);
  const auto packets = packets_of(kTexture, frames);
  for (size_t lost = 0; lost < frames.size(); ++lost) {
    CAPTURE(lost);
    Reading reading(kTexture);
    for (size_t i = 0; i < frames.size(); ++i) {
      if (i == lost) continue;
      const bool needs_it = i > lost && i / 4 == lost / 4;
      const auto picture = reading.read(packets[i]);
      CHECK(picture.damage.empty() == !needs_it);
      if (!needs_it) CHECK(reading.blocks() == frames[i]);
    }
  }
}

// A key frame is lost that follows another. The next frame names the one that it needs, not the distance to it.
TEST_CASE("a frame that needs a lost key frame is not decoded from the key frame before that") {
  const auto frames = some_frames(kTexture, 3);
  Workers workers(0);
  CompactFrameWriter writer(kTexture, workers);
  std::vector<Blocks> packets;
  for (size_t i = 0; i < 3; ++i) {
    const Bytes packet = writer.write(frames[i], i < 2);
    packets.emplace_back(packet.begin(), packet.end());
  }
  Reading reading(kTexture);
  CHECK(reading.read(packets[0]).damage.empty());
  CHECK(!reading.read(packets[2]).damage.empty());
}

TEST_CASE("payloads by another encoder are stored unchanged; the next frame that is coded here is a key frame") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 200, .height = 70};
  test::LossyStream stream(desc);
  Workers workers(1);
  CompactFrameWriter writer(desc, workers);
  Reading reading(desc), late(desc);
  for (int i = 0; i < 12; ++i) {
    CAPTURE(i);
    stream.next();
    // Begins in the middle of the stream. Once, frames are coded here instead.
    const bool is_kept = i > 0 && i != 6 && i != 7;
    const auto payloads = stream.payloads_with_lengths();
    const Bytes packet = is_kept ? writer.keep(payloads) : writer.write(stream.shown(), false);
    CHECK(writer.was_key() == (i == 0 || i == 6));
    const auto head = container::check_compact_frame(packet);
    REQUIRE(head.has_value());
    CHECK(head->is_key == writer.was_key());
    if (is_kept) {
      const Bytes end = packet.last(payloads.size());
      CHECK(std::ranges::equal(end, payloads));
    }
    const auto picture = reading.read(packet);
    CHECK(picture.damage == "");
    CHECK(reading.blocks() == stream.shown());
    // Without one of the stored packets nothing decodes until the key frame.
    if (i != 3) CHECK((late.read(packet).damage == "") == (i < 3 || i >= 6));
  }
}

TEST_CASE("payloads with transform slices are stored after a key frame that has samples") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 200, .height = 70};
  test::LossyStream stream(desc, true);
  Workers workers(1);
  CompactFrameWriter writer(desc, workers);
  Reading reading(desc), late(desc);
  for (int i = 0; i < 14; ++i) {
    CAPTURE(i);
    stream.next();
    const bool has_samples = i == 2 || i == 7, is_kept = i > 2 && i != 7 && i != 12;
    const Bytes packet = has_samples ? writer.write_key(stream.shown(), stream.samples())
                         : is_kept   ? writer.keep(stream.payloads_with_lengths())
                                     : writer.write(stream.shown(), false);
    CHECK(writer.was_key() == (i == 0 || has_samples || i == 12));
    if (i == 13) continue;  // was kept after a key frame without samples, to no purpose
    const auto picture = reading.read(packet);
    CHECK(picture.damage == "");
    CHECK(reading.blocks() == stream.shown());
    if (i < 7) continue;  // the second key frame is enough
    CHECK(late.read(packet).damage == "");
    CHECK(late.blocks() == stream.shown());
  }
  CHECK(stream.transform_tiles() > 14);
}

TEST_CASE("whatever the bytes, a frame is correct or reported as damaged") {
  const auto frames = some_frames(kTexture, 4);
  const auto packets = packets_of(kTexture, frames);
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    Reading reading(kTexture);
    const size_t broken = random() % frames.size();
    for (size_t i = 0; i < frames.size(); ++i) {
      Blocks packet = packets[i];
      if (i == broken) {
        if (round % 3 == 0)
          packet.resize(random() % packet.size());
        else
          packet[random() % packet.size()] ^= static_cast<std::byte>(1 + random() % 255);
      }
      const auto picture = reading.read(packet);
      if (i == broken) CHECK(!picture.damage.empty());
      if (picture.damage.empty()) CHECK(reading.blocks() == frames[i]);
      // If a packet cannot be read at all, those after it lack their key frame.
      if (i > broken) CHECK(!picture.damage.empty());
    }
  }
}

TEST_CASE("the setup of every format that can be coded names the format") {
  for (const Format& row : formats()) {
    if (!compact::TileGrid::can_cut(row.id)) continue;
    const TextureDesc desc{.format = row.id, .width = 1234, .height = 567};
    for (const bool lossy : {false, true}) {
      const auto setup = container::write_compact_setup(desc, lossy);
      // Older readers refuse versions that they do not know.
      const bool is_first = compact::TileGrid::codec_version(row.id, false) == 1;
      CHECK(setup[4] == std::byte{static_cast<uint8_t>(!is_first ? 3 : lossy ? 2 : 1)});
      const auto read = container::read_compact_setup(setup);
      REQUIRE(read.has_value());
      CHECK(*read == desc);
      CHECK(container::compact_setup_version(setup) == std::to_integer<int>(setup[4]));
    }
    if (!compact::TileGrid::can_have_transform(row.id)) continue;
    const auto setup = container::write_compact_setup(desc, true, true);
    CHECK(setup[4] == std::byte{4});
    CHECK(container::read_compact_setup(setup).has_value());
  }
}

TEST_CASE("a setup that is invalid or of another version is refused with the reason") {
  const auto setup = container::write_compact_setup(kTexture);
  const auto reason_with = [&](size_t at, uint8_t value) {
    Blocks changed = setup;
    changed.at(at) = static_cast<std::byte>(value);
    const auto read = container::read_compact_setup(changed);
    REQUIRE(!read.has_value());
    return read.error().message;
  };
  CHECK(container::read_compact_setup(Bytes(setup).first(19)).error().message ==
        "its track has no valid description of its frames");
  CHECK(reason_with(0, 'X') == "its track has no valid description of its frames");
  CHECK(reason_with(4, 5) == "its frames are of version 5, which needs a newer texcast");
  CHECK(reason_with(5, 200) == "its frames are of unknown format 200");
  CHECK(reason_with(5, static_cast<uint8_t>(TextureFormat::uyvy)) == "its frames are of unknown format 10");
  CHECK(reason_with(15, 1) == "its frames have the invalid size 16777416x70");
}

TEST_CASE("the minimum size of a frame is smaller than any frame") {
  for (const int side : {1, 64, 65, 500}) {
    const TextureDesc desc{.format = TextureFormat::bc4, .width = side, .height = side};
    const Blocks black(texture_layout(desc).total_bytes);
    Workers workers(0);
    CompactFrameWriter writer(desc, workers);
    CHECK(writer.write(black, true).size() >= container::least_compact_bytes(desc));
  }
}
