#include "measure/kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/ensure.h"
#include "measure/sample_frame.h"

namespace texcast::measure {
namespace {

using stages::Form;

std::vector<Candidate> bc1_candidates(const FrameFormat& source, Method method) {
  std::vector<Candidate> all;
  const auto add = [&](const std::string& form, const stages::StageSettings& settings) {
    if (stages::has_form(settings)) all.push_back({fmt::format("bc1 {}, {}", name(method), form), settings});
  };
  add("one item a block", {.source = source, .method = method});
  add("16 blocks an item", {.source = source, .method = method, .form = Form::row16});
  for (const int per_group : {1, 2, 4, 8, 16})
    add(fmt::format("16 items a block, {} blocks a group", per_group),
        {.source = source, .method = method, .form = Form::group, .blocks_per_group = per_group});
  return all;
}

std::unique_ptr<stages::Stage> make(const ocl::Device& device, const Candidate& candidate) {
  return candidate.is_floor ? stages::make_memory_floor(device, candidate.settings)
                            : stages::make_stage(device, candidate.settings);
}

cl::Buffer sample_on_device(const ocl::Device& device, const FrameFormat& source) {
  std::vector<std::byte> bytes(stages::place_source(source).bytes);
  fill_sample(source, bytes);
  return {device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data()};
}

cl::Buffer room_for_blocks(const ocl::Device& device, const std::vector<Candidate>& candidates) {
  size_t largest = 0;
  for (const Candidate& c : candidates) {
    const FrameFormat& source = c.settings.source;
    largest = std::max(largest, texture_layout(c.settings.texture, source.width, source.height).total_bytes);
  }
  return {device.context(), CL_MEM_READ_WRITE, largest};
}

void compare_with_floor(std::vector<KernelTiming>& timings) {
  const auto floor = std::find_if(timings.begin(), timings.end(),
                                  [](const KernelTiming& t) { return t.candidate.is_floor && t.failure.empty(); });
  if (floor == timings.end()) return;
  const double floor_us = floor->time.median_us;
  for (KernelTiming& t : timings)
    if (floor_us > 0) t.times_floor = t.time.median_us / floor_us;
}

// A kernel and the turns it takes part in.
struct Runner {
  KernelTiming* timing;
  std::unique_ptr<stages::Stage> stage;
};

// Built, and run once, so that a kernel the device cannot launch is found before the turns begin.
std::vector<Runner> build(const ocl::Device& device, std::vector<KernelTiming>& timings, const cl::CommandQueue& queue,
                          const cl::Buffer& in, const cl::Buffer& out) {
  std::vector<Runner> runners;
  for (KernelTiming& timing : timings) {
    try {
      auto stage = make(device, timing.candidate);
      stage->enqueue(queue, in, out, {}).wait();
      runners.push_back({&timing, std::move(stage)});
    } catch (const Error& error) {
      timing.failure = error.what();
    } catch (const cl::Error& error) {
      timing.failure = ocl::device_error(error, device.info()).what();
    }
  }
  return runners;
}

}  // namespace

double megapixels_per_second(const FrameFormat& format, double microseconds) {
  return microseconds > 0 ? static_cast<double>(format.width) * format.height / microseconds : 0;
}

std::vector<Candidate> all_candidates(const FrameFormat& source, const std::string& only) {
  std::vector<Candidate> all;
  for (const Method method : kMethods)
    for (Candidate& candidate : bc1_candidates(source, method)) all.push_back(std::move(candidate));
  for (const TextureFormat texture : kTextureFormats)
    for (const Method method : kMethods)
      if (texture != TextureFormat::bc1 && has_method(texture, method))
        all.push_back({fmt::format("{} {}", name(texture), name(method)),
                       {.source = source, .texture = texture, .method = method}});
  std::erase_if(all, [&](const Candidate& c) { return c.name.find(only) == std::string::npos; });
  all.insert(all.begin(), {"memory floor (reads the frame, writes 8 bytes a block)", {.source = source}, true});
  return all;
}

std::vector<KernelTiming> time_kernels(const ocl::Device& device, std::vector<Candidate> candidates,
                                       const TimingSettings& settings) {
  if (candidates.empty()) return {};
  const FrameFormat source = candidates.front().settings.source;
  for (const Candidate& c : candidates) ENSURE(c.settings.source == source);
  try {
    const cl::CommandQueue queue = device.make_queue();
    const cl::Buffer in = sample_on_device(device, source);
    const cl::Buffer out = room_for_blocks(device, candidates);
    std::vector<KernelTiming> timings;
    for (Candidate& c : candidates) timings.push_back({.candidate = std::move(c)});
    const std::vector<Runner> runners = build(device, timings, queue, in, out);

    std::vector<Run> runs;
    for (const Runner& runner : runners)
      runs.push_back(on_device([&, stage = runner.stage.get()] {
        const cl::Event done = stage->enqueue(queue, in, out, {});
        return Commands{done, done};
      }));
    TimingSettings rest = settings;
    rest.warm_up = std::max(0, settings.warm_up - 1);  // the launch of build() was one
    const std::vector<Spread> spreads = time_in_turns(runs, rest);
    for (size_t i = 0; i < runners.size(); ++i) {
      KernelTiming& timing = *runners[i].timing;
      timing.time = spreads[i];
      timing.megapixels_per_second = megapixels_per_second(source, spreads[i].median_us);
    }
    compare_with_floor(timings);
    return timings;
  } catch (const cl::Error& error) {
    throw ocl::device_error(error, device.info());
  }
}

}  // namespace texcast::measure
