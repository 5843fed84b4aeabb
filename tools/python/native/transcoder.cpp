#include <texcast/transcoder.h>

#include <string>
#include <utility>

#include "arrays.h"
#include "module.h"
#include "names.h"
#include "recycler.h"
#include "shared.h"

namespace texcast::python {
namespace {

TranscoderSettings checked(const TextureDesc& from, const std::string& to, const std::string& quality,
                           std::string device) {
  const TranscoderSettings settings{.from = from,
                                    .to = format_named(to),
                                    .quality = quality_named(quality),
                                    .device = std::move(device),
                                    .frames_in_flight = 1};
  if (can_transcode(from.format, settings.to)) return settings;
  std::string known;
  for (const Format& format : formats())
    if (can_transcode(from.format, format.id)) known += (known.empty() ? "" : ", ") + std::string(format.name);
  const std::string from_name(name(from.format));
  throw Error(ErrorKind::usage, from_name + " cannot be transcoded to " + to + "; " +
                                    (known.empty() ? "no format is possible" : "possible are " + known));
}

class PyTranscoder {
 public:
  PyTranscoder(const TextureDesc& from, const std::string& to, const std::string& quality, const std::string& device) {
    const TranscoderSettings settings = checked(from, to, quality, device);
    transcoder_ = without_gil(
        [&] { return std::make_shared<Shared<Transcoder>>(make_transcoder(settings), "the transcoder is closed"); });
    close_at_exit(transcoder_);
  }
  PyTranscoder(const PyTranscoder&) = delete;
  PyTranscoder& operator=(const PyTranscoder&) = delete;
  ~PyTranscoder() {
    without_gil([this] { transcoder_.reset(); });
  }
  py::tuple transcode(const TextureDesc& desc, const py::array& blocks) {
    const TextureView texture = texture_view(desc, blocks);
    struct Result {
      TextureDesc desc;
      std::shared_ptr<std::vector<std::byte>> blocks;
    };
    const Result result = without_gil([&] {
      return transcoder_->with([&](Transcoder& transcoder) {
        transcoder.submit(texture);
        const TextureView done = transcoder.next();
        return Result{done.desc, memory_->copy(done.blocks)};
      });
    });
    return py::make_tuple(result.desc, bytes_array(*result.blocks, result.blocks));
  }
  void close() {
    without_gil([this] { transcoder_->close(); });
  }
  std::string device_name() {
    return without_gil([this] { return transcoder_->with([](const Transcoder& t) { return t.device_name(); }); });
  }

 private:
  std::shared_ptr<Shared<Transcoder>> transcoder_;
  std::shared_ptr<Recycler> memory_ = std::make_shared<Recycler>();
};

}  // namespace

void define_transcoder(py::module_& module) {
  py::class_<PyTranscoder>(module, "Transcoder")
      .def(py::init<const TextureDesc&, const std::string&, const std::string&, const std::string&>())
      .def("transcode", &PyTranscoder::transcode)
      .def("close", &PyTranscoder::close)
      .def("device_name", &PyTranscoder::device_name);
}

}  // namespace texcast::python
