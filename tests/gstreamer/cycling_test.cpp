// States that change again and again.
#include <doctest/doctest.h>
#include <malloc.h>

#include <fstream>
#include <string>
#include <thread>

#include "../patience.h"
#include "live_objects.h"
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

struct Cycles {
  int times = 0;
  int settles = 0;          // what is there after so many may stay
  bool has_device = false;  // the receiver's
  long most_growth = 0;     // kilobytes
};

void wait_for_device(const Pipeline& receiver) {
  GstElement* source = receiver.element("src");
  const auto limit = steady_now() + kPatience;
  while (!is_decoded_by_device(source) && steady_now() < limit) REQUIRE(receiver.pull() != nullptr);
  CHECK(is_decoded_by_device(source));
}

// Sets both ends to PLAYING and to NULL again and again.
void cycle(Pipeline& receiver, const Cycles& cycles) {
  Pipeline sender(
      "videotestsrc is-live=true ! video/x-raw,width=64,height=64,framerate=50/1 ! texcastsink name=sink "
      "device=cpu-reference");
  long threads = 0, kilobytes = 0;
  for (int n = 0; n < cycles.times; ++n) {
    receiver.play();
    g_object_set(sender.element("sink"), "destination", address_of(receiver.element("src")).c_str(), nullptr);
    sender.play();
    if (n % 3 == 0) CHECK(receiver.pull() != nullptr);  // otherwise it ends in the middle of the beginning
    if (cycles.has_device && n == cycles.settles) wait_for_device(receiver);  // whose compiler needs memory once
    CHECK(sender.set_state(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
    CHECK(receiver.set_state(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
    if (n == cycles.settles) {
      threads = status_of("Threads");
      kilobytes = status_of("VmRSS");
    }
  }
  // GLib keeps some for a while. Devices that are being prepared have to end first.
  wait_for_threads(cycles.has_device ? threads : threads + 10);
  malloc_trim(0);
  CHECK(status_of("Threads") <= threads + 10);
  CHECK(status_of("VmRSS") - kilobytes < cycles.most_growth);
}

}  // namespace

TEST_CASE("fifty times from NULL to PLAYING and back leave no memory and no thread") {
  Pipeline receiver(
      "texcastsrc name=src listen=rtp://127.0.0.1:0 timeout=0 ! appsink name=out sync=false max-buffers=1 "
      "drop=true");
  cycle(receiver, {.times = 60, .settles = 10, .most_growth = kMostGrowth});
}

TEST_CASE("pipelines that end while a device is prepared, or just after, leave no memory and no thread") {
  Pipeline receiver(
      "texcastsrc name=src listen=rtp://127.0.0.1:0 timeout=0 device=pocl ! video/x-raw,format=NV12 ! appsink name=out "
      "sync=false max-buffers=1 drop=true");
  // Compilers run at the same time in several threads, for each of which the allocator keeps memory.
  cycle(receiver, {.times = 30, .settles = 6, .has_device = true, .most_growth = 4 * kMostGrowth});
}

TEST_CASE("sixty times from NULL to PLAYING and back with sound leave no object of GStreamer") {
  live_objects();
  {
    const std::string port = std::to_string(port_for_sound());
    Pipeline receiver("texcastsrc name=src timeout=0 listen=rtp://127.0.0.1:" + port +
                      " src.video ! appsink name=out sync=false max-buffers=1 drop=true src.audio ! fakesink");
    Pipeline sender("texcastsink name=sink device=cpu-reference destination=127.0.0.1:" + port +
                    " videotestsrc is-live=true ! video/x-raw,width=64,height=64,framerate=50/1 ! sink.video "
                    "audiotestsrc is-live=true ! audio/x-raw,rate=48000,channels=2 ! sink.audio");
    for (int n = 0; n < 60; ++n) {
      CHECK(receiver.set_state(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);  // the port is free again
      CHECK(sender.set_state(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
      if (n % 10 == 0) CHECK(receiver.pull() != nullptr);
      CHECK(sender.set_state(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
      CHECK(receiver.set_state(GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
    }
  }
  // Streams end in the background.
  for (const auto limit = steady_now() + kPatience; !live_objects().empty() && steady_now() < limit;)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (const std::string& object : live_objects()) CHECK_MESSAGE(object.empty(), object);
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
