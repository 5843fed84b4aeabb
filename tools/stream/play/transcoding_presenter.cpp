#include "stream/transcoding_presenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"
#include "texcast/device.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

// Best first. What a BC1 picture shows is known to every display (player/gl: require_texture_formats).
constexpr TextureFormat kForRgb[] = {TextureFormat::bc7, TextureFormat::bc1};
constexpr TextureFormat kForRgba[] = {TextureFormat::bc7, TextureFormat::bc3, TextureFormat::bc1};
constexpr TextureFormat kForGray[] = {TextureFormat::bc4, TextureFormat::bc1};
constexpr TextureFormat kForRedGreen[] = {TextureFormat::bc5, TextureFormat::bc1};

std::span<const TextureFormat> substitutes(ColorModel model) {
  switch (model) {
    case ColorModel::rgb: return kForRgb;
    case ColorModel::rgba: return kForRgba;
    case ColorModel::gray: return kForGray;
    case ColorModel::red_green: return kForRedGreen;
    default: return {};
  }
}

// Of the first plane that the display does not take.
std::string_view missing_coding(const player::Presenter& display, TextureFormat format) {
  for (int p = 0; p < plane_count(format); ++p)
    if (const Coding& coding = plane_coding(format, static_cast<size_t>(p)); !display.takes(coding.id))
      return coding.name;
  return name(format);
}

std::string complaint(const player::Presenter& display, TextureFormat format) {
  return fmt::format("this GPU ({}) does not take {}", display.renderer(), missing_coding(display, format));
}

}  // namespace

bool takes(const player::Presenter& display, TextureFormat format) {
  for (int p = 0; p < plane_count(format); ++p)
    if (!display.takes(plane_coding(format, static_cast<size_t>(p)).id)) return false;
  return true;
}

std::optional<TextureFormat> shown_as(TextureFormat format, const player::Presenter& display, bool gpu_transcodes) {
  for (const TextureFormat to : substitutes(format_row(format).model)) {
    const bool is_fast_enough = to != TextureFormat::bc7 || gpu_transcodes;
    if (is_fast_enough && can_transcode(format, to) && takes(display, to)) return to;
  }
  return std::nullopt;
}

TranscodingPresenter::TranscodingPresenter(std::unique_ptr<player::Presenter> display, std::string device)
    : display_(std::move(display)), device_(std::move(device)) {}

TranscodingPresenter::~TranscodingPresenter() = default;

void TranscodingPresenter::upload(const TextureView& texture, const RowChanges& changes) {
  if (stream::takes(*display_, texture.desc.format)) return display_->upload(texture, changes);
  Transcoder& transcoder = transcoder_for(texture.desc);
  if (ahead_.data() != texture.blocks.data()) {
    take_unwanted();
    transcoder.submit(texture);
  }
  ahead_ = {};
  display_->upload(transcoder.next(), {});
}

void TranscodingPresenter::upload_ahead(const TextureView& texture, size_t ready_bytes, const RowChanges& changes) {
  if (stream::takes(*display_, texture.desc.format)) return display_->upload_ahead(texture, ready_bytes, changes);
  // The first texture makes the transcoder: that is upload()'s, which may throw. Halves are of no use.
  if (!transcoder_ || texture.desc != desc_ || ready_bytes < texture.blocks.size() || !ahead_.empty()) return;
  take_unwanted();
  transcoder_->submit(texture);
  ahead_ = texture.blocks;
}

void TranscodingPresenter::drop_ahead() {
  ahead_ = {};
  display_->drop_ahead();
}

Transcoder& TranscodingPresenter::transcoder_for(const TextureDesc& desc) {
  if (transcoder_ && desc == desc_) return *transcoder_;
  if (!shown_as(desc.format, *display_, true))
    throw Error(ErrorKind::no_display,
                fmt::format("{}, and {} cannot be transcoded to what it takes; update the graphics driver, set "
                            "LIBGL_ALWAYS_SOFTWARE=1 for Mesa's software renderer, or use --no-window",
                            complaint(*display_, desc.format), name(desc.format)));
  ahead_ = {};
  transcoder_.reset();  // its memory may be needed
  try {
    const auto to = shown_as(desc.format, *display_, choose_device(device_).device.is_gpu);
    ENSURE(to);  // BC1, if nothing else
    transcoder_ = make_transcoder({.from = desc, .to = *to, .device = device_, .frames_in_flight = 1});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_device) throw;
    throw Error(ErrorKind::no_device, fmt::format("{}, and no OpenCL device to transcode {} on: {}",
                                                  complaint(*display_, desc.format), name(desc.format), error.what()));
  }
  desc_ = desc;
  say(desc.format, transcoder_->texture_desc().format);
  return *transcoder_;
}

void TranscodingPresenter::say(TextureFormat from, TextureFormat to) {
  if (told_ == from) return;
  told_ = from;
  const bool loses_alpha = format_row(from).model == ColorModel::rgba && format_row(to).model == ColorModel::rgb;
  log_info("{}: shown as {}{}, transcoded on {}", complaint(*display_, from), name(to),
           loses_alpha ? " without its alpha" : "", transcoder_->device_name());
}

// What was begun and is not shown after all.
void TranscodingPresenter::take_unwanted() {
  while (transcoder_->in_flight() > 0) transcoder_->next();
}

}  // namespace texcast::stream
