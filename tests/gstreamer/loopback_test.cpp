// Pipelines that send and receive over loopback.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "../patience.h"
#include "pipelines.h"
#include "texcast/frame_times.h"

using namespace texcast;
using namespace texcast::test;

namespace {

constexpr double kSimilar = 28;  // dB of a test picture in BC1 or NV12

// A source on a free port, in the state PLAYING, and the address to send to.
struct Receiver {
  Pipeline pipeline;
  std::string address;
  explicit Receiver(const std::string& caps = "video/x-raw,format=RGBA", const std::string& options = "")
      : pipeline("texcastsrc name=src listen=rtp://127.0.0.1:0 timeout=0 " + options + " ! " + caps +
                 " ! appsink name=out sync=false max-buffers=1 drop=true") {
    pipeline.play();
    address = address_of(pipeline.element("src"));
  }
};

std::string sender_text(const std::string& caps, const std::string& address, const std::string& options = "") {
  return "videotestsrc is-live=true pattern=smpte75 ! capsfilter name=caps caps=video/x-raw," + caps +
         " ! texcastsink name=sink device=cpu-reference destination=" + address + " " + options;
}

float peak_of(GstSample* sample) {
  GstMapInfo map;
  REQUIRE(gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ));
  float peak = 0;
  for (size_t at = 0; at + sizeof peak <= map.size; at += sizeof peak) {
    float value = 0;
    std::memcpy(&value, map.data + at, sizeof value);
    peak = std::max(peak, std::abs(value));
  }
  gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
  return peak;
}

bool is_of_caps(GstSample* sample, const std::string& format) {
  const Caps caps(gst_caps_from_string(("audio/x-raw," + format).c_str()));
  return gst_caps_can_intersect(gst_sample_get_caps(sample), caps.get());
}

bool is_of_video_caps(GstSample* sample, const std::string& fields) {
  const Caps caps(gst_caps_from_string(("video/x-raw," + fields).c_str()));
  return gst_caps_is_subset(gst_sample_get_caps(sample), caps.get());
}

// The picture that videotestsrc draws with these caps.
DecodedImage original(const std::string& caps) {
  Pipeline pipeline("videotestsrc num-buffers=1 pattern=smpte75 ! video/x-raw," + caps +
                    " ! videoconvert ! video/x-raw,format=RGBA ! appsink name=out sync=false");
  pipeline.play();
  const Sample sample = pipeline.pull();
  REQUIRE(sample != nullptr);
  return rgb_of(sample.get());
}

// Takes pictures until one is as expected. (The first ones may lack blocks, on a busy machine.)
bool shows(const Pipeline& pipeline, const DecodedImage& expected) {
  const auto limit = steady_now() + kPatience;
  while (steady_now() < limit) {
    const Sample sample = pipeline.pull();
    if (!sample) return false;
    if (psnr(rgb_of(sample.get()), expected) > kSimilar) return true;
  }
  return false;
}

std::vector<uint8_t> bytes_of(GstSample* sample) {
  GstMapInfo map;
  REQUIRE(gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ));
  std::vector<uint8_t> bytes(map.data, map.data + map.size);
  gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
  return bytes;
}

}  // namespace

TEST_CASE("pictures of each format arrive, without a warning") {
  const Complaints complaints;
  Receiver receiver;
  int width = 160;  // of each another one, as the pictures are alike
  for (const char* format :
       {"NV12", "I420", "YV12", "YUY2", "UYVY", "BGRx", "RGBA", "RGB", "Y42B", "Y444", "I420_10LE", "P010_10LE"}) {
    CAPTURE(format);
    width += 4;
    const std::string caps =
        "framerate=20/1,height=96,width=" + std::to_string(width) + ",format=" + std::string(format);
    Pipeline sender(sender_text(caps, receiver.address));
    sender.play();
    CHECK(shows(receiver.pipeline, original(caps)));
  }
  const auto lines = complaints.lines();
  CAPTURE(lines.size());
  for (const std::string& line : lines) CHECK_MESSAGE(line.empty(), line);
}

