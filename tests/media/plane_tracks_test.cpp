// YCoCg-BC4 in .mov and .mkv: three tracks that other programs can read too, and Hap Q.
#include <algorithm>
#include <cstring>

#include "container/hap_frame.h"
#include "media/clip_reader.h"
#include "media/muxed_output.h"
#include "media/picture_tracks.h"
#include "media/recorder.h"
#include "media/recovery.h"
#include "media_test.h"
#include "ref/bc4.h"
#include "ref/encode.h"
#include "texcast/transcoder.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

constexpr nanoseconds kPlanePeriod = 40ms;

TextureDesc planes_desc(TextureFormat format, int width = 27, int height = 13) {
  return {.format = format, .width = width, .height = height};
}

void record_planes(const std::string& path, const TextureDesc& desc, unsigned frames) {
  const auto recorder =
      media::make_recorder({.path = path, .texture = desc, .fps = 25, .if_exists = IfExists::overwrite});
  for (unsigned i = 0; i < frames; ++i) recorder->write({desc, some_blocks(desc, i)}, i * kPlanePeriod);
}

// The texels of a plane as FFmpeg decodes it.
std::string gray_of(const std::vector<std::byte>& blocks, const PlaneLayout& plane) {
  std::string gray(static_cast<size_t>(plane.width * plane.height), '\0');
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      const auto at = plane.offset + static_cast<size_t>(8 * (y / 4 * plane.blocks_x + x / 4));
      const std::span<const uint8_t, 8> block(reinterpret_cast<const uint8_t*>(&blocks[at]), 8);
      gray[static_cast<size_t>(y * plane.width + x)] =
          static_cast<char>(ref::decode_bc4(block, EndpointExpansion::ffmpeg)[static_cast<size_t>(y % 4 * 4 + x % 4)]);
    }
  return gray;
}

bool holds(media::ClipReader& clip, const TextureDesc& desc, unsigned number) {
  const auto frame = clip.next();
  if (!frame || !*frame) return false;
  const auto want = some_blocks(desc, number);
  return std::ranges::equal((*frame)->texture.blocks, want) && (*frame)->pts == number * kPlanePeriod;
}

media::VideoTrack video_track(const media::PictureTrack& part) {
  return {
      .codec = part.codec, .tag = part.tag, .width = part.width, .height = part.height, .fps = 25, .name = part.name};
}

void write_plane(media::MuxedOutput& output, const media::PictureTrack& part, int track, const TextureDesc& desc,
                 unsigned number) {
  const auto blocks = some_blocks(desc, number);
  std::vector<std::byte> buffer;
  output.write(
      {.track = track,
       .bytes = container::write_hap_frame(*part.images, Bytes(blocks).subspan(part.offset, part.bytes), {}, buffer),
       .pts = number * kPlanePeriod.count(),
       .duration = kPlanePeriod.count()});
}

}  // namespace

TEST_CASE("FFmpeg decodes the three tracks to the planes, the first of which is the one to display") {
  const Scratch scratch;
  for (const auto& [format, name] :
       {std::pair{TextureFormat::ycocg_bc4_420, "clip.mov"}, std::pair{TextureFormat::ycocg_bc4_422, "clip.mkv"},
        std::pair{TextureFormat::ycocg_bc4_444, "clip.mov"}}) {
    const TextureDesc desc = planes_desc(format);
    const std::string path = scratch / name;
    record_planes(path, desc, 2);
    std::string command = "ffmpeg -v error -y -i " + quoted(path);
    for (const char* plane : {"0", "1", "2"})
      command += std::string(" -map 0:") + plane + " -f rawvideo -pix_fmt gray " + quoted(scratch / plane);
    output_of(command);
    const TextureLayout layout = texture_layout(desc);
    for (size_t p = 0; p < 3; ++p) {
      CAPTURE(p);
      const std::string want =
          gray_of(some_blocks(desc, 0), layout.planes[p]) + gray_of(some_blocks(desc, 1), layout.planes[p]);
      CHECK((read_file(scratch / std::to_string(p)) == want));
    }
    const std::string probe = output_of(
        "ffprobe -v error -show_entries stream=codec_tag_string:stream_disposition=default -of compact=p=0:nk=1 " +
        quoted(path));
    CHECK(probe == "HapA|1\nHapA|0\nHapA|0\n");
  }
}

TEST_CASE(
    "the planes stay one picture when another program copies them from .mov to .mkv to .mov, and are sought together") {
  const Scratch scratch;
  const TextureDesc desc = planes_desc(TextureFormat::ycocg_bc4_422);
  record_planes(scratch / "a.mov", desc, 9);
  const std::string copy = " -map 0 -c copy ";
  output_of("ffmpeg -v error -y -i " + quoted(scratch / "a.mov") + copy + quoted(scratch / "b.mkv"));
  output_of("ffmpeg -v error -y -i " + quoted(scratch / "b.mkv") + copy + quoted(scratch / "c.mov"));
  for (const char* name : {"a.mov", "b.mkv", "c.mov"}) {
    CAPTURE(std::string(name));
    const auto clip = media::open_clip(scratch / name);
    CHECK(clip->info().texture.format == desc.format);
    CHECK(clip->info().fourcc == "HapA");
    for (unsigned i = 0; i < 9; ++i) CHECK(holds(*clip, desc, i));
    for (const unsigned number : {5u, 0u, 8u}) {
      clip->seek(number * kPlanePeriod + 1ms);
      CHECK(holds(*clip, desc, number));
      clip->seek_to_frame(number);
      CHECK(holds(*clip, desc, number));
    }
  }
}

