// source_image.h — a frame's device buffer as the image2d_t that common/load_image.cl reads.
#pragma once

#include <vector>

#include "ocl/device.h"
#include "texcast/frame.h"

namespace texcast::stages {

class SourceImage {
 public:
  // Whether frames of the format can be read through an image: 8-bit 4:2:0 and four bytes per texel.
  static bool reads(const FrameFormat& format);

  // Throws Error{no_device} if the device has no images, or none of this size; cl::Error if it has no memory.
  SourceImage(const ocl::Device& device, const FrameFormat& format);

  // Returns the image over `source`, which holds a frame as place_source() lays it out. If the device cannot use a
  // buffer as an image, the frame is copied in `queue` after `after`, and `copied` is set to that command's event.
  // Valid until the next call.
  const cl::Image2D& of(const cl::CommandQueue& queue, const cl::Buffer& source, const std::vector<cl::Event>& after,
                        cl::Event* copied);

 private:
  // The image over a buffer, created when the buffer is first used. It keeps the buffer alive, so that the handle is
  // not reused.
  const cl::Image2D* view_of(const cl::Buffer& source);

  struct View {
    cl_mem buffer = nullptr;
    cl::Image2D image;
  };

  cl::Context context_;
  size_t width_ = 0, height_ = 0, row_bytes_ = 0;  // texels of the image; bytes of a row
  cl::ImageFormat format_;
  bool sees_buffers_ = false;
  // One for each buffer that was ever used, so that none is created twice. Frames reuse the buffers of a pool, which
  // has 64 frames and sometimes more, so the list stays short.
  std::vector<View> views_;
  cl::Image2D copy_;  // if the device cannot use buffers as images
};

}  // namespace texcast::stages
