#include <pybind11/stl.h>
#include <texcast/device.h>

#include <string>

#include "arrays.h"
#include "module.h"
#include "names.h"

namespace texcast::python {
namespace {

std::string text(std::string_view view) { return std::string(view); }

py::dict describe(const Format& format) {
  const Coding& first = plane_coding(format.id, 0);
  std::vector<std::string> qualities;
  for (const Quality quality : kQualities)
    if (has_quality(format.id, quality)) qualities.push_back(text(name(quality)));
  py::dict row;
  row["name"] = text(format.name);
  row["channels"] = channel_count(format.id);
  row["dtype"] = dtype_of(first.sample_type);
  row["bits_per_pixel"] = bits_per_pixel(format.id);
  row["block_width"] = first.block_width;
  row["block_height"] = first.block_height;
  row["planes"] = plane_count(format.id);
  row["is_encoded"] = format.is_encoded();
  row["qualities"] = py::tuple(py::cast(qualities));
  row["vulkan"] = plane_count(format.id) == 1 && format.is_plain ? first.vk.unorm : 0;
  row["dxgi"] = plane_count(format.id) == 1 && format.is_plain ? first.dxgi.unorm : 0;
  return row;
}

py::list all_formats() {
  py::list rows;
  for (const Format& format : formats()) rows.append(describe(format));
  return rows;
}

py::dict describe(const DeviceInfo& device) {
  py::dict row;
  row["index"] = device.index;
  row["platform"] = device.platform;
  row["name"] = device.name;
  row["vendor"] = device.vendor;
  row["version"] = device.version;
  row["driver"] = device.driver;
  row["is_gpu"] = device.is_gpu;
  row["shares_host_memory"] = device.shares_host_memory;
  row["compute_units"] = device.compute_units;
  row["memory_bytes"] = device.global_bytes;
  row["usable"] = device.usable;
  row["why_not"] = device.why_not;
  return row;
}

py::list all_devices() {
  const auto found = without_gil([] { return list_devices(); });
  py::list rows;
  for (const DeviceInfo& device : found) rows.append(describe(device));
  return rows;
}

TextureDesc make_desc(const std::string& format, int width, int height) {
  const TextureFormat id = format_named(format);
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize)
    throw Error(ErrorKind::usage, "a texture of " + std::to_string(width) + " x " + std::to_string(height) +
                                      " texels is not possible; sides are 1 to " + std::to_string(kMaxFrameSize));
  return {.format = id, .width = width, .height = height, .color = usual_color(id)};
}

// Per plane: (offset in bytes, rows of blocks, blocks in a row, bytes of a block).
std::vector<std::tuple<size_t, int, int, int>> planes_of(const TextureDesc& desc) {
  const TextureLayout layout = texture_layout(desc);
  std::vector<std::tuple<size_t, int, int, int>> planes;
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
    const PlaneLayout& plane = layout.planes[p];
    planes.emplace_back(plane.offset, plane.blocks_y, plane.blocks_x, plane.block_bytes);
  }
  return planes;
}

void define_desc(py::module_& module) {
  py::class_<TextureDesc>(module, "TextureDesc")
      .def(py::init(&make_desc))
      .def_property_readonly("format", [](const TextureDesc& d) { return text(name(d.format)); })
      .def_readonly("width", &TextureDesc::width)
      .def_readonly("height", &TextureDesc::height)
      .def_property_readonly("matrix", [](const TextureDesc& d) { return name_of(d.color.matrix); })
      .def_property_readonly("is_full_range", [](const TextureDesc& d) { return d.color.range == ColorRange::full; })
      .def_property_readonly("primaries", [](const TextureDesc& d) { return d.color.primaries; })
      .def_property_readonly("transfer", [](const TextureDesc& d) { return d.color.transfer; })
      .def_property_readonly("aspect", [](const TextureDesc& d) { return std::pair(d.aspect.num, d.aspect.den); })
      .def_property_readonly("orientation", [](const TextureDesc& d) { return static_cast<int>(d.orientation); })
      .def_property_readonly("total_bytes", [](const TextureDesc& d) { return texture_layout(d).total_bytes; })
      .def_property_readonly("planes", &planes_of)
      .def("__eq__", [](const TextureDesc& a, const TextureDesc& b) { return a == b; });
}

void define_layouts(py::module_& module) {
  py::class_<ColorSpec>(module, "ColorSpec")
      .def_property(
          "matrix", [](const ColorSpec& c) { return name_of(c.matrix); },
          [](ColorSpec& c, const std::string& matrix) { c.matrix = matrix_named(matrix); })
      .def_property(
          "is_full_range", [](const ColorSpec& c) { return c.range == ColorRange::full; },
          [](ColorSpec& c, bool full) { c.range = full ? ColorRange::full : ColorRange::limited; })
      .def_readwrite("primaries", &ColorSpec::primaries)
      .def_readwrite("transfer", &ColorSpec::transfer);
  py::class_<ArrayLayout>(module, "ArrayLayout")
      .def(py::init(&array_layout))
      .def_readonly("name", &ArrayLayout::name)
      .def("usual_color", [](const ArrayLayout& layout) { return usual_color(layout); });
  py::class_<FrameFormat>(module, "FrameFormat")
      .def_readonly("width", &FrameFormat::width)
      .def_readonly("height", &FrameFormat::height)
      .def("__eq__", [](const FrameFormat& a, const FrameFormat& b) { return a == b; });
  module.def("array_layouts", &array_layouts);
  module.def("usual_layout", &usual_layout);
  module.def("array_shape", &array_shape);
  module.def("frame_format", [](const py::array& array, const ArrayLayout& layout, const ColorSpec& color) {
    return frame_format(array, layout, color);
  });
  module.def("frame_format", [](int width, int height, const ArrayLayout& layout, const ColorSpec& color) {
    return frame_format(width, height, layout, color);
  });
}

}  // namespace

void define_formats(py::module_& module) {
  module.def("formats", &all_formats);
  module.def("devices", &all_devices);
  define_desc(module);
  define_layouts(module);
}

}  // namespace texcast::python
