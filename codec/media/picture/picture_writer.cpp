#include "media/picture_writer.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include "base/ensure.h"
#include "base/log.h"
#include "base/whole_io.h"
#include "media/ffmpeg.h"
#include "media/files.h"
#include "media/new_file.h"
#include "media/output_file.h"
#include "media/pixel_formats.h"
#include "media/scaler.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

// FFmpeg's settings for an output file's name: container, encoder, pixel format, colours.
struct PictureTarget {
  const AVOutputFormat* muxer = nullptr;
  const AVCodec* encoder = nullptr;
  AVPixelFormat pixel_format = AV_PIX_FMT_RGB24;  // for the encoder
  bool is_rgb = true;
  ColorMatrix matrix = ColorMatrix::bt709;  // for YUV
  ColorRange range = ColorRange::full;
  bool is_image = false;     // one file per picture
  bool is_sequence = false;  // and a numbered name
};

bool is_yuvj(AVPixelFormat format) {
  return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P;
}

AVPixelFormat closest_to(AVPixelFormat wanted, const AVCodec& encoder) {
  if (!encoder.pix_fmts) return wanted;
  return avcodec_find_best_pix_fmt_of_list(encoder.pix_fmts, wanted, wanted == AV_PIX_FMT_RGBA, nullptr);
}

