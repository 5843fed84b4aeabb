#include "prepare_kernels.h"

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "compact/opencl_lossless_backend.h"
#include "compact/opencl_lossy_backend.h"
#include "compact/opencl_reconstruction_backend.h"
#include "compact/payload.h"
#include "compact/tile_grid.h"
#include "texcast/device.h"
#include "texcast/encoder.h"
#include "texcast/error.h"
#include "texcast/transcoder.h"
#include "text/progress.h"
#include "text/verbosity.h"

namespace texcast::cli {
namespace {

constexpr std::array kUsualFormats = {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444};

// In this order: files of 8 bits and the test card, films of 10 bits, cameras, screens.
struct UsualSource {
  PixelFormat pixel_format;
  ColorSpec color{};
};
constexpr std::array kUsualSources = {UsualSource{PixelFormat::yuv420p, {}}, UsualSource{PixelFormat::yuv420p10, {}},
                                      UsualSource{PixelFormat::nv12, {}}, UsualSource{PixelFormat::bgra, kFullRange}};

// Programs do not depend on the size, but the fastest variant of a kernel does (tuner/tune.h), and so does the code
// that a driver compiles at the launch of a kernel.
struct UsualSize {
  int width, height;
};
constexpr std::array kUsualSizes = {UsualSize{1280, 720}, UsualSize{1920, 1080}, UsualSize{3840, 2160}};
constexpr size_t kUsualPayload = 1400;  // bytes

FrameFormat frames_of(const UsualSource& source, const UsualSize& size) {
  return {.pixel_format = source.pixel_format,
          .width = size.width,
          .height = size.height,
          .color = source.color,
          .opaque = true};
}

void timed(const std::string& what, const std::function<void()>& build) {
  const SteadyTime begun = steady_now();
  {
    StatusLine under_way;
    under_way.show(fmt::format("building: {} …", what));
    build();
  }
  if (!reports()) return;
  fmt::print("{:5.1f} s  {}\n", in_seconds(steady_now() - begun), what);
  std::fflush(stdout);
}

// The encoders of `send` (coded streams: changed tiles; raw streams: bands) and of `encode` (whole frames). Like these
// commands it times the variants of a kernel on GPUs only.
void prepare_encoder(const DeviceInfo& device, TextureFormat format, const UsualSource& source) {
  struct Use {
    int bands;
    bool compare;
  };
  for (const UsualSize& size : kUsualSizes)
    for (const Use use : {Use{1, true}, Use{kBandsAuto, false}, Use{1, false}})
      make_encoder({.source = frames_of(source, size),
                    .texture = format,
                    .device = std::to_string(device.index),
                    .tune = device.is_gpu ? std::nullopt : std::optional(TuneMode::off),
                    .start = EncoderStart::when_built,
                    .bands = use.bands,
                    .compare = use.compare})
          ->warm_up();
}

// For streams that are recorded as Hap Q.
void prepare_transcoder(const DeviceInfo& device, const TextureDesc& texture) {
  const auto transcoder =
      make_transcoder({.from = texture, .device = std::to_string(device.index), .frames_in_flight = 1});
  const std::vector<std::byte> black(texture_layout(texture).total_bytes);
  transcoder->submit({texture, black});
  transcoder->next();
}

// The kernels that code streams, and those that decode lossy ones.
void prepare_coder(const DeviceInfo& device, const TextureDesc& texture) {
  const compact::TileGrid grid(texture);
  if (grid.is_opaque()) return;
  const std::string_view format = name(texture.format);
  timed(fmt::format("coder of {}", format),
        [&] { compact::make_opencl_lossless_backend(device, grid, compact::slice_room(kUsualPayload)); });
  if (!compact::TileGrid::can_be_lossy(texture.format) || !grid.has_planes_of_channels()) return;
  timed(fmt::format("lossy coder of {}", format), [&] {
    for (const UsualSource& source : kUsualSources) {
      const FrameFormat picture = frames_of(source, {texture.width, texture.height});
      compact::make_opencl_lossy_backend(device, grid, &picture, true);
    }
  });
  timed(fmt::format("lossy decoder of {}", format), [&] { compact::make_opencl_reconstruction_backend(device, grid); });
}

void prepare_format(const DeviceInfo& device, TextureFormat format) {
  for (const UsualSource& source : kUsualSources)
    timed(fmt::format("encoder of {} from {}", name(format), name(source.pixel_format)),
          [&] { prepare_encoder(device, format, source); });
  const UsualSize size = kUsualSizes.front();
  const TextureDesc texture{.format = format, .width = size.width, .height = size.height};
  if (can_transcode(format, TextureFormat::ycocg_dxt5))
    timed(fmt::format("Hap Q of {}, for recordings", name(format)), [&] { prepare_transcoder(device, texture); });
  const auto coder =
      compact::TileGrid::can_cut(format) ? compact::usual_device(std::to_string(device.index)) : std::nullopt;
  if (coder) prepare_coder(*coder, texture);
}

}  // namespace

void prepare_kernels(const std::string& selectors, const std::optional<TextureFormat>& format) {
  for (const DeviceChoice& choice : choose_devices(selectors)) {
    if (choice.cpu_reference) throw Error(ErrorKind::usage, "cpu-reference has no kernels: name an OpenCL device");
    if (reports()) fmt::print("{} ({})\n", choice.device.name, choice.device.platform);
    if (format)
      prepare_format(choice.device, *format);
    else
      for (const TextureFormat usual : kUsualFormats) prepare_format(choice.device, usual);
  }
}

}  // namespace texcast::cli