TEST_CASE("lossy and raw streams, encryption, and frames on an OpenCL device") {
  const std::string caps = "framerate=20/1,width=160,height=96,format=NV12";
  const DecodedImage expected = original(caps);
  for (const char* options :
       {"format=ycocg-bc4 crf=20", "plain=true", "format=bc7 fec=20%", "for=film crf=25", "device=pocl"}) {
    CAPTURE(options);
    Receiver open;
    Pipeline sender(sender_text(caps, open.address, options));
    sender.play();
    CHECK(shows(open.pipeline, expected));
  }
  Receiver closed("video/x-raw,format=RGBA", "passphrase=secret");
  Pipeline sender(sender_text(caps, closed.address, "passphrase=secret"));
  sender.play();
  CHECK(shows(closed.pipeline, expected));
}

TEST_CASE("a device decodes once its kernels are built, and the pictures stay the same") {
  Complaints complaints;
  Receiver receiver("video/x-raw,format=NV12", "device=pocl");
  GstElement* source = receiver.pipeline.element("src");
  Pipeline sender(
      "videotestsrc is-live=true pattern=gradient ! video/x-raw,framerate=30/1,width=164,height=96 ! "
      "texcastsink plain=true device=cpu-reference destination=" +
      receiver.address);
  sender.play();
  std::vector<uint8_t> first;
  bool is_by_device = false;
  for (const auto limit = steady_now() + kPatience; !is_by_device && steady_now() < limit;) {
    const Sample sample = receiver.pipeline.pull();
    REQUIRE(sample != nullptr);
    const GstBuffer* buffer = gst_sample_get_buffer(sample.get());
    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_CORRUPTED)) continue;
    if (first.empty()) first = bytes_of(sample.get());
    CHECK(bytes_of(sample.get()) == first);
    is_by_device = is_decoded_by_device(source);
    CHECK(is_of_video_caps(sample.get(), "chroma-site=(string)jpeg"));
  }
  CHECK(is_by_device);
  // The one that waits may still be the CPU's.
  for (int n = 0; n < 3; ++n) CHECK(bytes_of(receiver.pipeline.pull().get()) == first);
  receiver.pipeline.set_state(GST_STATE_READY);
  CHECK_FALSE(is_decoded_by_device(source));
  CHECK(complaints.lines().empty());
}

TEST_CASE("a device that is not there is an error, and the state does not change") {
  Pipeline pipeline("texcastsrc listen=rtp://127.0.0.1:0 device=no-such-device ! fakesink");
  pipeline.play();
  CHECK(pipeline.wait_for_error().find("no-such-device") != std::string::npos);
}

TEST_CASE("a new size is a new stream, and downstream gets new caps") {
  Receiver receiver;
  Pipeline sender(sender_text("framerate=20/1,width=160,height=96,format=NV12", receiver.address));
  sender.play();
  CHECK(shows(receiver.pipeline, original("width=160,height=96,format=NV12")));
  for (const char* size : {"width=320,height=180", "width=64,height=200"}) {
    CAPTURE(size);
    const Caps caps(gst_caps_from_string(("video/x-raw,framerate=20/1,format=I420," + std::string(size)).c_str()));
    g_object_set(sender.element("caps"), "caps", caps.get(), nullptr);
    CHECK(shows(receiver.pipeline, original("format=I420," + std::string(size))));
  }
}

TEST_CASE("downstream chooses the format, and times are those of the pipeline's clock") {
  Receiver receiver("video/x-raw,format=NV12");
  Pipeline sender(sender_text("framerate=20/1,width=160,height=96,format=I420", receiver.address));
  sender.play();
  GstClockTime last = 0;
  for (int n = 0; n < 5; ++n) {
    const Sample sample = receiver.pipeline.pull();
    REQUIRE(sample != nullptr);
    GstVideoInfo info;
    REQUIRE(gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get())));
    CHECK(GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_NV12);
    CHECK(GST_VIDEO_INFO_FPS_N(&info) == 20);
    GstBuffer* buffer = gst_sample_get_buffer(sample.get());
    CHECK(GST_BUFFER_PTS(buffer) > last);
    last = GST_BUFFER_PTS(buffer);
    CHECK(last <= gst_element_get_current_running_time(receiver.pipeline.get()));
    CHECK(gst_buffer_get_reference_timestamp_meta(buffer, nullptr) != nullptr);
  }
}

