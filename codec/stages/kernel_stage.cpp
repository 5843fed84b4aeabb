#include "kernel_stage.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/ensure.h"
#include "base/error.h"
#include "kernels/effort.h"
#include "kernels/layout.h"
#include "ocl/program.h"
#include "source_image.h"
#include "texcast/color.h"

namespace texcast::stages {
namespace {

static_assert(sizeof(texcast_source) == 16 * 4 && sizeof(texcast_target) == 9 * 4, "no padding: the kernels share it");
static_assert(TEXCAST_YUV420P == static_cast<int>(PixelFormat::yuv420p) &&
              TEXCAST_UYVY422 == static_cast<int>(PixelFormat::uyvy422) &&
              TEXCAST_RGB24 == static_cast<int>(PixelFormat::rgb24) &&
              TEXCAST_GRAY == static_cast<int>(PixelFormat::gray));
static_assert(TEXCAST_RANGE == static_cast<int>(Method::range) &&
              TEXCAST_REFINE_ONCE == static_cast<int>(Method::refine_once) &&
              TEXCAST_CLUSTER_SEARCH == static_cast<int>(Method::cluster_search));

// From kByteStep a byte's step to the kernels' unit of 2^22. The 1 beside the luma's constant keeps sums, which are
// even without it, off the middle between two bytes.
float unit(int32_t fixed_point) { return std::ldexp(static_cast<float>(fixed_point), -22); }

texcast_source source_argument(const FrameFormat& format) {
  const SourcePlacement placed = place_source(format);
  ENSURE(placed.padded_rows[0] == TEXCAST_PADDED_ROWS(format.height));
  const ColorConversion c = color_conversion(format.pixel_format, format.color);
  return {.width = format.width,
          .height = format.height,
          .offset0 = placed.offset[0],
          .offset1 = placed.offset[1],
          .offset2 = placed.offset[2],
          .stride0 = placed.stride[0],
          .stride1 = placed.stride[1],
          .stride2 = placed.stride[2],
          .bytes = static_cast<int>(placed.bytes),
          .chroma_offset = c.chroma_offset,
          .luma_scale = unit(c.luma_scale),
          .luma_constant = unit(1 - c.luma_offset * c.luma_scale),
          .red_v = unit(c.red_v),
          .green_u = unit(c.green_u),
          .green_v = unit(c.green_v),
          .blue_u = unit(c.blue_u)};
}

texcast_target target_argument(const TextureLayout& layout, const KernelPlan& plan) {
  const auto blocks_x = static_cast<uint64_t>(layout.planes[0].blocks_x);
  return {.blocks_x = layout.planes[0].blocks_x,
          .blocks_y = layout.planes[0].blocks_y,
          .chroma_blocks_x = layout.planes[1].blocks_x,
          .chroma_blocks_y = layout.planes[1].blocks_y,
          .plane1 = static_cast<int>(layout.planes[1].offset / 8),
          .plane2 = static_cast<int>(layout.planes[2].offset / 8),
          .inverse_blocks_x = static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, (uint64_t{1} << 32) / blocks_x + 1)),
          .first = plan.first,
          .step = plan.step};
}

