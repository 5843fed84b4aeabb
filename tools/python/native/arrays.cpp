#include "arrays.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace texcast::python {
namespace {

// The shape of arrays with a layout. Packed: height x width x channels. 4:2:0 and 4:2:2: the planes one after another
// in one picture of the luma's width, as OpenCV has them. 4:4:4: plane x height x width.
enum class Shape { packed, planes_420, planes_422, planes_444 };
struct LayoutRow {
  const char* name;
  PixelFormat pixel_format;
  Shape shape;
  int channels;  // in the last dimension, if packed
  char kind;     // numpy's: unsigned or float
  int bytes;     // of a sample
};
constexpr std::array kLayouts = {
    LayoutRow{"rgb24", PixelFormat::rgb24, Shape::packed, 3, 'u', 1},
    LayoutRow{"bgr24", PixelFormat::bgra, Shape::packed, 3, 'u', 1},
    LayoutRow{"rgba", PixelFormat::rgba, Shape::packed, 4, 'u', 1},
    LayoutRow{"bgra", PixelFormat::bgra, Shape::packed, 4, 'u', 1},
    LayoutRow{"gray", PixelFormat::gray, Shape::packed, 1, 'u', 1},
    LayoutRow{"gray16", PixelFormat::gray16, Shape::packed, 1, 'u', 2},
    LayoutRow{"rgba_half", PixelFormat::rgba_half, Shape::packed, 4, 'f', 2},
    LayoutRow{"yuyv422", PixelFormat::yuyv422, Shape::packed, 2, 'u', 1},
    LayoutRow{"uyvy422", PixelFormat::uyvy422, Shape::packed, 2, 'u', 1},
    LayoutRow{"nv12", PixelFormat::nv12, Shape::planes_420, 1, 'u', 1},
    LayoutRow{"yuv420p", PixelFormat::yuv420p, Shape::planes_420, 1, 'u', 1},
    LayoutRow{"p010", PixelFormat::p010, Shape::planes_420, 1, 'u', 2},
    LayoutRow{"yuv420p10", PixelFormat::yuv420p10, Shape::planes_420, 1, 'u', 2},
    LayoutRow{"yuv422p", PixelFormat::yuv422p, Shape::planes_422, 1, 'u', 1},
    LayoutRow{"yuv444p", PixelFormat::yuv444p, Shape::planes_444, 1, 'u', 1},
};
using Extents = std::vector<py::ssize_t>;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::usage, message); }

const LayoutRow& layout_row(const std::string& name) {
  const auto* const row =
      std::find_if(kLayouts.begin(), kLayouts.end(), [&](const LayoutRow& r) { return name == r.name; });
  if (row != kLayouts.end()) return *row;
  std::string known;
  for (const LayoutRow& r : kLayouts) known += (known.empty() ? "" : ", ") + std::string(r.name);
  refuse("there is no pixel format '" + name + "'; arrays have one of " + known);
}

std::string to_text(const Extents& shape) {
  std::string text;
  for (const auto side : shape) text += (text.empty() ? "" : ", ") + std::to_string(side);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}
Extents shape_of(const py::array& array) { return {array.shape(), array.shape() + array.ndim()}; }
std::string type_of(const py::array& array) { return py::str(array.dtype()).cast<std::string>(); }
std::string type_of(const LayoutRow& row) {
  return std::string(row.kind == 'f' ? "float" : "uint") + std::to_string(8 * row.bytes);
}
bool has_type(const py::array& array, const LayoutRow& row) {
  const py::dtype type = array.dtype();
  return type.kind() == row.kind && type.itemsize() == row.bytes && type.byteorder() != '>';
}

Extents expected_shape(const LayoutRow& row, py::ssize_t width, py::ssize_t height) {
  switch (row.shape) {
    case Shape::packed: break;
    case Shape::planes_420: return {height + height / 2, width};
    case Shape::planes_422: return {2 * height, width};
    case Shape::planes_444: return {3, height, width};
  }
  return row.channels == 1 ? Extents{height, width} : Extents{height, width, row.channels};
}

