// FFmpeg's own Hap decoder and encoder, compared with ours.
#include <algorithm>
#include <tuple>

#include "base/bytes.h"
#include "capture_bound.h"
#include "container/hap_frame.h"
#include "media/clip_details.h"
#include "media/clip_reader.h"
#include "media/frame_source.h"
#include "media/recorder.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;

namespace {

void record_blocks(const std::string& path, const TextureDesc& desc, const std::vector<std::byte>& blocks,
                   int frames = 1) {
  const auto recorder =
      media::make_recorder({.path = path, .texture = desc, .fps = 60, .if_exists = IfExists::overwrite});
  for (int i = 0; i < frames; ++i) recorder->write({desc, blocks}, i * nanoseconds(16'666'667));
}

// In the pixel format that FFmpeg's decoder returns for this number of channels, so that nothing is converted.
std::string decoded_by_ffmpeg(const std::string& path, int channels = 3) {
  const char* format = channels == 1 ? "gray" : channels == 3 ? "rgb24" : "rgba";
  return output_of("ffmpeg -v error -i " + quoted(path) + " -f rawvideo -pix_fmt " + format + " -");
}

}  // namespace

TEST_CASE("ffprobe recognises our recordings as Hap, with their variant, size, rate and number of frames") {
  const Scratch scratch;
  const std::pair<TextureFormat, std::string> kinds[] = {{TextureFormat::bc1, "Hap1"},
                                                         {TextureFormat::ycocg_dxt5, "HapY"},
                                                         {TextureFormat::bc3, "Hap5"},
                                                         {TextureFormat::bc4, "HapA"},
                                                         {TextureFormat::ycocg_dxt5_alpha, "HapM"}};
  for (const auto& [format, tag] : kinds)
    for (const char* name : {"clip.mov", "clip.mkv"}) {
      const TextureDesc desc{.format = format, .width = 1918, .height = 1078};
      record_blocks(scratch / name, desc, some_blocks(desc, 1), 3);
      const std::string probe = output_of(
          "ffprobe -v error -count_packets -show_entries "
          "stream=codec_name,codec_tag_string,width,height,nb_read_packets,avg_frame_rate -of compact " +
          quoted(scratch / name));
      CAPTURE(probe);
      CHECK(probe.find("codec_name=hap|codec_tag_string=" + tag + "|width=1918|height=1078|") != std::string::npos);
      CHECK(probe.find("nb_read_packets=3") != std::string::npos);
    }
}

// Every 16-bit end point as c0 with another as c1, and every index: the two decoders must agree on each texel.
TEST_CASE("FFmpeg decodes each of the 65536 end points to the same pixels as decode_texture") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 1024, .height = 1024};
  std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
  for (uint32_t i = 0; i < 65536; ++i) {
    store_le16(blocks, 8 * i, static_cast<uint16_t>(i));
    store_le16(blocks, 8 * i + 2, static_cast<uint16_t>(i * 40503u >> 3));
    store_le32(blocks, 8 * i + 4, i % 2 == 0 ? 0xE4E4E4E4 : 0x1B1B1B1B);
  }
  record_blocks(scratch / "all.mov", desc, blocks);
  const DecodedImage theirs = image_of(decoded_by_ffmpeg(scratch / "all.mov"), 1024, 1024);
  DecodedImage ours;
  decode_texture({desc, blocks}, ours, EndpointExpansion::ffmpeg);
  size_t different = 0;
  for (size_t i = 0; i < ours.pixels.size(); ++i)
    if (ours.pixels[i] != theirs.pixels[i] && different++ == 0) {
      const size_t x = i / 3 % 1024, y = i / 3 / 1024, block = y / 4 * 256 + x / 4;
      MESSAGE("first at block ", block, " channel ", i % 3, ": ffmpeg ", int{theirs.pixels[i]}, " ours ",
              int{ours.pixels[i]}, " c1 ", load_le16(blocks, 8 * block + 2));
    }
  CHECK(different == 0);
}

// Any bytes, and blocks as encoders write them: one scale of 1, 2 or 4 in both end points.
TEST_CASE("FFmpeg decodes scaled YCoCg to the same pixels as decode_texture") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::ycocg_dxt5, .width = 256, .height = 128};
  for (const bool any_scale : {true, false}) {
    auto blocks = some_blocks(desc, 3);
    for (size_t at = 8; at < blocks.size() && !any_scale; at += 16)
      for (const size_t end : {at, at + 2})
        store_le16(blocks, end,
                   static_cast<uint16_t>((load_le16(blocks, end) & ~31) | std::array{0, 1, 3}[at / 16 % 3]));
    record_blocks(scratch / "y.mov", desc, blocks);
    DecodedImage ours;
    decode_texture({desc, blocks}, ours, EndpointExpansion::ffmpeg);
    const DecodedImage theirs = image_of(decoded_by_ffmpeg(scratch / "y.mov"), 256, 128);
    CAPTURE(any_scale);
    CHECK(ours.pixels == theirs.pixels);
  }
}

