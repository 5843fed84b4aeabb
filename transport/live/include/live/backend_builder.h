// backend_builder.h — builds the reconstruction backend of an OpenCL device on a thread of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/built_later.h"
#include "base/line_limit.h"
#include "textures/compact_reception.h"

namespace texcast::stream {

// Not thread-safe. Logs a failure to build the device's kernels.
class OpenClBackendBuilder final : public BackendBuilder {
 public:
  // `device`: see choose_devices(). The first of those that are faster than threads (a GPU) reconstructs.
  explicit OpenClBackendBuilder(std::string device) : device_(std::move(device)) {}

  bool begin(const TextureDesc& texture) override;
  std::unique_ptr<compact::ReconstructionBackend> take() override;

 private:
  const std::string device_;
  LineLimit failures_;
  BuiltLater<std::unique_ptr<compact::ReconstructionBackend>> backend_;  // null: there is no such device
};

// nullptr without a device: threads decode everything.
std::unique_ptr<BackendBuilder> backend_builder(const std::optional<std::string>& device);

}  // namespace texcast::stream
