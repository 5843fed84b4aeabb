// Tests of pictures that the CPU decodes because the GPU lacks their format. Mesa leaves out the extensions that
// MESA_EXTENSION_OVERRIDE names for the whole process, so that this case has a CTest entry of its own.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string_view>

#include "obs_session.h"
#include "pictures.h"
#include "stream_feed.h"

using namespace texcast;
using namespace texcast::test;

namespace {

bool lacks_bptc() {
  const char* const without = std::getenv("MESA_EXTENSION_OVERRIDE");
  return without && std::string_view(without).find("-GL_ARB_texture_compression_bptc") != std::string_view::npos;
}

}  // namespace

TEST_CASE("a source without BPTC keeps alpha and light" * doctest::skip(!lacks_bptc())) {
  const ObsSession obs;
  if (obs.skips()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
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
