// receive_blocks.cpp — receives the textures of a stream in a callback: receive_blocks [rtp://:5004 [FRAMES]]
#include <texcast/stream_receiver.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <thread>

int main(int argc, char** argv) try {
  const int wanted = argc > 2 ? std::atoi(argv[2]) : 100;
  std::atomic<int> received = 0;
  texcast::StreamReceiver receiver(
      {.listen = argc > 1 ? argv[1] : "rtp://:5004"}, [&](const texcast::ReceivedTexture& frame) {
        if (received >= wanted) return;
        const texcast::TextureDesc& d = frame.texture.desc;
        if (frame.new_stream) std::cout << d.width << 'x' << d.height << ' ' << name(d.format) << '\n';
        std::cout << "frame " << frame.number << " at " << texcast::in_milliseconds(frame.times.pts) << " ms, "
                  << frame.texture.blocks.size() << " bytes, " << frame.concealed_blocks << " blocks concealed\n";
        ++received;
      });
  for (const std::string& url : receiver.send_to()) std::cerr << "send to " << url << '\n';
  while (received < wanted && !receiver.ended()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  receiver.stop();
} catch (const texcast::Error& error) {
  std::cerr << "receive_blocks: " << error.what() << '\n';
  return static_cast<int>(error.kind());
}
