// Senders and receivers of the C interface over loopback, and every error that they report. Streams are as slow as in
// tests/library/slow_stream.h, so that frames arrive complete however slow the machine is.
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

constexpr int64_t kPatienceNs = kPatience.count();

texcast_receiver_settings any_port() {
  auto settings = made<texcast_receiver_settings>();
  settings.listen = "rtp://127.0.0.1:0";
  return settings;
}

struct Receiver {
  explicit Receiver(const texcast_receiver_settings& settings) {
    call.done(texcast_receiver_create(&settings, &handle, call.error()));
    REQUIRE(handle != nullptr);
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  ~Receiver() { texcast_receiver_destroy(handle); }
  texcast_receiver_status status() {
    auto status = made<texcast_receiver_status>();
    call.done(texcast_receiver_get_status(handle, &status, call.error()));
    return status;
  }
  Call call{};
  texcast_receiver* handle = nullptr;
};

// The settings of a sender to a URL, which must outlive them.
struct SlowSettings {
  explicit SlowSettings(const char* url) : destination(url) {
    settings = made<texcast_sender_settings>();
    settings.destinations = &destination;
    settings.destination_count = 1;
    settings.fps = 1. / 60;
    settings.spread = 1e-4;
  }
  SlowSettings(const SlowSettings&) = delete;
  SlowSettings& operator=(const SlowSettings&) = delete;
  const char* destination;
  texcast_sender_settings settings;
};

struct Sender {
  Sender(const texcast_texture& like, const texcast_sender_settings& settings) {
    call.done(texcast_sender_create_for_textures(&like, &settings, &handle, call.error()));
    REQUIRE(handle != nullptr);
  }
  Sender(const texcast_frame& source, const texcast_sender_settings& settings) {
    const auto encoder = on_cpu();
    call.done(texcast_sender_create(&source, &encoder, &settings, &handle, call.error()));
    REQUIRE(handle != nullptr);
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  ~Sender() { texcast_sender_destroy(handle); }
  // Until it is not dropped.
  void send(const texcast_texture& texture) {
    texcast_status status = TEXCAST_DROPPED;
    wait_for([&] { return (status = texcast_sender_send_texture(handle, &texture, call.error())) != TEXCAST_DROPPED; });
    call.done(status);
  }
  template <typename Done>
  static void wait_for(Done&& done) {
    const auto limit = std::chrono::steady_clock::now() + kPatience;
    while (!done() && std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  Call call{};
  texcast_sender* handle = nullptr;
};

bool has_blocks(const texcast_received* received, const std::vector<unsigned char>& blocks) {
  auto texture = made<texcast_texture>();
  return texcast_received_get_texture(received, &texture, nullptr) == TEXCAST_OK && texture.bytes == blocks.size() &&
         std::memcmp(texture.blocks, blocks.data(), blocks.size()) == 0;
}

}  // namespace

TEST_CASE("a program that asks gets the textures unchanged, and they stay while it has them") {
  Receiver receiver(any_port());
  const SlowSettings slow(texcast_receiver_url(receiver.handle, 0));
  Call& call = receiver.call;
  std::vector<texcast_received*> kept;
  {
    Sender sender(texture_of(blocks_of(0)), slow.settings);
    for (int n = 0; n < 4; ++n) {
      const auto blocks = blocks_of(n);
      auto texture = texture_of(blocks);
      texture.pts_ns = n * int64_t{20'000'000};
      sender.send(texture);
      texcast_received* received = nullptr;
      call.done(texcast_receiver_next(receiver.handle, kPatienceNs, &received, call.error()));
      REQUIRE(received != nullptr);
      kept.push_back(received);
      auto info = made<texcast_received_info>();
      call.done(texcast_received_get_info(received, &info, call.error()));
      CHECK(info.number == static_cast<uint64_t>(n));
      CHECK(info.is_new_stream == (n == 0));
      CHECK(info.concealed_blocks == 0);
      CHECK(info.fps == doctest::Approx(1. / 60));
      CHECK(info.first_packet_ns > 0);
      CHECK(info.assembled_ns >= info.first_packet_ns);
    }
    sender.call.done(texcast_sender_finish(sender.handle, kPatienceNs, sender.call.error()));
    auto status = made<texcast_sender_status>();
    sender.call.done(texcast_sender_get_status(sender.handle, &status, sender.call.error()));
    CHECK(status.frames == 4);
    CHECK(status.crf == -1);
    CHECK(std::string(texcast_sender_device_name(sender.handle)).empty());
    auto texture = made<texcast_texture>();
    sender.call.done(texcast_sender_get_texture(sender.handle, &texture, sender.call.error()));
    CHECK(texture.width == 64);
  }
  CHECK(receiver.status().frames == 4);
  CHECK(std::string(receiver.status().sender).starts_with("127.0.0.1:"));
  texcast_received* none = reinterpret_cast<texcast_received*>(&call);
  call.gives(TEXCAST_TIMEOUT, texcast_receiver_next(receiver.handle, 0, &none, call.error()));
  CHECK(none == nullptr);
  call.done(texcast_receiver_stop(receiver.handle, call.error()));
  call.gives(TEXCAST_END, texcast_receiver_next(receiver.handle, -1, &none, call.error()));
  call.done(texcast_receiver_stop(receiver.handle, call.error()));
  texcast_receiver_destroy(std::exchange(receiver.handle, nullptr));
  for (int n = 0; n < 4; ++n) {
    CHECK(has_blocks(kept[static_cast<size_t>(n)], blocks_of(n)));
    texcast_received_release(kept[static_cast<size_t>(n)]);
  }
}

TEST_CASE("frames reach a callback, encrypted, and a kept one outlives the call") {
  struct Seen {
    std::atomic<int> calls = 0;
    std::atomic<texcast_received*> kept = nullptr;
  } seen;
  auto settings = any_port();
  settings.passphrase = "of the test";
  settings.user = &seen;
  settings.on_texture = [](void* user, texcast_received* received) {
    auto& here = *static_cast<Seen*>(user);
    if (here.calls == 0 && texcast_received_keep(received, nullptr) == TEXCAST_OK) here.kept = received;
    ++here.calls;
  };
  Receiver receiver(settings);
  SlowSettings slow(texcast_receiver_url(receiver.handle, 0));
  slow.settings.passphrase = "of the test";
  Picture picture(64, 64);
  Sender sender(picture.frame, slow.settings);
  CHECK(std::string(texcast_sender_device_name(sender.handle)) == "cpu-reference");
  for (int n = 0; n < 3; ++n) {
    picture.frame.pts_ns = n * int64_t{17'000'000};
    texcast_status status = TEXCAST_DROPPED;
    Sender::wait_for([&] {
      status = texcast_sender_send_frame(sender.handle, &picture.frame, sender.call.error());
      return status != TEXCAST_DROPPED;
    });
    sender.call.done(status);
    Sender::wait_for([&] { return seen.calls > n; });
  }
  receiver.call.done(texcast_receiver_stop(receiver.handle, receiver.call.error()));
  CHECK(seen.calls == 3);
  REQUIRE(seen.kept != nullptr);
  auto texture = made<texcast_texture>();
  receiver.call.done(texcast_received_get_texture(seen.kept, &texture, receiver.call.error()));
  CHECK(texture.width == 64);
  texcast_received_release(seen.kept);
  texcast_received* none = nullptr;
  receiver.call.is_misuse("on_texture", texcast_receiver_next(receiver.handle, 0, &none, receiver.call.error()));
}

TEST_CASE("the queue keeps the newest textures, and counts the others") {
  auto settings = any_port();
  settings.queue = 2;
  Receiver receiver(settings);
  const SlowSettings slow(texcast_receiver_url(receiver.handle, 0));
  Sender sender(texture_of(blocks_of(0)), slow.settings);
  for (int n = 0; n < 5; ++n) {
    const auto blocks = blocks_of(n);
    sender.send(texture_of(blocks));
    Sender::wait_for([&] { return receiver.status().frames > static_cast<uint64_t>(n); });
  }
  Sender::wait_for([&] { return receiver.status().frames_skipped == 3; });
  CHECK(receiver.status().frames_skipped == 3);
  for (int n = 3; n < 5; ++n) {
    texcast_received* received = nullptr;
    receiver.call.done(texcast_receiver_next(receiver.handle, kPatienceNs, &received, receiver.call.error()));
    CHECK(has_blocks(received, blocks_of(n)));
    texcast_received_release(received);
  }
}

TEST_CASE("a thread that waits for a texture goes on when another one stops the receiver") {
  Receiver receiver(any_port());
  std::atomic<int> ended = 0;
  const auto wait = [&] {
    texcast_received* received = nullptr;
    if (texcast_receiver_next(receiver.handle, -1, &received, nullptr) == TEXCAST_END && !received) ++ended;
  };
  std::thread first(wait), second(wait);
  receiver.status();
  receiver.call.done(texcast_receiver_stop(receiver.handle, receiver.call.error()));
  first.join();
  second.join();
  CHECK(ended == 2);
}

TEST_CASE("two threads send by one sender while a third asks for its status") {
  auto settings = any_port();
  settings.queue = 1;
  Receiver receiver(settings);
  const SlowSettings slow(texcast_receiver_url(receiver.handle, 0));
  const auto blocks = blocks_of(1);
  Sender sender(texture_of(blocks), slow.settings);
  std::atomic<int> failures = 0;
  std::atomic<uint64_t> accepted = 0;
  const auto send = [&] {
    for (int n = 0; n < 50; ++n) {
      auto texture = texture_of(blocks);
      const texcast_status status = texcast_sender_send_texture(sender.handle, &texture, nullptr);
      if (status == TEXCAST_OK) ++accepted;
      if (status > 0) ++failures;
    }
  };
  std::thread first(send), second(send);
  auto status = made<texcast_sender_status>();
  for (int n = 0; n < 50; ++n)
    if (texcast_sender_get_status(sender.handle, &status, nullptr) != TEXCAST_OK) ++failures;
  first.join();
  second.join();
  sender.call.done(texcast_sender_finish(sender.handle, kPatienceNs, sender.call.error()));
  sender.call.done(texcast_sender_get_status(sender.handle, &status, sender.call.error()));
  CHECK(failures == 0);
  CHECK(status.frames == accepted);
  CHECK(status.frames + status.dropped == 100);
}
