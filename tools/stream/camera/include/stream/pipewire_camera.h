// pipewire_camera.h — a camera as a node of PipeWire (class Video/Source, role Camera), which browsers and OBS find
// through the desktop's camera portal. Needs no root and no kernel module.
#pragma once

#include <memory>
#include <string>

#include "stream/camera.h"

namespace texcast::stream {

// `name`: for people, in the list of cameras. Warns if no session manager (WirePlumber) runs. Throws Error{input} if
// PipeWire cannot be reached, with what to do.
std::unique_ptr<Camera> make_pipewire_camera(const std::string& name);

}  // namespace texcast::stream
