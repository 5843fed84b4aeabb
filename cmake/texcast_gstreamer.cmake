# Whether GStreamer's elements are built: TEXCAST_HAS_GSTREAMER, and the target PkgConfig::GSTREAMER.
set(TEXCAST_HAS_GSTREAMER OFF)
if(TEXCAST_GSTREAMER)
  pkg_check_modules(GSTREAMER IMPORTED_TARGET gstreamer-1.0>=1.20 gstreamer-base-1.0 gstreamer-video-1.0 gstreamer-audio-1.0)
  if(GSTREAMER_FOUND)
    set(TEXCAST_HAS_GSTREAMER ON)
  else()
    texcast_component_lacks(TEXCAST_GSTREAMER "GStreamer elements"
      "GStreamer 1.20 or later is not installed (Debian: libgstreamer-plugins-base1.0-dev)")
  endif()
endif()
