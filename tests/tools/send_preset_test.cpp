// The options that the presets of `send --for` set, and those that they keep.
#include "send/send_preset.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "capture_bound.h"
#include "cli/coded_formats.h"
#include "cli/command_line.h"
#include "cli/presets.h"
#include "fake_commands.h"
#include "send/send_wire.h"
#include "stream/texture_sender.h"
#include "temporary_folder.h"
#include "texcast/error.h"
#include "texcast/stream_preset.h"

using namespace texcast;
using namespace texcast::cli;

namespace {

// The options of `texcast send WORDS…`, with the preset.
SendOptions sent(const std::string& line) {
  std::vector<std::string> words{"texcast", "send"};
  std::istringstream text(line);
  for (std::string word; text >> word;) words.push_back(word);
  words.insert(words.begin() + 3, "rtp://h");
  if (line.find("--config") == std::string::npos) words.push_back("--no-config");
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  REQUIRE(run_command_line(static_cast<int>(pointers.size()), pointers.data(), texcast::test::fake_commands()) == 0);
  return with_preset(texcast::test::said().send);
}

// The message that refuses `texcast send WORDS…`; empty: it is not refused.
std::string refusal(const std::string& line) {
  try {
    wire_settings(sent(line));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("presets: the stream and wire settings of each row") {
  for (const Preset& preset : presets()) {
    CAPTURE_BOUND(preset.name);
    const SendOptions o = sent(std::string("clip.mp4 --for ") + preset.name);
    CHECK(o.purpose == preset.purpose);
    CHECK(o.encoding.format == preset.format.value_or(TextureFormat::bc1));
    CHECK(o.lossy.crf == preset.crf);
    CHECK(o.lossy.bitrate.has_value() == preset.bitrate.has_value());
    CHECK((o.fec.percent == preset.parity_percent.value_or(0)));
    const stream::SendSettings settings = wire_settings(o);
    CHECK(settings.compact.is_lossy() == preset.is_lossy());
    CHECK(is_compact(o, settings) == (preset.purpose != Purpose::ultragrid));

    // The library's preset of the same name.
    StreamSenderSettings sender;
    EncoderSettings encoder{.source = {.pixel_format = PixelFormat::rgba, .width = 64, .height = 64}};
    apply_preset(preset.name, sender, encoder);
    CHECK(encoder.texture == o.encoding.format);
    CHECK(sender.compact == settings.compact.on);
    CHECK(sender.crf == settings.compact.crf);
    const stream::Bitrate bitrate = settings.compact.bitrate.value_or(stream::Bitrate{});
    CHECK(sender.bitrate == bitrate.most);
    CHECK(sender.least_bitrate == bitrate.least);
    CHECK(sender.retransmit == settings.wire.answers_requests);
    stream::SendSettings chosen = settings;
    choose_fec(chosen, o, {.format = encoder.texture, .width = 64, .height = 64});
    CHECK(*transport::parse_fec(sender.fec) == chosen.wire.fec);
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

TEST_CASE("presets: an option that excludes what a named preset promises is refused, and the message names both") {
  for (const auto& [preset, option] : {std::pair{"--for wifi", "--plain"},
                                       {"--for desktop", "--plain"},
                                       {"--for desktop", "--format bc7"},
                                       {"--for wifi", "--format ycocg-dxt5"},
                                       {"--for film", "--fec ultragrid-rs:200:240"},
                                       {"--for desktop", "--fec mult:2"},
                                       {"--for film", "--crypto ultragrid-gcm"},
                                       {"--for film", "--format astc-4x4"}}) {
    CAPTURE(preset);
    CAPTURE(option);
    const std::string why = refusal(fmt::format("clip.mp4 {} {}", preset, option));
    CHECK_MESSAGE(why.starts_with(fmt::format("{} excludes {}: ", preset, option)), why);
    CHECK_MESSAGE(why.find("leave out one of them") != std::string::npos, why);
    CHECK_MESSAGE((why.find("choose one of bc1") != std::string::npos) == (std::string(option).find("--format") == 0),
                  why);
  }
  // A promise of losslessness holds in a raw stream too.
  for (const char* words : {"--for lan --plain", "--for lan --format bc7", "--for texcast --fec mult:2"})
    CHECK_NOTHROW(wire_settings(sent(std::string("clip.mp4 ") + words)));
  // Other formats of a running stream.
  CHECK_THROWS(check_promise(sent("clip.mp4 --for wifi"), TextureFormat::bc7));
  CHECK_NOTHROW(check_promise(sent("clip.mp4 --for wifi"), TextureFormat::bc1));
  CHECK_NOTHROW(check_promise(sent("clip.mp4 --for lan"), TextureFormat::bc7));
  CHECK_NOTHROW(check_promise(sent("screen"), TextureFormat::bc7));
}

TEST_CASE("presets: messages never name an option that was not given") {
  for (const auto& [words, says] :
       {std::pair{"--format astc-6x6 --crf 23", "--crf excludes --format astc-6x6: astc-6x6 has no coded stream"},
        {"--format bc7 --crf 23", "--crf excludes --format bc7: bc7 cannot be sent lossy"},
        {"--for ultragrid --crf 23", "--crf excludes --for ultragrid: "},
        {"--for ultragrid --refresh 2", "--refresh excludes --for ultragrid: "},
        {"--plain --bitrate 20M", "--bitrate excludes --plain: "},
        {"--fec mult:2 --crf 23", "--crf excludes --fec mult:2: "},
        {"--format ycocg-dxt5 --crf 23", "--crf excludes --format ycocg-dxt5: "}}) {
    const std::string why = refusal(std::string("clip.mp4 ") + words);
    CHECK_MESSAGE(why.starts_with(says), why);
    for (const char* option : {"--plain", "--for ", "--fec", "--crypto", "--bitrate", "--refresh", "--crf", "--format"})
      if (std::string(words).find(option) == std::string::npos)
        CHECK_MESSAGE(why.find(option) == std::string::npos, why);
  }
}

TEST_CASE("transform coding is automatic with every preset, and an option sets it") {
  for (const Preset& preset : presets())
    CHECK(sent(fmt::format("clip.mp4 --for {}", preset.name)).lossy.transform == TransformCoding::automatic);
  const auto settings_of = [](const std::string& words) { return wire_settings(sent("clip.mp4 " + words)).compact; };
  const auto transforms = [](const stream::CompactSettings& settings, TextureFormat format) {
    return stream::has_transform(settings, format);
  };
  const TextureFormat format = TextureFormat::ycocg_bc4_420;
  CHECK(transforms(settings_of("--for film"), format));
  CHECK(transforms(settings_of("--for wifi"), format));
  CHECK(transforms(settings_of("--for desktop"), TextureFormat::ycocg_bc4_444));
  CHECK_FALSE(transforms(settings_of("--for film --transform off"), format));
  CHECK_FALSE(transforms(settings_of("--format ycocg-bc4"), format));
  // A device that codes the stream has it too.
  stream::CompactSettings by_device = settings_of("--for film");
  by_device.device.emplace();
  CHECK(transforms(by_device, format));
  stream::SendSettings wire{.compact = by_device};
  CHECK(stream::coding_of(wire, format) == 4);
  wire.compact.transform = TransformCoding::off;
  CHECK(stream::coding_of(wire, format) == 2);
  CHECK(stream::coding_of(wire, TextureFormat::bc1) == 2);
}

TEST_CASE("--transform on says what to do where there is no transform coding") {
  CHECK(refusal("clip.mp4 --for film --transform on").empty());
  CHECK(refusal("screen --transform on").empty());
  for (const char* words :
       {"--crf 23", "--format bc1 --bitrate 4M", "", "--format ycocg-bc4", "--plain", "--format astc-6x6", "--for lan"})
    CHECK(refusal(fmt::format("clip.mp4 {} --transform off", words)).empty() ==
          refusal(fmt::format("clip.mp4 {}", words)).empty());
  for (const auto& [words, says] : {std::pair{"",
                                              "--transform on is for lossy streams, and this one is lossless: give "
                                              "--crf N, --bitrate RATE or --for film"},
                                    {"--for lan --format ycocg-bc4", "--transform on is for lossy streams"},
                                    {"--crf 23",
                                     "--transform on excludes --format bc1: bc1 has no transform coding; leave out one "
                                     "of them, or choose one of ycocg-bc4, "},
                                    {"--for film --format bc4", "--transform on excludes --format bc4: "},
                                    {"--plain", "--transform on excludes --plain: "},
                                    {"--format bc7", "--transform on is for lossy streams"},
                                    {"--for ultragrid", "--transform on excludes --for ultragrid: "}}) {
    const std::string why = refusal(fmt::format("clip.mp4 {} --transform on", words));
    CHECK_MESSAGE(why.starts_with(says), why);
  }
}

TEST_CASE("presets: an option of the command line replaces a preset of the config file, and not the other way round") {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("config.toml");
  std::ofstream(file) << "[send]\nfor = \"wifi\"\n";
  const SendOptions plain = sent("clip.mp4 --plain --config " + file);
  CHECK_FALSE(plain.purpose);
  CHECK_FALSE(plain.lossy);
  CHECK_NOTHROW(wire_settings(plain));
  CHECK(sent("clip.mp4 --config " + file).lossy.bitrate->most == 30e6);
  std::ofstream(file) << "[send]\nplain = true\n";
  CHECK(refusal("clip.mp4 --for wifi --config " + file)
            .starts_with("--for wifi excludes --plain (of the config file): "));
  std::ofstream(file) << "[send]\nplain = true\nfor = \"wifi\"\n";
  CHECK(refusal("clip.mp4 --config " + file).starts_with("--for wifi excludes --plain (of the config file): "));
}

TEST_CASE("formats without a coded stream are marked in the help, and marked raw in the table of docs/textures.md") {
  std::ifstream document(TEXCAST_SOURCE_DIR "/docs/textures.md");
  REQUIRE(document);
  std::map<std::string, std::string> stream;  // by format: the last column
  for (std::string line; std::getline(document, line);) {
    const size_t last = line.rfind(" | ");
    if (!line.starts_with("| `") || !line.ends_with(" |") || last == std::string::npos) continue;
    std::istringstream names(line.substr(0, line.find(" | ")));
    for (std::string word; names >> word;)
      if (const size_t tick = word.find('`'); tick != std::string::npos)
        stream.emplace(word.substr(tick + 1, word.rfind('`') - tick - 1),
                       line.substr(last + 3, line.size() - last - 5));
  }
  const std::string help = list_formats_raw_marked() + ",";
  for (const TextureFormat format : encoded_formats()) {
    CAPTURE(name(format));
    const std::string text(name(format));
    const bool coded = stream::goes_compact({}, format);
    CHECK((help.find(text + "*,") != std::string::npos) == !coded);
    CHECK(stream[text] == (!coded ? "raw" : stream::can_go_lossy(format) ? "coded, lossy" : "coded"));
  }
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
  CHECK_FALSE(sent("screen --crf 12").lossy_by_default);
  CHECK(sent("screen").lossy_by_default);
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