// Width and height of the picture; nothing if no picture in this layout has an array of this shape.
std::optional<std::pair<py::ssize_t, py::ssize_t>> picture_size(Extents shape, const LayoutRow& row) {
  const bool is_packed = row.shape == Shape::packed;
  if (is_packed && row.channels == 1 && shape.size() == 3 && shape[2] == 1) shape.pop_back();
  if (shape.size() < 2) return std::nullopt;
  const size_t first = row.shape == Shape::planes_444 && shape.size() == 3 ? 1 : 0;
  py::ssize_t height = shape[first];
  const py::ssize_t width = shape[first + 1];
  if (row.shape == Shape::planes_420) height = height / 3 * 2;
  if (row.shape == Shape::planes_422) height /= 2;
  const bool is_subsampled = row.shape == Shape::planes_420 || row.shape == Shape::planes_422 || row.channels == 2;
  if (is_subsampled && width % 2 != 0) return std::nullopt;
  if (shape != expected_shape(row, width, height)) return std::nullopt;
  return std::pair(width, height);
}

std::string describe(const py::array& array) {
  return "the array has shape " + to_text(shape_of(array)) + " and type " + type_of(array);
}
std::string describe_layout(const LayoutRow& row) {
  const char* const shapes[] = {"", "(height * 3 / 2, width), both even,", "(2 * height, width)", "(3, height, width)"};
  std::string shape = shapes[static_cast<size_t>(row.shape)];
  if (row.shape == Shape::packed)
    shape = row.channels == 1 ? "(height, width)" : "(height, width, " + std::to_string(row.channels) + ")";
  return std::string(row.name) + " frames have shape " + shape + " and type " + type_of(row);
}

// Pixels without gaps in rows that do not overlap.
bool has_plain_rows(const py::array& array) {
  const auto dims = array.ndim();
  py::ssize_t distance = array.itemsize();
  for (auto d = dims - 1; d > 0; --d) {
    if (array.shape(d) > 1 && array.strides(d) != distance) return false;
    distance *= array.shape(d);
  }
  return array.shape(0) == 1 || array.strides(0) >= distance;
}
bool is_contiguous(const py::array& array) { return (array.flags() & py::array::c_style) != 0; }

py::array without_gaps(const py::array& array) {
  return py::module_::import("numpy").attr("ascontiguousarray")(array).cast<py::array>();
}

FrameView view_of(const py::array& array, const FrameFormat& format, bool is_bgr24) {
  FrameView view{.format = format};
  const auto* data = static_cast<const std::byte*>(array.data());
  const int planes = plane_count(format.pixel_format);
  for (int p = 0; p < planes; ++p) {
    const int row_bytes = is_bgr24 ? 3 * format.width : plane_row_bytes(format, p);
    const bool has_distance = planes == 1 && array.shape(0) > 1;
    view.planes[static_cast<size_t>(p)] = {data, has_distance ? array.strides(0) : row_bytes};
    data += static_cast<std::ptrdiff_t>(row_bytes) * plane_rows(format, p);
  }
  return view;
}

}  // namespace

py::array bytes_array(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  using Owner = std::shared_ptr<const void>;
  const py::capsule base(new Owner(std::move(owner)), [](void* share) { delete static_cast<Owner*>(share); });
  py::array array(py::dtype::of<uint8_t>(), Extents{static_cast<py::ssize_t>(bytes.size())}, Extents{1}, bytes.data(),
                  base);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

TextureView texture_view(const TextureDesc& desc, const py::array& blocks) {
  if (!is_contiguous(blocks)) refuse("the blocks of a texture must be one contiguous array");
  return {.desc = desc, .blocks = {static_cast<const std::byte*>(blocks.data()), static_cast<size_t>(blocks.nbytes())}};
}

ArrayLayout array_layout(const std::string& name) {
  const LayoutRow& row = layout_row(name);
  return {.name = name, .pixel_format = row.pixel_format, .is_bgr24 = name == "bgr24"};
}

std::vector<std::string> array_layouts() {
  std::vector<std::string> names;
  for (const LayoutRow& row : kLayouts) names.emplace_back(row.name);
  return names;
}

std::string usual_layout(const py::array& array) {
  for (const char* name : {"gray", "gray16", "rgb24", "rgba", "rgba_half"}) {
    const LayoutRow& row = layout_row(name);
    if (has_type(array, row) && picture_size(shape_of(array), row)) return name;
  }
  refuse(describe(array) +
         "; frames are uint8 of shape (height, width), (height, width, 3) or (height, width, 4), uint16 of shape "
         "(height, width), or float16 or float32 of shape (height, width, 3) or (height, width, 4)");
}

ColorSpec usual_color(const ArrayLayout& layout) {
  if (layout.pixel_format == PixelFormat::rgba_half) return {.range = ColorRange::full, .transfer = kLinearTransfer};
  const bool is_gray = layout.pixel_format == PixelFormat::gray || layout.pixel_format == PixelFormat::gray16;
  return is_rgb(layout.pixel_format) || is_gray ? kFullRange : ColorSpec{};
}

FrameFormat frame_format(int width, int height, const ArrayLayout& layout, const ColorSpec& color) {
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize)
    refuse("a frame of " + std::to_string(width) + " x " + std::to_string(height) +
           " pixels is not possible; sides are 1 to " + std::to_string(kMaxFrameSize));
  if (!picture_size(expected_shape(layout_row(layout.name), width, height), layout_row(layout.name)))
    refuse(layout.name + " frames have even sides, not " + std::to_string(width) + " x " + std::to_string(height));
  return {
      .pixel_format = layout.pixel_format, .width = width, .height = height, .color = color, .opaque = layout.is_bgr24};
}

