#include "source_image.h"

#include <CL/cl_ext.h>

#include <algorithm>

#include "base/ensure.h"
#include "stages/stage.h"

namespace texcast::stages {
namespace {

// Whether the device can use buffers as images. Every row of the image must begin where a row of the buffer does.
bool can_see_buffers(const cl::Device& device, size_t row_texels) {
  const bool extension = device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_khr_image2d_from_buffer") != std::string::npos;
  cl_uint pitch_alignment = 0;  // zero: how OpenCL 3.0 reports that it cannot
  if (clGetDeviceInfo(device(), CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR, sizeof pitch_alignment, &pitch_alignment,
                      nullptr) != CL_SUCCESS)
    return false;
  const bool core = device.getInfo<CL_DEVICE_VERSION>().compare(0, 8, "OpenCL 1") != 0;
  return (extension || core) && pitch_alignment > 0 && row_texels % pitch_alignment == 0;
}

}  // namespace

bool SourceImage::reads(const FrameFormat& format) {
  const PixelFormat source = format.pixel_format;
  return source == PixelFormat::rgba || source == PixelFormat::bgra || source == PixelFormat::nv12 ||
         source == PixelFormat::yuv420p;
}

SourceImage::SourceImage(const ocl::Device& device, const FrameFormat& format) : context_(device.context()) {
  ENSURE(reads(format));
  const SourcePlacement placed = place_source(format);
  const bool packed = is_rgb(format.pixel_format);
  format_ = cl::ImageFormat(CL_RGBA, packed ? CL_UNSIGNED_INT32 : CL_UNSIGNED_INT8);
  row_bytes_ = static_cast<size_t>(placed.stride[0]);
  width_ = row_bytes_ / (packed ? 16 : 4);
  height_ = placed.bytes / row_bytes_;
  const cl::Device& cl_device = device.device();
  if (!device.info().has_images || width_ > cl_device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>() ||
      height_ > cl_device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>())
    throw Error(ErrorKind::no_device, device.info().name + " has no images of " + std::to_string(width_) + "x" +
                                          std::to_string(height_) + " texels");
  sees_buffers_ = can_see_buffers(cl_device, width_);
  if (!sees_buffers_) copy_ = cl::Image2D(context_, CL_MEM_READ_ONLY, format_, width_, height_);
}

const cl::Image2D& SourceImage::of(const cl::CommandQueue& queue, const cl::Buffer& source,
                                   const std::vector<cl::Event>& after, cl::Event* copied) {
  if (const cl::Image2D* view = view_of(source)) return *view;
  queue.enqueueCopyBufferToImage(source, copy_, 0, {0, 0, 0}, {width_, height_, 1}, after.empty() ? nullptr : &after,
                                 copied);
  return copy_;
}

const cl::Image2D* SourceImage::view_of(const cl::Buffer& source) {
  if (!sees_buffers_) return nullptr;
  const auto known =
      std::find_if(views_.begin(), views_.end(), [&](const View& view) { return view.buffer == source(); });
  if (known != views_.end()) return &known->image;
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = width_;
  desc.image_height = height_;
  desc.image_row_pitch = row_bytes_;
  desc.buffer = source();
  cl_int status = CL_SUCCESS;
  const cl_mem made = clCreateImage(context_(), CL_MEM_READ_ONLY, &format_, &desc, nullptr, &status);
  if (status != CL_SUCCESS) {
    // The device promised it, but failed: use copies from now on.
    sees_buffers_ = false;
    copy_ = cl::Image2D(context_, CL_MEM_READ_ONLY, format_, width_, height_);
    return nullptr;
  }
  views_.push_back({source(), cl::Image2D(made)});
  return &views_.back().image;
}

}  // namespace texcast::stages
