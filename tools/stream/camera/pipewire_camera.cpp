#include "stream/pipewire_camera.h"

#include "pipewire_node.h"

namespace texcast::stream {

std::unique_ptr<Camera> make_pipewire_camera(const std::string& name) { return std::make_unique<PipewireNode>(name); }

}  // namespace texcast::stream
