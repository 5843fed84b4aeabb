// Sound, presets and discovery in the C interface. tests/library checks how sound is placed and what presets set; this
// checks that C programs can use them.
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "../patience.h"
#include "call.h"

using namespace texcast::test;

namespace {

constexpr size_t kSamples = 4800;  // of each channel: 100 ms

template <typename Done>
bool happens(Done&& done) {
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  for (; std::chrono::steady_clock::now() < limit; std::this_thread::sleep_for(std::chrono::milliseconds(2)))
    if (done()) return true;
  return false;
}

// Multiples of 1/32768, which PCM carries exactly.
std::vector<float> tone() {
  std::vector<float> samples(2 * kSamples);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<float>(std::round(8000 * std::sin(0.05 * static_cast<double>(i))) / 32768);
  return samples;
}

// A receiver with both callbacks, and a sender to it.
struct Link {
  Link(texcast_sound_function on_sound) {
    auto receiving = made<texcast_receiver_settings>();
    receiving.listen = "rtp://127.0.0.1:0";
    receiving.on_texture = [](void* user, texcast_received*) { ++static_cast<Link*>(user)->pictures; };
    receiving.on_sound = on_sound;
    receiving.user = this;
    call.done(texcast_receiver_create(&receiving, &receiver, call.error()));
    REQUIRE(receiver != nullptr);
    const char* url = texcast_receiver_url(receiver, 0);
    auto sending = made<texcast_sender_settings>();
    sending.destinations = &url;
    sending.destination_count = 1;
    sending.fps = 1. / 60;  // as tests/library/slow_stream.h
    sending.spread = 1e-4;
    sending.sound_sample_rate = 48000;
    const auto texture = texture_of(blocks);
    call.done(texcast_sender_create_for_textures(&texture, &sending, &sender, call.error()));
    REQUIRE(sender != nullptr);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    texcast_sender_destroy(sender);
    texcast_receiver_destroy(receiver);
  }
  // Sound begins with the first picture.
  void show() {
    const auto texture = texture_of(blocks);
    texcast_status status = TEXCAST_DROPPED;
    REQUIRE(happens(
        [&] { return (status = texcast_sender_send_texture(sender, &texture, call.error())) != TEXCAST_DROPPED; }));
    call.done(status);
    REQUIRE(happens([&] { return pictures > 0; }));
  }
  const std::vector<unsigned char> blocks = blocks_of(1);
  Call call{};
  texcast_receiver* receiver = nullptr;
  texcast_sender* sender = nullptr;
  std::atomic<int> pictures = 0;
  std::mutex mutex{};
  std::vector<float> heard{};
  int64_t first_ns = -1;
  std::atomic<int> calls = 0, wrong = 0;
};

}  // namespace

TEST_CASE("sound arrives exactly, with its time among the pictures") {
  Link link([](void* user, const texcast_sound* sound) {
    auto& here = *static_cast<Link*>(user);
    const std::lock_guard lock(here.mutex);
    if (here.heard.empty()) here.first_ns = sound->pts_ns;
    if (sound->struct_size != sizeof(texcast_sound) || sound->sample_rate != 48000 || sound->channels != 2 ||
        sound->is_concealed != 0 || sound->is_new_stream != here.heard.empty())
      ++here.wrong;
    here.heard.insert(here.heard.end(), sound->samples, sound->samples + sound->count * 2);
    // From within a callback a receiver cannot be stopped.
    if (texcast_receiver_stop(here.receiver, nullptr) != TEXCAST_MISUSE) ++here.wrong;
  });
  link.show();
  const auto samples = tone();
  link.call.done(texcast_sender_send_sound(link.sender, samples.data(), kSamples, 40'000'000, link.call.error()));
  link.call.done(texcast_sender_send_sound(link.sender, nullptr, 0, 140'000'000, link.call.error()));
  link.call.done(texcast_sender_finish(link.sender, kPatience.count(), link.call.error()));
  const size_t whole = samples.size() - samples.size() % 1920;  // packets of some milliseconds
  CHECK(happens([&] {
    const std::lock_guard lock(link.mutex);
    return link.heard.size() >= whole;
  }));
  link.call.done(texcast_receiver_stop(link.receiver, link.call.error()));
  REQUIRE(link.heard.size() >= whole);
  CHECK(std::equal(link.heard.begin(), link.heard.begin() + static_cast<ptrdiff_t>(whole), samples.begin()));
  CHECK(link.wrong == 0);
  CHECK(std::abs(link.first_ns - 40'000'000) < 1'000'000);
  auto status = made<texcast_sender_status>();
  link.call.done(texcast_sender_get_status(link.sender, &status, link.call.error()));
  CHECK(status.sound_packets > 0);
  CHECK(status.sound_bytes > samples.size() * 2);
  CHECK(status.sound_dropped == 0);
  auto received = made<texcast_receiver_status>();
  link.call.done(texcast_receiver_get_status(link.receiver, &received, link.call.error()));
  CHECK(received.sound_packets > 0);
}

