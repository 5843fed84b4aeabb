#include "media/opus_coding.h"

#include <fmt/core.h>
#include <opus.h>

#include <algorithm>

#include "base/ensure.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

void need_opus(int code, const char* what) {
  if (code < 0) throw Error(ErrorKind::failed, fmt::format("libopus cannot {}: {}", what, opus_strerror(code)));
}

constexpr size_t kMostSamples = 5760;  // 120 ms
constexpr size_t kLeastSamples = 120;  // 2.5 ms

}  // namespace

void OpusChannelEncoder::Free::operator()(OpusEncoder* encoder) const { opus_encoder_destroy(encoder); }
OpusChannelEncoder::~OpusChannelEncoder() = default;
OpusChannelEncoder::OpusChannelEncoder(OpusChannelEncoder&&) noexcept = default;

OpusChannelEncoder::OpusChannelEncoder(int bits_per_s) {
  int code = 0;
  encoder_.reset(opus_encoder_create(kOpusRate, 1, OPUS_APPLICATION_RESTRICTED_LOWDELAY, &code));
  need_opus(code, "create an encoder");
  need_opus(opus_encoder_ctl(encoder_.get(), OPUS_SET_BITRATE(bits_per_s)), "use that bit rate");
  opus_int32 delay = 0;
  need_opus(opus_encoder_ctl(encoder_.get(), OPUS_GET_LOOKAHEAD(&delay)), "report its delay");
  delay_ = delay;
}

Bytes OpusChannelEncoder::encode(std::span<const float> samples) {
  ENSURE(samples.size() == 120 || samples.size() == 240 || samples.size() == 480 || samples.size() == 960);
  const int bytes =
      opus_encode_float(encoder_.get(), samples.data(), static_cast<int>(samples.size()),
                        reinterpret_cast<unsigned char*>(packet_.data()), static_cast<opus_int32>(packet_.size()));
  need_opus(bytes, "encode");
  return Bytes(packet_).first(static_cast<size_t>(bytes));
}

void OpusChannelDecoder::Free::operator()(OpusDecoder* decoder) const { opus_decoder_destroy(decoder); }
OpusChannelDecoder::~OpusChannelDecoder() = default;
OpusChannelDecoder::OpusChannelDecoder(OpusChannelDecoder&&) noexcept = default;

OpusChannelDecoder::OpusChannelDecoder() {
  int code = 0;
  decoder_.reset(opus_decoder_create(kOpusRate, 1, &code));
  need_opus(code, "create a decoder");
}

size_t OpusChannelDecoder::decode(Bytes packet, std::span<float> out) {
  ENSURE(out.size() >= kMostSamples);
  if (packet.empty()) return 0;
  const int samples =
      opus_decode_float(decoder_.get(), reinterpret_cast<const unsigned char*>(packet.data()),
                        static_cast<opus_int32>(packet.size()), out.data(), static_cast<int>(kMostSamples), 0);
  return static_cast<size_t>(std::max(samples, 0));
}

void OpusChannelDecoder::conceal(std::span<float> out) {
  while (!out.empty()) {
    const size_t count = std::min<size_t>(out.size() / kLeastSamples * kLeastSamples, 960);
    const int made =
        count == 0 ? 0 : opus_decode_float(decoder_.get(), nullptr, 0, out.data(), static_cast<int>(count), 0);
    if (made <= 0) {
      std::ranges::fill(out, 0.0F);
      return;
    }
    out = out.subspan(static_cast<size_t>(made));
  }
}

}  // namespace texcast::media