FrameFormat frame_format(const py::array& array, const ArrayLayout& layout, const ColorSpec& color) {
  const LayoutRow& row = layout_row(layout.name);
  const auto size = picture_size(shape_of(array), row);
  if (!size || !has_type(array, row)) refuse(describe(array) + "; " + describe_layout(row));
  const auto [width, height] = *size;
  constexpr py::ssize_t kMost = kMaxFrameSize + 1;  // refused with the size, which fits an int
  return frame_format(static_cast<int>(std::min(width, kMost)), static_cast<int>(std::min(height, kMost)), layout,
                      color);
}

std::pair<Extents, std::string> array_shape(const FrameFormat& format, const ArrayLayout& layout) {
  const LayoutRow& row = layout_row(layout.name);
  return {expected_shape(row, format.width, format.height), type_of(row)};
}

ArrayFrame::ArrayFrame(py::array array, const ArrayLayout& layout, const FrameFormat& format)
    : is_bgr24_(layout.is_bgr24) {
  const LayoutRow& row = layout_row(layout.name);
  const auto size = picture_size(shape_of(array), row);
  if (!has_type(array, row) || !size || size->first != format.width || size->second != format.height)
    refuse(describe(array) + "; " + layout.name + " frames of " + std::to_string(format.width) + " x " +
           std::to_string(format.height) + " have shape " + to_text(expected_shape(row, format.width, format.height)) +
           " and type " + type_of(row));
  const bool fits = row.shape == Shape::packed ? has_plain_rows(array) : is_contiguous(array);
  array_ = fits ? std::move(array) : without_gaps(array);
  view_ = view_of(array_, format, is_bgr24_);
}

FrameView ArrayFrame::finish(FramePool* pool) { return is_bgr24_ ? copy_bgr(pool) : view_; }

FrameView ArrayFrame::copy_bgr(FramePool* pool) {
  const FrameFormat& format = view_.format;
  std::byte* out = nullptr;
  std::ptrdiff_t stride = std::ptrdiff_t{4} * format.width;
  if (pool != nullptr) lease_ = pool->lend();
  if (lease_) {
    out = lease_.plane(0);
    stride = pool->placement().stride[0];
  } else {
    copy_.resize(static_cast<size_t>(stride) * static_cast<size_t>(format.height));
    out = copy_.data();
  }
  for (int y = 0; y < format.height; ++y) {
    const std::byte* in = view_.planes[0].data + y * view_.planes[0].stride_bytes;
    std::byte* pixel = out + y * stride;
    for (int x = 0; x < format.width; ++x, in += 3, pixel += 4) {
      std::memcpy(pixel, in, 3);
      pixel[3] = std::byte{255};
    }
  }
  return {.format = format, .planes = {{{out, stride}}}};
}

bool can_lend(const ArrayLayout& layout, const FrameFormat& format) {
  return !layout.is_bgr24 && plane_count(format.pixel_format) == 1;
}

std::optional<py::array> lent_array(FramePool* pool, const ArrayLayout& layout) {
  FrameLease lease = pool != nullptr ? pool->lend() : FrameLease();
  if (!lease) return std::nullopt;
  const FrameFormat format = lease.view().format;
  const LayoutRow& row = layout_row(layout.name);
  const Extents shape = expected_shape(row, format.width, format.height);
  Extents strides = {pool->placement().stride[0], static_cast<py::ssize_t>(row.channels) * row.bytes};
  if (shape.size() == 3) strides.push_back(row.bytes);
  void* const data = lease.plane(0);
  const py::capsule base(new FrameLease(std::move(lease)), [](void* share) { delete static_cast<FrameLease*>(share); });
  const py::dtype type(type_of(row));
  return py::array(type, shape, strides, data, base);
}

}  // namespace texcast::python
