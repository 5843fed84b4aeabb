// .dds files: the received bytes verbatim behind the header, alone and as numbered sequences.
#include "base/bytes.h"
#include "media/clip_reader.h"
#include "media/recorder.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;

namespace {

const TextureDesc kDesc{.format = TextureFormat::bc1, .width = 62, .height = 45};

std::string chars(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void record(const std::string& path, unsigned frames) {
  const auto recorder = media::make_recorder({.path = path, .texture = kDesc});
  for (unsigned i = 0; i < frames; ++i) recorder->write({kDesc, some_blocks(kDesc, i)}, i * nanoseconds(16'666'667));
  CHECK(recorder->finish().frames == frames);
}

}  // namespace

TEST_CASE("one image holds exactly the blocks, and FFmpeg decodes them as we do") {
  const Scratch scratch;
  record(scratch / "one.dds", 1);
  CHECK((read_file(scratch / "one.dds").substr(128) == chars(some_blocks(kDesc, 0))));
  CHECK(media::is_clip(scratch / "one.dds"));
  const auto clip = media::open_clip(scratch / "one.dds");
  CHECK(clip->info().texture == kDesc);
  CHECK(clip->info().frame_count == 1);
  const auto frame = clip->next();
  REQUIRE((frame.has_value() && frame->has_value()));
  RgbImage ours;
  decode_texture((*frame)->texture, ours, EndpointExpansion::ffmpeg);
  const std::string theirs =
      output_of("ffmpeg -v error -i " + quoted(scratch / "one.dds") + " -f rawvideo -pix_fmt rgb24 -");
  CHECK(ours.pixels == image_of(theirs, 62, 45).pixels);
  const auto end = clip->next();
  CHECK((end.has_value() && !end->has_value()));
}

TEST_CASE("a second frame for a single image is refused with the way out") {
  const Scratch scratch;
  const Error error = error_of([&] { record(scratch / "one.dds", 2); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK_MESSAGE(says(error, "%05d"), std::string(error.what()));
}

TEST_CASE("a sequence is written from 0, read in order, sought, and its damage is named") {
  const Scratch scratch;
  const std::string pattern = scratch / "f%05d.dds";
  record(pattern, 5);
  for (unsigned i = 0; i < 5; ++i)
    CHECK((read_file(scratch / ("f0000" + std::to_string(i) + ".dds")).substr(128) == chars(some_blocks(kDesc, i))));
  CHECK(media::is_clip(pattern));
  write_file(scratch / "f00002.dds", read_file(scratch / "f00002.dds").substr(0, 500));
  const auto clip = media::open_clip(pattern);
  CHECK(clip->info().frame_count == 5);
  for (unsigned i = 0; i < 5; ++i) {
    const auto frame = clip->next();
    if (i == 2) {
      REQUIRE(!frame.has_value());
      CHECK_MESSAGE(frame.error().message.find("f00002.dds' is damaged: its blocks break off") != std::string::npos,
                    frame.error().message);
      continue;
    }
    REQUIRE((frame.has_value() && frame->has_value()));
    CHECK((chars({(*frame)->texture.blocks.begin(), (*frame)->texture.blocks.end()}) == chars(some_blocks(kDesc, i))));
  }
  clip->seek(nanoseconds(50'000'000));
  CHECK(clip->next()->value().pts == nanoseconds(50'000'000));  // the fourth
}

TEST_CASE("DDS files that cannot be read: missing, no DDS, cut off") {
  const Scratch scratch;
  CHECK(error_of([&] { media::open_clip(scratch / "none.dds"); }).kind() == ErrorKind::input);
  write_file(scratch / "text.dds", "hello");
  const Error text = error_of([&] { media::open_clip(scratch / "text.dds"); });
  CHECK(text.kind() == ErrorKind::input);
  CHECK(!media::is_clip(scratch / "text.dds"));
  record(scratch / "one.dds", 1);
  write_file(scratch / "cut.dds", read_file(scratch / "one.dds").substr(0, 300));
  const Error cut = error_of([&] { media::open_clip(scratch / "cut.dds"); });
  CHECK(cut.kind() == ErrorKind::corrupt);
  CHECK_MESSAGE(says(cut, "break off after 172 of"), std::string(cut.what()));
}
