#include <texcast/log.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "module.h"
#include "names.h"

namespace texcast::python {
namespace {

constexpr size_t kMostLines = 1000;  // that wait for a slow function; later ones are dropped

// Lines from threads of libtexcast, which must not wait for Python, to the thread of Python that reports them.
class LogQueue : public Closable {
 public:
  using Line = std::pair<LogLevel, std::string>;
  ~LogQueue() override = default;
  void put(LogLevel level, std::string_view line) {
    {
      const std::scoped_lock lock(mutex_);
      if (is_closed_ || lines_.size() == kMostLines) return;
      lines_.emplace_back(level, line);
    }
    arrived_.notify_one();
  }
  // Waits for a line. Nothing after close(), once all lines are taken.
  std::optional<Line> take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return is_closed_ || !lines_.empty(); });
    if (lines_.empty()) return std::nullopt;
    Line line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }
  void close() noexcept override {
    {
      const std::scoped_lock lock(mutex_);
      is_closed_ = true;
    }
    arrived_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Line> lines_;
  bool is_closed_ = false;
};

class PyLog {
 public:
  explicit PyLog(const std::string& lowest) : queue_(std::make_shared<LogQueue>()) {
    const LogLevel level = log_level_named(lowest);
    without_gil(
        [&] { set_log_function([queue = queue_](LogLevel l, std::string_view line) { queue->put(l, line); }, level); });
    close_at_exit(queue_);
  }
  std::optional<std::pair<const char*, std::string>> take() {
    const auto queue = queue_;
    auto line = without_gil([&] { return queue->take(); });
    if (!line) return std::nullopt;
    return std::pair(name_of(line->first), std::move(line->second));
  }
  void close() {
    without_gil([this] { queue_->close(); });
  }

 private:
  std::shared_ptr<LogQueue> queue_;
};

}  // namespace

void define_log(py::module_& module) {
  py::class_<PyLog>(module, "Log")
      .def(py::init<const std::string&>())
      .def("take",
           [](PyLog& log) -> py::object {
             const auto line = log.take();
             if (!line) return py::none();
             return py::make_tuple(line->first, py::str(line->second.data(), line->second.size()));
           })
      .def("close", &PyLog::close);
  module.def("stop_log", [] { without_gil([] { set_log_function({}); }); });
}

}  // namespace texcast::python
