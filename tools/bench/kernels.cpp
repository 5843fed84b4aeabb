#include "bench/kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/ensure.h"
#include "bench/report.h"
#include "ocl/profile.h"
#include "ocl/program.h"
#include "stages/repack_stage.h"
#include "text/figures.h"
#include "tuner/sample_frame.h"
#include "tuner/tuning.h"

namespace texcast::bench {
namespace {

using stages::Form;

std::vector<Candidate> bc1_candidates(const FrameFormat& source, Method method, const MethodOptions& wanted) {
  const MethodOptions options = options_of(TextureFormat::bc1, method, wanted);
  std::vector<Candidate> all;
  const auto add = [&](const std::string& form, stages::StageSettings settings) {
    settings.options.passes = options.passes;
    settings.options.radius = options.radius;
    if (stages::has_form(settings))
      all.push_back({fmt::format("bc1 {}, {}", with_options(method, options), form), settings});
  };
  add("one item a block", {.source = source, .method = method});
  if (has_option(TextureFormat::bc1, method, MethodOption::black))
    add("one item a block, with black", {.source = source, .method = method, .options = {.allow_black = true}});
  add("one item a block, from an image",
      {.source = source, .method = method, .source_memory = stages::SourceMemory::image});
  add("16 blocks an item", {.source = source, .method = method, .form = Form::row16});
  for (const int per_group : {1, 2, 4, 8, 16})
    add(fmt::format("16 items a block, {} blocks a group", per_group),
        {.source = source, .method = method, .form = Form::group, .blocks_per_group = per_group});
  return all;
}

// Encodes the frame to a texture once, then repacks that.
class RepackOfSample : public stages::Stage {
 public:
  RepackOfSample(const ocl::Device& device, const Candidate& candidate)
      : encode_(stages::make_stage(device, {.source = candidate.settings.source,
                                            .texture = *candidate.repacked_from,
                                            .method = method_for(*candidate.repacked_from, Quality::fast)})),
        repack_(stages::make_repack_stage(device, {.from = *candidate.repacked_from,
                                                   .width = candidate.settings.source.width,
                                                   .height = candidate.settings.source.height,
                                                   .method = candidate.settings.method})),
        planes_(
            device.context(), CL_MEM_READ_WRITE,
            texture_layout(*candidate.repacked_from, candidate.settings.source.width, candidate.settings.source.height)
                .total_bytes) {}

  cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                    const std::vector<cl::Event>& after) override {
    if (encode_) encode_->enqueue(queue, source, planes_, after).wait();
    encode_.reset();
    return repack_->enqueue(queue, planes_, blocks, after);
  }
  const cl::Event& first_command() const override { return repack_->first_command(); }

 private:
  std::unique_ptr<stages::Stage> encode_, repack_;
  cl::Buffer planes_;
};

std::unique_ptr<stages::Stage> make(const ocl::Device& device, const Candidate& candidate) {
  if (candidate.repacked_from) return std::make_unique<RepackOfSample>(device, candidate);
  return candidate.is_floor ? stages::make_memory_floor(device, candidate.settings)
                            : stages::make_stage(device, candidate.settings);
}

cl::Buffer sample_on_device(const ocl::Device& device, const FrameFormat& source) {
  std::vector<std::byte> bytes(stages::place_source(source).bytes);
  tuner::fill_sample(source, bytes);
  return {device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data()};
}

cl::Buffer room_for_blocks(const ocl::Device& device, const std::vector<KernelTiming>& timings) {
  size_t largest = 0;
  for (const KernelTiming& t : timings) {
    const stages::StageSettings& settings = t.candidate.settings;
    const TextureLayout layout = texture_layout(settings.texture, settings.source.width, settings.source.height);
    largest = std::max(largest, layout.total_bytes);
  }
  return {device.context(), CL_MEM_READ_WRITE, largest};
}

// A kernel that runs on the device and is timed.
struct Runner {
  KernelTiming* timing;
  std::unique_ptr<stages::Stage> stage;
};

class KernelTimer {
 public:
  KernelTimer(const ocl::Device& device, const std::vector<KernelTiming>& timings,
              const tuner::TimingSettings& settings, const Progress& progress)
      : device_(device),
        source_(timings.front().candidate.settings.source),
        settings_(settings),
        progress_(progress),
        queue_(device.make_queue()),
        in_(sample_on_device(device, source_)),
        out_(room_for_blocks(device, timings)) {}