TEST_CASE("planes that are far apart in the file are read together") {
  const Scratch scratch;
  const TextureDesc desc = planes_desc(TextureFormat::ycocg_bc4_420);
  const auto parts = media::picture_tracks(desc);
  media::MuxedOutput output(scratch / "apart.mov", "mov");
  for (const auto& part : parts) output.add_video(video_track(part));
  output.begin();
  for (size_t p : {2, 0, 1})
    for (unsigned i = 0; i < 20; ++i) write_plane(output, parts[p], static_cast<int>(p), desc, i);
  output.finish();
  const auto clip = media::open_clip(scratch / "apart.mov");
  for (unsigned i = 0; i < 20; ++i) CHECK(holds(*clip, desc, i));
  clip->seek_to_frame(11);
  CHECK(holds(*clip, desc, 11));
}

TEST_CASE("planes of an unclosed recording are one picture again after recovery") {
  const Scratch scratch;
  const TextureDesc desc = planes_desc(TextureFormat::ycocg_bc4_420);
  const auto parts = media::picture_tracks(desc);
  const std::string path = scratch / "show.mov";
  {
    media::MuxedOutput output(path, "mov");
    for (const auto& part : parts) output.add_video(video_track(part));
    output.begin();
    for (unsigned i = 0; i < 4; ++i)
      for (size_t p : {2, 1, 0})
        if (i < 3 || p > 0)
          write_plane(output, parts[p], static_cast<int>(p), desc, i);  // killed inside the last frame
  }
  media::recover_recording({.recording = path, .output = ""});
  const auto clip = media::open_clip(path);
  CHECK(clip->info().texture == desc);
  for (unsigned i = 0; i < 3; ++i) CHECK(holds(*clip, desc, i));
  const auto end = clip->next();
  CHECK((end && !*end));
}

TEST_CASE("a frame that lacks a plane is damaged, and the others play; a file that lacks a track has no such picture") {
  const Scratch scratch;
  const TextureDesc desc = planes_desc(TextureFormat::ycocg_bc4_444);
  record_planes(scratch / "whole.mkv", desc, 6);
  output_of("ffmpeg -v error -y -i " + quoted(scratch / "whole.mkv") +
            " -map 0 -c copy -bsf:v:1 'noise=amount=0:drop=eq(n\\,2)' " + quoted(scratch / "hole.mkv"));
  const auto clip = media::open_clip(scratch / "hole.mkv");
  for (unsigned i = 0; i < 6; ++i) {
    if (i != 2) {
      CHECK(holds(*clip, desc, i));
      continue;
    }
    const auto frame = clip->next();
    REQUIRE(!frame);
    CHECK_MESSAGE(frame.error().message.find("frame 2 is damaged: a part of it is missing") != std::string::npos,
                  frame.error().message);
  }
  const auto end = clip->next();
  CHECK((end && !*end));

  output_of("ffmpeg -v error -y -i " + quoted(scratch / "whole.mkv") + " -map 0:0 -map 0:2 -c copy " +
            quoted(scratch / "two.mkv"));
  CHECK(media::open_clip(scratch / "two.mkv")->info().texture.format == TextureFormat::bc4);  // the first track only
}

TEST_CASE("as Hap Q, FFmpeg decodes the same pixels as decode_texture, close to those of the planes") {
  const Scratch scratch;
  const std::string rgb = read_file(kData + "/kodim05_192x128.rgb");
  const FrameFormat source{PixelFormat::rgb24, 192, 128, {ColorMatrix::bt709, ColorRange::full}};
  const FrameView picture{source, {PlaneView{reinterpret_cast<const std::byte*>(rgb.data()), 3 * 192}}};
  // A small and colourful picture, which usually has 48 to 53 dB.
  for (const auto& [format, least_db] :
       {std::pair{TextureFormat::ycocg_bc4_420, 44.0}, std::pair{TextureFormat::ycocg_bc4_444, 42.3}}) {
    const TextureDesc desc = planes_desc(format, 192, 128);
    std::vector<std::byte> planes(texture_layout(desc).total_bytes);
    ref::encode(picture, format, Method::refine, planes);
    const auto transcoder = make_transcoder({.from = desc, .device = "cpu-reference"});
    transcoder->submit({desc, planes});
    const TextureView hap_q = transcoder->next();
    {
      const auto recorder = media::make_recorder(
          {.path = scratch / "q.mov", .texture = hap_q.desc, .fps = 25, .if_exists = IfExists::overwrite});
      recorder->write(hap_q, 0ns);
    }
    const DecodedImage theirs = image_of(
        output_of("ffmpeg -v error -i " + quoted(scratch / "q.mov") + " -f rawvideo -pix_fmt rgb24 -"), 192, 128);
    DecodedImage ours, original;
    decode_texture(hap_q, ours, EndpointExpansion::ffmpeg);
    CHECK((ours.pixels == theirs.pixels));
    decode_texture({desc, planes}, original);
    decode_texture(hap_q, ours);
    CHECK(psnr_db(ours, original) > least_db);
    CHECK(psnr_db(theirs, original) > least_db - 1.5);  // FFmpeg truncates at every step
  }
}
