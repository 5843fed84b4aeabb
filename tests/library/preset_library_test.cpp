// The presets of streams. tests/tools/send_preset_test.cpp compares them with those of `texcast send --for`.
#include <doctest/doctest.h>

#include <string>

#include "texcast/stream_preset.h"

using namespace texcast;

TEST_CASE("each preset gives a stream that can be sent, and replaces what another one set") {
  StreamSenderSettings sender{.destinations = {"rtp://127.0.0.1:9"}};
  EncoderSettings encoder{.source = {.pixel_format = PixelFormat::rgba, .width = 64, .height = 64},
                          .device = "cpu-reference"};
  CHECK(stream_presets().size() >= 6);
  for (const StreamPreset& preset : stream_presets()) {
    CAPTURE(preset.name);
    CHECK_FALSE(preset.what.empty());
    encoder.texture = TextureFormat::bc1;
    apply_preset(preset.name, sender, encoder);
    CHECK((sender.crf || sender.bitrate > 0) == (encoder.texture != TextureFormat::bc1));
    CHECK_NOTHROW(StreamSender(sender, encoder));
  }
}

TEST_CASE("presets: the values of some, UltraGrid's FEC by size, and unknown names") {
  StreamSenderSettings sender;
  EncoderSettings encoder{.source = {.width = 64, .height = 62}};
  apply_preset("Desktop", sender, encoder);
  CHECK(encoder.texture == TextureFormat::ycocg_bc4_444);
  CHECK(sender.crf == 20);
  CHECK(sender.compact);
  apply_preset("ultragrid", sender, encoder);
  CHECK(sender.fec == "none");
  CHECK_FALSE(sender.compact);
  CHECK_FALSE(sender.crf);
  encoder.source.height = 64;
  apply_preset("ultragrid", sender, encoder);
  CHECK(sender.fec == "ultragrid-rs:200:240");
  CHECK_THROWS_WITH_AS(apply_preset("dekstop", sender, encoder),
                       "unknown preset 'dekstop'; choose one of texcast, ultragrid, desktop, film, lan, wifi", Error);
}
