#include <pybind11/stl.h>
#include <texcast/stream_receiver.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "module.h"
#include "names.h"
#include "recycler.h"
#include "sound_box.h"
#include "waiting.h"

namespace texcast::python {
namespace {

constexpr size_t kSharedTextures = 8;  // textures that arrays hold without a copy; those beyond are copied

struct Item {
  TextureDesc desc;
  std::span<const std::byte> blocks;
  std::shared_ptr<const void> owner;  // of `blocks`
  FrameTimes times;
  double fps = 0;
  uint64_t number = 0;
  uint32_t concealed_blocks = 0;
  bool new_stream = false;
  uint64_t lost = 0;     // frames before it that never arrived, since the item before
  uint64_t skipped = 0;  // frames before it that arrived and were replaced by newer ones
};

// The newest frames, from the thread of the receiver to those of Python. Never holds more than `most` frames: the
// oldest one is skipped.
class Mailbox {
 public:
  explicit Mailbox(size_t most) : most_(most) {}
  void put(const ReceivedTexture& received) {
    Item item = keep(received);
    std::optional<Item> skipped;  // ends outside of the lock
    {
      const std::scoped_lock lock(mutex_);
      if (!received.new_stream && next_number_ && received.number > *next_number_)
        item.lost = received.number - *next_number_;
      next_number_ = received.number + 1;
      if (items_.size() == most_) {
        skipped = std::move(items_.front());
        items_.pop_front();
        Item& next = items_.empty() ? item : items_.front();
        next.lost += skipped->lost;
        next.skipped += skipped->skipped + 1;
        next.new_stream |= skipped->new_stream;
      }
      items_.push_back(std::move(item));
    }
    arrived_.notify_one();
  }
  void close() {
    std::deque<Item> rest;
    {
      const std::scoped_lock lock(mutex_);
      is_closed_ = true;
      rest.swap(items_);
    }
    arrived_.notify_all();
  }
  bool is_closed() const {
    const std::scoped_lock lock(mutex_);
    return is_closed_;
  }
  // The oldest frame that waits; nothing if none came until then, or after close().
  std::optional<Item> take(SteadyTime until) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, until, [this] { return is_closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  // In the memory of the receiver as long as it has enough, else as a copy.
  Item keep(const ReceivedTexture& received) {
    Item item{.desc = received.texture.desc,
              .blocks = received.texture.blocks,
              .owner = nullptr,
              .times = received.times,
              .fps = received.fps,
              .number = received.number,
              .concealed_blocks = received.concealed_blocks,
              .new_stream = received.new_stream};
    if (*shared_ < kSharedTextures) {
      ++*shared_;
      item.owner =
          std::shared_ptr<const void>(item.blocks.data(), [kept = received.keep(), count = shared_](auto*) mutable {
            kept.reset();
            --*count;
          });
    } else {
      const auto copy = memory_->copy(item.blocks);
      item.blocks = *copy;
      item.owner = copy;
    }
    return item;
  }

  const size_t most_;
  std::shared_ptr<std::atomic<size_t>> shared_ = std::make_shared<std::atomic<size_t>>(0);
  std::shared_ptr<Recycler> memory_ = std::make_shared<Recycler>();
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Item> items_;
  std::optional<uint64_t> next_number_;
  bool is_closed_ = false;
};

class SharedReceiver : public Closable {
 public:
  SharedReceiver(StreamReceiverSettings settings, size_t queue, bool sound)
      : mailbox_(std::make_shared<Mailbox>(queue)), sounds_(sound ? std::make_shared<SoundBox>() : nullptr) {
    settings.textures_kept = kSharedTextures + 1;
    StreamReceiver::OnSound on_sound;
    if (sound) on_sound = [sounds = sounds_](const ReceivedSound& received) { sounds->put(received); };
    receiver_ = std::make_shared<StreamReceiver>(
        settings, [mailbox = mailbox_](const ReceivedTexture& received) { mailbox->put(received); }, on_sound);
    urls_ = receiver_->send_to();
  }
  void close() noexcept override {
    mailbox_->close();
    if (sounds_) sounds_->close();
    std::shared_ptr<StreamReceiver> last;
    {
      const std::scoped_lock lock(mutex_);
      if (receiver_) last_status_ = receiver_->status();
      last = std::move(receiver_);
    }
    last.reset();
  }
  Mailbox& mailbox() { return *mailbox_; }
  SoundBox& sounds() {
    if (!sounds_) throw Error(ErrorKind::misuse, "this receiver has no sound; it needs sound=True");
    return *sounds_;
  }
  const std::vector<std::string>& urls() const { return urls_; }
  StreamReceiverStatus status() const {
    const std::scoped_lock lock(mutex_);
    return receiver_ ? receiver_->status() : last_status_;
  }
  // Reception ended by itself; this throws why.
  void check() {
    std::shared_ptr<StreamReceiver> receiver;
    {
      const std::scoped_lock lock(mutex_);
      receiver = receiver_;
    }
    if (receiver && receiver->ended()) receiver->stop();
  }

