// stage.h — host side of one kernel: build it for a source format and method, run it on buffers.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "ocl/device.h"
#include "stages/lspiro_variant.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/quality.h"

namespace texcast::stages {

// How a frame lies in its device buffer: as in the host's.
using SourcePlacement = FramePlacement;
inline SourcePlacement place_source(const FrameFormat& format) { return place_frame(format); }

// The form of a kernel never changes its bytes, only its time.
enum class Form {
  wide,   // one work-item a block, one vector lane a texel
  group,  // 16 work-items a block, several blocks a work-group (BC1 range and lspiro1)
  row16,  // one work-item for 16 blocks side by side, one vector lane a block (BC1 range and refinements, BC4)
};

// What the kernel reads its frame through.
enum class SourceMemory {
  buffer,
  image,  // an image2d_t over the same buffer where the device can, else over a copy (8-bit 4:2:0, RGBA and BGRA)
};

struct StageSettings {
  FrameFormat source;
  TextureFormat texture = TextureFormat::bc1;
  Method method = Method::range;
  Form form = Form::wide;
  int blocks_per_group = 8;  // Form::group: 1..16
  int group_size = 64;       // Form::wide: work-items
  int lanes = 16;            // Form::row16: blocks side by side, 1, 8 or 16
  SourceMemory source_memory = SourceMemory::buffer;
  LspiroVariant lspiro{};   // Form::group of Method::lspiro1
  MethodOptions options{};  // that why_not() has nothing against
  // Encodes the blocks of some tiles and leaves those of others as they are: Stage::encode_only(). No Form::group.
  bool only_changed = false;
};

// One of the commands into which a stage can cut a frame: what of the texture it writes, once those before it are done.
struct StageBand {
  struct Part {
    size_t offset = 0, bytes = 0;
  };
  std::array<Part, 3> parts{};  // a part of each plane that it writes
  int part_count = 0;
  size_t ready_bytes = 0;  // so many at the texture's beginning are then final
};

// Not thread-safe (it sets kernel arguments).
class Stage {
 public:
  virtual ~Stage() = default;
  // `source` holds a frame as place_source says, `blocks` has room for the texture. Starts after `after`. Always the
  // same queue: a stage may have one copy of the frame between two commands. Gives the last command's event.
  // Sources are few buffers used again and again: a stage that reads images keeps each of them as long as it lives.
  virtual cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                            const std::vector<cl::Event>& after) = 0;
  // Of stages with StageSettings::only_changed, before enqueue(): of the next frame only tiles (texcast/tiles.h) are
  // encoded whose byte in `changed` is not 0 when the kernels run.
  virtual void encode_only(const cl::Buffer& changed);
  // The first command of the last enqueue() or of enqueue_band(0); the same as it gave where there is only one.
  virtual const cl::Event& first_command() const = 0;

  // Cuts frames into at most `most` bands of block rows, plane after plane where kernels allow it, so that the
  // beginning of the texture is final early. The parts of all bands together are the whole texture, each byte once.
  // Fewer bands where rows are few; none where nothing can be cut.
  virtual std::vector<StageBand> cut(int /*most*/) { return {}; }
  // As enqueue() for one band of the last cut(): each once, in order, with the same source and blocks.
  virtual cl::Event enqueue_band(size_t band, const cl::CommandQueue& queue, const cl::Buffer& source,
                                 const cl::Buffer& blocks, const std::vector<cl::Event>& after);
};

// Whether the settings' method has a kernel of the settings' form for their source.
bool has_form(const StageSettings& settings);
// The fastest form by measurement (docs/measuring.md): row16 on CPUs where there is one, else wide.
Form best_form(const ocl::Device& device, StageSettings settings);

// Whether the device's compiler keeps to LspiroVariant::max_registers; others refuse to be asked.
bool limits_registers(const ocl::Device& device);

// How many programs make_stage() would have to compile.
int programs_to_compile(const ocl::Device& device, const StageSettings& settings);
// Throws Error{no_device} when the kernel does not build on the device.
std::unique_ptr<Stage> make_stage(const ocl::Device& device, const StageSettings& settings);
// A kernel that reads the same source and writes as many bytes as BC1 does, and computes next to nothing.
std::unique_ptr<Stage> make_memory_floor(const ocl::Device& device, const StageSettings& settings);

}  // namespace texcast::stages