  // Builds and launches each kernel once, to leave out those that the device cannot launch, and those whose first
  // launch already exceeds the budget.
  std::vector<Runner> build(std::vector<KernelTiming>& timings) {
    std::vector<Runner> runners;
    for (size_t i = 0; i < timings.size(); ++i) {
      KernelTiming& timing = timings[i];
      if (progress_) progress_(fmt::format("building {} of {}, {}", i + 1, timings.size(), timing.candidate.name));
      try {
        auto stage = make(device_, timing.candidate);
        const tuner::Commands first = launch(*stage);
        first.last.wait();
        // The device's clock times a single command without compilation by the driver. Any other time may include it.
        const nanoseconds took = first.first() == first.last() ? ocl::duration(first.last) : nanoseconds{};
        if (settings_.budget > nanoseconds{} && took >= settings_.budget)
          timing.time = tuner::spread_of({took});
        else
          runners.push_back({&timing, std::move(stage)});
      } catch (const Error& error) {
        timing.failure = ocl::first_line(error.what());
      } catch (const cl::Error& error) {
        timing.failure = ocl::first_line(ocl::device_error(error, device_.info()).what());
      }
    }
    return runners;
  }

  void take_turns(const std::vector<Runner>& runners) {
    if (progress_) progress_(fmt::format("timing {} kernels in turn", runners.size()));
    std::vector<tuner::Run> runs;
    for (const Runner& runner : runners)
      runs.push_back(tuner::on_device([this, stage = runner.stage.get()] { return launch(*stage); }));
    tuner::TimingSettings rest = settings_;
    rest.warm_up = std::max(0, settings_.warm_up - 1);  // build() has launched each kernel once
    const std::vector<tuner::Spread> spreads = tuner::time_in_turns(runs, rest);
    for (size_t i = 0; i < runners.size(); ++i) runners[i].timing->time = spreads[i];
  }

 private:
  tuner::Commands launch(stages::Stage& stage) {
    cl::Event done = stage.enqueue(queue_, in_, out_, {});
    return {stage.first_command(), std::move(done)};
  }

  const ocl::Device& device_;
  FrameFormat source_;
  tuner::TimingSettings settings_;
  const Progress& progress_;
  cl::CommandQueue queue_;
  cl::Buffer in_, out_;
};

}  // namespace

double megapixels_per_second(const FrameFormat& format, double microseconds) {
  return microseconds > 0 ? static_cast<double>(format.width) * format.height / microseconds : 0;
}

std::string with_options(Method method, const MethodOptions& options) {
  std::string text(name(method));
  if (options.passes_or_usual() != kUsualPasses) text += fmt::format(" --passes {}", *options.passes);
  if (options.radius_or_usual() != kUsualRadius) text += fmt::format(" --radius {}", *options.radius);
  if (options.allow_black) text += " --black";
  return text;
}

std::vector<Candidate> all_candidates(const FrameFormat& source, const std::string& only,
                                      const MethodOptions& options) {
  std::vector<Candidate> all;
  for (const Method method : kMethods)
    for (Candidate& candidate : bc1_candidates(source, method, options)) all.push_back(std::move(candidate));
  for (const TextureFormat texture : encoded_formats())
    for (const Method method : kMethods)
      if (texture != TextureFormat::bc1 && has_method(texture, method)) {
        Candidate candidate{fmt::format("{} {}", name(texture), name(method)),
                            {.source = source, .texture = texture, .method = method}};
        all.push_back(candidate);
        candidate.name += ", 16 blocks an item";
        candidate.settings.form = Form::row16;
        if (stages::has_form(candidate.settings)) all.push_back(std::move(candidate));
      }
  for (const TextureFormat from : {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444})
    for (const Method method : {Method::refine_once, Method::refine})
      all.push_back({.name = fmt::format("{} as Hap Q, {}", name(from), name(method)),
                     .settings = {.source = source, .texture = TextureFormat::ycocg_dxt5, .method = method},
                     .repacked_from = from});
  std::erase_if(all, [&](const Candidate& c) { return c.name.find(only) == std::string::npos; });
  all.insert(all.begin(), {"memory floor (reads the frame, writes 8 bytes a block)", {.source = source}, true});
  return all;
}