 private:
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<SoundBox> sounds_;  // nullptr: without sound
  std::vector<std::string> urls_;
  mutable std::mutex mutex_;
  std::shared_ptr<StreamReceiver> receiver_;
  StreamReceiverStatus last_status_;
};

py::dict describe(const Item& item) {
  py::dict row;
  row["desc"] = item.desc;
  row["blocks"] = bytes_array(item.blocks, item.owner);
  row["pts"] = in_seconds(item.times.pts);
  row["available"] = unix_seconds(item.times.available);
  row["encoded"] = unix_seconds(item.times.encoded);
  row["sent"] = unix_seconds(item.times.sent);
  row["first_packet"] = unix_seconds(item.times.first_packet);
  row["assembled"] = unix_seconds(item.times.assembled);
  row["fps"] = item.fps;
  row["number"] = item.number;
  row["concealed_blocks"] = item.concealed_blocks;
  row["new_stream"] = item.new_stream;
  row["lost"] = item.lost;
  row["skipped"] = item.skipped;
  return row;
}

py::dict describe(const SoundItem& item) {
  py::dict row;
  row["samples"] = bytes_array(*item.samples, item.samples);
  row["sample_rate"] = item.format.sample_rate;
  row["channels"] = item.format.channels;
  row["pts"] = in_seconds(item.pts);
  row["new_stream"] = item.new_stream;
  row["concealed"] = item.concealed;
  row["skipped"] = item.skipped;
  return row;
}

class PyReceiver {
 public:
  PyReceiver(const StreamReceiverSettings& settings, int queue, bool sound) {
    if (queue < 1 || queue > 1000)
      throw Error(ErrorKind::usage, "a queue of " + std::to_string(queue) + " frames; it has 1 to 1000");
    receiver_ =
        without_gil([&] { return std::make_shared<SharedReceiver>(settings, static_cast<size_t>(queue), sound); });
    close_at_exit(receiver_);
  }
  PyReceiver(const PyReceiver&) = delete;
  PyReceiver& operator=(const PyReceiver&) = delete;
  ~PyReceiver() {
    without_gil([this] {
      receiver_->close();
      receiver_.reset();
    });
  }

  // None: the time is over, or the receiver is closed.
  std::optional<py::dict> take(std::optional<double> timeout) {
    const auto receiver = receiver_;
    return take_from(*receiver, receiver->mailbox(), timeout);
  }
  std::optional<py::dict> take_sound(std::optional<double> timeout) {
    const auto receiver = receiver_;
    return take_from(*receiver, receiver->sounds(), timeout);
  }
  void close() {
    without_gil([this] { receiver_->close(); });
  }
  bool is_closed() const { return receiver_->mailbox().is_closed(); }
  std::vector<std::string> urls() const { return receiver_->urls(); }
  StreamReceiverStatus status() const {
    return without_gil([this] { return receiver_->status(); });
  }

 private:
  template <class Box>
  static std::optional<py::dict> take_from(SharedReceiver& receiver, Box& box, std::optional<double> timeout) {
    const auto item = take_until(
        end_of(timeout),
        [&](SteadyTime until) {
          auto taken = box.take(until);
          if (!taken) receiver.check();
          return taken;
        },
        [&] { return box.is_closed(); });
    if (!item) return std::nullopt;
    return describe(*item);
  }
  std::shared_ptr<SharedReceiver> receiver_;
};

const char* name_of(StreamRefusal refusal) {
  switch (refusal) {
    case StreamRefusal::none: break;
    case StreamRefusal::no_passphrase: return "no passphrase";
    case StreamRefusal::wrong_passphrase: return "wrong passphrase";
    case StreamRefusal::replayed: return "replayed";
    case StreamRefusal::not_encrypted: return "not encrypted";
    case StreamRefusal::other_cipher: return "other cipher";
    case StreamRefusal::older_texcast: return "older texcast";
    case StreamRefusal::too_old: return "too old";
    case StreamRefusal::from_the_future: return "from the future";
  }
  return "";
}

py::dict describe(const StreamReceiverStatus& status) {
  py::dict row;
  row["frames"] = status.frames;
  row["frames_concealed"] = status.frames_concealed;
  row["frames_lost"] = status.frames_lost;
  row["frames_unbuffered"] = status.frames_unbuffered;
  row["frames_undecoded"] = status.frames_undecoded;
  row["frames_unsupported"] = status.frames_unsupported;
  row["packets"] = status.packets;
  row["bytes"] = status.bytes;
  row["packets_lost"] = status.packets_lost;
  row["packets_recovered"] = status.packets_recovered;
  row["packets_refused"] = status.packets_refused;
  row["packets_foreign"] = status.packets_foreign;
  row["packets_malformed"] = status.packets_malformed;
  row["pictures_too_large"] = status.pictures_too_large;
  row["dropped_by_system"] = status.dropped_by_system;
  row["sound_packets"] = status.sound_packets;
  row["sound_packets_lost"] = status.sound_packets_lost;
  row["sound_concealed"] = status.sound_concealed_ms / 1000;
  row["refusal"] = name_of(status.refusal);
  row["sender"] = status.sender;
  return row;
}

}  // namespace

void define_receiver(py::module_& module) {
  using Settings = StreamReceiverSettings;
  py::class_<Settings>(module, "StreamReceiverSettings")
      .def(py::init<>())
      .def_readwrite("listen", &Settings::listen)
      .def_readwrite("name", &Settings::name)
      .def_readwrite("interface", &Settings::interface)
      .def_readwrite("from_hosts", &Settings::from)
      .def_readwrite("passphrase", &Settings::passphrase)
      .def_readwrite("cipher", &Settings::cipher)
      .def_property("max_age", nullptr, [](Settings& s, double age) { s.max_age = checked_seconds(age); })
      .def_readwrite("max_width", &Settings::max_width)
      .def_readwrite("max_height", &Settings::max_height);
  py::class_<PyReceiver>(module, "Receiver")
      .def(py::init<const Settings&, int, bool>())
      .def("take", &PyReceiver::take)
      .def("take_sound", &PyReceiver::take_sound)
      .def("close", &PyReceiver::close)
      .def("is_closed", &PyReceiver::is_closed)
      .def("urls", &PyReceiver::urls)
      .def("status", [](const PyReceiver& receiver) { return describe(receiver.status()); });
}

}  // namespace texcast::python
