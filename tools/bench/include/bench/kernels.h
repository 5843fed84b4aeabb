// kernels.h — kernels and their forms timed on one frame, beside the memory floor of the same frame.
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
  std::string name;  // for a person
  stages::StageSettings settings;
  bool is_floor = false;  // the kernel that reads the same frame, writes 8 bytes a block, and computes nothing
  // The kernel that makes `settings.texture` of a texture of this format, which the frame was encoded to before.
  std::optional<TextureFormat> repacked_from{};
};

// "lspiro3 --radius 4": the method, with what is not the default.
std::string with_options(Method method, const MethodOptions& options);

// The memory floor, then every kernel and form that there is for frames of `source` whose name has `only` in it.
std::vector<Candidate> all_candidates(const FrameFormat& source, const std::string& only = "",
                                      const MethodOptions& options = {});

// Whether the form is known to be far slower than another on this kind of device: 16 items a block and images on CPUs,
// 16 blocks an item on GPUs.
bool is_slow_form(const DeviceInfo& device, const stages::StageSettings& settings);

struct KernelTiming {
  Candidate candidate;
  std::string failure{};  // why the device could not run it, one line; the rest is zero then
  tuner::Spread time{};
  double megapixels_per_second = 0;
  double times_floor = 0;  // median over the floor's median; zero without a floor among the candidates
};

// Told what is going on: "building 3 of 27, bc1 range, one item a block".
using Progress = std::function<void(const std::string&)>;

// One timing for each candidate, in their order. All must have the same source format (else misuse). Kernels that do
// not build or run are left out of the turns. Throws Error{no_device} when the device has no room for the frame.
std::vector<KernelTiming> time_kernels(const ocl::Device& device, std::vector<Candidate> candidates,
                                       const tuner::TimingSettings& settings, const Progress& progress = {});

// The figures that follow from the times: time_kernels has done it.
void work_out(std::vector<KernelTiming>& timings);

std::string kernel_table(const std::vector<KernelTiming>& timings);
Json to_json(const KernelTiming& timing);

double megapixels_per_second(const FrameFormat& format, double microseconds);

}  // namespace texcast::bench
