// Kernels that read their frame through an image2d_t: the same bytes as from a buffer, at every edge.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "check.h"
#include "ocl/opencl.h"

// The program's own clGetDeviceInfo and clCreateImage take precedence over the OpenCL library's. They count images over
// buffers, and make devices without such images pretend to have them.
namespace {

struct {
  bool pretended = false;
  int made = 0;
} buffer_images;

template <typename Function>
Function* library_call(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void* value,
                                  size_t* size_needed) {
  static auto* const call = library_call<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
  const cl_int status = call(device, name, size, value, size_needed);
  if (buffer_images.pretended && name == CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR && size == sizeof(cl_uint)) {
    *static_cast<cl_uint*>(value) = 1;
    return CL_SUCCESS;
  }
  return status;
}

extern "C" cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                const cl_image_desc* desc, void* host, cl_int* status) {
  static auto* const call = library_call<decltype(clCreateImage)>("clCreateImage");
  cl_image_desc forwarded = *desc;
  if (desc->buffer != nullptr) {
    ++buffer_images.made;
    if (buffer_images.pretended) forwarded.buffer = nullptr, forwarded.image_row_pitch = 0;
  }
  return call(context, flags, format, &forwarded, host, status);
}

using namespace texcast;
using stages::Form;
using stages::SourceMemory;

namespace {

constexpr PixelFormat kReadable[] = {PixelFormat::yuv420p, PixelFormat::nv12, PixelFormat::rgba, PixelFormat::bgra};

// Including sizes that end in the middle of a block.
std::vector<check::Size> sizes() {
  if (check::tiny_only()) return {{68, 6}, {65, 5}};
  return {{68, 4}, {65, 5}, {7, 33}, {127, 95}, {128, 66}, {1920, 1080}};
}

stages::StageSettings from_image(PixelFormat pixel_format, check::Size size) {
  const ColorRange range = is_rgb(pixel_format) ? ColorRange::full : ColorRange::limited;
  return {.source = {pixel_format, size.width, size.height, {ColorMatrix::bt709, range}},
          .source_memory = SourceMemory::image};
}

bool without_images() {
  if (check::device().info().has_images) return false;
  MESSAGE("SKIP: images: ", check::device().info().name, " does not support them");
  return true;
}

}  // namespace

TEST_CASE("image: every source that can be read through one, one work-item per block") {
  if (without_images()) return;
  for (const PixelFormat pixel_format : kReadable)
    for (const auto size : sizes())
      check::check_all_patterns(from_image(pixel_format, size),
                                fmt::format("bc1 range from an image of {}", name(pixel_format)));
}

TEST_CASE("image: the same, one work-item per texel") {
  if (without_images()) return;
  for (const PixelFormat pixel_format : kReadable) {
    stages::StageSettings settings = from_image(pixel_format, {65, 5});
    settings.form = Form::group;
    settings.blocks_per_group = 2;
    check::check_all_patterns(settings, fmt::format("bc1 range group from an image of {}", name(pixel_format)));
  }
}

// One kernel of each file.
TEST_CASE("image: every kernel") {
  if (check::spared("every kernel through an image")) return;
  if (without_images()) return;
  const auto check_method = [](TextureFormat texture, Method method) {
    stages::StageSettings settings = from_image(PixelFormat::nv12, {68, 6});
    settings.texture = texture;
    settings.method = method;
    check::check_all_patterns(settings, fmt::format("{} {} from an image", name(texture), name(method)));
  };
  for (const Method method : {Method::lspiro1, Method::refine_once, Method::cluster, Method::cluster_search})
    check_method(TextureFormat::bc1, method);
  check_method(TextureFormat::ycocg_bc4_420, Method::range);
}

TEST_CASE("image: RGB of limited range") {
  if (without_images()) return;
  stages::StageSettings settings = from_image(PixelFormat::bgra, {13, 9});
  settings.source.color.range = ColorRange::limited;
  check::check_all_patterns(settings, "bc1 range from an image of limited bgra");
}

TEST_CASE("image: formats and forms that do not support images") {
  const auto has = [](PixelFormat pixel_format, int width, Form form = Form::wide) {
    stages::StageSettings settings = from_image(pixel_format, {width, 64});
    settings.form = form;
    return stages::has_form(settings);
  };
  CHECK(has(PixelFormat::yuv420p, 1920));
  CHECK(has(PixelFormat::yuv420p, 1));
  CHECK(has(PixelFormat::nv12, 64));
  CHECK_FALSE(has(PixelFormat::p010, 1920));
  CHECK_FALSE(has(PixelFormat::rgb24, 1920));
  CHECK_FALSE(has(PixelFormat::nv12, 1920, Form::row16));
}

// An encoder's pool lends 64 frames if devices share the host's memory, and each is a buffer of its own.
TEST_CASE("image: one is made for each buffer, however many buffers are in use") {
  if (without_images()) return;
  const ocl::Device& device = check::device();
  if (device.info().version.starts_with("OpenCL 1")) {
    MESSAGE("SKIP: images over buffers: ", device.info().name, " does not support them");
    return;
  }
  const stages::StageSettings settings = from_image(PixelFormat::nv12, {64, 32});
  const size_t bytes = stages::place_source(settings.source).bytes;
  const cl::Buffer blocks(device.context(), CL_MEM_READ_WRITE, texture_layout(settings.texture, 64, 32).total_bytes);
  std::vector<cl::Buffer> frames;
  for (int i = 0; i < 80; ++i) frames.emplace_back(device.context(), CL_MEM_READ_WRITE, bytes);
  buffer_images = {.pretended = true, .made = 0};
  const auto stage = stages::make_stage(device, settings);
  const cl::CommandQueue queue = device.make_queue();
  for (int round = 0; round < 3; ++round)
    for (const cl::Buffer& frame : frames) stage->enqueue(queue, frame, blocks, {});
  queue.finish();
  buffer_images.pretended = false;
  CHECK(buffer_images.made == 80);
}