TEST_CASE("an exception of the function for sound does not cross the interface: stop reports it once") {
  Link link([](void* user, const texcast_sound*) {
    ++static_cast<Link*>(user)->calls;
    throw std::runtime_error("of the program's own");
  });
  link.show();
  const auto samples = tone();
  link.call.done(texcast_sender_send_sound(link.sender, samples.data(), kSamples, 0, link.call.error()));
  REQUIRE(happens([&] { return link.calls > 0; }));
  link.call.fails(TEXCAST_FAILED, "of the program's own", texcast_receiver_stop(link.receiver, link.call.error()));
  link.call.done(texcast_receiver_stop(link.receiver, link.call.error()));
}

TEST_CASE("sound that a stream cannot have is misuse") {
  Link link([](void*, const texcast_sound*) {});
  Call& call = link.call;
  const float sample[2] = {};
  call.is_misuse("sender is NULL", texcast_sender_send_sound(nullptr, sample, 1, 0, call.error()));
  call.is_misuse("samples is NULL", texcast_sender_send_sound(link.sender, nullptr, 1, 0, call.error()));
  call.is_misuse("", texcast_sender_send_sound(link.sender, sample, ~size_t{0}, 0, call.error()));

  const char* const nobody[] = {"rtp://127.0.0.1:9"};
  const auto texture = texture_of(link.blocks);
  texcast_sender* sender = nullptr;
  const auto with = [&](auto change) {
    auto settings = made<texcast_sender_settings>();
    settings.destinations = nobody;
    settings.destination_count = 1;
    settings.sound_sample_rate = 48000;
    change(settings);
    return texcast_sender_create_for_textures(&texture, &settings, &sender, call.error());
  };
  call.is_misuse("", with([](auto& s) { s.sound_sample_rate = 1; }));
  call.is_misuse("", with([](auto& s) { s.sound_channels = 17; }));
  call.is_misuse("", with([](auto& s) { s.sound_channels = -1; }));
  call.is_misuse("sound_coding", with([](auto& s) { s.sound_coding = static_cast<texcast_sound_coding>(2); }));
  CHECK(sender == nullptr);
  call.done(with([](auto& s) { s.sound_sample_rate = 0; }));
  call.is_misuse("sound_sample_rate", texcast_sender_send_sound(sender, sample, 1, 0, call.error()));
  texcast_sender_destroy(sender);
}

