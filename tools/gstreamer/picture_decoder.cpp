#include "picture_decoder.h"

#include <algorithm>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "pixel_rows.h"
#include "texcast/decoder.h"
#include "texcast/error.h"
#include "video_formats.h"

namespace texcast::gstreamer {
namespace {

constexpr int kMostThreads = 16;
constexpr int kBandUnit = 32;  // rows: whole blocks in most formats

int usual_threads() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads); }

}  // namespace

// Rows of the picture that one thread decodes.
struct PictureDecoder::Band {
  const TextureView* texture = nullptr;
  GstVideoFrame* frame = nullptr;
  PixelLayout layout{};
  int first = 0, end = 0;
  RowDecoder rows{};
  std::exception_ptr failure{};

  void decode() {
    rows.decode(*texture, first, end);
    auto* pixels = static_cast<uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(frame, 0));
    const std::ptrdiff_t stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0);
    for (int y = first; y < end; ++y) write_row(rows.image(), y - rows.first_row(), layout, pixels + y * stride);
  }

  static void run(gpointer band) {
    auto* self = static_cast<Band*>(band);
    try {
      self->decode();
    } catch (...) {
      self->failure = std::current_exception();
    }
  }
};

void PictureDecoder::Unref::operator()(GstTaskPool* pool) const {
  gst_task_pool_cleanup(pool);
  gst_object_unref(pool);
}

PictureDecoder::PictureDecoder() : workers_(gst_shared_task_pool_new()) {
  gst_shared_task_pool_set_max_threads(GST_SHARED_TASK_POOL(workers_.get()), static_cast<guint>(usual_threads()));
  gst_task_pool_prepare(workers_.get(), nullptr);
}

PictureDecoder::~PictureDecoder() = default;

void PictureDecoder::use_device(std::string device, DevicePictures::OnFailure on_failure) {
  device_.use(std::move(device), std::move(on_failure));
  is_by_device_ = false;
}

void PictureDecoder::release() {
  device_.close();
  cpu_.reset();
  is_by_device_ = false;
}

bool PictureDecoder::set_output(const GstVideoInfo& info) {
  output_ = info;
  converter_.reset();
  middle_.reset();
  const auto layout = pixel_layout(info);
  return (layout && !layout->is_gray) || picture_format(info, TextureFormat::bc1) || make_converter();
}

bool PictureDecoder::make_converter() {
  if (!gst_video_info_set_format(&middle_info_, GST_VIDEO_FORMAT_RGBA, static_cast<guint>(output_.width),
                                 static_cast<guint>(output_.height)))
    return false;
  middle_info_.fps_n = output_.fps_n;  // the converter wants them alike
  middle_info_.fps_d = output_.fps_d;
  middle_info_.par_n = output_.par_n;
  middle_info_.par_d = output_.par_d;
  middle_.reset(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&middle_info_), nullptr));
  if (!middle_) throw std::bad_alloc();
  GstStructure* config = gst_structure_new("texcast-converter", GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT,
                                           static_cast<guint>(usual_threads()), nullptr);
  converter_.reset(gst_video_converter_new_with_pool(&middle_info_, &output_, config, workers_.get()));
  return converter_ != nullptr;
}

void PictureDecoder::decode(const TextureView& texture, GstVideoFrame& frame) {
  const auto to = picture_format(output_, texture.desc.format);
  is_by_device_ = to && device_.convert(texture, *to, mutable_planes(*to, frame));
  if (is_by_device_) return;
  const auto layout = pixel_layout(output_);
  if (layout && (!layout->is_gray || channel_count(texture.desc.format) == 1)) return decode_bands(texture, frame);
  if (to) return decode_by_library(texture, *to, mutable_planes(*to, frame));
  decode_by_gstreamer(texture, frame);
}

void PictureDecoder::decode_by_library(const TextureView& texture, const FrameFormat& to, const MutablePlanes& planes) {
  const PictureConversion wanted{.from = texture.desc, .to = to, .device = kNoDevice};
  if (!cpu_ || cpu_conversion_ != wanted) {
    cpu_ = make_picture_converter(wanted);
    cpu_conversion_ = wanted;
  }
  cpu_->convert(texture, planes);
}

void PictureDecoder::decode_by_gstreamer(const TextureView& texture, GstVideoFrame& frame) {
  if (!converter_ && !make_converter()) throw Error(ErrorKind::usage, "GStreamer does not convert to this format");
  GstVideoFrame middle;
  if (!gst_video_frame_map(&middle, &middle_info_, middle_.get(), GST_MAP_READWRITE)) throw std::bad_alloc();
  const struct Unmap {
    GstVideoFrame& frame;
    ~Unmap() { gst_video_frame_unmap(&frame); }
  } unmap{middle};
  decode_bands(texture, middle);
  gst_video_converter_frame(converter_.get(), &middle, &frame);
}

void PictureDecoder::decode_bands(const TextureView& texture, GstVideoFrame& frame) {
  const int height = texture.desc.height, even = height / usual_threads() + 1;
  const int rows = (even + kBandUnit - 1) / kBandUnit * kBandUnit;
  const auto count = static_cast<size_t>((height + rows - 1) / rows);
  while (bands_.size() < count) bands_.push_back(std::make_unique<Band>());
  const auto layout = pixel_layout(frame.info);
  std::vector<gpointer> running(count);
  for (size_t i = 0; i < count; ++i) {
    Band& band = *bands_[i];
    band.texture = &texture;
    band.frame = &frame;
    band.layout = *layout;
    band.first = static_cast<int>(i) * rows;
    band.end = std::min(band.first + rows, height);
    band.failure = nullptr;
    if (i > 0) running[i] = gst_task_pool_push(workers_.get(), Band::run, &band, nullptr);
  }
  Band::run(bands_[0].get());
  for (size_t i = 1; i < count; ++i) {
    if (running[i] != nullptr)
      gst_task_pool_join(workers_.get(), running[i]);
    else
      Band::run(bands_[i].get());  // there is no further thread
  }
  for (size_t i = 0; i < count; ++i)
    if (bands_[i]->failure) std::rethrow_exception(bands_[i]->failure);
}

}  // namespace texcast::gstreamer
