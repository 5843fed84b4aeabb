// send_frames.cpp — streams frames that the program draws: send_frames rtp://192.168.1.20:5004 [FRAMES]
#include <texcast/stream_sender.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <thread>

namespace {

constexpr double kFps = 30;

// Draws a bar that moves over gray.
void draw(texcast::FrameLease& frame, const texcast::FramePlacement& placed, int n) {
  const texcast::FrameFormat& format = frame.view().format;
  const int bar = n * 8 % (format.width - 64);
  for (int y = 0; y < format.height; ++y) {
    std::byte* row = frame.plane(0) + static_cast<std::ptrdiff_t>(y) * placed.stride[0];
    std::memset(row, 0x60, static_cast<size_t>(format.width) * 4);
    std::memset(row + bar * 4, 0xE0, 64 * 4);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw texcast::Error(texcast::ErrorKind::usage, "give rtp://HOST:PORT and the number of frames");
  texcast::StreamSender sender(
      {.destinations = {argv[1]}, .fps = kFps},
      texcast::EncoderSettings{
          .source = {
              .pixel_format = texcast::PixelFormat::rgba, .width = 1280, .height = 720, .color = texcast::kFullRange}});
  std::cerr << "encoding on " << sender.device_name() << '\n';
  const auto pool = sender.frame_pool();  // frames drawn there are not copied
  const int frames = argc > 2 ? std::atoi(argv[2]) : 300;
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < frames; ++n) {
    const auto pts = n * texcast::frame_period(kFps);
    std::this_thread::sleep_until(begin + pts);
    texcast::FrameLease frame = pool->lend();
    if (!frame) continue;
    draw(frame, pool->placement(), n);
    sender.send(frame.view(), pts);
  }
  sender.finish();
  const texcast::StreamSenderStatus status = sender.status();
  std::cout << status.frames << " frames sent, " << status.dropped << " dropped, " << status.packets << " packets\n";
} catch (const texcast::Error& error) {
  std::cerr << "send_frames: " << error.what() << '\n';
  return static_cast<int>(error.kind());
}
