// Random caps, legal and illegal, and buffers that do not match them.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

#include "pipelines.h"

using namespace texcast::test;

namespace {

class RandomCaps {
 public:
  std::string next() {
    std::string caps = one_of(std::array{"video/x-raw", "video/x-raw", "video/x-raw", "video/x-raw(memory:DMABuf)",
                                         "audio/x-raw", "image/jpeg"});
    if (often())
      caps += std::string(", format=") +
              one_of(std::array{"NV12", "I420", "YUY2", "BGRx", "RGBA", "RGB", "P010_10LE", "I420_10LE", "GRAY8",
                                "GRAY16_LE", "v210", "AYUV64", "NV21", "nonsense"});
    if (often()) caps += ", width=" + side();
    if (often()) caps += ", height=" + side();
    if (often())
      caps +=
          std::string(", framerate=") + one_of(std::array{"30/1", "0/1", "1/0", "-5/1", "2147483647/1", "60000/1001"});
    if (rarely())
      caps += std::string(", interlace-mode=") + one_of(std::array{"progressive", "interleaved", "alternate"});
    if (rarely())
      caps += std::string(", colorimetry=") +
              one_of(std::array{"bt709", "bt601", "bt2020", "smpte240m", "1:3:5:1", "0:0:0:0", "sRGB", "no:such"});
    if (rarely()) caps += std::string(", pixel-aspect-ratio=") + one_of(std::array{"1/1", "16/11", "1/100000", "0/1"});
    return caps;
  }
  size_t below(size_t end) { return random_() % end; }

 private:
  template <size_t kCount>
  const char* one_of(const std::array<const char*, kCount>& words) {
    return words[below(kCount)];
  }
  bool often() { return below(16) != 0; }
  bool rarely() { return below(4) == 0; }
  std::string side() {
    return below(4) == 0 ? one_of(std::array{"0", "-1", "1", "3", "16384", "16385", "2147483647", "(string)wide"})
                         : std::to_string(1 + below(97));
  }
  std::mt19937 random_{1};
};

// A pad that pushes into the element, without a source element.
struct Pusher {
  GstPad* pad = gst_pad_new("src", GST_PAD_SRC);
  explicit Pusher(GstElement* sink) {
    GstPad* target = gst_element_get_static_pad(sink, "video");
    REQUIRE(gst_pad_link(pad, target) == GST_PAD_LINK_OK);
    gst_object_unref(target);
    gst_pad_set_active(pad, TRUE);
    gst_pad_push_event(pad, gst_event_new_stream_start("fuzz"));
  }
  ~Pusher() {
    gst_pad_set_active(pad, FALSE);
    gst_object_unref(pad);
  }
  Pusher(const Pusher&) = delete;
  Pusher& operator=(const Pusher&) = delete;
};

}  // namespace

TEST_CASE("a sink takes or refuses random caps and buffers, and goes on") {
  Pipeline pipeline("texcastsink name=sink sync=false device=cpu-reference destination=127.0.0.1:9 fps=1000");
  Pusher pusher(pipeline.element("sink"));
  pipeline.play();
  RandomCaps random;
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  int accepted = 0, refused = 0;
  for (int n = 0; n < 300; ++n) {
    const std::string text = random.next();
    CAPTURE(text);
    const Caps caps(gst_caps_from_string(text.c_str()));
    if (!caps || !gst_caps_is_fixed(caps.get())) continue;
    gst_pad_push_event(pusher.pad, gst_event_new_caps(caps.get()));
    gst_pad_push_event(pusher.pad, gst_event_new_segment(&segment));
    GstVideoInfo info;
    const bool is_legal = gst_video_info_from_caps(&info, caps.get());
    const size_t whole = is_legal ? GST_VIDEO_INFO_SIZE(&info) : 1000;
    const bool is_short = random.below(8) == 0;
    if (whole > 1 << 20) continue;
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, is_short ? whole / 2 : whole, nullptr);
    GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(n) * GST_MSECOND;
    const GstFlowReturn flow = gst_pad_push(pusher.pad, buffer);
    ++(flow == GST_FLOW_OK ? accepted : refused);
    if (flow != GST_FLOW_OK) CHECK((flow == GST_FLOW_NOT_NEGOTIATED || is_short));
    if (flow == GST_FLOW_OK) CHECK((is_legal && !is_short));
  }
  CHECK(accepted > 10);
  CHECK(refused > 50);
}

TEST_CASE("a source delivers what downstream takes, or stops with an error") {
  struct Wish {
    const char* caps;
    bool is_met;
  };
  for (const Wish wish :
       {Wish{"video/x-raw,format=NV12", true}, Wish{"video/x-raw,format=GRAY8", true},
        Wish{"video/x-raw,format=P010_10LE", true}, Wish{"video/x-raw,format={BGR,ARGB}", true},
        Wish{"video/x-raw,width=[1,100]", true}, Wish{"video/x-raw,colorimetry=bt2020", true},
        Wish{"video/x-raw,format=NV12,chroma-site=mpeg2", true},
        Wish{"video/x-raw,format=I420,chroma-site={mpeg2,jpeg},colorimetry=smpte240m", true},
        Wish{"video/x-raw,format={YV12,YUY2},colorimetry=bt2020", true}, Wish{"video/x-raw,width=63", false},
        Wish{"video/x-raw,framerate=13/1", false}, Wish{"video/x-raw,interlace-mode=mixed", false},
        Wish{"video/x-raw,pixel-aspect-ratio=2/1", false}}) {
    CAPTURE(wish.caps);
    Pipeline receiver(std::string("texcastsrc name=src listen=rtp://127.0.0.1:0 timeout=0 device=pocl ! ") + wish.caps +
                      " ! appsink name=out sync=false");
    receiver.play();
    Pipeline sender(
        "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=50/1 ! texcastsink name=sink "
        "device=cpu-reference destination=" +
        address_of(receiver.element("src")));
    sender.play();
    const bool is_met = receiver.pull() != nullptr;
    CHECK(is_met == wish.is_met);
    if (!is_met) CHECK(!receiver.wait_for_error().empty());
  }
}