TEST_CASE("sound arrives in step with the pictures, and silence where there is none") {
  const std::string port = std::to_string(port_for_sound());
  Pipeline receiver("texcastsrc name=src timeout=0 listen=rtp://127.0.0.1:" + port +
                    " src.video ! fakesink async=false src.audio ! appsink name=out sync=false");
  receiver.play();
  const Sample silent = receiver.pull();
  REQUIRE(silent != nullptr);
  CHECK(peak_of(silent.get()) == 0);
  CHECK(GST_BUFFER_FLAG_IS_SET(gst_sample_get_buffer(silent.get()), GST_BUFFER_FLAG_GAP));
  for (const char* format : {"rate=48000,channels=2", "rate=44100,channels=1"}) {
    CAPTURE(format);
    Pipeline sender("texcastsink name=sink device=cpu-reference destination=127.0.0.1:" + port +
                    " videotestsrc is-live=true ! video/x-raw,width=64,height=64,framerate=20/1 ! sink.video "
                    "audiotestsrc is-live=true wave=square volume=0.5 freq=100 ! audio/x-raw," +
                    format + " ! sink.audio");
    sender.play();
    int loud = 0;
    GstClockTime next = GST_CLOCK_TIME_NONE;
    for (const auto limit = steady_now() + kPatience; loud < 20 && steady_now() < limit;) {
      const Sample sample = receiver.pull();
      REQUIRE(sample != nullptr);
      GstBuffer* buffer = gst_sample_get_buffer(sample.get());
      const bool follows = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT) && GST_CLOCK_TIME_IS_VALID(next);
      if (follows) CHECK(GST_CLOCK_DIFF(next, GST_BUFFER_PTS(buffer)) < GST_MSECOND);
      next = GST_BUFFER_PTS(buffer) + GST_BUFFER_DURATION(buffer);
      if (!is_of_caps(sample.get(), format)) continue;
      loud += peak_of(sample.get()) == doctest::Approx(0.5).epsilon(0.01);
    }
    CHECK(loud == 20);
  }
}

