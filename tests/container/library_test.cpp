// texcast/container.h through the public headers only: writing and reading back, damage, and every forbidden call.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <latch>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check_error.h"
#include "texcast/container.h"
#include "texcast/error.h"

using namespace texcast;
using texcast::test::check_error;

namespace {

using Blocks = std::vector<std::byte>;

// The bytes are the numbers 0 to 255; the second half repeats the first.
Blocks some_blocks(const TextureDesc& desc) {
  Blocks blocks(texture_layout(desc).total_bytes);
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<std::byte>(i % (blocks.size() / 2 + 1) * 7 % 253);
  return blocks;
}

constexpr TextureDesc kDesc{.format = TextureFormat::bc1, .width = 62, .height = 45};

}  // namespace

TEST_CASE("library: every format that Hap has is read back from its frames, whatever the options") {
  int formats_of_hap = 0;
  Blocks buffer;
  for (const TextureFormat format : shown_formats()) {
    const TextureDesc desc{.format = format, .width = 64, .height = 48};
    const Blocks blocks = some_blocks(desc);
    CAPTURE(name(format));
    if (!hap_fourcc(format)) {
      check_error(ErrorKind::usage, "Hap", [&] { pack_hap_frame({desc, blocks}, {}, buffer); });
      Blocks out(blocks.size());
      check_error(ErrorKind::usage, "Hap", [&] { unpack_hap_frame(desc, blocks, out); });
      continue;
    }
    ++formats_of_hap;
    for (const HapOptions options : {HapOptions{}, HapOptions{.snappy = false}, HapOptions{.chunks = 1},
                                     HapOptions{.chunks = 64}, HapOptions{.snappy = false, .chunks = 8}}) {
      const auto packet = pack_hap_frame({desc, blocks}, options, buffer);
      CHECK(packet.data() == buffer.data());
      CHECK((packet.size() < blocks.size()) == (options.snappy && options.chunks < 2));  // there are only so few blocks
      Blocks out(blocks.size());
      unpack_hap_frame(desc, packet, out);
      CHECK(out == blocks);
    }
  }
  CHECK(formats_of_hap ==
        std::ranges::count(formats(), TrackKind::hap, [](const Format& row) { return row.track.kind; }));
  CHECK(hap_fourcc(TextureFormat::bc7) == std::array{'H', 'a', 'p', '7'});
  CHECK(hap_fourcc(TextureFormat::bc1) == std::array{'H', 'a', 'p', '1'});
  CHECK(hap_fourcc(TextureFormat::ycocg_dxt5) == std::array{'H', 'a', 'p', 'Y'});
  CHECK(hap_fourcc(TextureFormat::bc3) == std::array{'H', 'a', 'p', '5'});
}

// The Hap specification: three bytes of size, little-endian, and 0xAB: no compressor, RGB DXT1.
TEST_CASE("library: an uncompressed frame is a header and the blocks") {
  const Blocks blocks = some_blocks(kDesc);
  Blocks buffer;
  const auto packet = pack_hap_frame({kDesc, blocks}, {.snappy = false}, buffer);
  REQUIRE(packet.size() == blocks.size() + 4);
  CHECK(std::to_integer<int>(packet[0]) == 16 * 12 * 8 % 256);
  CHECK(std::to_integer<int>(packet[1]) == 16 * 12 * 8 / 256);
  CHECK(std::to_integer<int>(packet[2]) == 0);
  CHECK(std::to_integer<int>(packet[3]) == 0xAB);
  CHECK(std::ranges::equal(packet.subspan(4), blocks));
}

TEST_CASE("library: every format that DDS, KTX2 and .astc have is read back from whole files") {
  for (const StillKind kind : {StillKind::dds, StillKind::ktx2, StillKind::astc})
    for (const TextureFormat format : shown_formats()) {
      CAPTURE(name(format));
      const TextureDesc desc{.format = format, .width = 62, .height = 45};
      const Blocks blocks = some_blocks(desc);
      if (!can_hold(kind, format)) {
        CHECK(kind != StillKind::dds);
        check_error(ErrorKind::usage, kind == StillKind::ktx2 ? "KTX2 cannot hold" : ".astc cannot hold", [&] {
          pack_still(kind, {desc, blocks});
        });
        continue;
      }
      for (const bool zstd : {false, true}) {
        const Blocks file = pack_still(kind, {desc, blocks}, {.zstd = zstd, .fps = 25});
        const char* const start = kind == StillKind::dds    ? "DDS "
                                  : kind == StillKind::ktx2 ? "\xABKTX"
                                                            : "\x13\xAB\xA1\\";
        CHECK(std::equal(start, start + 4, reinterpret_cast<const char*>(file.data())));
        const Still still = unpack_still(kind, file);
        CHECK(still.blocks == blocks);
        CHECK(still.info.desc.format == format);
        CHECK(still.info.desc.width == 62);
        CHECK(still.info.desc.height == 45);
        CHECK(still.info.fps == (kind == StillKind::astc ? 0 : 25));
        CHECK(still_info(kind, file).desc == still.info.desc);
      }
    }
}

