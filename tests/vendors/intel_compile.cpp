// intel_compile DEVICE FILE.cl OPTIONS — compiles for an Intel GPU without having one, through libocloc.so (the library
// of the program ocloc; Debian has only the library, in intel-opencl-icd). Prints the compiler's log. Status 0: it
// compiled; 77: there is no such library.
#include <dlfcn.h>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

// The C interface of ocloc 1.0: a command line, and files in memory in place of those on disk.
struct Files {
  uint32_t count = 0;
  uint8_t** data = nullptr;
  uint64_t* bytes = nullptr;
  char** names = nullptr;
};
using Invoke = int (*)(unsigned argc, const char** argv, uint32_t sources, const uint8_t** source_data,
                       const uint64_t* source_bytes, const char** source_names, uint32_t headers,
                       const uint8_t** header_data, const uint64_t* header_bytes, const char** header_names,
                       uint32_t* outputs, uint8_t*** output_data, uint64_t** output_bytes, char*** output_names);
using FreeOutput = int (*)(uint32_t* outputs, uint8_t*** output_data, uint64_t** output_bytes, char*** output_names);

int compile(Invoke invoke, FreeOutput free_output, const char* device, const std::string& text, const char* options) {
  const char* argv[] = {"ocloc", "compile", "-file", "kernels.cl", "-device", device, "-options", options};
  const auto* data = reinterpret_cast<const uint8_t*>(text.c_str());
  const uint64_t bytes = text.size() + 1;
  const char* name = "kernels.cl";
  Files out;
  const int status = invoke(std::size(argv), argv, 1, &data, &bytes, &name, 0, nullptr, nullptr, nullptr, &out.count,
                            &out.data, &out.bytes, &out.names);
  bool binary = false;
  for (uint32_t i = 0; i < out.count; ++i) {
    const std::string_view output_name = out.names[i];
    binary = binary || (output_name.ends_with(".bin") && out.bytes[i] > 0);
    if (output_name == "stdout.log")
      std::cout.write(reinterpret_cast<const char*>(out.data[i]), static_cast<std::streamsize>(out.bytes[i]));
  }
  free_output(&out.count, &out.data, &out.bytes, &out.names);
  return status == 0 && binary ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: intel_compile DEVICE FILE.cl OPTIONS\n";
    return 2;
  }
  void* library = dlopen("libocloc.so", RTLD_NOW);
  const auto invoke = library ? reinterpret_cast<Invoke>(dlsym(library, "oclocInvoke")) : nullptr;
  const auto free_output = library ? reinterpret_cast<FreeOutput>(dlsym(library, "oclocFreeOutput")) : nullptr;
  if (invoke == nullptr || free_output == nullptr) {
    std::cerr << dlerror() << "\n";
    return 77;
  }
  std::ifstream in(argv[2], std::ios::binary);
  if (!in) {
    std::cerr << "cannot read " << argv[2] << "\n";
    return 2;
  }
  return compile(invoke, free_output, argv[1], {std::istreambuf_iterator<char>(in), {}}, argv[3]);
}
