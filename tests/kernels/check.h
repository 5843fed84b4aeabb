// check.h — runs a kernel and its scalar reference on the same frame and compares every byte.
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

// The device under test: TEXCAST_TEST_DEVICE in the environment ("pocl", "rusticl", "oclgrind", "gpu"), or the default
// device. Opened once.
const texcast::ocl::Device& device();
// The device is an interpreter (Oclgrind), which is a thousand times slower and gets tiny frames only.
bool tiny_only();
// The device is llvmpipe, which takes half a minute to compile the largest kernels.
bool slow_compiler();
bool has_all();  // TEXCAST_TEST_ALL=1 in the environment
// True on a slow compiler, unless TEXCAST_TEST_ALL=1 is set: the caller skips `what`, and the log says so.
bool spared(const std::string& what);
bool compares_nothing();  // the device, because of a bug in its driver, cannot run encoders that compare; logs it
// Likewise on all CPUs, including llvmpipe. GPUs and interpreters test `what`.
bool spared_on_cpu(const std::string& what);

struct Size {
  int width, height;
};
std::vector<Size> sizes();

enum class Pattern { random, flat, extreme, gradient, real };
inline constexpr Pattern kPatterns[] = {Pattern::random, Pattern::flat, Pattern::extreme, Pattern::gradient,
                                        Pattern::real};
std::string name(Pattern pattern);

// A frame that owns its memory, in the placement that stages expect. Bytes outside the picture are poison.
struct Frame {
  texcast::FrameFormat format;
  texcast::stages::SourcePlacement placed;
  std::vector<std::byte> bytes;
  texcast::FrameView view() const;
};
Frame make_frame(const texcast::FrameFormat& format, Pattern pattern, uint32_t seed);
// RGBA or BGRA, opaque in the left half, whose blocks are encoded as those of sources without alpha.
Frame half_opaque_frame(const texcast::FrameFormat& format, Pattern pattern, uint32_t seed);

texcast::FrameFormat rgba(Size size);  // full range

// make_encoder() that waits for the device: all frames are encoded there.
inline std::unique_ptr<texcast::Encoder> make_built_encoder(texcast::EncoderSettings settings) {
  settings.start = texcast::EncoderStart::when_built;
  return make_encoder(settings);
}

// The blocks of an encoder with these settings for the frame.
std::vector<std::byte> reference_blocks(const Frame& frame, const texcast::EncoderSettings& settings);

// True if the stage makes `want` of `source` and writes nothing outside it. Otherwise prints the first difference, both
// blocks, device and label.
bool gives(texcast::stages::Stage& stage, std::span<const std::byte> source, std::span<const std::byte> want,
           size_t block_bytes, const std::string& label);

// Likewise, compared with the reference's blocks of a frame.
bool equals_reference(texcast::stages::Stage& stage, const texcast::stages::StageSettings& settings, const Frame& frame,
                      const std::string& label);

// Runs a stage on all patterns at one size.
void check_all_patterns(const texcast::stages::StageSettings& settings, const std::string& label);

}  // namespace check
