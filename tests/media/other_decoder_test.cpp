// A program that uses the library may have its own decoders, which log through the same function of FFmpeg.
#include <cstdint>

#include "media/ffmpeg.h"
#include "media_test.h"

using namespace texcast;

TEST_CASE("another decoder can log, whatever it keeps in `opaque`") {
  media::set_up_ffmpeg();
  AVCodecContext* decoder = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_MJPEG));
  REQUIRE(decoder != nullptr);
  uint64_t theirs[2] = {8, 8};  // not an object of ours: its first word is not the address of a table of functions
  decoder->opaque = theirs;
  media::take_last_av_line();
  av_log(decoder, AV_LOG_ERROR, "a line of theirs\n");
  CHECK(media::take_last_av_line() == "a line of theirs");
  avcodec_free_context(&decoder);
}