class KernelStage : public Stage {
 public:
  KernelStage(const ocl::Device& device, const StageSettings& settings, const KernelPlan& plan)
      : info_(device.info()),
        layout_(texture_layout(settings.texture, settings.source.width, settings.source.height)),
        plan_(plan) {
    const FrameFormat& format = settings.source;
    const cl::Program program = ocl::build_program(device, plan.file, program_options(settings, plan));
    try {
      if (reads_image(settings, plan)) image_.emplace(device, format);
      kernel_ = cl::Kernel(program, plan.kernel.c_str());
      kernel_.setArg(2, source_argument(format));
      kernel_.setArg(3, target_argument(layout_, plan));
      if (!plan.table_kernel.empty()) {
        table_ = make_table(device, program, plan);
        kernel_.setArg(4, table_);
      }
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, info_);
    }
  }

  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                    const std::vector<cl::Event>& after) override {
    return launch(0, plan_.global_items, queue, source, blocks, after);
  }

  const cl::Event& first_command() const override { return first_; }

  std::vector<StageBand> cut(int most) override {
    cuts_ = cut_items(plan_, most);
    return bands_of(layout_, plan_, cuts_);
  }

  cl::Event enqueue_band(size_t band, const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                         const std::vector<cl::Event>& after) override {
    return launch(band == 0 ? 0 : cuts_[band - 1].items, cuts_[band].items, queue, source, blocks, after);
  }

 private:
  // Items `begin` to `end`, both at the bounds of work-groups.
  cl::Event launch(size_t begin, size_t end, const cl::CommandQueue& queue, const cl::Buffer& source,
                   const cl::Buffer& blocks, const std::vector<cl::Event>& after) {
    cl::Event done;
    try {
      if (begin == 0) {
        first_ = cl::Event();
        if (image_) image_now_ = &image_->of(queue, source, after, &first_);
      }
      if (image_)
        kernel_.setArg(0, *image_now_);
      else
        kernel_.setArg(0, source);
      kernel_.setArg(1, blocks);
      queue.enqueueNDRangeKernel(kernel_, begin == 0 ? cl::NullRange : cl::NDRange(begin), cl::NDRange(end - begin),
                                 cl::NDRange(plan_.group_items), after.empty() ? nullptr : &after, &done);
      if (first_() == nullptr) first_ = done;
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, info_);
    }
    return done;
  }

  static cl::Buffer make_table(const ocl::Device& device, const cl::Program& program, const KernelPlan& plan) {
    cl::Buffer entries(device.context(), CL_MEM_READ_WRITE, 16 * plan.table_entries);
    cl::Kernel fill(program, plan.table_kernel.c_str());
    fill.setArg(0, entries);
    const cl::CommandQueue queue = device.make_queue();
    queue.enqueueNDRangeKernel(fill, cl::NullRange, cl::NDRange(plan.table_entries));
    queue.finish();
    return entries;
  }

  DeviceInfo info_;
  cl::Kernel kernel_;
  cl::Buffer table_;  // a kernel does not keep its arguments alive
  std::optional<SourceImage> image_;
  const cl::Image2D* image_now_ = nullptr;  // of the frame whose bands are being enqueued
  cl::Event first_;
  const TextureLayout layout_;
  const KernelPlan plan_;
  std::vector<BandCut> cuts_;
};

}  // namespace

size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

std::string method_define(Method method) { return " -DMETHOD=" + std::to_string(static_cast<int>(method)); }

bool reads_image(const StageSettings& settings, const KernelPlan& plan) {
  return settings.source_memory == SourceMemory::image && !plan.bytes_only;
}

std::string program_options(const StageSettings& settings, const KernelPlan& plan) {
  const FrameFormat& format = settings.source;
  const bool full_rgb = is_rgb(format.pixel_format) && format.color.range == ColorRange::full;
  return "-DSOURCE_FORMAT=" + std::to_string(static_cast<int>(format.pixel_format)) +
         " -DSOURCE_IS_FULL_RGB=" + (full_rgb ? "1" : "0") + plan.defines +
         (reads_image(settings, plan) ? " -DSOURCE_IS_IMAGE=1" : "");
}

