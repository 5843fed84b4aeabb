// sink_properties.h — the properties of texcastsink, named as the options of `texcast send` are.
#pragma once

#include <glib-object.h>

#include "sink_core.h"

namespace texcast::gstreamer {

void install_sink_properties(GObjectClass* type);
// Both take the mutex of `core`. False: the class has no such property.
bool set_sink_property(SinkCore& core, guint id, const GValue* value);
bool get_sink_property(SinkCore& core, guint id, GValue* value);

}  // namespace texcast::gstreamer
