// enums.h — choices of libtexcast as GObject enumerations, whose nicks are the words of the command line.
#pragma once

#include <gst/gst.h>

namespace texcast::gstreamer {

GType format_type();        // TextureFormat: those that are encoded
GType quality_type();       // Quality
GType transform_type();     // TransformCoding
GType sound_coding_type();  // SoundCoding
GType preset_type();        // 0: none, else one more than the index in stream_presets()

}  // namespace texcast::gstreamer
