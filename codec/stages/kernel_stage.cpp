#include <algorithm>
#include <optional>

#include "base/ensure.h"
#include "devices/llvmpipe.h"
#include "kernel_plan.h"
#include "kernels/effort.h"
#include "kernels/layout.h"
#include "ocl/program.h"
#include "source_image.h"
#include "stages/source_argument.h"
#include "texcast/error.h"

namespace texcast::stages {
namespace {

static_assert(sizeof(texcast_target) == 9 * 4, "no padding: the kernels share it");
static_assert(TEXCAST_RANGE == static_cast<int>(Method::range) &&
              TEXCAST_REFINE_ONCE == static_cast<int>(Method::refine_once) &&
              TEXCAST_CLUSTER_SEARCH == static_cast<int>(Method::cluster_search));

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
        plan_(plan),
        only_changed_(settings.only_changed) {
    const FrameFormat& format = settings.source;
    const cl::Program program = ocl::build_program(device, plan.file, plan.options);
    try {
      if (plan.reads_image) image_.emplace(device, format);
      kernel_ = cl::Kernel(program, plan.kernel.c_str());
      kernel_.setArg(2, source_argument(format));
      kernel_.setArg(3, target_argument(layout_, plan));
      if (!plan.table_kernel.empty()) {
        table_ = make_table(device, program, plan);
        kernel_.setArg(4, table_);
      } else if (!plan.host_table.empty()) {
        // Only read, although OpenCL's signature is not const.
        table_ = cl::Buffer(device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, plan.host_table.size_bytes(),
                            const_cast<uint32_t*>(plan.host_table.data()));
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

  void encode_only(const cl::Buffer& changed) override {
    ENSURE(only_changed_);
    changed_ = changed;
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
  // Launches items `begin` to `end`, both at the bounds of work-groups.
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
      if (only_changed_) kernel_.setArg(table_() == nullptr ? 4 : 5, changed_);
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
  const bool only_changed_;
  cl::Buffer changed_;  // if only_changed_
  std::vector<BandCut> cuts_;
};

// Two kernels that encode one texture, in order on the same frame.
class SequenceStage : public Stage {
 public:
  SequenceStage(std::unique_ptr<Stage> first, std::unique_ptr<Stage> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                    const std::vector<cl::Event>& after) override {
    first_->enqueue(queue, source, blocks, after);
    return second_->enqueue(queue, source, blocks, {});  // queues are in order
  }
  void encode_only(const cl::Buffer& changed) override {
    first_->encode_only(changed);
    second_->encode_only(changed);
  }
  const cl::Event& first_command() const override { return first_->first_command(); }

  std::vector<StageBand> cut(int most) override {
    if (most < 2) return {};
    const auto same_plane = [](const StageBand& a, const StageBand& b) {
      return a.parts[0].offset == b.parts[0].offset;
    };
    auto bands = first_->cut(most);
    auto others = second_->cut(most);
    if (bands.empty() || others.empty()) return {};
    together_ = same_plane(bands.front(), others.front());
    if (together_) {
      // Both write a half of every block, so a band is final when both have written it.
      while (bands.size() != others.size()) {
        most = static_cast<int>(std::min(bands.size(), others.size()));
        bands = first_->cut(most);
        others = second_->cut(most);
      }
      return bands;
    }
    // The planes follow one another, the smaller one in fewer bands.
    const size_t bytes = bands.back().ready_bytes, all = others.back().ready_bytes;
    const auto share = static_cast<int>(static_cast<size_t>(most) * bytes / all);
    bands = first_->cut(std::clamp(share, 1, most - 1));
    first_bands_ = bands.size();
    others = second_->cut(most - static_cast<int>(first_bands_));
    bands.insert(bands.end(), others.begin(), others.end());
    return bands;
  }

  cl::Event enqueue_band(size_t band, const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                         const std::vector<cl::Event>& after) override {
    if (together_) {
      first_->enqueue_band(band, queue, source, blocks, after);
      return second_->enqueue_band(band, queue, source, blocks, {});
    }
    return band < first_bands_ ? first_->enqueue_band(band, queue, source, blocks, after)
                               : second_->enqueue_band(band - first_bands_, queue, source, blocks, after);
  }

 private:
  std::unique_ptr<Stage> first_;
  std::unique_ptr<Stage> second_;
  bool together_ = true;  // of the last cut
  size_t first_bands_ = 0;
};

// Mesa's llvmpipe aborts loops once all loops of a kernel have taken 65535 rounds together, which gives wrong blocks
// without an error. bc1/lspiro_search.cl stays below that up to radius 2.
void check_loops(const DeviceInfo& device, const StageSettings& settings) {
  constexpr int kSafeRadius = 2;
  if (!has_option(settings.texture, settings.method, MethodOption::radius) ||
      settings.options.radius_or_usual() <= kSafeRadius)
    return;
  if (!is_llvmpipe(device)) return;
  throw Error(ErrorKind::no_device,
              device.name + " aborts long loops, so a radius of " + std::to_string(settings.options.radius_or_usual()) +
                  " cannot be searched there; use " + std::to_string(kSafeRadius) + ", or another device");
}

std::vector<KernelPlan> plans_on(const ocl::Device& device, StageSettings settings) {
  settings.deal_blocks = settings.deal_blocks.value_or(device.info().is_gpu);
  return plans_for(settings);
}

}  // namespace

void Stage::encode_only(const cl::Buffer&) { ENSURE(!"a stage with StageSettings::only_changed"); }

cl::Event Stage::enqueue_band(size_t, const cl::CommandQueue&, const cl::Buffer&, const cl::Buffer&,
                              const std::vector<cl::Event>&) {
  ENSURE(!"a stage after cut()");
  return {};
}

Form best_form(const ocl::Device& device, StageSettings settings) {
  settings.form = Form::row16;
  return !device.info().is_gpu && has_form(settings) ? Form::row16 : Form::wide;
}

int usual_group_size(const ocl::Device& device, const StageSettings& settings) {
  constexpr int kLarge = 256;
  const bool deals = has_form(settings) && std::ranges::any_of(plans_on(device, settings), &KernelPlan::deals_blocks);
  return deals && device.info().max_group_size >= kLarge ? kLarge : StageSettings{}.group_size;
}

bool limits_registers(const ocl::Device& device) {
  const auto extensions = device.device().getInfo<CL_DEVICE_EXTENSIONS>();
  return extensions.find("cl_nv_compiler_options") != std::string::npos;
}

int programs_to_compile(const ocl::Device& device, const StageSettings& settings) {
  const auto plans = plans_on(device, settings);
  return static_cast<int>(std::count_if(plans.begin(), plans.end(), [&](const KernelPlan& plan) {
    return !ocl::is_built(device, plan.file, plan.options);
  }));
}

std::unique_ptr<Stage> make_stage(const ocl::Device& device, const StageSettings& settings) {
  check_loops(device.info(), settings);
  ENSURE(!why_not(settings.texture, {}, settings.method, settings.options));
  std::unique_ptr<Stage> stage;
  for (const KernelPlan& plan : plans_on(device, settings)) {
    auto next = std::make_unique<KernelStage>(device, settings, plan);
    if (stage)
      stage = std::make_unique<SequenceStage>(std::move(stage), std::move(next));
    else
      stage = std::move(next);
  }
  return stage;
}

std::unique_ptr<Stage> make_memory_floor(const ocl::Device& device, const StageSettings& settings) {
  return std::make_unique<KernelStage>(device, settings, plan_memory_floor(settings));
}

}  // namespace texcast::stages