TEST_CASE("both ends end with EOS") {
  Pipeline receiver("texcastsrc name=src listen=rtp://127.0.0.1:0 num-buffers=1 timeout=0 ! fakesink");
  receiver.play();
  const std::string address = address_of(receiver.element("src"));
  Pipeline sender(
      "videotestsrc num-buffers=20 is-live=true ! video/x-raw,framerate=20/1,width=64,height=64 ! texcastsink "
      "name=sink device=cpu-reference destination=" +
      address);
  sender.play();
  const Message sent = sender.wait(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  REQUIRE(sent != nullptr);
  CHECK(GST_MESSAGE_TYPE(sent.get()) == GST_MESSAGE_EOS);
  GstStructure* stats = nullptr;
  g_object_get(sender.element("sink"), "stats", &stats, nullptr);
  guint64 frames = 0, dropped = 0;
  gst_structure_get_uint64(stats, "frames", &frames);
  gst_structure_get_uint64(stats, "dropped", &dropped);
  gst_structure_free(stats);
  CHECK(frames + dropped == 20);
  const Message received = receiver.wait(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  REQUIRE(received != nullptr);
  CHECK(GST_MESSAGE_TYPE(received.get()) == GST_MESSAGE_EOS);
}

TEST_CASE("a source cannot seek, and says so") {
  Receiver receiver("video/x-raw");
  GstPad* pad = gst_element_get_static_pad(receiver.pipeline.element("src"), "video");
  GstQuery* query = gst_query_new_seeking(GST_FORMAT_TIME);
  if (gst_pad_query(pad, query)) {
    gboolean can_seek = TRUE;
    gst_query_parse_seeking(query, nullptr, &can_seek, nullptr, nullptr);
    CHECK(!can_seek);
  }
  gst_query_unref(query);
  gst_object_unref(pad);
  CHECK(!gst_element_seek_simple(receiver.pipeline.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SECOND));
}

TEST_CASE("both ends answer latency queries, and the source is live") {
  Receiver receiver("video/x-raw", "latency=70000000");
  GstQuery* query = gst_query_new_latency();
  GstPad* pad = gst_element_get_static_pad(receiver.pipeline.element("src"), "video");
  REQUIRE(gst_pad_query(pad, query));
  gboolean live = FALSE;
  GstClockTime least = 0, most = 0;
  gst_query_parse_latency(query, &live, &least, &most);
  CHECK(live);
  CHECK(least == 70 * GST_MSECOND);
  CHECK(most >= least);
  gst_object_unref(pad);
  gst_query_unref(query);

  Pipeline sender(sender_text("framerate=20/1,width=64,height=64", receiver.address));
  sender.play();
  gst_element_get_state(sender.get(), nullptr, nullptr, static_cast<GstClockTime>(kPatience.count()));
  query = gst_query_new_latency();
  CHECK(gst_element_query(sender.get(), query));
  gst_query_parse_latency(query, &live, &least, &most);
  CHECK(live);
  gst_query_unref(query);
}

TEST_CASE("elements upstream draw in the memory that the encoder reads") {
  Receiver receiver;
  Pipeline sender(
      "appsrc name=in format=time is-live=true caps=video/x-raw,format=RGBA,width=52,height=40,framerate=20/1 ! "
      "texcastsink name=sink device=pocl sync=false destination=" +
      receiver.address);
  sender.play();
  const Caps caps(gst_caps_from_string("video/x-raw,format=RGBA,width=52,height=40,framerate=20/1"));
  // Frames may be dropped, so that each is sent until one arrives.
  int frames = 0;
  const auto arrives = [&](const auto& make, const auto& is_right) {
    for (const auto limit = steady_now() + kPatience; steady_now() < limit;) {
      GstBuffer* buffer = make();
      GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(frames++) * 50 * GST_MSECOND;
      CHECK(gst_app_src_push_buffer(GST_APP_SRC(sender.element("in")), buffer) == GST_FLOW_OK);
      const Sample sample(
          gst_app_sink_try_pull_sample(GST_APP_SINK(receiver.pipeline.element("out")), 50 * GST_MSECOND));
      if (sample && is_right(sample.get())) return true;
    }
    return false;
  };
  // The sender is there then, and has its caps.
  REQUIRE(
      arrives([] { return gst_buffer_new_allocate(nullptr, 52 * 40 * 4, nullptr); }, [](GstSample*) { return true; }));
  for (const bool has_meta : {false, true}) {
    CAPTURE(has_meta);
    GstQuery* query = gst_query_new_allocation(caps.get(), TRUE);
    GstPad* pad = gst_element_get_static_pad(sender.element("sink"), "video");
    REQUIRE(gst_pad_query(pad, query));
    CHECK(gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr));
    REQUIRE(gst_query_get_n_allocation_pools(query) == 1);
    GstBufferPool* pool = nullptr;
    guint size = 0, least = 0, most = 0;
    gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &least, &most);
    GstStructure* config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_set_params(config, caps.get(), size, 0, 0);
    if (has_meta) gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
    REQUIRE(gst_buffer_pool_set_config(pool, config));
    REQUIRE(gst_buffer_pool_set_active(pool, TRUE));
    DecodedImage gray;
    gray.resize(52, 40, 3);
    std::ranges::fill(gray.pixels, uint8_t(has_meta ? 0x60 : 0xA0));
    const auto draw = [&] {
      GstBuffer* buffer = nullptr;
      REQUIRE(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) == GST_FLOW_OK);
      const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
      CHECK((meta != nullptr) == has_meta);
      if (meta != nullptr) CHECK(meta->stride[0] % 64 == 0);  // 208 bytes would be the usual layout
      gst_buffer_memset(buffer, 0, has_meta ? 0x60 : 0xA0, gst_buffer_get_size(buffer));
      return buffer;
    };
    CHECK(arrives(draw, [&gray](GstSample* sample) { return psnr(rgb_of(sample), gray) > kSimilar; }));
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
    gst_object_unref(pad);
    gst_query_unref(query);
  }
}
