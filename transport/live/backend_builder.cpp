#include "live/backend_builder.h"

#include <fmt/core.h>

#include "base/log.h"
#include "compact/opencl_reconstruction_backend.h"
#include "texcast/error.h"

namespace texcast::stream {

bool OpenClBackendBuilder::begin(const TextureDesc& texture) {
  if (backend_.is_awaited()) return false;
  backend_.build([device = device_, texture] { return compact::usual_reconstruction_backend(device, texture); });
  return true;
}

std::unique_ptr<compact::ReconstructionBackend> OpenClBackendBuilder::take() {
  try {
    if (auto built = backend_.take()) return std::move(*built);
  } catch (const Error& error) {
    if (const auto line =
            failures_.take(fmt::format("the coded stream is decoded by the CPU: {}", error.what()), steady_now()))
      log_warning("{}", *line);
  }
  return nullptr;
}

std::unique_ptr<BackendBuilder> backend_builder(const std::optional<std::string>& device) {
  return device ? std::make_unique<OpenClBackendBuilder>(*device) : nullptr;
}

}  // namespace texcast::stream
