// plugin.cpp — the plugin that GStreamer loads: texcastsrc and texcastsink.
#include <gst/gst.h>

#include "debug.h"
#include "sink_element.h"
#include "source_element.h"

namespace {

gboolean init_plugin(GstPlugin* plugin) {
  texcast::gstreamer::connect_log();
  return gst_element_register(plugin, "texcastsrc", GST_RANK_NONE, texcast::gstreamer::source_element_type()) &&
         gst_element_register(plugin, "texcastsink", GST_RANK_NONE, texcast::gstreamer::sink_element_type());
}

}  // namespace

#define PACKAGE "texcast"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, texcast, "Video as GPU texture blocks over RTP/UDP",
                  init_plugin, TEXCAST_VERSION, "BSD", "texcast", "https://texcast.invalid")