bool is_slow_form(const DeviceInfo& device, const stages::StageSettings& settings) {
  if (device.is_gpu) return settings.form == Form::row16;
  return settings.form == Form::group || settings.source_memory == stages::SourceMemory::image;
}

void work_out(std::vector<KernelTiming>& timings) {
  const auto floor = std::find_if(timings.begin(), timings.end(),
                                  [](const KernelTiming& t) { return t.candidate.is_floor && t.failure.empty(); });
  const double floor_us = floor == timings.end() ? 0 : floor->time.median_us;
  for (KernelTiming& t : timings) {
    t.megapixels_per_second = megapixels_per_second(t.candidate.settings.source, t.time.median_us);
    t.times_floor = floor_us > 0 ? t.time.median_us / floor_us : 0;
  }
}

std::vector<KernelTiming> time_kernels(const ocl::Device& device, std::vector<Candidate> candidates,
                                       const tuner::TimingSettings& settings, const Progress& progress) {
  if (candidates.empty()) return {};
  std::vector<KernelTiming> timings;
  for (Candidate& c : candidates) timings.push_back({.candidate = std::move(c)});
  for (const KernelTiming& t : timings)
    ENSURE(t.candidate.settings.source == timings.front().candidate.settings.source);
  try {
    KernelTimer timer(device, timings, settings, progress);
    timer.take_turns(timer.build(timings));
  } catch (const cl::Error& error) {
    throw ocl::device_error(error, device.info());
  }
  work_out(timings);
  return timings;
}

std::string kernel_table(const std::vector<KernelTiming>& timings) {
  std::string text = fmt::format("{:<56} {:>10} {:>10} {:>10} {:>6} {:>8} {:>8}\n", "kernel", "min us", "median", "max",
                                 "rounds", "MP/s", "x floor");
  for (const KernelTiming& t : timings) {
    if (!t.failure.empty()) {
      text += fmt::format("{:<56} cannot run: {}\n", t.candidate.name, t.failure);
      continue;
    }
    text += fmt::format("{:<56} {:>10.1f} {:>10.1f} {:>10.1f} {:>6} {:>8} {:>8.2f}\n", t.candidate.name, t.time.min_us,
                        t.time.median_us, t.time.max_us, t.time.rounds, three_digits(t.megapixels_per_second),
                        t.times_floor);
  }
  return text;
}

Json to_json(const KernelTiming& t) {
  const stages::StageSettings& s = t.candidate.settings;
  Json json = Json::object({{"name", t.candidate.name}, {"memory_floor", t.candidate.is_floor}});
  if (!t.candidate.is_floor) {
    json["format"] = name(s.texture);
    json["method"] = name(s.method);
    if (has_option(s.texture, s.method, MethodOption::passes)) json["passes"] = s.options.passes_or_usual();
    if (has_option(s.texture, s.method, MethodOption::radius)) json["radius"] = s.options.radius_or_usual();
    json["form"] = tuner::name(s.form);
    if (s.form == stages::Form::group) json["blocks_per_group"] = s.blocks_per_group;
    json["source_memory"] = tuner::name(s.source_memory);
  }
  if (!t.failure.empty()) {
    json["failure"] = t.failure;
    return json;
  }
  add_spread(json, t.time);
  json["megapixels_per_s"] = t.megapixels_per_second;
  json["times_floor"] = t.times_floor;
  return json;
}

}  // namespace texcast::bench