TEST_CASE("library: mip levels are read back one by one, and belong to one texture") {
  std::vector<Blocks> blocks;
  std::vector<TextureView> levels;
  for (int level = 0; level < most_levels(kDesc.width, kDesc.height); ++level)
    blocks.push_back(some_blocks(level_of(kDesc, level)));
  for (size_t i = 0; i < blocks.size(); ++i) levels.push_back({level_of(kDesc, static_cast<int>(i)), blocks[i]});
  TextureDesc astc = kDesc;
  astc.format = TextureFormat::astc_4x4;
  std::vector<Blocks> astc_blocks = {some_blocks(astc), some_blocks(level_of(astc, 1))};
  const std::vector<TextureView> astc_levels = {{astc, astc_blocks[0]}, {level_of(astc, 1), astc_blocks[1]}};
  check_error(ErrorKind::usage, "an .astc file has one level; DDS and KTX2 can hold mip levels",
              [&] { pack_still(StillKind::astc, astc_levels); });
  for (const StillKind kind : {StillKind::dds, StillKind::ktx2}) {
    const Blocks file = pack_still(kind, levels);
    for (size_t i = 0; i < blocks.size(); ++i) {
      const StillPart part{.level = static_cast<int>(i)};
      CHECK(still_info(kind, file, part).levels == 6);
      const Still still = unpack_still(kind, file, part);
      CHECK(still.info.desc == levels[i].desc);
      CHECK(still.blocks == blocks[i]);
    }
    check_error(ErrorKind::corrupt, "no level 6", [&] { unpack_still(kind, file, {.level = 6}); });
    check_error(ErrorKind::misuse, "level", [&] { pack_still(kind, std::span<const TextureView>()); });
    const std::vector<TextureView> twice = {levels[0], levels[0]};
    check_error(ErrorKind::misuse, "level", [&] { pack_still(kind, twice); });
  }
}

TEST_CASE("library: damaged or unrelated bytes are failures") {
  const Blocks blocks = some_blocks(kDesc);
  Blocks buffer, out(blocks.size());
  const auto whole = pack_hap_frame({kDesc, blocks}, {.chunks = 4}, buffer);
  const Blocks packet(whole.begin(), whole.end());
  for (size_t bytes = 0; bytes < packet.size(); ++bytes)
    check_error(ErrorKind::corrupt, "", [&] { unpack_hap_frame(kDesc, std::span(packet).first(bytes), out); });
  TextureDesc other = kDesc;
  other.format = TextureFormat::bc4;  // the same size, but not the frame's format
  check_error(ErrorKind::corrupt, "", [&] { unpack_hap_frame(other, packet, out); });
  unpack_hap_frame(kDesc, packet, out);
  CHECK(out == blocks);
  for (const StillKind kind : {StillKind::dds, StillKind::ktx2}) {
    const Blocks file = pack_still(kind, {kDesc, blocks});
    check_error(ErrorKind::corrupt, "", [&] { unpack_still(kind, std::span(file).first(file.size() - 1)); });
    check_error(ErrorKind::corrupt, "", [&] { unpack_still(kind, {}); });
    check_error(ErrorKind::corrupt, "", [&] { still_info(kind, std::span(file).first(16)); });
    const StillKind not_it = kind == StillKind::dds ? StillKind::ktx2 : StillKind::dds;
    check_error(ErrorKind::corrupt, "", [&] { unpack_still(not_it, file); });
  }
}

