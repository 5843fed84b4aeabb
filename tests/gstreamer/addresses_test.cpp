// Wrong addresses and settings, senders that are not there, and ports in use.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "../patience.h"
#include "pipelines.h"
#include "texcast/frame_times.h"

using namespace texcast::test;

namespace {

std::string error_of_sink(const std::string& properties) {
  Pipeline pipeline(
      "videotestsrc num-buffers=3 ! video/x-raw,width=64,height=64,framerate=20/1 ! texcastsink sync=false "
      "device=cpu-reference " +
      properties);
  pipeline.play();
  return pipeline.wait_for_error();
}

std::string error_of_source(const std::string& properties) {
  Pipeline pipeline("texcastsrc " + properties + " ! fakesink");
  CHECK(pipeline.set_state(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
  return pipeline.wait_for_error();
}

}  // namespace

TEST_CASE("a sink says why it cannot send") {
  CHECK(error_of_sink("").find("destination") != std::string::npos);
  CHECK(error_of_sink("destination=http://127.0.0.1:5004").find("cannot send to") != std::string::npos);
  CHECK(error_of_sink("destination=rtp://127.0.0.1:99999").find("99999") != std::string::npos);
  CHECK(!error_of_sink("destination=rtp://[::1").empty());
  CHECK(error_of_sink("destination=127.0.0.1 fec=much").find("much") != std::string::npos);
  CHECK(error_of_sink("destination=127.0.0.1 format=bc7 transform=on crf=20").find("no lossy coding") !=
        std::string::npos);
  CHECK(error_of_sink("destination=127.0.0.1 mtu=100").find("mtu") != std::string::npos);
  CHECK(error_of_sink("destination=127.0.0.1 device=no-such-device").find("no-such-device") != std::string::npos);
  CHECK(error_of_sink("destination=127.0.0.1 key-file=/nonexistent").find("/nonexistent") != std::string::npos);
}

TEST_CASE("a source says why it cannot receive, and its state change fails") {
  CHECK(error_of_source("listen=http://127.0.0.1:5004").find("cannot listen") != std::string::npos);
  CHECK(error_of_source("listen=rtp://203.0.113.7:5004").find("203.0.113.7") != std::string::npos);
  CHECK(!error_of_source("listen=rtp://127.0.0.1:0 crypto=rot13 passphrase=x").empty());
  CHECK(!error_of_source("listen=rtp://127.0.0.1:0 max-width=64").empty());
  CHECK(error_of_source("listen=rtp://127.0.0.1:0 key-file=/nonexistent").find("/nonexistent") != std::string::npos);
}

TEST_CASE("the port of another source is in use, and two sinks may send to one source") {
  Pipeline first("texcastsrc name=src listen=rtp://127.0.0.1:0 timeout=0 ! appsink name=out sync=false");
  first.play();
  const std::string address = address_of(first.element("src"));
  CHECK(!error_of_source("listen=" + address).empty());
  const std::string text =
      "videotestsrc is-live=true ! video/x-raw,width=64,height=64,framerate=20/1 ! texcastsink device=cpu-reference "
      "destination=" +
      address;
  Pipeline one(text), two(text);
  one.play();
  two.play();
  for (int n = 0; n < 10; ++n) CHECK(first.pull() != nullptr);
}

TEST_CASE("without a stream a source warns once, and posts a message for programs") {
  Pipeline pipeline("texcastsrc name=src listen=rtp://127.0.0.1:0 timeout=20000000 ! fakesink");
  pipeline.play();
  const Message warning = pipeline.wait(GST_MESSAGE_WARNING);
  REQUIRE(warning != nullptr);
  GError* error = nullptr;
  gst_message_parse_warning(warning.get(), &error, nullptr);
  CHECK(std::strstr(error->message, "no picture came") != nullptr);
  g_clear_error(&error);
  const Message message = pipeline.wait(GST_MESSAGE_ELEMENT);
  REQUIRE(message != nullptr);
  CHECK(gst_message_has_name(message.get(), "texcast-timeout"));
  CHECK(GST_MESSAGE_SRC(message.get()) == GST_OBJECT(pipeline.element("src")));

  // A stream that comes later is shown, and reported.
  const std::string address = address_of(pipeline.element("src"));
  Pipeline sender(
      "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=20/1 ! texcastsink "
      "device=cpu-reference destination=" +
      address);
  sender.play();
  Message stream = pipeline.wait(GST_MESSAGE_ELEMENT);
  while (stream && !gst_message_has_name(stream.get(), "texcast-stream")) stream = pipeline.wait(GST_MESSAGE_ELEMENT);
  REQUIRE(stream != nullptr);
  int height = 0;
  CHECK(gst_structure_get_int(gst_message_get_structure(stream.get()), "height", &height));
  CHECK(height == 48);
}

TEST_CASE("a source without the passphrase says so in its warning") {
  Pipeline pipeline("texcastsrc name=src listen=rtp://127.0.0.1:0 timeout=20000000 ! fakesink");
  pipeline.set_state(GST_STATE_PAUSED);
  GstElement* source = pipeline.element("src");
  Pipeline sender(
      "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=20/1 ! texcastsink "
      "device=cpu-reference passphrase=secret destination=" +
      address_of(source));
  sender.play();
  guint64 refused = 0;
  for (const auto limit = texcast::steady_now() + kPatience; refused == 0 && texcast::steady_now() < limit;) {
    GstStructure* stats = nullptr;
    g_object_get(source, "stats", &stats, nullptr);
    gst_structure_get_uint64(stats, "packets-refused", &refused);
    gst_structure_free(stats);
    g_usleep(2000);
  }
  pipeline.play();
  const Message warning = pipeline.wait(GST_MESSAGE_WARNING);
  REQUIRE(warning != nullptr);
  GError* error = nullptr;
  gst_message_parse_warning(warning.get(), &error, nullptr);
  CHECK(std::strstr(error->message, "set 'passphrase'") != nullptr);
  g_clear_error(&error);
}