std::vector<KernelPlan> plans_for(const StageSettings& settings) {
  switch (settings.texture) {
    case TextureFormat::bc1: return {plan_bc1(settings)};
    case TextureFormat::ycocg_bc4_420:
    case TextureFormat::ycocg_bc4_422:
    case TextureFormat::ycocg_bc4_444: return {plan_ycocg_bc4(settings)};
    case TextureFormat::ycocg_dxt5: return {plan_ycocg_dxt5(settings)};
    case TextureFormat::ycocg_dxt5_alpha: {
      const TextureLayout layout = texture_layout(settings.texture, settings.source.width, settings.source.height);
      const auto alpha = static_cast<int>(layout.planes[1].offset / 8);
      return {plan_ycocg_dxt5(settings), plan_bc4_channel(settings, {.first = alpha, .step = 1, .plane = 1})};
    }
    case TextureFormat::bc4: return {plan_bc4_channel(settings, {})};
    case TextureFormat::bc3:
      return {plan_bc1(settings), plan_bc4_channel(settings, {.first = 0, .step = 2, .plane = 0})};
    case TextureFormat::bc1_ycbcr:
    case TextureFormat::uyvy:
    case TextureFormat::rgba8:
    case TextureFormat::rgb8:
    case TextureFormat::bgr8:
    case TextureFormat::yuyv: break;  // not encoded
  }
  ENSURE(false);
}

std::unique_ptr<Stage> make_kernel_stage(const ocl::Device& device, const StageSettings& settings,
                                         const KernelPlan& plan) {
  return std::make_unique<KernelStage>(device, settings, plan);
}

bool has_form(const StageSettings& settings) {
  if (settings.source_memory == SourceMemory::image &&
      (settings.form == Form::row16 || !SourceImage::reads(settings.source)))
    return false;
  const bool bytes_alone = settings.texture == TextureFormat::bc4 && has_alpha(settings.source);
  if (settings.source_memory == SourceMemory::image && bytes_alone) return false;
  if (settings.form == Form::wide) return true;
  if (settings.texture != TextureFormat::bc1 && settings.texture != TextureFormat::bc3) return false;
  const Method method = settings.method;
  if (settings.form == Form::group)
    return settings.texture == TextureFormat::bc1 && (method == Method::range || method == Method::lspiro1);
  const PixelFormat source = settings.source.pixel_format;
  return (method == Method::range || method == Method::refine_once || method == Method::refine) &&
         (source == PixelFormat::yuv420p || source == PixelFormat::nv12 || source == PixelFormat::rgba ||
          source == PixelFormat::bgra);
}

Form best_form(const ocl::Device& device, StageSettings settings) {
  settings.form = Form::row16;
  return !device.info().is_gpu && has_form(settings) ? Form::row16 : Form::wide;
}

namespace {

// Mesa's llvmpipe ends all loops of a kernel after 65535 rounds together, which gives wrong blocks, not an error.
// bc1/lspiro_search.cl stays below that up to radius 2.
void check_loops(const DeviceInfo& device, const StageSettings& settings) {
  constexpr int kSafeRadius = 2;
  if (!has_option(settings.texture, settings.method, MethodOption::radius) ||
      settings.options.radius_or_usual() <= kSafeRadius)
    return;
  if (device.name.find("llvmpipe") == std::string::npos) return;
  throw Error(ErrorKind::no_device, device.name + " ends long loops early, so a radius of " +
                                        std::to_string(settings.options.radius_or_usual()) +
                                        " cannot be searched there; use " + std::to_string(kSafeRadius) +
                                        ", or another device");
}

}  // namespace

std::unique_ptr<Stage> make_stage(const ocl::Device& device, const StageSettings& settings) {
  check_loops(device.info(), settings);
  ENSURE(has_form(settings) && !why_not(settings.texture, {}, settings.method, settings.options));
  if (settings.form == Form::group) return make_bc1_group_stage(device, settings);
  std::unique_ptr<Stage> stage;
  for (const KernelPlan& plan : plans_for(settings)) {
    auto next = make_kernel_stage(device, settings, plan);
    stage = stage ? in_sequence(std::move(stage), std::move(next)) : std::move(next);
  }
  return stage;
}

std::unique_ptr<Stage> make_memory_floor(const ocl::Device& device, const StageSettings& settings) {
  return make_kernel_stage(device, settings, plan_memory_floor(settings));
}

}  // namespace texcast::stages
