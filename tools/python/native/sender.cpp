#include <pybind11/stl.h>
#include <texcast/stream_preset.h>
#include <texcast/stream_sender.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "module.h"
#include "names.h"

namespace texcast::python {
namespace {

// A sender whose calls may come from several threads of Python: one at a time, except status() and send_sound().
class SharedSender : public Closable {
 public:
  explicit SharedSender(std::unique_ptr<StreamSender> sender) : sender_(std::move(sender)) {}
  void close() noexcept override {
    std::shared_ptr<StreamSender> last;  // ends here, outside of the lock of status()
    const std::scoped_lock lock(calls_);
    {
      const std::scoped_lock also(mutex_);
      last = std::move(sender_);
    }
    last.reset();
  }
  template <class Call>
  auto with(Call&& call) {
    const std::scoped_lock lock(calls_);
    return call(*share());
  }
  StreamSenderStatus status() const { return share()->status(); }
  bool send_sound(std::span<const float> samples, nanoseconds pts) { return share()->send_sound(samples, pts); }

 private:
  std::shared_ptr<StreamSender> share() const {
    const std::scoped_lock lock(mutex_);
    if (!sender_) throw Error(ErrorKind::misuse, "the sender is closed");
    return sender_;
  }
  std::mutex calls_;
  mutable std::mutex mutex_;
  std::shared_ptr<StreamSender> sender_;
};

class PySender {
 public:
  // Calls `function` with the object of libtexcast, without the GIL.
  template <class Call>
  auto call(Call&& function) {
    return without_gil([&] { return sender_->with(function); });
  }
  PySender(const StreamSenderSettings& settings, EncoderSettings encoder, const FrameFormat& source, ArrayLayout layout)
      : layout_(std::move(layout)), source_(source) {
    encoder.source = source;
    open([&] { return std::make_unique<StreamSender>(settings, encoder); });
  }
  PySender(const StreamSenderSettings& settings, const TextureDesc& texture) {
    open([&] { return std::make_unique<StreamSender>(settings, texture); });
  }
  PySender(const PySender&) = delete;
  PySender& operator=(const PySender&) = delete;
  ~PySender() {
    without_gil([this] { sender_.reset(); });
  }

  bool send_array(const py::array& array, double pts) {
    ArrayFrame frame(array, layout_, source_);
    const nanoseconds time = checked_seconds(pts);
    return call([&](StreamSender& sender) {
      const auto pool = layout_.is_bgr24 ? sender.frame_pool() : nullptr;
      return sender.send(frame.finish(pool.get()), time);
    });
  }
  bool send_texture(const TextureDesc& desc, const py::array& blocks, double pts) {
    const TextureView texture = texture_view(desc, blocks);
    const nanoseconds time = checked_seconds(pts);
    return call([&](StreamSender& sender) { return sender.send(texture, time); });
  }
  bool send_sound(const py::array_t<float, py::array::c_style>& samples, double pts) {
    const std::span<const float> interleaved(samples.data(), static_cast<size_t>(samples.size()));
    const nanoseconds time = checked_seconds(pts);
    return without_gil([&] { return sender_->send_sound(interleaved, time); });
  }
  std::optional<py::array> lend() {
    if (!can_lend(layout_, source_)) return std::nullopt;
    return lent_array(call([](StreamSender& sender) { return sender.frame_pool(); }).get(), layout_);
  }
  bool finish(double limit) {
    const nanoseconds time = checked_seconds(limit);
    return call([time](StreamSender& sender) { return sender.finish(time); });
  }
  void close() {
    without_gil([this] { sender_->close(); });
  }
  StreamSenderStatus status() const {
    return without_gil([this] { return sender_->status(); });
  }

