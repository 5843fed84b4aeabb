// States that change again and again.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <thread>

#include "../patience.h"
#include "pipelines.h"
#include "texcast/frame_times.h"

using namespace texcast;
using namespace texcast::test;

namespace {

// AddressSanitizer keeps freed memory for a while.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_FREED_MEMORY
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(KEEPS_FREED_MEMORY)
constexpr long kMostGrowth = 128 * 1024;  // kilobytes
#else
constexpr long kMostGrowth = 16 * 1024;
#endif

// A number of /proc/self/status.
long status_of(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  return 0;
}

// Streams end in the background.
void wait_for_threads(long most) {
  for (const auto limit = steady_now() + kPatience; status_of("Threads") > most && steady_now() < limit;)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void wait_for_device(const Pipeline& receiver) {
  GstElement* source = receiver.element("src");
  const auto limit = steady_now() + kPatience;
  while (!is_decoded_by_device(source) && steady_now() < limit) REQUIRE(receiver.pull() != nullptr);
  CHECK(is_decoded_by_device(source));
}

}  // namespace

TEST_CASE("fifty times from NULL to PLAYING and back leave no memory and no thread") {
  Pipeline receiver(
      "texcastsrc name=src listen=rtp://127.0.0.1:0 timeout=0 device=pocl ! capsfilter name=caps ! appsink name=out "
      "sync=false max-buffers=1 drop=true");
  Pipeline sender(
      "videotestsrc is-live=true ! video/x-raw,width=64,height=64,framerate=50/1 ! texcastsink name=sink "
      "device=cpu-reference");
  long threads = 0, kilobytes = 0;
  for (int n = 0; n < 60; ++n) {
    // Each third time, the kernels of a device are being built when the pipeline ends, or have just been.
    const Caps caps(gst_caps_from_string(n % 3 == 0 ? "video/x-raw,format=NV12" : "video/x-raw,format=RGBA"));
    g_object_set(receiver.element("caps"), "caps", caps.get(), nullptr);
    receiver.play();
    g_object_set(sender.element("sink"), "destination", address_of(receiver.element("src")).c_str(), nullptr);
    sender.play();
    if (n % 3 == 0) CHECK(receiver.pull() != nullptr);  // otherwise it ends in the middle of the beginning
    if (n == 9) wait_for_device(receiver);              // whose compiler needs memory once
    CHECK(sender.set_state(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
    CHECK(receiver.set_state(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
    if (n == 10) {
      threads = status_of("Threads");
      kilobytes = status_of("VmRSS");
    }
  }
  wait_for_threads(threads + 10);  // GLib keeps some for a while
  CHECK(status_of("Threads") <= threads + 10);
  CHECK(status_of("VmRSS") - kilobytes < kMostGrowth);
}

TEST_CASE("paused pipelines stop at once") {
  Pipeline receiver("texcastsrc name=src listen=rtp://127.0.0.1:0 ! fakesink");
  Pipeline sender(
      "videotestsrc ! video/x-raw,width=64,height=64 ! texcastsink device=cpu-reference "
      "destination=rtp://192.0.2.1:5004");
  for (int n = 0; n < 3; ++n) {
    for (Pipeline* pipeline : {&receiver, &sender}) {
      pipeline->set_state(GST_STATE_PAUSED);
      pipeline->set_state(GST_STATE_PLAYING);
      pipeline->set_state(GST_STATE_PAUSED);
      CHECK(pipeline->set_state(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
    }
  }
}