void choose_colors(PictureTarget& target) {
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(target.pixel_format);
  target.is_rgb = (d->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
  if (target.is_rgb || d->nb_components <= 2) return;  // RGB and gray: the defaults apply
  // JFIF has one matrix, BT.601 at full range. The other containers have a tag for BT.709.
  const bool is_jpeg = is_yuvj(target.pixel_format);
  target.matrix = is_jpeg ? ColorMatrix::bt601 : ColorMatrix::bt709;
  target.range = is_jpeg ? ColorRange::full : ColorRange::limited;
}

bool is_float(AVPixelFormat format) { return (av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_FLOAT) != 0; }

// y4m has neither RGB nor alpha nor floats.
AVPixelFormat y4m_format(AVPixelFormat wanted) {
  if (wanted == AV_PIX_FMT_GRAY16) return AV_PIX_FMT_GRAY16;
  return wanted == AV_PIX_FMT_RGB48 || wanted == AV_PIX_FMT_RGBA64 ? AV_PIX_FMT_YUV444P16 : AV_PIX_FMT_YUV444P;
}

// `wanted` is the format of the pictures: the target gets that, or the nearest that the encoder takes. Throws
// Error{usage} for a name that FFmpeg has no format for.
PictureTarget choose_picture_target(const std::string& path, AVPixelFormat wanted, bool is_pipe) {
  const std::string extension = lower_extension(path);
  PictureTarget target;
  AVCodecID codec = AV_CODEC_ID_NONE;
  if (extension == ".raw" || extension == ".rgb" || extension == ".yuv") {
    target.muxer = av_guess_format("rawvideo", nullptr, nullptr);
    codec = AV_CODEC_ID_RAWVIDEO;
  } else {
    target.muxer = av_guess_format(nullptr, path.c_str(), nullptr);
    if (extension == ".nut")
      codec = AV_CODEC_ID_RAWVIDEO;
    else if (extension == ".mkv" && is_pipe)
      codec = AV_CODEC_ID_FFV1;
    else if (target.muxer)
      codec = av_guess_codec(target.muxer, nullptr, path.c_str(), nullptr, AVMEDIA_TYPE_VIDEO);
  }
  if (!target.muxer || codec == AV_CODEC_ID_NONE)
    throw Error(ErrorKind::usage, fmt::format("'{}': FFmpeg has no picture format for that name; try .png, .y4m, .mp4 "
                                              "or .rgb",
                                              path));
  target.encoder = avcodec_find_encoder(codec);
  if (!target.encoder)
    throw Error(ErrorKind::usage,
                fmt::format("'{}': this FFmpeg has no encoder for {}", path, avcodec_get_name(codec)));

  if (codec == AV_CODEC_ID_WRAPPED_AVFRAME)  // y4m
    target.pixel_format = y4m_format(wanted);
  else if (extension == ".yuv")  // there is no header; 4:2:0 is what readers expect
    target.pixel_format = AV_PIX_FMT_YUV420P;
  else if (extension == ".rgb" || (extension == ".nut" && is_float(wanted)))  // NUT has no floats
    target.pixel_format = AV_PIX_FMT_RGB24;
  else
    target.pixel_format = codec == AV_CODEC_ID_RAWVIDEO ? wanted : closest_to(wanted, *target.encoder);
  choose_colors(target);
  target.is_image = std::string_view(target.muxer->name) == "image2";
  target.is_sequence = target.is_image && numbered_name(path, 0).has_value();
  return target;
}

// Whether the file can store the pixel aspect.
bool has_place_for_aspect(const std::string& path) {
  constexpr std::array kWithout = {".raw", ".rgb", ".yuv", ".bmp", ".ppm", ".pgm", ".pam", ".tga", ".webp"};
  const std::string extension = lower_extension(path);
  return std::find(kWithout.begin(), kWithout.end(), extension) == kWithout.end();
}

// FFmpeg's own error codes consist of four characters, so they are larger than any errno.
bool is_errno(int code) { return -code < 4096; }

AVColorSpace av_matrix_of(const PictureTarget& target) {
  return target.is_rgb ? AVCOL_SPC_RGB : av_matrix(target.matrix);
}
AVColorRange av_range_of(const PictureTarget& target) {
  return target.range == ColorRange::full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
}

class FfmpegPictureWriter final : public PictureWriter {
 public:
  explicit FfmpegPictureWriter(const PictureFile& file);
  ~FfmpegPictureWriter() override;
  void write(const DecodedImage& image, nanoseconds pts) override;
  void finish() override;
  int64_t bytes() const override { return output_ && output_->pb ? avio_tell(output_->pb) : bytes_; }
  const std::string& path() const override { return path_; }

 private:
  bool is_single() const { return target_.is_image && !target_.is_sequence && !pipe_; }
  AVIOContext* create();
  void open_encoder(int width, int height, double fps, PixelAspect aspect);
  void open_picture();
  void open_file();
  void put_bytes(const DecodedImage& image);
  void put_floats(const DecodedImage& image);
  void drain();
  void write_image();
  void store(Bytes image);
  void mux();
  [[noreturn]] void fail(int code);

  const PipePtr pipe_;
  std::string path_;
  IfExists if_exists_;
  int channels_;
  SampleType samples_;
  std::vector<uint8_t> rgb_;  // for pictures with two channels
  PictureTarget target_;
  std::unique_ptr<OutputFile> file_;  // declared before its muxer; null: not created yet, or there are images
  OutputPtr output_;
  CodecPtr encoder_;
  ScalerPtr scaler_;
  FramePtr picture_ = make_frame();
  PacketPtr packet_ = make_packet();
  std::vector<std::byte> single_;  // the image of the only file, which is written at the end
  int64_t last_stamp_ = -1;
  int64_t bytes_ = 0;     // of images, or of a closed file
  int64_t pictures_ = 0;  // passed to write()
  int64_t images_ = 0;    // written to files of their own
  bool open_ = false;
  bool failed_ = false;
};

FfmpegPictureWriter::FfmpegPictureWriter(const PictureFile& file)
    : pipe_(file.pipe),
      path_(pipe_ ? pipe_->name : file.path),
      if_exists_(file.if_exists),
      channels_(file.channels),
      samples_(file.samples),
      target_(choose_picture_target(path_, av_format(file.channels, file.samples), pipe_ != nullptr)) {
  ENSURE(samples_ != SampleType::half || target_.pixel_format == AV_PIX_FMT_GBRPF32);
  take_last_av_line();
  open_encoder(file.width, file.height, file.fps, file.aspect);
  open_picture();
  if (target_.is_sequence && !pipe_) {
    const int64_t highest = highest_number(path_);
    if (if_exists_ == IfExists::refuse && highest >= 0) throw_name_taken(*numbered_name(path_, highest));
    images_ = if_exists_ == IfExists::number ? highest + 1 : 0;
  }
  open_ = true;
}

void FfmpegPictureWriter::fail(int code) {
  failed_ = true;
  if (file_ && file_->error() != 0) throw_cannot_write(path_, file_->error());
  const std::string reason = is_errno(code) ? av_error_text(code) : av_reason(code);
  throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", path_, reason));
}

void FfmpegPictureWriter::open_encoder(int width, int height, double fps, PixelAspect aspect) {
  encoder_.reset(avcodec_alloc_context3(target_.encoder));
  if (!encoder_) throw std::bad_alloc();
  const AVRational rate = av_d2q(fps > 0 ? fps : 25, 1'001'000);
  encoder_->width = width;
  encoder_->height = height;
  encoder_->pix_fmt = target_.pixel_format;
  if (!aspect.is_square()) encoder_->sample_aspect_ratio = {aspect.num, aspect.den};
  encoder_->time_base = av_inv_q(rate);
  encoder_->framerate = rate;
  encoder_->colorspace = av_matrix_of(target_);
  encoder_->color_range = av_range_of(target_);
  encoder_->color_primaries = AVCOL_PRI_BT709;
  encoder_->color_trc = samples_ == SampleType::half ? AVCOL_TRC_LINEAR : AVCOL_TRC_BT709;
  if (target_.is_image) {  // by quality, as FFmpeg's default bit rate makes poor JPEGs
    encoder_->flags |= AV_CODEC_FLAG_QSCALE;
    encoder_->global_quality = 2 * FF_QP2LAMBDA;
  }
  if ((target_.muxer->flags & AVFMT_GLOBALHEADER) != 0) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (const int code = avcodec_open2(encoder_.get(), target_.encoder, nullptr); code < 0)
    throw Error(ErrorKind::failed, fmt::format("cannot write '{}': the {} encoder does not take {}x{} pictures: {}",
                                               path_, target_.encoder->name, width, height, av_reason(code)));
}

void FfmpegPictureWriter::open_picture() {
  const int width = encoder_->width, height = encoder_->height;
  picture_->format = target_.pixel_format;
  picture_->width = width;
  picture_->height = height;
  picture_->colorspace = encoder_->colorspace;
  picture_->color_range = encoder_->color_range;
  picture_->sample_aspect_ratio = encoder_->sample_aspect_ratio;
  if (const int code = av_frame_get_buffer(picture_.get(), 0); code < 0) fail(code);
  if (samples_ == SampleType::half) return;
  scaler_ = make_scaler({av_format(channels_, samples_), width, height, target_.matrix, ColorRange::full},
                        {target_.pixel_format, width, height, target_.matrix, target_.range});
  if (!scaler_)
    throw Error(ErrorKind::failed, fmt::format("cannot write '{}': swscale cannot convert to {}", path_,
                                               av_get_pix_fmt_name(target_.pixel_format)));
}

void FfmpegPictureWriter::open_file() {
  AVFormatContext* raw = nullptr;
  if (const int code = avformat_alloc_output_context2(&raw, target_.muxer, nullptr, path_.c_str()); code < 0)
    fail(code);
  output_.reset(raw);
  AVStream* track = avformat_new_stream(output_.get(), nullptr);
  if (!track) throw std::bad_alloc();
  track->time_base = encoder_->time_base;
  track->avg_frame_rate = encoder_->framerate;
  track->sample_aspect_ratio = encoder_->sample_aspect_ratio;
  if (const int code = avcodec_parameters_from_context(track->codecpar, encoder_.get()); code < 0) fail(code);
  if ((output_->oformat->flags & AVFMT_NOFILE) == 0) output_->pb = create();
  output_->flags |= AVFMT_FLAG_CUSTOM_IO;
  output_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;  // y4m of 16 bits
  if (pipe_) output_->flags |= AVFMT_FLAG_FLUSH_PACKETS;
  if (const int code = avformat_write_header(output_.get(), nullptr); code < 0) fail(code);
}

void FfmpegPictureWriter::write(const DecodedImage& image, nanoseconds pts) {
  ENSURE(open_);
  ENSURE(image.width == encoder_->width && image.height == encoder_->height && image.channels == channels_ &&
         image.samples == samples_);
  if (is_single() && pictures_ > 0) {
    failed_ = true;
    throw Error(ErrorKind::usage, fmt::format("'{}' can hold only one image: put %05d in the name for a "
                                              "numbered sequence, or take one frame (--frames 1)",
                                              path_));
  }
  if (!target_.is_image && !output_) open_file();
  // The encoder may still read the previous picture: then this one gets new memory.
  if (const int code = av_frame_make_writable(picture_.get()); code < 0) fail(code);
  if (samples_ == SampleType::half)
    put_floats(image);
  else
    put_bytes(image);
  const int64_t stamp = av_rescale_q(pts.count(), kNanoseconds, encoder_->time_base);
  picture_->pts = last_stamp_ = std::max(stamp, last_stamp_ + 1);
  if (const int code = avcodec_send_frame(encoder_.get(), picture_.get()); code < 0) fail(code);
  drain();
  ++pictures_;
}

void FfmpegPictureWriter::put_bytes(const DecodedImage& image) {
  const uint8_t* planes[1] = {pixels_of(image, rgb_).data()};
  const int strides[1] = {(image.channels == 2 ? 3 : image.channels) * sample_bytes(image.samples) * image.width};
  sws_scale(scaler_.get(), planes, strides, 0, image.height, picture_->data, picture_->linesize);
}

// Without swscale, as that of FFmpeg 5.1 copies only a quarter of each row of planes of floats.
void FfmpegPictureWriter::put_floats(const DecodedImage& image) {
  constexpr std::array<size_t, 3> kChannels = {1, 2, 0};  // of FFmpeg's planes: green, blue, red
  const auto width = static_cast<size_t>(image.width);
  for (size_t p = 0; p < kChannels.size(); ++p)
    for (int y = 0; y < image.height; ++y) {
      const uint8_t* texel = &image.pixels[6 * width * static_cast<size_t>(y)] + 2 * kChannels[p];
      uint8_t* out = picture_->data[p] + ptrdiff_t{picture_->linesize[p]} * y;
      for (size_t x = 0; x < width; ++x, texel += 6, out += sizeof(float)) {
        uint16_t bits = 0;
        std::memcpy(&bits, texel, sizeof bits);
        const auto value = static_cast<float>(half_to_double(bits));
        std::memcpy(out, &value, sizeof value);
      }
    }
}

void FfmpegPictureWriter::drain() {
  for (;;) {
    const int code = avcodec_receive_packet(encoder_.get(), packet_.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    if (code < 0) fail(code);
    target_.is_image ? write_image() : mux();
  }
}

// Creates the file under the first name that is free or may be replaced. A FIFO is opened once: its reader would take
// the end of a first opening for the end of the data.
AVIOContext* FfmpegPictureWriter::create() {
  failed_ = true;
  if (pipe_)
    file_ = std::make_unique<OutputFile>(*pipe_);
  else
    path_ = under_free_name(path_, if_exists_, [&](const std::string& name, size_t) {
      file_ = std::make_unique<OutputFile>(name, if_exists_ == IfExists::overwrite);
      return name;
    });
  failed_ = false;
  return file_->io();
}

// A packet of an image encoder is the whole file. FFmpeg's image2 muxer would write it too, but does not return the
// system's reason for a failure and does not notice a full disk.
void FfmpegPictureWriter::write_image() {
  const Bytes image = std::as_bytes(std::span(packet_->data, static_cast<size_t>(packet_->size)));
  if (is_single())
    single_.assign(image.begin(), image.end());
  else
    store(image);
  av_packet_unref(packet_.get());
}

void FfmpegPictureWriter::store(Bytes image) {
  failed_ = true;
  bytes_ += static_cast<int64_t>(image.size());
  if (pipe_) {
    if (const int error = write_all(pipe_->descriptor.get(), image)) throw_cannot_write(path_, error);
    failed_ = false;
    return;
  }
  const auto write_to = [&](const std::string& name, size_t) {
    write_new_file(name, {image}, if_exists_ == IfExists::overwrite);
    return name;
  };
  while (target_.is_sequence) {
    try {
      write_to(*numbered_name(path_, images_++), 1);
      break;
    } catch (const NameTaken&) {
      if (if_exists_ != IfExists::number) throw;
    }
  }
  if (!target_.is_sequence) path_ = under_free_name(path_, if_exists_, write_to);
  failed_ = false;
}

void FfmpegPictureWriter::mux() {
  packet_->duration = std::max<int64_t>(packet_->duration, 1);
  packet_->stream_index = 0;
  av_packet_rescale_ts(packet_.get(), encoder_->time_base, output_->streams[0]->time_base);
  const int code = av_interleaved_write_frame(output_.get(), packet_.get());
  if (code < 0) fail(code);
  if (output_->pb && output_->pb->error < 0) fail(output_->pb->error);
}

void FfmpegPictureWriter::finish() {
  if (!open_) return;
  open_ = false;
  if (const int code = avcodec_send_frame(encoder_.get(), nullptr); code < 0) fail(code);
  drain();
  if (!single_.empty()) store(single_);
  if (!output_) return;
  if (const int code = av_write_trailer(output_.get()); code < 0) fail(code);
  output_->pb = nullptr;  // close() frees it
  failed_ = true;
  if (file_) bytes_ = file_->close(OutputFile::OnClose::leave_to_system);
  failed_ = false;
}

FfmpegPictureWriter::~FfmpegPictureWriter() {
  if (!failed_) {
    try {
      finish();
    } catch (const std::exception& error) {
      log_error("{}", error.what());
    }
  }
  if (failed_ && file_ && file_->created()) unlink(path_.c_str());
}

}  // namespace

std::unique_ptr<PictureWriter> make_picture_writer(const PictureFile& file) {
  set_up_ffmpeg();
  const PixelAspect aspect = file.aspect;
  const std::string& path = file.pipe ? file.pipe->name : file.path;
  if (!aspect.is_square() && !has_place_for_aspect(path))
    log_warning("'{}' cannot store the pixel aspect {}:{}; .png, .y4m and .mp4 can", path, aspect.num, aspect.den);
  return std::make_unique<FfmpegPictureWriter>(file);
}

bool takes_floats(const std::string& path) {
  set_up_ffmpeg();
  return choose_picture_target(path, AV_PIX_FMT_GBRPF32, false).pixel_format == AV_PIX_FMT_GBRPF32;
}

void check_picture_name(const std::string& path, IfExists if_exists) {
  if (if_exists != IfExists::refuse) return;
  if (is_taken(path)) throw_name_taken(path);
  if (!numbered_name(path, 0)) return;
  if (const int64_t highest = highest_number(path); highest >= 0) throw_name_taken(*numbered_name(path, highest));
}

}  // namespace texcast::media
