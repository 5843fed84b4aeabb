// Tests of pictures that the CPU decodes or a device transcodes because OpenGL lacks their format. Mesa leaves out the
// extensions that MESA_EXTENSION_OVERRIDE names for the whole process, so that this case has a CTest entry of its own.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string_view>

#include "lost_device.h"
#include "obs_session.h"
#include "pictures.h"
#include "stream_feed.h"

using namespace texcast;
using namespace texcast::test;

namespace {

bool lacks(std::string_view extension) {
  const char* const without = std::getenv("MESA_EXTENSION_OVERRIDE");
  return without && std::string_view(without).find("-GL_" + std::string(extension)) != std::string_view::npos;
}
bool lacks_bptc() { return lacks("ARB_texture_compression_bptc"); }

}  // namespace

TEST_CASE("a source without BPTC keeps alpha and light" * doctest::skip(!lacks_bptc())) {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = make_source("texcast_source", R"({"device": "no such device", "address": ")" + address + "\"}");
  const auto is_shown = [&](const Blocks& blocks) {
    const StreamFeed feed(address, blocks);
    const DecodedImage wanted = expected_picture(blocks);
    return comes_true([&] { return psnr_db(drawn_by(source.get()), wanted) > 45; });
  };
  CHECK(is_shown(blocks_of(TextureFormat::bc7, 75, 42)));
  CHECK(obs.has_said("does not take bc7"));
  Blocks halves = blocks_of(TextureFormat::bc6h, 75, 42, 1);
  CHECK(halves.desc.color.transfer != kLinearTransfer);
  CHECK(is_shown(halves));
  halves.desc.color.transfer = kLinearTransfer;
  CHECK(is_shown(halves));
  CHECK(obs.has_said("does not take bc6h"));
}

TEST_CASE("a device transcodes what OpenGL does not take, and the CPU decodes it if the device is lost" *
          doctest::skip(!lacks_bptc())) {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  const auto is_shown = [&](const Blocks& blocks, double decibels) {
    const DecodedImage wanted = expected_picture(blocks);
    return comes_true([&] { return psnr_db(drawn_by(source.get()), wanted) > decibels; });
  };
  const Blocks first = blocks_of(TextureFormat::bc7, 75, 42), second = blocks_of(TextureFormat::bc7, 75, 42, 1);
  {
    const StreamFeed feed(address, first);
    CHECK(is_shown(first, 40));  // as bc3
    CHECK(obs.has_said("makes bc3 of it"));
  }
  const LostDevices lost;
  const StreamFeed feed(address, second);
  CHECK(is_shown(second, 45));
  CHECK(obs.has_said("the CPU decodes the stream from now on"));
}

TEST_CASE("a device makes BC7 of what OpenGL does not take" * doctest::skip(!lacks("EXT_texture_compression_s3tc"))) {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::bc3}) {
    CAPTURE(name(format));
    const Blocks blocks = blocks_of(format, 75, 42);
    const StreamFeed feed(address, blocks);
    const DecodedImage wanted = expected_picture(blocks);
    double best = 0;
    CHECK(comes_true([&] {
      best = psnr_db(drawn_by(source.get()), wanted);
      return best > 40;
    }));
    MESSAGE(name(format) << ": " << best << " dB");
  }
}
