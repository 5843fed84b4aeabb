// The options that the presets of `send --for` set, and those that they keep.
#include "send/send_preset.h"

#include <doctest/doctest.h>

#include <string>

#include "capture_bound.h"
#include "cli/command_line.h"
#include "cli/presets.h"
#include "fake_commands.h"
#include "send/send_wire.h"
#include "stream/texture_sender.h"

using namespace texcast;
using namespace texcast::cli;

namespace {

// The options of `texcast send WORDS…`, with the preset.
SendOptions sent(const std::string& line) {
  std::vector<std::string> words{"texcast", "send"};
  std::istringstream text(line);
  for (std::string word; text >> word;) words.push_back(word);
  words.insert(words.begin() + 3, "rtp://h");
  words.push_back("--no-config");
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  REQUIRE(run_command_line(static_cast<int>(pointers.size()), pointers.data(), texcast::test::fake_commands()) == 0);
  return with_preset(texcast::test::said().send);
}

}  // namespace

TEST_CASE("presets: the stream and wire settings of each row") {
  for (const Preset& preset : presets()) {
    CAPTURE_BOUND(preset.name);
    const SendOptions o = sent(std::string("clip.mp4 --for ") + preset.name);
    CHECK(o.purpose == preset.purpose);
    CHECK(o.encoding.format == preset.format.value_or(TextureFormat::bc1));
    CHECK(o.lossy.crf == preset.lossy.crf);
    CHECK(o.lossy.bitrate.has_value() == preset.lossy.bitrate.has_value());
    CHECK((o.fec.percent == preset.parity_percent.value_or(0)));
    const stream::SendSettings settings = wire_settings(o);
    CHECK(settings.compact.is_lossy() == static_cast<bool>(preset.lossy));
    CHECK(is_compact(o, settings) == (preset.purpose != Purpose::ultragrid));
  }
}

TEST_CASE("presets: explicit options override the preset") {
  CHECK(sent("clip.mp4 --for desktop --format bc1").encoding.format == TextureFormat::bc1);
  CHECK(sent("clip.mp4 --format bc1 --for desktop").lossy.crf == 20);
  CHECK(sent("clip.mp4 --for film --crf 30").lossy.crf == 30);
  CHECK(sent("clip.mp4 --for film --crf 30").encoding.format == TextureFormat::ycocg_bc4_420);
  CHECK(sent("clip.mp4 --for wifi --bitrate 8M").lossy.bitrate->most == 8e6);
  CHECK(sent("clip.mp4 --for wifi --bitrate 8M").lossy.bitrate->least == 8e6);
  CHECK(sent("clip.mp4 --for wifi --fec none").fec.kind == transport::FecKind::none);
  const SendOptions both = sent("clip.mp4 --for desktop --bitrate 10M");
  CHECK(both.lossy.crf == 20);
  CHECK(both.lossy.bitrate->most == 10e6);
  CHECK(sent("clip.mp4 --for lan --crf 18").lossy.crf == 18);
}

TEST_CASE("presets: a stream that cannot be lossy is lossless, unless lossy coding was requested") {
  for (const char* words : {"--for desktop --plain", "--for wifi --format bc7", "--for film --fec ultragrid-rs:200:240",
                            "--for desktop --fec mult:2"}) {
    CAPTURE_BOUND(words);
    const SendOptions o = sent(std::string("clip.mp4 ") + words);
    CHECK_FALSE(o.lossy.crf);
    CHECK_FALSE(o.lossy.bitrate);
    CHECK_NOTHROW(wire_settings(o));
  }
  CHECK_THROWS(wire_settings(sent("clip.mp4 --for desktop --plain --crf 20")));
  CHECK_THROWS(wire_settings(sent("clip.mp4 --for desktop --format bc7 --bitrate 20M")));
}

TEST_CASE("presets: a screen is sent with desktop, unless an option disables it") {
  for (const char* words : {"screen", "screen:HDMI-1", "window:Terminal", "screen --fps 30", "screen --fec 20%",
                            "screen --bitrate 10M", "screen --crf 12"}) {
    CAPTURE_BOUND(words);
    const SendOptions o = sent(words);
    CHECK(o.purpose == Purpose::desktop);
    CHECK(o.encoding.format == TextureFormat::ycocg_bc4_444);
    CHECK(o.lossy.crf);
    CHECK(wire_settings(o).compact.is_lossy());
  }
  CHECK(sent("screen --crf 12").lossy.crf == 12);
  CHECK_FALSE(sent("screen --crf 12").lossy_by_preset);
  CHECK(sent("screen").lossy_by_preset);
  for (const char* words : {"screen --format bc1", "screen --plain", "screen --for texcast", "screen --for lan",
                            "screen --quality best", "screen --for ultragrid", "screen --fec ultragrid-rs:200:240",
                            "screen --fec mult:2", "screen --key-file k --crypto ultragrid-gcm", "clip.mp4", "test"}) {
    CAPTURE_BOUND(words);
    const SendOptions o = sent(words);
    CHECK(o.purpose != Purpose::desktop);
    CHECK(o.encoding.format == TextureFormat::bc1);
    CHECK_FALSE(o.lossy.crf);
  }
}