// Any bytes: both orders of the end points in either sub-block.
TEST_CASE("FFmpeg decodes textures with alpha, and alpha alone, to the same pixels as decode_texture") {
  const Scratch scratch;
  for (const TextureFormat format : {TextureFormat::bc3, TextureFormat::bc4, TextureFormat::ycocg_dxt5_alpha}) {
    const TextureDesc desc{.format = format, .width = 255, .height = 126};
    const auto blocks = some_blocks(desc, 4);
    record_blocks(scratch / "a.mov", desc, blocks);
    DecodedImage ours;
    decode_texture({desc, blocks}, ours, EndpointExpansion::ffmpeg);
    CAPTURE(name(format));
    const std::string theirs = decoded_by_ffmpeg(scratch / "a.mov", channel_count(format));
    CHECK(theirs.size() == ours.pixels.size());
    CHECK(ours.pixels == image_of(theirs, 255, 126, 0, channel_count(format)).pixels);
  }
}

TEST_CASE("files of FFmpeg's own hap encoder, in chunks or uncompressed, are read as FFmpeg reads them") {
  const Scratch scratch;
  for (const char* how :
       {"-compressor none", "-compressor snappy -chunks 1", "-compressor snappy -chunks 7",
        "-format hap_q -compressor none", "-format hap_alpha -chunks 8", "-format hap_q -compressor snappy -chunks 4"})
    for (const char* name : {"theirs.mov", "theirs.mkv"}) {
      CAPTURE(std::string(how));
      const std::string path = scratch / name;
      output_of("ffmpeg -v error -y -f lavfi -i testsrc2=size=320x192:rate=25:alpha=100 -frames:v 3 -c:v hap " +
                std::string(how) + " " + quoted(path));
      const auto clip = media::open_clip(path);
      const int channels = channel_count(clip->info().texture.format);
      const std::string pixels = decoded_by_ffmpeg(path, channels);
      for (size_t i = 0; i < 3; ++i) {
        const auto frame = clip->next();
        REQUIRE_MESSAGE(frame.has_value(), (frame ? "" : frame.error().message));
        REQUIRE(frame->has_value());
        DecodedImage ours;
        decode_texture((*frame)->texture, ours, EndpointExpansion::ffmpeg);
        CHECK(ours.pixels == image_of(pixels, 320, 192, i, channels).pixels);
      }
    }
}

TEST_CASE("Hap Q Alpha is recorded only up to the size that FFmpeg can read") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::ycocg_dxt5_alpha, .width = 4096, .height = 1};
  const auto open = [&](int height) {
    TextureDesc higher = desc;
    higher.height = height;
    media::make_recorder({.path = scratch / "m.mov", .texture = higher});
  };
  open(2728);  // 1024 x 682 blocks of 24 bytes: 16 KiB less than 16 MiB
  const Error error = error_of([&] { open(2729); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK_MESSAGE(says(error, "below 16 MiB"), error.what());
}

TEST_CASE("the other variants of Hap are refused by name") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 8, .height = 8};
  record_blocks(scratch / "x.mov", desc, some_blocks(desc, 1));
  std::string file = read_file(scratch / "x.mov");
  file.replace(file.find("Hap1"), 4, "Hap2");
  write_file(scratch / "x.mov", file);
  CHECK(!media::is_clip(scratch / "x.mov"));
  const Error error = error_of([&] { media::open_clip(scratch / "x.mov"); });
  CHECK_MESSAGE(says(error, "Hap2"), std::string(error.what()));
}

TEST_CASE("FFmpeg decodes our frames in any number of chunks, with Snappy and without") {
  const Scratch scratch;
  CHECK(container::suggested_hap_chunks(3840, 2160) == 4);
  CHECK(container::suggested_hap_chunks(1920, 1080) == 1);
  for (const auto& [format, snappy, chunks] : {std::tuple(TextureFormat::bc1, false, 0),
                                               {TextureFormat::bc1, true, 7},
                                               {TextureFormat::bc1, true, 64},
                                               {TextureFormat::ycocg_dxt5_alpha, true, 4}}) {
    const TextureDesc desc{.format = format, .width = 448, .height = 256};
    const auto blocks = some_blocks(desc, 5);
    media::make_recorder({.path = scratch / "ours.mov",
                          .texture = desc,
                          .fps = 60,
                          .snappy = snappy,
                          .chunks = chunks,
                          .if_exists = IfExists::overwrite})
        ->write({desc, blocks}, nanoseconds(0));
    CAPTURE_BOUND(chunks);
    DecodedImage ours;
    decode_texture({desc, blocks}, ours, EndpointExpansion::ffmpeg);
    const int channels = channel_count(format), images = channels == 4 ? 2 : 1;
    const std::string theirs = decoded_by_ffmpeg(scratch / "ours.mov", channels);
    CHECK((ours.pixels == image_of(theirs, 448, 256, 0, channels).pixels));
    const auto clip = media::open_clip(scratch / "ours.mov");
    CHECK(media::clip_details(*clip).packing->most_chunks == static_cast<size_t>(std::max(chunks, 1) * images));
  }
}
