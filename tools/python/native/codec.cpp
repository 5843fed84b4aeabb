#include <pybind11/stl.h>
#include <texcast/container.h>
#include <texcast/decoder.h>
#include <texcast/encoder.h>

#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "module.h"
#include "names.h"
#include "recycler.h"
#include "shared.h"

namespace texcast::python {
namespace {

struct Encoded {
  TextureDesc desc;
  std::shared_ptr<std::vector<std::byte>> blocks;
  nanoseconds pts{};
};

class PyEncoder {
 public:
  // Calls `function` with the object of libtexcast, without the GIL.
  template <class Call>
  auto call(Call&& function) {
    return without_gil([&] { return encoder_->with(function); });
  }
  PyEncoder(EncoderSettings settings, const FrameFormat& source, ArrayLayout layout) : layout_(std::move(layout)) {
    settings.source = source;
    source_ = source;
    encoder_ =
        without_gil([&] { return std::make_shared<Shared<Encoder>>(make_encoder(settings), "the encoder is closed"); });
    close_at_exit(encoder_);
  }
  PyEncoder(const PyEncoder&) = delete;
  PyEncoder& operator=(const PyEncoder&) = delete;
  ~PyEncoder() {
    without_gil([this] { encoder_.reset(); });
  }

  void close() {
    without_gil([this] { encoder_->close(); });
  }
  void submit(const py::array& array, double pts) {
    ArrayFrame frame(array, layout_, source_);
    const FrameTimes times{.pts = checked_seconds(pts), .available = wall_now()};
    without_gil([&] {
      encoder_->with([&](Encoder& encoder) {
        const auto pool = layout_.is_bgr24 ? encoder.frame_pool() : nullptr;
        encoder.submit(frame.finish(pool.get()), times);
      });
    });
  }
  py::tuple next() {
    const Encoded encoded = without_gil([&] {
      return encoder_->with([&](Encoder& encoder) {
        const EncodedFrame frame = encoder.next();
        return Encoded{frame.texture.desc, memory_->copy(frame.texture.blocks), frame.times.pts};
      });
    });
    return py::make_tuple(encoded.desc, bytes_array(*encoded.blocks, encoded.blocks), in_seconds(encoded.pts));
  }
  std::optional<py::array> lend() {
    if (!can_lend(layout_, source_)) return std::nullopt;
    return lent_array(call([](Encoder& e) { return e.frame_pool(); }).get(), layout_);
  }

 private:
  ArrayLayout layout_;
  FrameFormat source_;
  std::shared_ptr<Shared<Encoder>> encoder_;
  std::shared_ptr<Recycler> memory_ = std::make_shared<Recycler>();
};

// Pictures go back to the decoder when their arrays end.
class PyDecoder {
 public:
  py::array decode(const TextureDesc& desc, const py::array& blocks) {
    const TextureView texture = texture_view(desc, blocks);
    const std::shared_ptr<DecodedImage> image = without_gil([&] {
      auto lent = images_->lend();
      decode_texture(texture, *lent);
      return lent;
    });
    return image_array(image);
  }

 private:
  static py::array image_array(const std::shared_ptr<DecodedImage>& image) {
    using Owner = std::shared_ptr<DecodedImage>;
    const py::capsule base(new Owner(image), [](void* share) { delete static_cast<Owner*>(share); });
    std::vector<py::ssize_t> shape = {image->height, image->width};
    if (image->channels > 1) shape.push_back(image->channels);
    return py::array(py::dtype(dtype_of(image->samples)), shape, std::vector<py::ssize_t>{}, image->pixels.data(),
                     base);
  }
  std::shared_ptr<Pool<DecodedImage>> images_ = std::make_shared<Pool<DecodedImage>>();
};

std::string describe(const TextureDesc& desc) {
  return std::string(name(desc.format)) + " of " + std::to_string(desc.width) + " x " + std::to_string(desc.height);
}

// The first texture and its mip levels, each half as large as its predecessor.
py::bytes pack(const std::vector<std::pair<TextureDesc, py::array>>& textures, const std::string& kind, bool zstd) {
  std::vector<TextureView> levels;
  for (const auto& [desc, blocks] : textures) {
    const TextureDesc wanted = level_of(textures.front().first, static_cast<int>(levels.size()));
    if (!(desc == wanted))
      throw Error(ErrorKind::usage, "mip level " + std::to_string(levels.size()) + " is " + describe(desc) +
                                        "; it must be " + describe(wanted) + ", with the colours of the first one");
    levels.push_back(texture_view(desc, blocks));
  }
  const StillKind still = still_kind_named(kind);
  const auto file = without_gil([&] { return pack_still(still, levels, {.zstd = zstd}); });
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

void define_encoder(py::module_& module) {
  py::class_<EncoderSettings>(module, "EncoderSettings")
      .def(py::init<>())
      .def_property("format", nullptr,
                    [](EncoderSettings& s, const std::string& format) { s.texture = format_named(format); })
      .def_property("quality", nullptr,
                    [](EncoderSettings& s, const std::string& quality) { s.quality = quality_named(quality); })
      .def_property("method", nullptr,
                    [](EncoderSettings& s, const std::optional<std::string>& method) {
                      s.method = method ? std::optional(method_named(*method)) : std::nullopt;
                    })
      .def_property("allow_black", nullptr, [](EncoderSettings& s, bool allow) { s.options.allow_black = allow; })
      .def_property(
          "wait_for_kernels", nullptr,
          [](EncoderSettings& s, bool wait) { s.start = wait ? EncoderStart::when_built : EncoderStart::at_once; })
      .def_readwrite("device", &EncoderSettings::device)
      .def_readwrite("frames_in_flight", &EncoderSettings::frames_in_flight);
  py::class_<PyEncoder>(module, "Encoder")
      .def(py::init<EncoderSettings, const FrameFormat&, ArrayLayout>())
      .def("submit", &PyEncoder::submit)
      .def("next", &PyEncoder::next)
      .def("lend", &PyEncoder::lend)
      .def("close", &PyEncoder::close)
      .def("ready", [](PyEncoder& e) { return e.call([](const Encoder& x) { return x.ready(); }); })
      .def("in_flight", [](PyEncoder& e) { return e.call([](const Encoder& x) { return x.in_flight(); }); })
      .def("capacity", [](PyEncoder& e) { return e.call([](const Encoder& x) { return x.capacity(); }); })
      .def("device_name", [](PyEncoder& e) { return e.call([](const Encoder& x) { return x.device_name(); }); })
      .def("texture_desc", [](PyEncoder& e) { return e.call([](const Encoder& x) { return x.texture_desc(); }); });
}

}  // namespace

void define_codec(py::module_& module) {
  define_encoder(module);
  py::class_<PyDecoder>(module, "Decoder").def(py::init<>()).def("decode", &PyDecoder::decode);
  module.def("pack", &pack);
}

}  // namespace texcast::python
