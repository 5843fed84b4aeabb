// pipelines.h — GStreamer with the plugin of this build, and pipelines that end with their scope.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "texcast/image.h"

namespace texcast::test {

// Initialises GStreamer, once, with the plugins that the tests use.
void use_gstreamer();

struct Unref {
  void operator()(GstElement* element) const;  // also sets its state to NULL
  void operator()(GstMessage* message) const { gst_message_unref(message); }
  void operator()(GstSample* sample) const { gst_sample_unref(sample); }
  void operator()(GstCaps* caps) const { gst_caps_unref(caps); }
};
using Message = std::unique_ptr<GstMessage, Unref>;
using Sample = std::unique_ptr<GstSample, Unref>;
using Caps = std::unique_ptr<GstCaps, Unref>;

class Pipeline {
 public:
  explicit Pipeline(const std::string& description);
  GstElement* get() const { return pipeline_.get(); }
  // The element with this name; the pipeline holds it.
  GstElement* element(const std::string& name) const;
  GstStateChangeReturn set_state(GstState state) { return gst_element_set_state(get(), state); }
  void play() { set_state(GST_STATE_PLAYING); }

  // Waits for a message of one of these types; null after the test's patience.
  Message wait(int types) const;
  // Waits for an error, and returns its text; "" if there was none.
  std::string wait_for_error() const;
  // The next picture of the appsink with this name; null at its end.
  Sample pull(const std::string& name = "out") const;

 private:
  std::unique_ptr<GstElement, Unref> pipeline_;
};

// The address of a texcastsrc for senders. Waits until it is known: a source may open its port in the background.
std::string address_of(GstElement* source);

// Whether a device has decoded the last picture of a texcastsrc.
bool is_decoded_by_device(GstElement* source);

// A port that is free together with the three after it, outside the range from which the system chooses.
int port_for_sound();

// A sample in RGBA or RGB as an image of three channels.
DecodedImage rgb_of(GstSample* sample);
double psnr(const DecodedImage& a, const DecodedImage& b);  // 0 if the sizes differ

// Lines of GStreamer's log that are warnings or errors of texcast's elements, while it lives.
class Complaints {
 public:
  Complaints();
  ~Complaints();
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;
  std::vector<std::string> lines() const;
};

}  // namespace texcast::test