TEST_CASE("library: a call that the header forbids throws an error that can be caught") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Blocks blocks = some_blocks(kDesc);
  Blocks buffer, out(blocks.size());
  const auto whole = pack_hap_frame({kDesc, blocks}, {}, buffer);
  const Blocks packet(whole.begin(), whole.end());
  const auto changed = [](auto change) {
    TextureDesc desc = kDesc;
    change(desc);
    return desc;
  };
  const std::pair<const char*, TextureDesc> bad_descs[] = {
      {"format", changed([](TextureDesc& d) { d.format = static_cast<TextureFormat>(99); })},
      {"format", changed([](TextureDesc& d) { d.format = TextureFormat{}; })},
      {"sides", changed([](TextureDesc& d) { d.width = 0; })},
      {"sides", changed([](TextureDesc& d) { d.height = -4; })},
      {"sides", changed([](TextureDesc& d) { d.width = 16385; })},
      {"matrix", changed([](TextureDesc& d) { d.color.matrix = static_cast<ColorMatrix>(3); })},
      {"range", changed([](TextureDesc& d) { d.color.range = static_cast<ColorRange>(2); })},
      {"pixels", changed([](TextureDesc& d) {
         d.aspect = {17, 1};
       })},
      {"orientation", changed([](TextureDesc& d) { d.orientation = static_cast<Orientation>(0); })},
      {"bytes", changed([](TextureDesc& d) { d.width += 4; })},
  };
  for (const auto& [words, bad] : bad_descs) {
    const TextureDesc& desc = bad;  // lambdas of clang before 16 cannot capture structured bindings
    check_error(ErrorKind::misuse, words, [&] { pack_hap_frame({desc, blocks}, {}, buffer); });
    check_error(ErrorKind::misuse, words, [&] { unpack_hap_frame(desc, packet, out); });
    check_error(ErrorKind::misuse, words, [&] { pack_still(StillKind::dds, {desc, blocks}); });
    check_error(ErrorKind::misuse, words, [&] { pack_still(StillKind::ktx2, {desc, blocks}); });
  }
  const std::span<const std::byte> null(static_cast<const std::byte*>(nullptr), blocks.size());
  const std::span<std::byte> null_room(static_cast<std::byte*>(nullptr), blocks.size());
  const auto none = static_cast<StillKind>(3);
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"null",
       [&] {
         pack_hap_frame({kDesc, null}, {}, buffer);
       }},
      {"null", [&] { unpack_hap_frame(kDesc, packet, null_room); }},
      {"null",
       [&] {
         pack_still(StillKind::dds, {kDesc, null});
       }},
      {"null", [&] { unpack_hap_frame(kDesc, null, out); }},
      {"null", [&] { unpack_still(StillKind::dds, null); }},
      {"null", [&] { still_info(StillKind::ktx2, null); }},
      {"bytes", [&] { unpack_hap_frame(kDesc, packet, std::span(out).first(1)); }},
      {"chunks",
       [&] {
         pack_hap_frame({kDesc, blocks}, {.chunks = -1}, buffer);
       }},
      {"chunks",
       [&] {
         pack_hap_frame({kDesc, blocks}, {.chunks = 65}, buffer);
       }},
      {"buffer",
       [&] {
         pack_hap_frame({kDesc, std::span(buffer).first(blocks.size())}, {}, buffer);
       }},
      {"packet", [&] { unpack_hap_frame(kDesc, std::span(out).first(9), out); }},
      {"format", [] { hap_fourcc(static_cast<TextureFormat>(99)); }},
      {"format", [] { can_hold(StillKind::ktx2, static_cast<TextureFormat>(99)); }},
      {"format", [] { can_hold(StillKind::dds, static_cast<TextureFormat>(99)); }},
      {"kind", [&] { can_hold(none, TextureFormat::bc1); }},
      {"kind",
       [&] {
         pack_still(none, {kDesc, blocks});
       }},
      {"kind", [&] { unpack_still(none, packet); }},
      {"kind", [&] { still_info(none, packet); }},
      {"fps",
       [&] {
         pack_still(StillKind::dds, {kDesc, blocks}, {.fps = -1});
       }},
      {"fps",
       [&] {
         pack_still(StillKind::dds, {kDesc, blocks}, {.fps = 1e9});
       }},
      {"fps",
       [&] {
         pack_still(StillKind::ktx2, {kDesc, blocks}, {.fps = nan});
       }},
  };
  buffer.resize(4 * blocks.size());
  for (const auto& [words, call] : calls) check_error(ErrorKind::misuse, words, call);
  unpack_hap_frame(kDesc, packet, out);
  CHECK(out == blocks);
}

// Players refuse frames of two images that have 16 MiB or more.
TEST_CASE("library: frames that are too large for Hap with two images") {
  const TextureDesc desc{.format = TextureFormat::ycocg_dxt5_alpha, .width = 4096, .height = 2800};
  const Blocks blocks(texture_layout(desc).total_bytes);
  REQUIRE(blocks.size() >= 16u << 20);
  Blocks buffer;
  check_error(ErrorKind::usage, "16 MiB", [&] { pack_hap_frame({desc, blocks}, {}, buffer); });
}

TEST_CASE("library: two threads unpack frames at the same time") {
  constexpr int kTimes = 100;
  std::latch both(2);
  const auto unpack = [&](int width, int& right) {
    const TextureDesc desc{.format = TextureFormat::bc1, .width = width, .height = 512};
    const Blocks blocks = some_blocks(desc);
    Blocks buffer, out(blocks.size());
    const auto packet = pack_hap_frame({desc, blocks}, {.chunks = 4}, buffer);
    both.arrive_and_wait();
    for (int time = 0; time < kTimes; ++time) {
      std::ranges::fill(out, std::byte{});
      unpack_hap_frame(desc, packet, out);
      right += out == blocks;
    }
  };
  int first = 0, second = 0;
  std::thread beside([&] { unpack(512, first); });
  unpack(520, second);
  beside.join();
  CHECK(first == kTimes);
  CHECK(second == kTimes);
}
