// discovery_peer: a program that announces, watches, finds and receives streams with libtexcast, for check-discovery.
//
//     discovery_peer send NAME DESTINATION        sends until it is killed
//     discovery_peer watch                        prints the streams each time that they change, until it is killed
//     discovery_peer find                         prints the streams
//     discovery_peer receive LISTEN [NAME]        prints the first picture and the first sound, and ends
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "texcast/texcast.h"

using namespace texcast;
using namespace std::chrono_literals;

namespace {

const TextureDesc kPicture{.format = TextureFormat::bc1, .width = 64, .height = 32};

void print(const std::vector<FoundStream>& streams) {
  std::string line = "streams:";
  for (const FoundStream& s : streams)
    line += " [" + s.name + " at " + s.url + " " + s.format + " " + std::to_string(s.width) + "x" +
            std::to_string(s.height) + " " + std::to_string(static_cast<int>(s.fps)) + " fps, sound '" + s.sound + "'" +
            (s.encrypted ? ", encrypted" : "") + "]";
  std::puts(line.c_str());
  std::fflush(stdout);
}

[[noreturn]] void send(const std::string& name, const std::string& destination) {
  StreamSender sender({.destinations = {destination}, .name = name, .fps = 50, .sound = SoundFormat{}}, kPicture);
  const std::vector<std::byte> blocks(texture_layout(kPicture).total_bytes, std::byte{1});
  const std::vector<float> sound(2 * 960, 0.25F);
  for (nanoseconds pts{};; pts += 20ms) {
    sender.send({kPicture, blocks}, pts);
    sender.send_sound(sound, pts);
    std::this_thread::sleep_for(20ms);
  }
}

[[noreturn]] void watch() {
  std::puts("watching");
  std::fflush(stdout);
  std::string before = "?";
  for (const StreamWatch watch(print);; std::this_thread::sleep_for(20ms))
    if (const std::string now = watch.problem().empty() ? "" : "there is a problem"; now != before) {
      std::printf("problem: %s\n", now.c_str());
      std::fflush(stdout);
      before = now;
    }
}

void receive(const std::string& listen, const std::string& name) {
  std::atomic<bool> picture = false, sound = false;
  const StreamReceiver receiver(
      {.listen = listen, .name = name},
      [&](const ReceivedTexture& received) {
        if (!picture.exchange(true))
          std::printf("picture: %dx%d\n", received.texture.desc.width, received.texture.desc.height);
      },
      [&](const ReceivedSound& received) {
        if (!sound.exchange(true))
          std::printf("sound: %d Hz, %.2f\n", received.format.sample_rate, static_cast<double>(received.samples[0]));
      });
  while (!picture || !sound) std::this_thread::sleep_for(5ms);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  set_log_function([](LogLevel, std::string_view text) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  });
  try {
    if (words.at(0) == "send") send(words.at(1), words.at(2));
    if (words.at(0) == "watch") watch();
    if (words.at(0) == "find") print(find_streams());
    if (words.at(0) == "receive") receive(words.at(1), words.size() > 2 ? words[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
