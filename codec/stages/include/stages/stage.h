// stage.h — host side of an encoding kernel: builds it for a source format and method, and runs it on buffers.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ocl/device.h"
#include "stages/lspiro_variant.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/quality.h"

namespace texcast::stages {

// The layout of a frame in its device buffer is that in the host's memory.
using SourcePlacement = FramePlacement;
inline SourcePlacement place_source(const FrameFormat& format) { return place_frame(format); }

// How the work of a kernel is divided. The bytes are the same, only the time differs.
enum class Form {
  wide,   // one work-item per block, one vector lane per texel
  group,  // 16 work-items per block, several blocks per work-group (BC1 range and lspiro1)
  row16,  // one work-item for 16 adjacent blocks, one vector lane per block (BC1 range and refinements, BC4)
};

// How the kernel reads its frame.
enum class SourceMemory {
  buffer,
  image,  // an image2d_t over the same buffer if the device can do that, else over a copy (8-bit 4:2:0, RGBA and BGRA)
};

struct StageSettings {
  FrameFormat source;
  TextureFormat texture = TextureFormat::bc1;
  Method method = Method::range;
  Form form = Form::wide;
  int blocks_per_group = 8;  // Form::group: 1..16
  int group_size = 64;       // Form::wide: work-items
  int lanes = 16;            // Form::row16: adjacent blocks, 1, 8 or 16
  SourceMemory source_memory = SourceMemory::buffer;
  LspiroVariant lspiro{};   // Form::group with Method::lspiro1
  MethodOptions options{};  // must be valid by why_not()
  // Encodes only the blocks of some tiles and leaves the others unchanged: Stage::encode_only(). Not for Form::group.
  bool only_changed = false;
  // For kernels that can: a work-group's items take its blocks in an order in which those that need the same work are
  // neighbours. The same bytes; by default on GPUs only, where neighbours run in step.
  std::optional<bool> deal_blocks{};
  std::optional<int> blocks_each{};  // with deal_blocks: the blocks of an item; by default as many as suit the frame
};

// One of the commands into which a stage can split a frame: the parts of the texture that it writes, once the commands
// before it are done.
struct StageBand {
  struct Part {
    size_t offset = 0, bytes = 0;
  };
  std::array<Part, 3> parts{};  // one part of each plane that it writes
  int part_count = 0;
  size_t ready_bytes = 0;  // so many bytes at the start of the texture are then final
};

// Not thread-safe (it sets kernel arguments).
class Stage {
 public:
  virtual ~Stage() = default;
  // `source` holds a frame as place_source() lays it out, `blocks` has room for the texture. Starts after `after`.
  // Always use the same queue, as a stage may have a single copy of the frame between two commands. Returns the last
  // command's event. Sources should be a few buffers that are reused: a stage that reads images keeps each of them as
  // long as it lives.
  virtual cl::Event enqueue(const cl::CommandQueue& queue, const cl::Buffer& source, const cl::Buffer& blocks,
                            const std::vector<cl::Event>& after) = 0;
  // For stages with StageSettings::only_changed, before enqueue(): of the next frame only those tiles (texcast/tiles.h)
  // are encoded whose byte in `changed` is not 0 when the kernels run.
  virtual void encode_only(const cl::Buffer& changed);
  // The first command of the last enqueue() or enqueue_band(0); if there was only one, the event that the call
  // returned.
  virtual const cl::Event& first_command() const = 0;

  // Splits frames into at most `most` bands of block rows, plane after plane if kernels allow it, so that the top of
  // the texture is final early. The parts of all bands together are the whole texture, each byte once. There are fewer
  // bands if rows are few, and none if nothing can be split.
  virtual std::vector<StageBand> cut(int /*most*/) { return {}; }
  // As enqueue() for one band of the last cut(): call it once for each, in order, with the same source and blocks.
  virtual cl::Event enqueue_band(size_t band, const cl::CommandQueue& queue, const cl::Buffer& source,
                                 const cl::Buffer& blocks, const std::vector<cl::Event>& after);
};

// Whether the settings' method has a kernel of the settings' form for their source.
bool has_form(const StageSettings& settings);
// The fastest form by measurement (docs/measuring.md): on CPUs row16 if it exists, else wide.
Form best_form(const ocl::Device& device, StageSettings settings);
// The size of work-groups to try first for Form::wide: kernels that deal blocks want many to sort.
int usual_group_size(const ocl::Device& device, const StageSettings& settings);

// Whether the device's compiler respects LspiroVariant::max_registers. Others reject the option.
bool limits_registers(const ocl::Device& device);

// How many programs make_stage() would have to compile.
int programs_to_compile(const ocl::Device& device, const StageSettings& settings);
// Throws Error{no_device} if the kernel does not build on the device.
std::unique_ptr<Stage> make_stage(const ocl::Device& device, const StageSettings& settings);
// A kernel that reads the same source and writes as many bytes as BC1 does, and computes almost nothing.
std::unique_ptr<Stage> make_memory_floor(const ocl::Device& device, const StageSettings& settings);

}  // namespace texcast::stages
