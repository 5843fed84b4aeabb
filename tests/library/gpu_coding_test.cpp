// Which backend codes a stream: CPU threads, or the GPU that encodes its blocks. Without a GPU, the devices that exist
// pretend to be one.
#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../all_are_gpus.h"
#include "../patience.h"
#include "../times.h"
#include "slow_stream.h"
#include "texcast/device.h"
#include "texcast/log.h"
#include "texcast/stream.h"

using namespace texcast;
using namespace std::chrono_literals;
using test::AllAreGpus;

namespace {

// Listens to the log for "… codes the stream": `heard` of a device, `refused` of the processor.
struct CodingHeard {
  CodingHeard() {
    set_log_function([this](LogLevel, std::string_view line) {
      if (line.find(" codes the stream") != std::string_view::npos)
        (line.find("the processor") == std::string_view::npos ? heard : refused) = true;
    });
  }
  ~CodingHeard() { set_log_function({}); }
  CodingHeard(const CodingHeard&) = delete;
  CodingHeard& operator=(const CodingHeard&) = delete;
  std::atomic<bool> heard = false, refused = false;
};

// Not llvmpipe, which compiles for minutes and is never selected to code.
std::optional<std::string> device_to_code() {
  for (const DeviceInfo& device : list_devices())
    if (device.usable && device.name.find("llvmpipe") == std::string::npos) return std::to_string(device.index);
  return std::nullopt;
}

// Sends frames until the device codes the stream, and ten more.
void check_that_device_codes(const std::string& device, TextureFormat texture, StreamSenderSettings settings) {
  const CodingHeard coding;
  const FrameFormat format{.pixel_format = PixelFormat::gray, .width = 64, .height = 64};
  std::atomic<int> came = 0;
  StreamReceiver receiver({.listen = "rtp://127.0.0.1:0"}, [&](const ReceivedTexture& received) {
    CHECK(received.concealed_blocks == 0);
    ++came;
  });
  settings.destinations = {receiver.send_to().at(0)};
  StreamSender sender(slow_stream(settings),
                      EncoderSettings{.source = format, .texture = texture, .device = device, .tune = TuneMode::off});
  std::vector<std::byte> pixels(64 * 64);
  int sent = 0;
  const SteadyTime limit = steady_now() + test::kPatience;  // its kernels are built first
  // Each frame waits for the previous one, so that no socket's buffer fills up.
  const auto send_one = [&] {
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::byte>(i * 7 + static_cast<size_t>(sent));
    FrameView frame{.format = format};
    frame.planes[0] = {.data = pixels.data(), .stride_bytes = 64};
    while (!sender.send(frame, sent * 17ms) && steady_now() < limit) std::this_thread::sleep_for(2ms);
    for (++sent; came < sent && steady_now() < limit;) std::this_thread::sleep_for(2ms);
  };
  while (!coding.heard && !coding.refused && steady_now() < limit) send_one();
  CHECK(coding.heard);
  for (int n = 0; n < 10 && steady_now() < limit; ++n) send_one();
  CHECK(sender.finish(test::kPatience));
  receiver.stop();
  CHECK(came == sent);
  CHECK(came > 10);
  CHECK_FALSE(coding.refused);
}

}  // namespace

TEST_CASE("a sender's GPU codes the stream too, and the frames still arrive complete") {
  const AllAreGpus gpus;
  const auto device = device_to_code();
  if (!device) {
    MESSAGE("SKIP: no OpenCL device");
    return;
  }
  check_that_device_codes(*device, TextureFormat::bc1, {});
}

TEST_CASE("a sender's GPU codes streams with transform coding if asked for") {
  const AllAreGpus gpus;
  const auto device = device_to_code();
  if (!device) {
    MESSAGE("SKIP: no OpenCL device");
    return;
  }
  check_that_device_codes(*device, TextureFormat::ycocg_bc4_420, {.crf = 23, .transform = TransformCoding::on});
}
