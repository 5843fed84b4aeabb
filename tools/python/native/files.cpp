#include <pybind11/stl.h>
#include <texcast/file_reader.h>
#include <texcast/file_writer.h>

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

py::dict describe(const FileInfo& info) {
  py::dict row;
  row["path"] = info.path;
  row["container"] = info.container;
  row["codec"] = info.codec_name;
  row["coding"] = name_of(info.coding);
  row["fourcc"] = info.fourcc;
  row["desc"] = info.texture;
  row["fps"] = info.fps;
  row["duration"] = info.duration ? std::optional(in_seconds(*info.duration)) : std::nullopt;
  row["frame_count"] = info.frame_count;
  row["file_bytes"] = info.file_bytes;
  return row;
}

// A reader that several threads of Python may call: one call runs at a time.
class PyReader {
  template <class Call>
  auto call(Call&& function) {
    return without_gil([&] {
      const std::scoped_lock lock(mutex_);
      if (!reader_) throw Error(ErrorKind::misuse, "the file is closed");
      return function(*reader_);
    });
  }

 public:
  explicit PyReader(const std::string& path) {
    reader_ = without_gil([&] { return std::make_unique<FileReader>(path); });
    info_ = reader_->info();
  }
  PyReader(const PyReader&) = delete;
  PyReader& operator=(const PyReader&) = delete;
  ~PyReader() { close(); }

  const FileInfo& info() const { return info_; }
  std::optional<py::dict> read() {
    struct Read {
      StoredFrame stored;
      std::shared_ptr<std::vector<std::byte>> blocks;
    };
    const auto frame = call([this](FileReader& reader) -> std::optional<Read> {
      auto stored = reader.read_stored();
      if (!stored) return std::nullopt;
      auto blocks = memory_->of_size(texture_layout(info_.texture).total_bytes);
      reader.unpack(*stored, *blocks);
      return Read{std::move(*stored), std::move(blocks)};
    });
    if (!frame) return std::nullopt;
    py::dict row;
    row["blocks"] = bytes_array(*frame->blocks, frame->blocks);
    row["pts"] = in_seconds(frame->stored.pts);
    row["number"] = frame->stored.number;
    row["stored_bytes"] = frame->stored.stored_bytes;
    row["damage"] = frame->stored.damage;
    return row;
  }
  void seek(double seconds) {
    const nanoseconds time = checked_seconds(seconds);
    call([time](FileReader& reader) { reader.seek(time); });
  }
  void seek_to_frame(int64_t number) {
    call([number](FileReader& reader) { reader.seek_to_frame(number); });
  }
  void close() {
    without_gil([this] {
      const std::scoped_lock lock(mutex_);
      reader_.reset();
    });
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<FileReader> reader_;
  FileInfo info_;
  std::shared_ptr<Recycler> memory_ = std::make_shared<Recycler>();
};

class SharedWriter : public Closable {
 public:
  explicit SharedWriter(const FileWriterSettings& settings) : writer_(settings) {}
  void close() noexcept override {  // a recording that is open at the end of the interpreter is completed
    try {
      finish();
    } catch (const std::exception&) {
      // There is no caller left, and the journal beside the file repairs it.
    }
  }
  void write(const TextureView& texture, nanoseconds pts) {
    const std::scoped_lock lock(mutex_);
    writer_.write(texture, pts);
  }
  FileReport finish() {
    const std::scoped_lock lock(mutex_);
    return writer_.finish();
  }

 private:
  std::mutex mutex_;
  FileWriter writer_;
};

class PyWriter {
 public:
  PyWriter(FileWriterSettings settings, const TextureDesc& texture) {
    settings.texture = texture;
    writer_ = without_gil([&] { return std::make_shared<SharedWriter>(settings); });
    close_at_exit(writer_);
  }
  PyWriter(const PyWriter&) = delete;
  PyWriter& operator=(const PyWriter&) = delete;
  ~PyWriter() {
    without_gil([this] { writer_.reset(); });
  }
  void write(const TextureDesc& desc, const py::array& blocks, double pts) {
    const TextureView texture = texture_view(desc, blocks);
    const nanoseconds time = checked_seconds(pts);
    without_gil([&] { writer_->write(texture, time); });
  }
  py::dict finish() {
    const FileReport report = without_gil([this] { return writer_->finish(); });
    py::dict row;
    row["frames"] = report.frames;
    row["bytes"] = report.bytes;
    row["files"] = report.files;
    return row;
  }

 private:
  std::shared_ptr<SharedWriter> writer_;
};

}  // namespace

void define_files(py::module_& module) {
  using Settings = FileWriterSettings;
  py::class_<PyReader>(module, "FileReader")
      .def(py::init<const std::string&>())
      .def("info", [](const PyReader& reader) { return describe(reader.info()); })
      .def("read", &PyReader::read)
      .def("seek", &PyReader::seek)
      .def("seek_to_frame", &PyReader::seek_to_frame)
      .def("close", &PyReader::close);
  py::class_<Settings>(module, "FileWriterSettings")
      .def(py::init<>())
      .def_readwrite("path", &Settings::path)
      .def_readwrite("fps", &Settings::fps)
      .def_property("coding", nullptr, [](Settings& s, const std::string& c) { s.coding = file_coding_named(c); })
      .def_readwrite("crf", &Settings::crf)
      .def_property("quality", nullptr, [](Settings& s, const std::string& q) { s.quality = quality_named(q); })
      .def_property("transform", nullptr, [](Settings& s, const std::string& t) { s.transform = transform_named(t); })
      .def_readwrite("snappy", &Settings::snappy)
      .def_readwrite("zstd", &Settings::zstd)
      .def_property("if_exists", nullptr, [](Settings& s, const std::string& p) { s.if_exists = if_exists_named(p); });
  py::class_<PyWriter>(module, "FileWriter")
      .def(py::init<Settings, const TextureDesc&>())
      .def("write", &PyWriter::write)
      .def("finish", &PyWriter::finish);
}

}  // namespace texcast::python
