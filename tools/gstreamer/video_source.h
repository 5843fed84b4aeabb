// video_source.h — the source inside of texcastsrc that delivers pictures.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "source_core.h"

namespace texcast::gstreamer {

// A live source (GstPushSrc) whose pad is "src". The caller owns a floating reference.
GstElement* make_video_source(std::shared_ptr<SourceCore> core);

}  // namespace texcast::gstreamer
