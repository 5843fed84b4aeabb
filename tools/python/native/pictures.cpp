#include <texcast/device.h>
#include <texcast/picture_converter.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "module.h"
#include "names.h"
#include "recycler.h"

namespace texcast::python {
namespace {

// A converter that several threads of Python may call: one call runs at a time. There is one for each kind of texture,
// the last one is kept.
class SharedConverter : public Closable {
 public:
  void close() noexcept override {
    const std::scoped_lock lock(mutex_);
    converter_.reset();
    is_closed_ = true;
  }
  void convert(const TextureView& texture, const PictureConversion& conversion, std::span<std::byte> picture) {
    const std::scoped_lock lock(mutex_);
    if (is_closed_) throw Error(ErrorKind::misuse, "the decoder is closed");
    if (!converter_ || conversion_ != conversion) {
      converter_.reset();
      converter_ = make_picture_converter(conversion);
      conversion_ = conversion;
    }
    converter_->convert(texture, picture);
  }
  std::string device_name() {
    const std::scoped_lock lock(mutex_);
    return converter_ ? converter_->device_name() : "";
  }

 private:
  std::mutex mutex_;
  bool is_closed_ = false;
  PictureConversion conversion_{};
  std::unique_ptr<PictureConverter> converter_;
};

class PyPictureDecoder {
 public:
  PyPictureDecoder(ArrayLayout layout, const ColorSpec& color, std::string device)
      : layout_(std::move(layout)), color_(color), device_(std::move(device)) {
    if (layout_.is_bgr24 || !is_picture_format(layout_.pixel_format))
      throw Error(ErrorKind::usage, "textures are decoded to nv12, yuv420p, yuyv422 and bgra, not to " + layout_.name);
    if (!device_.empty()) without_gil([this] { choose_device(device_); });
    close_at_exit(converter_);
  }
  PyPictureDecoder(const PyPictureDecoder&) = delete;
  PyPictureDecoder& operator=(const PyPictureDecoder&) = delete;
  ~PyPictureDecoder() {
    without_gil([this] { converter_.reset(); });
  }

  py::array decode(const TextureDesc& desc, const py::array& blocks) {
    const TextureView texture = texture_view(desc, blocks);
    const PictureConversion conversion{
        .from = desc, .to = frame_format(desc.width, desc.height, layout_, color_), .device = device_};
    const Memory picture = without_gil([&] {
      auto memory = memory_->of_size(picture_bytes(conversion.to));
      converter_->convert(texture, conversion, *memory);
      return memory;
    });
    const auto [shape, type] = array_shape(conversion.to, layout_);
    const py::capsule base(new Memory(picture), [](void* share) { delete static_cast<Memory*>(share); });
    return py::array(py::dtype(type), shape, std::vector<py::ssize_t>{}, picture->data(), base);
  }
  void close() {
    without_gil([this] { converter_->close(); });
  }
  std::string device_name() {
    return without_gil([this] { return converter_->device_name(); });
  }

 private:
  using Memory = std::shared_ptr<std::vector<std::byte>>;
  ArrayLayout layout_;
  ColorSpec color_;
  std::string device_;
  std::shared_ptr<SharedConverter> converter_ = std::make_shared<SharedConverter>();
  std::shared_ptr<Recycler> memory_ = std::make_shared<Recycler>();
};

}  // namespace

void define_pictures(py::module_& module) {
  py::class_<PyPictureDecoder>(module, "PictureDecoder")
      .def(py::init<ArrayLayout, const ColorSpec&, std::string>())
      .def("decode", &PyPictureDecoder::decode)
      .def("close", &PyPictureDecoder::close)
      .def("device_name", &PyPictureDecoder::device_name);
}

}  // namespace texcast::python
