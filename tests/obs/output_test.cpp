// The output: the program of OBS arrives at a receiver.
#include <doctest/doctest.h>

#include "obs_session.h"
#include "pictures.h"
#include "stream_check.h"
#include "stream_feed.h"

using namespace texcast;
using namespace texcast::test;

TEST_CASE("the output sends the program") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  const Program program(source.get());
  const StreamFeed feed(address, blocks_of(TextureFormat::ycocg_bc4_444, kCanvasWidth, kCanvasHeight));
  const DecodedImage wanted = expected_picture(feed.blocks());
  CHECK(comes_true([&] { return psnr_db(program_picture(), wanted) > 45; }));

  const StreamCheck check;
  const Data settings = data_of(send_settings(check.address(), R"(, "format": "bc1")"));
  const Output output(obs_output_create("texcast_output", "output", settings.get(), nullptr));
  REQUIRE(obs_output_start(output.get()));
  CHECK(comes_true([&] { return check.psnr_to(wanted) > 27; }));  // 4:2:0 and BC1
  MESSAGE("the program after 4:2:0 and BC1: " << check.psnr_to(wanted) << " dB");
  obs_output_stop(output.get());
  CHECK(comes_true([&] { return !obs_output_active(output.get()); }));
}

TEST_CASE("the output without a destination says so") {
  const ObsSession obs;
  if (obs.skips()) return;
  const Output output(obs_output_create("texcast_output", "output", nullptr, nullptr));
  CHECK(!obs_output_start(output.get()));
  CHECK(std::string(obs_output_get_last_error(output.get())).find("where to send to") != std::string::npos);
}
