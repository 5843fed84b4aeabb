#include "picture_decoder.h"

#include <algorithm>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "pixel_rows.h"
#include "texcast/decoder.h"
#include "texcast/error.h"
#include "texture_rows.h"

namespace texcast::gstreamer {
namespace {

constexpr int kMostThreads = 16;
constexpr int kLeastRows = 32;  // of a band

int usual_threads() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads); }

// Chroma of half height is interpolated, so a band needs rows of its neighbours.
int rows_beside(TextureFormat format) {
  const bool interpolates = is_planar_ycocg(format) && format_row(format).planes[1].down > 1;
  return interpolates ? rows_of_blocks(format) : 0;
}

}  // namespace

// Rows of the picture that one thread decodes.
struct PictureDecoder::Band {
  const TextureView* texture = nullptr;
  GstVideoFrame* frame = nullptr;
  PixelLayout layout{};
  int first = 0, end = 0;
  std::vector<std::byte> blocks{};
  DecodedImage image{};
  std::exception_ptr failure{};

  void decode() {
    const int beside = rows_beside(texture->desc.format);
    const int from = std::max(first - beside, 0), to = std::min(end + beside, texture->desc.height);
    decode_texture(cut_rows(*texture, from, to, blocks), image);
    auto* pixels = static_cast<uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(frame, 0));
    const std::ptrdiff_t stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0);
    for (int y = first; y < end; ++y) write_row(image, y - from, layout, pixels + y * stride);
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

bool PictureDecoder::set_output(const GstVideoInfo& info) {
  output_ = info;
  converter_.reset();
  middle_.reset();
  const auto layout = pixel_layout(info);
  if (layout && !layout->is_gray) return true;
  if (!gst_video_info_set_format(&middle_info_, GST_VIDEO_FORMAT_RGBA, static_cast<guint>(info.width),
                                 static_cast<guint>(info.height)))
    return false;
  middle_info_.fps_n = info.fps_n;  // the converter wants them alike
  middle_info_.fps_d = info.fps_d;
  middle_info_.par_n = info.par_n;
  middle_info_.par_d = info.par_d;
  middle_.reset(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&middle_info_), nullptr));
  if (!middle_) throw std::bad_alloc();
  GstStructure* config = gst_structure_new("texcast-converter", GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT,
                                           static_cast<guint>(usual_threads()), nullptr);
  converter_.reset(gst_video_converter_new_with_pool(&middle_info_, &output_, config, workers_.get()));
  return converter_ != nullptr;
}

void PictureDecoder::decode(const TextureView& texture, GstVideoFrame& frame) {
  if (!converter_ || (pixel_layout(output_) && channel_count(texture.desc.format) == 1))
    return decode_bands(texture, frame);
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
  const int height = texture.desc.height, unit = rows_of_blocks(texture.desc.format);
  const int least = (kLeastRows + unit - 1) / unit * unit;
  const int even = (height / usual_threads() + unit) / unit * unit;
  const int rows = std::max(least, even);
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
