// source_image.h — a frame's device buffer as the image2d_t that common/load_image.cl reads.
#pragma once

#include <vector>

#include "ocl/device.h"
#include "texcast/frame.h"

namespace texcast::stages {

class SourceImage {
 public:
  // Whether frames of the format can be read through an image: 8-bit 4:2:0 and four bytes a texel.
  static bool reads(const FrameFormat& format);

  // Throws Error{no_device} where the device has no images, or none of the size; cl::Error where it has no room.
  SourceImage(const ocl::Device& device, const FrameFormat& format);

  // The image over `source`, which holds a frame as place_source says. Where the device cannot see a buffer as an image
  // the frame is copied in `queue`, after `after`, and `copied` is that command's event; else `copied` is left alone.
  // Valid until the next call.
  const cl::Image2D& of(const cl::CommandQueue& queue, const cl::Buffer& source, const std::vector<cl::Event>& after,
                        cl::Event* copied);

 private:
  // The image over a buffer, made when the buffer is first seen. It keeps the buffer alive, so that its handle stays
  // its own.
  const cl::Image2D* view_of(const cl::Buffer& source);

  struct View {
    cl_mem buffer = nullptr;
    cl::Image2D image;
  };

  cl::Context context_;
  size_t width_ = 0, height_ = 0, row_bytes_ = 0;  // texels of the image; bytes of a row
  cl::ImageFormat format_;
  bool sees_buffers_ = false;
  // One for each buffer that was ever seen, so that none is made twice. Frames go round in the buffers of a pool, which
  // has 64 frames and sometimes more, so the list stays short.
  std::vector<View> views_;
  cl::Image2D copy_;  // where the device does not see buffers
};

}  // namespace texcast::stages
