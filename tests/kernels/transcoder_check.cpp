// The transcoder as users of transcoder.h see it: order, reuse of slots, and the reference's bytes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "check.h"
#include "ref/ycocg_repack.h"
#include "texcast/transcoder.h"
#include "transcoders.h"

using namespace texcast;

namespace {

void check_transcoder(const TranscoderSettings& settings, Transcoder& transcoder) {
  constexpr int kTextures = 7;
  const auto make = [&](int number) {
    std::vector<std::byte> blocks(texture_layout(settings.from).total_bytes);
    std::mt19937 random(static_cast<uint32_t>(number));
    for (std::byte& b : blocks) b = static_cast<std::byte>(random() & 255);
    return blocks;
  };
  const PlaneLayout to = texture_layout(transcoder.texture_desc()).planes[0];
  int taken = 0;
  const auto take = [&] {
    const TextureView texture = transcoder.next();
    const auto from = make(taken++);
    std::vector<std::byte> want(to.bytes);
    ref::repack_ycocg({settings.from, from}, method_for(settings.to, settings.quality), want);
    CHECK(texture.desc.format == TextureFormat::ycocg_dxt5);
    REQUIRE(texture.blocks.size() == want.size());
    CHECK(std::equal(want.begin(), want.end(), texture.blocks.begin()));
    int equal_lumas = 0;
    const int blocks = to.blocks_x * to.blocks_y;
    for (size_t i = 0; i < static_cast<size_t>(blocks); ++i)
      equal_lumas += std::memcmp(&texture.blocks[16 * i], &from[8 * i], 8) == 0;
    CHECK(equal_lumas == blocks);
  };
  for (int i = 0; i < kTextures; ++i) {
    if (transcoder.in_flight() == transcoder.capacity()) take();
    transcoder.submit({settings.from, make(i)});  // the blocks are destroyed here: the transcoder must have a copy
  }
  while (transcoder.in_flight() > 0) take();
  CHECK(taken == kTextures);
}

}  // namespace

TEST_CASE("textures are returned in order, complete, with their luma unchanged") {
  DeviceInfo info = check::device().info();
  TranscoderSettings settings{.from = {TextureFormat::ycocg_bc4_420, 26, 14}, .device = std::to_string(info.index)};
  for (const int in_flight : {1, 3}) {
    settings.frames_in_flight = in_flight;
    check_transcoder(settings, *make_transcoder(settings));
  }
  info.shares_host_memory = false;  // as if the device had memory of its own
  check_transcoder(settings, *make_ocl_transcoder(settings, info));
}

TEST_CASE("the reference transcoder behaves the same") {
  const TranscoderSettings settings{
      .from = {TextureFormat::ycocg_bc4_444, 9, 21}, .quality = Quality::normal, .device = "cpu-reference"};
  check_transcoder(settings, *make_transcoder(settings));
}
