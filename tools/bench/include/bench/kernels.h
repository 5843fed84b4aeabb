// kernels.h — times kernels and their forms on one frame, and compares them with the memory floor: the time to read the
// same frame and to write 8 bytes per block.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ocl/device.h"
#include "stages/stage.h"
#include "text/json_text.h"
#include "tuner/timing.h"

namespace texcast::bench {

struct Candidate {
  std::string name;  // for people
  stages::StageSettings settings;
  bool is_floor = false;  // the kernel that reads the frame, writes 8 bytes per block, and computes nothing
  // The kernel repacks a texture of this format, to which the frame was encoded before, as `settings.texture`.
  std::optional<TextureFormat> repacked_from{};
};

// "lspiro3 --radius 4": the method, and options that are not the default.
std::string with_options(Method method, const MethodOptions& options);

// The memory floor, then all kernels and forms for frames of `source` whose name contains `only`.
std::vector<Candidate> all_candidates(const FrameFormat& source, const std::string& only = "",
                                      const MethodOptions& options = {});

// Whether another form is known to be far faster on this kind of device. Slow are 16 work-items per block and images on
// CPUs, and 16 blocks per work-item on GPUs.
bool is_slow_form(const DeviceInfo& device, const stages::StageSettings& settings);

struct KernelTiming {
  Candidate candidate;
  std::string failure{};  // one line: why the device could not run it; the other members are then zero
  tuner::Spread time{};
  double megapixels_per_second = 0;
  double times_floor = 0;  // median over the floor's median; zero without a floor among the candidates
};

// Called with lines for people: "building 3 of 27, bc1 range, one item a block".
using Progress = std::function<void(const std::string&)>;

// One timing for each candidate, in their order. All must have the same source format (else misuse). Kernels that fail
// to build or to run are not timed. Throws Error{no_device} if the device has no memory for the frame.
std::vector<KernelTiming> time_kernels(const ocl::Device& device, std::vector<Candidate> candidates,
                                       const tuner::TimingSettings& settings, const Progress& progress = {});

// Computes the other figures from the times, as time_kernels() has done.
void work_out(std::vector<KernelTiming>& timings);

std::string kernel_table(const std::vector<KernelTiming>& timings);
Json to_json(const KernelTiming& timing);

double megapixels_per_second(const FrameFormat& format, double microseconds);

}  // namespace texcast::bench
