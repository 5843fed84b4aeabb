// pipewire_formats.h — the formats and buffers of a camera in PipeWire's terms.
#pragma once

#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>

#include <optional>
#include <vector>

#include "stream/camera.h"

namespace texcast::stream {

// Makes an object for each pixel format that the camera offers. The pods are in the builder's memory.
std::vector<const spa_pod*> offered_formats(spa_pod_builder& builder, const CameraOffer& offer);

// The format that PipeWire has negotiated; nothing if it is none of those offered.
std::optional<CameraFormat> negotiated_format(const spa_pod* format, const CameraOffer& offer);

// The memory and the additions of pictures of that format.
std::vector<const spa_pod*> wanted_buffers(spa_pod_builder& builder, const CameraFormat& format);

}  // namespace texcast::stream