TEST_CASE("a preset sets what a program leaves open") {
  Call call;
  const char* const nobody[] = {"rtp://127.0.0.1:9"};
  Picture picture(64, 64);
  texcast_sender* sender = nullptr;
  auto settings = made<texcast_sender_settings>();
  settings.destinations = nobody;
  settings.destination_count = 1;
  settings.preset = "no such preset";
  auto encoder = on_cpu();
  call.fails(TEXCAST_USAGE, "desktop",
             texcast_sender_create(&picture.frame, &encoder, &settings, &sender, call.error()));
  CHECK(sender == nullptr);
  settings.preset = "wifi";
  auto texture = made<texcast_texture>();
  auto status = made<texcast_sender_status>();
  const auto try_sender = [&] {  // the status has the rate once a frame was sent
    call.done(texcast_sender_create(&picture.frame, &encoder, &settings, &sender, call.error()));
    call.done(texcast_sender_get_texture(sender, &texture, call.error()));
    call.done(texcast_sender_send_frame(sender, &picture.frame, call.error()));
    call.done(texcast_sender_finish(sender, kPatience.count(), call.error()));
    call.done(texcast_sender_get_status(sender, &status, call.error()));
    texcast_sender_destroy(std::exchange(sender, nullptr));
  };
  for (const texcast_format format : {TEXCAST_FORMAT_NONE, TEXCAST_FORMAT_BC1}) {
    encoder.format = format;
    try_sender();
    CHECK(texture.format == (format == TEXCAST_FORMAT_NONE ? TEXCAST_FORMAT_YCOCG_BC4_420 : format));
    CHECK(status.bits_per_s >= 4e6);
    CHECK(status.bits_per_s <= 30e6);
  }
  settings.bitrate = settings.least_bitrate = 5e6;
  try_sender();
  CHECK(status.bits_per_s == 5e6);
}

TEST_CASE("misuse of discovery is an error") {
  Call call;
  auto info = made<texcast_stream_info>();
  texcast_stream_list* list = reinterpret_cast<texcast_stream_list*>(&call);
  call.is_misuse("negative", texcast_find_streams(-1, &list, call.error()));
  CHECK(list == nullptr);
  call.is_misuse("list is NULL", texcast_find_streams(0, nullptr, call.error()));
  call.is_misuse("list is NULL", texcast_stream_list_get(nullptr, 0, &info, call.error()));
  call.is_misuse("info is NULL", texcast_stream_list_get(list, 0, nullptr, call.error()));
  texcast_stream_list_destroy(nullptr);
  // Whether there is a daemon depends on the machine.
  const texcast_status status = texcast_find_streams(1'000'000, &list, call.error());
  CHECK((status == TEXCAST_OK || status == TEXCAST_NETWORK));
  CHECK((status == TEXCAST_OK) == (list != nullptr));
  if (list)
    for (size_t i = 0; texcast_stream_list_get(list, i, &info, call.error()) == TEXCAST_OK; ++i)
      CHECK(info.name[0] != '\0');
  texcast_stream_list_destroy(list);
}

TEST_CASE("a watch of streams neither waits nor needs a daemon") {
  Call call;
  texcast_stream_watch* watch = nullptr;
  texcast_stream_list* list = reinterpret_cast<texcast_stream_list*>(&call);
  call.is_misuse("watch is NULL", texcast_stream_watch_create(nullptr, nullptr, nullptr, call.error()));
  call.is_misuse("watch is NULL", texcast_stream_watch_get_streams(nullptr, &list, call.error()));
  CHECK(list == nullptr);
  const auto count = [](void* user, const texcast_stream_list*) { ++*static_cast<std::atomic<int>*>(user); };
  std::atomic<int> calls = 0;
  call.done(texcast_stream_watch_create(count, &calls, &watch, call.error()));
  call.is_misuse("list is NULL", texcast_stream_watch_get_streams(watch, nullptr, call.error()));
  const texcast_status status = texcast_stream_watch_get_streams(watch, &list, call.error());
  CHECK((status == TEXCAST_OK || status == TEXCAST_NETWORK));
  CHECK((status == TEXCAST_OK) == (list != nullptr));
  texcast_stream_list_destroy(list);
  texcast_stream_watch_destroy(watch);
  texcast_stream_watch_destroy(nullptr);
}
