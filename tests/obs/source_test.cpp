// The source "texcast stream" in libobs: what it shows is what was sent.
#include <doctest/doctest.h>

#include <optional>

#include "obs_session.h"
#include "pictures.h"
#include "texcast/stream_sender.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

constexpr double kLeastDb = 45;  // OBS converts to light and back, which costs a unit here and there

// Sends one picture again and again until `done`.
template <typename Done>
bool send_until(StreamSender& sender, const Blocks& blocks, Done&& done) {
  static int64_t frame = 0;
  return comes_true([&] {
    sender.send(blocks.view(), ++frame * 10ms);
    std::this_thread::sleep_for(10ms);
    return done();
  });
}

std::string source_settings(const std::string& address, const std::string& more = "") {
  return R"({"address": ")" + address + "\"" + more + "}";
}

bool shows(obs_source_t* source, const Blocks& blocks) {
  return psnr_db(drawn_by(source), expected_picture(blocks)) >= kLeastDb;
}

}  // namespace

TEST_CASE("a source shows each format that texcast encodes") {
  const ObsSession obs;
  if (obs.skips()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const std::string address = free_address();
  const Source source = make_source("texcast_source", source_settings(address));
  for (const TextureFormat format : encoded_formats()) {
    CAPTURE(name(format));
    const Blocks blocks = blocks_of(format, 75, 42, static_cast<int>(format));
    StreamSender sender({.destinations = {address}, .fps = 100}, blocks.desc);
    CHECK(send_until(sender, blocks, [&] { return shows(source.get(), blocks); }));
  }
}
