// check.h — runs a kernel and its scalar reference over the same frame and compares every byte.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ocl/device.h"
#include "stages/stage.h"
#include "texcast/encoder.h"
#include "texcast/frame.h"

namespace check {

// The device under test: TEXCAST_TEST_DEVICE in the environment ("pocl", "rusticl", "oclgrind", "gpu"), else the
// default one. Opened once.
const texcast::ocl::Device& device();
// Interpreters (Oclgrind) take a thousand times as long: only tiny frames for them.
bool tiny_only();
// llvmpipe takes half a minute to compile the largest kernels.
bool slow_compiler();
bool has_all();  // TEXCAST_TEST_ALL=1 in the environment
// True on a slow compiler, which says that it is spared `what`; not with TEXCAST_TEST_ALL=1 in the environment.
bool spared(const std::string& what);
bool compares_nothing();  // the device, by its driver's fault; says so
// The same on CPUs, llvmpipe among them: GPUs and interpreters run it.
bool spared_on_cpu(const std::string& what);

struct Size {
  int width, height;
};
std::vector<Size> sizes();

enum class Pattern { random, flat, extreme, gradient, real };
inline constexpr Pattern kPatterns[] = {Pattern::random, Pattern::flat, Pattern::extreme, Pattern::gradient,
                                        Pattern::real};
std::string name(Pattern pattern);

// A frame with memory of its own, in the placement the stages expect; bytes outside the picture are poison.
struct Frame {
  texcast::FrameFormat format;
  texcast::stages::SourcePlacement placed;
  std::vector<std::byte> bytes;
  texcast::FrameView view() const;
};
Frame make_frame(const texcast::FrameFormat& format, Pattern pattern, uint32_t seed);
// RGBA or BGRA, opaque on the left: such blocks are coded as those of sources without alpha.
Frame half_opaque_frame(const texcast::FrameFormat& format, Pattern pattern, uint32_t seed);

texcast::FrameFormat rgba(Size size);  // of full range

// make_encoder() whose frames are all the device's own.
inline std::unique_ptr<texcast::Encoder> make_built_encoder(texcast::EncoderSettings settings) {
  settings.start = texcast::EncoderStart::when_built;
  return make_encoder(settings);
}

// What an encoder with these settings makes of the frame.
std::vector<std::byte> reference_blocks(const Frame& frame, const texcast::EncoderSettings& settings);

// True when the stage makes `want` of `source` and writes nothing outside; else prints where the first difference is,
// both blocks, device and label.
bool gives(texcast::stages::Stage& stage, std::span<const std::byte> source, std::span<const std::byte> want,
           size_t block_bytes, const std::string& label);

// The same for the reference's blocks of a frame.
bool equals_reference(texcast::stages::Stage& stage, const texcast::stages::StageSettings& settings, const Frame& frame,
                      const std::string& label);

// One stage on all patterns at one size.
void check_all_patterns(const texcast::stages::StageSettings& settings, const std::string& label);

}  // namespace check
