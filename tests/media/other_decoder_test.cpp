// A program around the library has decoders of its own, which log through the same function of FFmpeg.
#include <cstdint>

#include "media/ffmpeg.h"
#include "media_test.h"

using namespace texcast;

TEST_CASE("a decoder of somebody else, whatever it keeps in `opaque`, logs without harm") {
  media::set_up_ffmpeg();
  AVCodecContext* decoder = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_MJPEG));
  REQUIRE(decoder != nullptr);
  uint64_t theirs[2] = {8, 8};  // no object of ours: what would be its table of functions is no address
  decoder->opaque = theirs;
  media::take_last_av_line();
  av_log(decoder, AV_LOG_ERROR, "a line of theirs\n");
  CHECK(media::take_last_av_line() == "a line of theirs");
  avcodec_free_context(&decoder);
}
