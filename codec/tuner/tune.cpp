#include "tuner/tune.h"

#include <algorithm>
#include <memory>

#include "ocl/program.h"
#include "tuner/sample_frame.h"

namespace texcast::tuner {
namespace {

constexpr int kProbeHeight = 64;  // texels: enough blocks for a first estimate of a variant's speed
constexpr int kRounds = 15;
constexpr int kWarmUp = 1;

// The buffers of the runs over frames of one format, which all share them. They live as long as one of the runs.
struct Buffers {
  FrameFormat format;
  size_t texture_bytes;
  cl::CommandQueue queue;
  cl::Buffer source, blocks;

  Buffers(const ocl::Device& device, const FrameFormat& of, size_t room)
      : format(of), texture_bytes(room), queue(device.make_queue()), blocks(device.context(), CL_MEM_READ_WRITE, room) {
    std::vector<std::byte> bytes(stages::place_source(format).bytes);
    fill_sample(format, bytes);
    source = cl::Buffer(device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data());
  }
};

stages::StageSettings with_height(stages::StageSettings settings, int height) {
  settings.source.height = std::min(settings.source.height, height);
  return settings;
}

// The height of frames that let each of `count` variants have its rounds within the budget, estimated by the time that
// the first one takes for a strip of the frame.
int height_for(const stages::StageSettings& settings, const Tuning& first, size_t count, nanoseconds budget,
               const MakeRun& make_run) {
  const stages::StageSettings strip = with_height(with(settings, first), kProbeHeight);
  if (strip.source.height == settings.source.height) return settings.source.height;
  try {
    const Run run = make_run(strip);
    run();
    const auto per_texel = static_cast<double>(run().count()) / strip.source.height;
    const double one_run = static_cast<double>(budget.count()) / (8.0 * static_cast<double>(count));
    const double height = per_texel > 0 ? one_run / per_texel : kMaxFrameSize;
    if (height >= settings.source.height) return settings.source.height;
    return std::max(kProbeHeight, static_cast<int>(height) / 4 * 4);
  } catch (const Error&) {
    return settings.source.height;  // tune() fails in the same way and reports it
  }
}

}  // namespace

MakeRun runs_on(const ocl::Device& device) {
  return [device, buffers = std::shared_ptr<Buffers>()](const stages::StageSettings& settings) mutable {
    try {
      const FrameFormat& format = settings.source;
      const size_t texture_bytes = texture_layout(settings.texture, format.width, format.height).total_bytes;
      if (!buffers || buffers->format != format || buffers->texture_bytes != texture_bytes)
        buffers = std::make_shared<Buffers>(device, format, texture_bytes);
      const std::shared_ptr<stages::Stage> stage = stages::make_stage(device, settings);
      return on_device([stage, on = buffers] {
        const cl::Event done = stage->enqueue(on->queue, on->source, on->blocks, {});
        return Commands{stage->first_command(), done};
      });
    } catch (const cl::Error& error) {
      throw ocl::device_error(error, device.info());
    }
  };
}

Table tune(const ocl::Device& device, const stages::StageSettings& settings, const TuneSettings& how,
           const MakeRun& make_run) {
  const SteadyTime start = steady_now();
  const auto spent = [&] { return steady_now() - start; };
  Table table;
  for (const Tuning& tuning : candidates(device, settings, how.extent)) table.rows.push_back({tuning, {}, ""});
  table.winner = table.rows.front().tuning;
  table.height = height_for(settings, table.winner, table.rows.size(), how.budget, make_run);

  std::vector<Row*> timed;
  std::vector<Run> runs;
  for (Row& row : table.rows) {
    // Compilers may have most of the budget, as a variant that is not tried cannot win.
    if (!timed.empty() && spent() > how.budget * 3 / 4) {
      row.left_out = "no time left";
      continue;
    }
    try {
      Run run = make_run(with_height(with(settings, row.tuning), table.height));
      run();  // finds a variant that the device cannot launch before the turns begin
      timed.push_back(&row);
      runs.push_back(std::move(run));
    } catch (const Error& error) {
      row.left_out = ocl::first_line(error.what());
    } catch (const cl::Error& error) {
      row.left_out = ocl::first_line(ocl::device_error(error, device.info()).what());
    }
  }
  if (timed.empty()) return table;
  const nanoseconds left = std::max<nanoseconds>(how.budget - spent(), std::chrono::milliseconds(1));
  const auto spreads =
      time_in_turns(runs, {.rounds = kRounds, .warm_up = kWarmUp, .budget = left / static_cast<int64_t>(runs.size())});
  for (size_t i = 0; i < timed.size(); ++i) timed[i]->time = spreads[i];
  table.winner = (*std::min_element(timed.begin(), timed.end(), [](const Row* a, const Row* b) {
                   return a->time.median_us < b->time.median_us;
                 }))->tuning;
  return table;
}

}  // namespace texcast::tuner
