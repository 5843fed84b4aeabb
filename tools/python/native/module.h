// module.h — the parts of texcast._native, the C++ half of the Python package. It is private to the package: the Python
// half (tools/python/texcast) has the interface, its types and its documentation.
#pragma once

#include <pybind11/pybind11.h>

#include "without_gil.h"

namespace texcast::python {

void define_formats(py::module_& module);   // formats, devices, descriptions of textures
void define_codec(py::module_& module);     // encoder, decoder
void define_pictures(py::module_& module);  // decoder to pixel formats of video
void define_sender(py::module_& module);
void define_receiver(py::module_& module);
void define_discovery(py::module_& module);
void define_transcoder(py::module_& module);
void define_files(py::module_& module);
void define_log(py::module_& module);

}  // namespace texcast::python
