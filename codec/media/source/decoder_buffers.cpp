#include "decoder_buffers.h"

#include <optional>
#include <string_view>
#include <utility>

#include "media/pixel_formats.h"

namespace texcast::media {
namespace {

// Whether the decoder's frame, which is rounded up to whole macroblocks, fits into the placement.
bool fits(AVCodecContext& decoder, const AVFrame& frame, const FrameFormat& format, const FramePlacement& placed) {
  const auto av = static_cast<AVPixelFormat>(frame.format);
  const AVPixFmtDescriptor& descriptor = *av_pix_fmt_desc_get(av);
  if (av_pix_fmt_count_planes(av) != plane_count(format.pixel_format)) return false;  // there is an alpha plane
  int width = frame.width, height = frame.height;
  int alignment[AV_NUM_DATA_POINTERS] = {};
  avcodec_align_dimensions2(&decoder, &width, &height, alignment);
  for (int p = 0; p < plane_count(format.pixel_format); ++p) {
    const auto i = static_cast<size_t>(p);
    const int rows = p == 0 ? height : AV_CEIL_RSHIFT(height, descriptor.log2_chroma_h);
    if (av_image_get_linesize(av, width, p) > placed.stride[i] || rows > placed.padded_rows[i]) return false;
    if (alignment[i] > 0 && placed.stride[i] % alignment[i] != 0) return false;
  }
  return true;
}

// The format of the displayed picture, without the rows and columns that a decoder adds: the size that the encoder is
// made for.
std::optional<FrameFormat> format_of(const AVCodecContext& decoder, const AVFrame& frame) {
  const auto pixel_format = direct_format(static_cast<AVPixelFormat>(frame.format));
  const bool has_size =
      decoder.width >= 1 && decoder.width <= kMaxFrameSize && decoder.height >= 1 && decoder.height <= kMaxFrameSize;
  if (!pixel_format || !has_size) return std::nullopt;
  return FrameFormat{.pixel_format = *pixel_format, .width = decoder.width, .height = decoder.height, .color = {}};
}

// These codecs conceal what they could not read, and log it. Their other errors may be about something that no picture
// shows, such as a reference frame that is not needed any more.
bool conceals(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_MPEG4:
    case AV_CODEC_ID_H263:
    case AV_CODEC_ID_FLV1:
    case AV_CODEC_ID_MSMPEG4V2:
    case AV_CODEC_ID_MSMPEG4V3:
    case AV_CODEC_ID_WMV1:
    case AV_CODEC_ID_WMV2:
    case AV_CODEC_ID_WMV3:
    case AV_CODEC_ID_VC1: return true;
    default: return false;
  }
}

void end_lease(void* lease, uint8_t* /*data*/) { delete static_cast<FrameLease*>(lease); }

}  // namespace

DecoderBuffers::~DecoderBuffers() { av_buffer_pool_uninit(&plain_); }

void DecoderBuffers::attach(AVCodecContext& decoder) {
  decoder.opaque = static_cast<DecoderListener*>(this);
  if ((decoder.codec->capabilities & AV_CODEC_CAP_DR1) == 0) return;
  decoder.get_buffer2 = get_buffer;
#if LIBAVCODEC_VERSION_MAJOR < 60  // later versions expect thread-safe callbacks always
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  decoder.thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
}

void DecoderBuffers::said(const AVCodecContext& decoder, int level, const std::string& line) {
  const bool is_damage =
      conceals(decoder.codec_id) ? std::string_view(line).starts_with("concealing ") : level <= AV_LOG_ERROR;
  if (!is_damage) return;
  const std::lock_guard lock(mutex_);
  complaints_.emplace(decoder.reordered_opaque, line);
}

std::optional<std::string> DecoderBuffers::take_complaint(int64_t packet) {
  constexpr int64_t kLongAgo = 256;  // more frames than any decoder holds back
  const std::lock_guard lock(mutex_);
  complaints_.erase(complaints_.begin(), complaints_.lower_bound(packet - kLongAgo));
  const auto found = complaints_.find(packet);
  if (found == complaints_.end()) return std::nullopt;
  std::string line = std::move(found->second);
  complaints_.erase(found);
  return line;
}

void DecoderBuffers::take_from(std::shared_ptr<FramePool> pool) {
  const std::lock_guard lock(mutex_);
  pool_ = std::move(pool);
}

AVBufferRef* DecoderBuffers::allocate(const FrameFormat& format, const FramePlacement& placed) {
  const std::lock_guard lock(mutex_);
  if (pool_ && pool_->format().pixel_format == format.pixel_format && pool_->format().width == format.width &&
      pool_->format().height == format.height) {
    if (FrameLease lease = pool_->lend()) {
      auto owned = std::make_unique<FrameLease>(std::move(lease));
      AVBufferRef* buffer =
          av_buffer_create(reinterpret_cast<uint8_t*>(owned->data()), placed.padded_bytes, end_lease, owned.get(), 0);
      if (buffer) static_cast<void>(owned.release());  // the buffer owns it now
      return buffer;
    }
  }
  if (plain_bytes_ != placed.padded_bytes) {
    av_buffer_pool_uninit(&plain_);
    plain_ = av_buffer_pool_init(placed.padded_bytes, av_buffer_allocz);
    plain_bytes_ = plain_ ? placed.padded_bytes : 0;
  }
  return plain_ ? av_buffer_pool_get(plain_) : nullptr;
}

int DecoderBuffers::get_buffer(AVCodecContext* decoder, AVFrame* frame, int flags) {
  const auto format = format_of(*decoder, *frame);
  if (!format) return avcodec_default_get_buffer2(decoder, frame, flags);
  const FramePlacement placed = place_frame(*format);
  if (!fits(*decoder, *frame, *format, placed)) return avcodec_default_get_buffer2(decoder, frame, flags);
  frame->buf[0] =
      static_cast<DecoderBuffers*>(static_cast<DecoderListener*>(decoder->opaque))->allocate(*format, placed);
  if (!frame->buf[0]) return AVERROR(ENOMEM);
  for (int p = 0; p < plane_count(format->pixel_format); ++p) {
    const auto i = static_cast<size_t>(p);
    frame->data[i] = frame->buf[0]->data + placed.offset[i];
    frame->linesize[i] = placed.stride[i];
  }
  frame->extended_data = frame->data;
  return 0;
}

}  // namespace texcast::media
