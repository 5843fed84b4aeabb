// received-frames CAPTURE: a line for each frame that the native receiver delivers: its number, 1 if it is complete,
// and the SHA-256 of its texture.
#include <cstdio>
#include <exception>

#include "live/receiving_thread.h"
#include "sha256.h"

using namespace texcast;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    stream::BlockPool pool(stream::ReceivingThread::kOwnFrames);
    transport::ReceiveSettings settings;
    stream::limit_pictures(settings);
    stream::ReceivingThread receiver(
        stream::open_datagrams(std::string("pcap:") + argv[1], stream::Pace::unpaced), pool,
        [](const stream::FrameRef& frame, double /*fps*/) {
          std::printf("%llu %d %s\n", static_cast<unsigned long long>(frame->number), frame->concealed ? 0 : 1,
                      sha256_hex(frame->blocks).c_str());
        },
        settings);
    while (!receiver.ended()) std::this_thread::yield();
    receiver.stop();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