 private:
  template <class Make>
  void open(Make&& make) {
    sender_ = without_gil([&] { return std::make_shared<SharedSender>(make()); });
    close_at_exit(sender_);
  }
  ArrayLayout layout_;
  FrameFormat source_;
  std::shared_ptr<SharedSender> sender_;
};

py::dict describe(const StreamReceiverReport& report) {
  py::dict row;
  row["address"] = report.address;
  row["left"] = report.left;
  row["packets_lost"] = report.lost;
  row["loss"] = report.loss;
  row["jitter"] = report.jitter_ms / 1000;
  row["round_trip"] = report.round_trip_ms ? std::optional(*report.round_trip_ms / 1000) : std::nullopt;
  return row;
}

py::dict describe(const StreamSenderStatus& status) {
  py::list receivers;
  for (const StreamReceiverReport& report : status.receivers) receivers.append(describe(report));
  py::dict row;
  row["frames"] = status.frames;
  row["dropped"] = status.dropped;
  row["packets"] = status.packets;
  row["bytes"] = status.bytes;
  row["packets_refused"] = status.refused;
  row["requests"] = status.requests;
  row["packets_again"] = status.again;
  row["bits_per_s"] = status.bits_per_s;
  row["crf"] = status.crf;
  row["sound_packets"] = status.sound_packets;
  row["sound_bytes"] = status.sound_bytes;
  row["sound_dropped"] = status.sound_dropped;
  row["encode_seconds"] = status.encoded.p50 / 1000;
  row["send_seconds"] = status.last_packet.p50 / 1000;
  row["receivers"] = receivers;
  return row;
}

// (sample rate, channels)
void set_sound(StreamSenderSettings& settings, std::optional<std::pair<int, int>> format) {
  settings.sound.reset();
  if (format) settings.sound = SoundFormat{.sample_rate = format->first, .channels = format->second};
}

// `width` and `height`: of the frames, if they are known; else 0.
void apply_preset_to(const std::string& name, StreamSenderSettings& sender, EncoderSettings& encoder, int width,
                     int height) {
  encoder.source.width = width;
  encoder.source.height = height;
  apply_preset(name, sender, encoder);
}

py::dict all_presets() {
  py::dict all;
  for (const StreamPreset& preset : stream_presets()) all[py::str(preset.name)] = preset.what;
  return all;
}

void define_settings(py::module_& module) {
  using Settings = StreamSenderSettings;
  py::class_<Settings>(module, "StreamSenderSettings")
      .def(py::init<>())
      .def_readwrite("destinations", &Settings::destinations)
      .def_readwrite("name", &Settings::name)
      .def_readwrite("fps", &Settings::fps)
      .def_property("sound", nullptr, &set_sound)
      .def_property("sound_coding", nullptr,
                    [](Settings& s, const std::string& coding) { s.sound_coding = sound_coding_named(coding); })
      .def_readwrite("passphrase", &Settings::passphrase)
      .def_readwrite("fec", &Settings::fec)
      .def_readwrite("compact", &Settings::compact)
      .def_readwrite("crf", &Settings::crf)
      .def_readwrite("bitrate", &Settings::bitrate)
      .def_readwrite("least_bitrate", &Settings::least_bitrate)
      .def_property("transform", nullptr, [](Settings& s, const std::string& t) { s.transform = transform_named(t); })
      .def_property("quality", nullptr, [](Settings& s, const std::string& q) { s.quality = quality_named(q); })
      .def_readwrite("refresh_seconds", &Settings::refresh_seconds)
      .def_readwrite("retransmit", &Settings::retransmit)
      .def_readwrite("interface", &Settings::interface)
      .def_readwrite("multicast_ttl", &Settings::multicast_ttl)
      .def_readwrite("mtu", &Settings::mtu)
      .def_readwrite("spread", &Settings::spread)
      .def_readwrite("max_bits_per_s", &Settings::max_bits_per_s);
}

}  // namespace

void define_sender(py::module_& module) {
  define_settings(module);
  module.def("apply_preset", &apply_preset_to);
  module.def("presets", &all_presets);
  py::class_<PySender>(module, "Sender")
      .def(py::init<const StreamSenderSettings&, EncoderSettings, const FrameFormat&, ArrayLayout>())
      .def(py::init<const StreamSenderSettings&, const TextureDesc&>())
      .def("send_array", &PySender::send_array)
      .def("send_texture", &PySender::send_texture)
      .def("send_sound", &PySender::send_sound, py::arg("samples").noconvert(), py::arg("pts"))
      .def("lend", &PySender::lend)
      .def("finish", &PySender::finish)
      .def("close", &PySender::close)
      .def("status", [](const PySender& s) { return describe(s.status()); })
      .def("device_name", [](PySender& s) { return s.call([](const StreamSender& x) { return x.device_name(); }); })
      .def("texture_desc", [](PySender& s) { return s.call([](const StreamSender& x) { return x.texture_desc(); }); });
}

}  // namespace texcast::python
