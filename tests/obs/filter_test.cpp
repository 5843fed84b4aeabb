// The filter: what a source shows arrives at a receiver.
#include <doctest/doctest.h>

#include "obs_session.h"
#include "pictures.h"
#include "stream_check.h"
#include "stream_feed.h"

using namespace texcast;
using namespace texcast::test;

namespace {

// Un-multiplied, as files and streams have it; what is nearly transparent has no colour to compare.
DecodedImage straight(const Blocks& blocks) {
  DecodedImage image;
  decode_texture(blocks.view(), image);
  return image;
}

}  // namespace

TEST_CASE("the filter sends what its source shows, also to other sizes, encrypted, and with alpha") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  const StreamCheck check("a secret");
  const Source filter = send_filter(check.address(), R"(, "format": "bc3", "passphrase": "a secret")");
  obs_source_filter_add(source.get(), filter.get());
  SUBCASE("a picture without alpha, then a larger one") {
    for (const int width : {75, 128}) {
      const StreamFeed feed(address, blocks_of(TextureFormat::bc1, width, 42));
      const DecodedImage wanted = expected_picture(feed.blocks());
      CHECK(comes_true([&] { return check.psnr_to(wanted) > 33; }));
      CHECK(check.format() == TextureFormat::bc3);
    }
  }
  SUBCASE("a picture with alpha") {
    const StreamFeed feed(address, blocks_of(TextureFormat::bc3, 64, 42));
    const DecodedImage wanted = straight(feed.blocks());
    CHECK(comes_true([&] { return check.psnr_to(wanted) > 22; }));
  }
  CHECK(comes_true([&] { return state_of(filter.get()).find("cpu") != std::string::npos; }));
  obs_source_filter_remove(source.get(), filter.get());
}

TEST_CASE("the filter says what is wrong, and goes on when it is mended") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64, 32));
  const Source filter = make_source("texcast_filter", "{}");
  obs_source_filter_add(source.get(), filter.get());
  CHECK(state_of(filter.get()).starts_with("Enter where to send to"));
  const Data wrong = data_of(send_settings("rtp://no-such-host.invalid:5004"));
  obs_source_update(filter.get(), wrong.get());
  CHECK(comes_true([&] { return state_of(filter.get()).find("no-such-host.invalid") != std::string::npos; }));
  const Data no_device =
      data_of(R"({"destination": "rtp://127.0.0.1:9", "device": "no such device", "format": "bc1"})");
  obs_source_update(filter.get(), no_device.get());
  CHECK(comes_true([&] { return state_of(filter.get()).find("no such device") != std::string::npos; }));
  const StreamCheck check;
  const Data right = data_of(send_settings(check.address()));
  obs_source_update(filter.get(), right.get());
  const DecodedImage wanted = expected_picture(feed.blocks());
  CHECK(comes_true([&] { return check.psnr_to(wanted) > 33; }));
  obs_source_filter_remove(source.get(), filter.get());
}

TEST_CASE("a preset decides about the format") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64, 32));
  const StreamCheck check;
  const Source filter = send_filter(check.address(), R"(, "format": "bc1", "preset": "desktop")");
  obs_source_filter_add(source.get(), filter.get());
  const DecodedImage wanted = expected_picture(feed.blocks());
  CHECK(comes_true([&] { return check.psnr_to(wanted) > 33; }));
  CHECK(check.format() == TextureFormat::ycocg_bc4_444);
  obs_source_filter_remove(source.get(), filter.get());
}
