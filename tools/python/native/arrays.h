// arrays.h — numpy arrays as frames and textures, and back, without copies where the memory allows it.
#pragma once

#include <pybind11/numpy.h>
#include <texcast/encoder.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "without_gil.h"

namespace texcast::python {

// A read-only array of bytes in memory of somebody else, in which the array keeps a share.
py::array bytes_array(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

// The texture whose blocks are in a C-contiguous array, which must live as long; anything else is Error{usage}.
TextureView texture_view(const TextureDesc& desc, const py::array& blocks);

// How an array's samples are laid out: FFmpeg's name of a pixel format, or "bgr24", which no kernel reads: it is copied
// to bgra.
struct ArrayLayout {
  std::string name;
  PixelFormat pixel_format = PixelFormat::rgb24;
  bool is_bgr24 = false;
};
// Error{usage}, which names the layouts, for another name.
ArrayLayout array_layout(const std::string& name);
std::vector<std::string> array_layouts();
// The layout that an array's shape and type suggest: "gray", "gray16", "rgb24", "rgba" or "rgba_half". Error{usage} if
// none does.
std::string usual_layout(const py::array& array);

// Colours of frames in that layout: RGB and gray have full range, YCbCr has limited range, half floats are linear.
ColorSpec usual_color(const ArrayLayout& layout);
// The format of frames as `array` in that layout; Error{usage} if the array's shape or type does not fit.
FrameFormat frame_format(const py::array& array, const ArrayLayout& layout, const ColorSpec& color);
FrameFormat frame_format(int width, int height, const ArrayLayout& layout, const ColorSpec& color);

// Shape and type of arrays that hold such a frame.
std::pair<std::vector<py::ssize_t>, std::string> array_shape(const FrameFormat& format, const ArrayLayout& layout);

// The frame in an array, with the memory that holds it. Made with the GIL; finish() may run without it.
class ArrayFrame {
 public:
  // `array` must have the format's size and type, else Error{usage}. Its rows may be any distance apart; other gaps are
  // closed by a copy. The array must live as long as this.
  ArrayFrame(py::array array, const ArrayLayout& layout, const FrameFormat& format);
  // Copies bgr24 to bgra, into a frame of the pool if there is one. The result is valid as long as this.
  FrameView finish(FramePool* pool);

 private:
  FrameView copy_bgr(FramePool* pool);
  py::array array_;
  bool is_bgr24_;
  FrameView view_;
  FrameLease lease_;
  std::vector<std::byte> copy_;
};

// Whether frames of a pool can be arrays in that layout: one plane, which kernels read as it is.
bool can_lend(const ArrayLayout& layout, const FrameFormat& format);
// A writable array over a frame of the pool, in which it keeps a share; nothing if there is no pool or no free frame.
// Only if can_lend().
std::optional<py::array> lent_array(FramePool* pool, const ArrayLayout& layout);

}  // namespace texcast::python
