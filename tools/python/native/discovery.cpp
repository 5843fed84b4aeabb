#include <pybind11/stl.h>
#include <texcast/discovery.h>
#include <texcast/error.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "module.h"
#include "waiting.h"

namespace texcast::python {
namespace {

using Streams = std::vector<FoundStream>;

// Other machines choose the bytes, which need not be UTF-8.
py::object text(const std::string& bytes) {
  PyObject* const decoded = PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(decoded);
}

py::list describe(const Streams& streams) {
  py::list rows;
  for (const FoundStream& stream : streams) {
    py::dict row;
    row["name"] = text(stream.name);
    row["url"] = text(stream.url);
    row["interface"] = text(stream.interface);
    row["host"] = text(stream.host);
    row["format"] = text(stream.format);
    row["width"] = stream.width;
    row["height"] = stream.height;
    row["fps"] = stream.fps;
    row["sound"] = text(stream.sound);
    row["encrypted"] = stream.encrypted;
    row["paused"] = stream.paused;
    rows.append(row);
  }
  return rows;
}

py::list find(double seconds) {
  const nanoseconds how_long = checked_seconds(seconds);
  if (how_long < nanoseconds{})
    throw Error(ErrorKind::usage, "a search of " + std::to_string(seconds) + " seconds; it takes 0 or more");
  return describe(without_gil([how_long] { return find_streams(how_long); }));
}

// A watch whose changes wait for Python.
class SharedWatch : public Closable {
 public:
  SharedWatch() : changes_(std::make_shared<Latest<Streams>>()) {
    watch_ = std::make_unique<StreamWatch>([changes = changes_](const Streams& streams) { changes->put(streams); });
  }
  void close() noexcept override {
    changes_->close();
    std::unique_ptr<StreamWatch> last;
    {
      const std::scoped_lock lock(mutex_);
      last = std::move(watch_);
    }
    last.reset();  // without the lock, as this may wait for the bus
  }
  Latest<Streams>& changes() { return *changes_; }
  Streams streams() const {
    const std::scoped_lock lock(mutex_);
    return watch_ ? watch_->streams() : Streams();
  }
  std::string problem() const {
    const std::scoped_lock lock(mutex_);
    return watch_ ? watch_->problem() : "the watch is closed";
  }

 private:
  std::shared_ptr<Latest<Streams>> changes_;
  mutable std::mutex mutex_;
  std::unique_ptr<StreamWatch> watch_;
};

class PyWatch {
 public:
  PyWatch() {
    watch_ = without_gil([] { return std::make_shared<SharedWatch>(); });
    close_at_exit(watch_);
  }
  PyWatch(const PyWatch&) = delete;
  PyWatch& operator=(const PyWatch&) = delete;
  ~PyWatch() {
    without_gil([this] {
      watch_->close();
      watch_.reset();
    });
  }
  // All streams, after a change. None: the time is over, or the watch is closed.
  std::optional<py::list> take(std::optional<double> timeout) {
    const auto watch = watch_;
    const auto streams = take_until(
        end_of(timeout), [&](SteadyTime until) { return watch->changes().take(until); },
        [&] { return watch->changes().is_closed(); });
    if (!streams) return std::nullopt;
    return describe(*streams);
  }
  void close() {
    without_gil([this] { watch_->close(); });
  }
  py::list streams() const {
    return describe(without_gil([this] { return watch_->streams(); }));
  }
  std::string problem() const {
    return without_gil([this] { return watch_->problem(); });
  }

 private:
  std::shared_ptr<SharedWatch> watch_;
};

}  // namespace

void define_discovery(py::module_& module) {
  module.def("find_streams", &find);
  py::class_<PyWatch>(module, "StreamWatch")
      .def(py::init<>())
      .def("take", &PyWatch::take)
      .def("close", &PyWatch::close)
      .def("streams", &PyWatch::streams)
      .def("problem", &PyWatch::problem);
}

}  // namespace texcast::python
