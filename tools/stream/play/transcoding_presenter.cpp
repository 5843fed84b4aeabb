#include "stream/transcoding_presenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "base/log.h"
#include "texcast/device.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

// If the destructor waits longer than this for the compiler, that is logged.
constexpr auto kQuietWait = std::chrono::milliseconds(300);

// Best first. Every display supports BC1 (player/gl: require_texture_formats).
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

// The coding of the first plane that the display does not take.
std::string_view missing_coding(const player::Presenter& display, TextureFormat format) {
  for (int p = 0; p < plane_count(format); ++p)
    if (const Coding& coding = plane_coding(format, static_cast<size_t>(p)); !display.takes(coding.id))
      return coding.name;
  return name(format);
}

std::string complaint(const player::Presenter& display, TextureFormat format) {
  return fmt::format("the GPU ({}) does not support {}", display.renderer(), missing_coding(display, format));
}

// The target format if the device is a GPU, and if it is not.
struct Substitutes {
  TextureFormat by_gpu{}, by_cpu{};
};

std::string shown_text(TextureFormat from, TextureFormat to, const std::string& device) {
  const bool loses_alpha = format_row(from).model == ColorModel::rgba && format_row(to).model == ColorModel::rgb;
  return fmt::format("{}{}, transcoded on {}", name(to), loses_alpha ? " without alpha" : "", device);
}

// On a thread of its own. A black texture goes through the transcoder first: some drivers compile at a kernel's first
// launch.
std::unique_ptr<Transcoder> made_transcoder(const TextureDesc& from, Substitutes to, const std::string& device,
                                            const std::string& complaint, bool tell) {
  try {
    const DeviceChoice choice = choose_device(device);
    const DeviceInfo& info = choice.device;
    const TextureFormat format = info.is_gpu ? to.by_gpu : to.by_cpu;
    if (tell)
      log_info("{}: shown as {}", complaint,
               shown_text(from.format, format,
                          choice.cpu_reference ? "cpu-reference" : fmt::format("{} ({})", info.name, info.platform)));
    auto transcoder = make_transcoder({.from = from, .to = format, .device = device, .frames_in_flight = 1});
    if (choice.cpu_reference) return transcoder;
    const std::vector<std::byte> black(texture_layout(from).total_bytes);
    transcoder->submit({from, black});
    transcoder->next();
    return transcoder;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_device) throw;
    throw Error(ErrorKind::no_device, fmt::format("{}, and no OpenCL device can transcode {}: {}", complaint,
                                                  name(from.format), error.what()));
  }
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
    : device_(std::move(device)), display_(std::move(display)) {}

TranscodingPresenter::~TranscodingPresenter() {
  display_.reset();
  if (made_.valid() && made_.wait_for(kQuietWait) != std::future_status::ready)
    log_info(
        "waiting for the compiler of the display's kernels, which cannot be stopped; they are kept for the next start");
}

std::optional<std::string> TranscodingPresenter::prepare(const TextureDesc& desc) {
  if (is_taken(desc.format)) return std::nullopt;
  if (made_.valid() && !is_being_made()) take_made();
  if (transcoder_ && desc == desc_) return std::nullopt;
  if (!made_.valid()) begin(desc);
  return fmt::format("compiling the kernel that transcodes {} for this GPU: {:.0f} s", name(desc.format),
                     std::floor(in_seconds(steady_now() - begun_)));
}

void TranscodingPresenter::upload(const TextureView& texture, const RowChanges& changes) {
  if (is_taken(texture.desc.format)) {
    transcoding_.reset();
    return display_->upload(texture, changes);
  }
  Transcoder& transcoder = transcoder_for(texture.desc);
  if (ahead_.data() != texture.blocks.data()) {
    take_unwanted();
    transcoder.submit(texture);
  }
  ahead_ = {};
  const TextureView made = transcoder.next();
  display_->upload(made, {});
  if (!transcoding_ || transcoding_->from != texture.desc.format)
    transcoding_ = {texture.desc.format, made.desc.format, transcoder.device_name()};
}

void TranscodingPresenter::upload_ahead(const TextureView& texture, size_t ready_bytes, const RowChanges& changes) {
  if (is_taken(texture.desc.format)) return display_->upload_ahead(texture, ready_bytes, changes);
  // Only complete textures are started early.
  if (!transcoder_ || texture.desc != desc_ || ready_bytes < texture.blocks.size() || !ahead_.empty()) return;
  take_unwanted();
  transcoder_->submit(texture);
  ahead_ = texture.blocks;
}

void TranscodingPresenter::drop_ahead() {
  ahead_ = {};
  display_->drop_ahead();
}

std::string TranscodingPresenter::shown_as() const {
  return transcoding_ ? shown_text(transcoding_->from, transcoding_->to, transcoding_->device) : "";
}

// The result is kept: the render loop asks in every iteration, and OpenGL searches all its extensions each time.
bool TranscodingPresenter::is_taken(TextureFormat format) {
  if (asked_ != format) {
    asked_ = format;
    asked_is_taken_ = stream::takes(*display_, format);
  }
  return asked_is_taken_;
}

void TranscodingPresenter::begin(const TextureDesc& desc) {
  begun_ = steady_now();
  const auto by_gpu = stream::shown_as(desc.format, *display_, true);
  if (!by_gpu)
    throw Error(
        ErrorKind::no_display,
        fmt::format("{}, and {} cannot be transcoded to a format that it supports; update the graphics driver, set "
                    "LIBGL_ALWAYS_SOFTWARE=1 for Mesa's software renderer, send another format "
                    "(send --format bc1), or use --no-window",
                    complaint(*display_, desc.format), name(desc.format)));
  const auto by_cpu = stream::shown_as(desc.format, *display_, false);
  ENSURE(by_cpu);  // at least BC1
  ahead_ = {};
  transcoder_.reset();  // first, as its memory may be needed
  desc_ = desc;
  const bool tell = told_.insert(desc.format).second;
  made_ = std::async(std::launch::async, made_transcoder, desc, Substitutes{*by_gpu, *by_cpu}, device_,
                     complaint(*display_, desc.format), tell);
}

bool TranscodingPresenter::is_being_made() const {
  return made_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void TranscodingPresenter::take_made() { transcoder_ = made_.get(); }

Transcoder& TranscodingPresenter::transcoder_for(const TextureDesc& desc) {
  if (made_.valid()) take_made();
  if (!transcoder_ || desc != desc_) {
    begin(desc);
    take_made();
  }
  return *transcoder_;
}

// Discards a texture that was started early and is not shown.
void TranscodingPresenter::take_unwanted() {
  while (transcoder_->in_flight() > 0) transcoder_->next();
}

}  // namespace texcast::stream
