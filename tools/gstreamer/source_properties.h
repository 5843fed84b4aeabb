// source_properties.h — the properties of texcastsrc, named as the options of `texcast receive` are.
#pragma once

#include <glib-object.h>

#include "source_core.h"

namespace texcast::gstreamer {

void install_source_properties(GObjectClass* type);
// Both take the mutex of `core`. False: the class has no such property.
bool set_source_property(SourceCore& core, guint id, const GValue* value);
bool get_source_property(SourceCore& core, guint id, GValue* value);

}  // namespace texcast::gstreamer
