#include "module.h"

#include <texcast/error.h>
#include <texcast/file_writer.h>

#include <exception>
#include <utility>

namespace texcast::python {
namespace {

// The classes of texcast/_errors.py. Never released: exceptions may still be translated while the interpreter ends.
const py::object& errors() {
  static const auto* const module = new py::object(py::module_::import("texcast._errors"));
  return *module;
}

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return "UsageError";
    case ErrorKind::no_device: return "NoDevice";
    case ErrorKind::input: return "InputError";
    case ErrorKind::network: return "NetworkError";
    case ErrorKind::corrupt: return "CorruptError";
    case ErrorKind::misuse: return "MisuseError";
    case ErrorKind::failed:
    case ErrorKind::no_display: break;
  }
  return "Error";
}

void raise(const char* class_name, const Error& error) {
  const py::object type = errors().attr(class_name);
  PyErr_SetString(type.ptr(), error.what());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(std::move(thrown));
  } catch (const NameTaken& error) {
    raise("NameTaken", error);
  } catch (const RecordingFull& error) {
    raise("RecordingFull", error);
  } catch (const Error& error) {
    raise(class_of(error.kind()), error);
  }
}

}  // namespace
}  // namespace texcast::python

PYBIND11_MODULE(_native, module) {
  using namespace texcast::python;
  module.doc() = "The C++ half of texcast. Private: use the package texcast.";
  errors();
  py::register_local_exception_translator(&translate);
  module.attr("version") = TEXCAST_VERSION;
  define_formats(module);
  define_codec(module);
  define_pictures(module);
  define_sender(module);
  define_receiver(module);
  define_discovery(module);
  define_transcoder(module);
  define_files(module);
  define_log(module);
  module.def("end_of_interpreter", &end_of_interpreter);
}
