// Settings and calls of senders and receivers that are forbidden, and what happens in callbacks.
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "../patience.h"
#include "call.h"

using namespace texcast::test;

namespace {

const char* const kNobody[] = {"rtp://127.0.0.1:9"};  // the discard port

texcast_texture small() {
  static const unsigned char blocks[16 * 8] = {};
  auto texture = made<texcast_texture>();
  texture.format = TEXCAST_FORMAT_BC1;
  texture.width = texture.height = 16;
  texture.blocks = blocks;
  texture.bytes = sizeof(blocks);
  return texture;
}

texcast_sender_settings to_nobody() {
  auto settings = made<texcast_sender_settings>();
  settings.destinations = kNobody;
  settings.destination_count = 1;
  return settings;
}

// Sends to the receiver until `done`.
template <typename Done>
void send_until(texcast_receiver* receiver, Done&& done) {
  const char* url = texcast_receiver_url(receiver, 0);
  auto settings = made<texcast_sender_settings>();
  settings.destinations = &url;
  settings.destination_count = 1;
  texcast_sender* sender = nullptr;
  const auto texture = small();
  REQUIRE(texcast_sender_create_for_textures(&texture, &settings, &sender, nullptr) == TEXCAST_OK);
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!done() && std::chrono::steady_clock::now() < limit) {
    CHECK(texcast_sender_send_texture(sender, &texture, nullptr) <= 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  texcast_sender_destroy(sender);
}

struct Listener {
  ~Listener() { texcast_receiver_destroy(receiver); }
  void listen(texcast_received_function function, void* user) {
    auto settings = made<texcast_receiver_settings>();
    settings.listen = "rtp://127.0.0.1:0";
    settings.on_texture = function;
    settings.user = user;
    call.done(texcast_receiver_create(&settings, &receiver, call.error()));
    REQUIRE(receiver != nullptr);
  }
  Call call{};
  texcast_receiver* receiver = nullptr;
};

}  // namespace

TEST_CASE("settings that no sender could have are errors, and give no sender") {
  Call call;
  texcast_sender* sender = nullptr;
  const auto texture = small();
  const auto with = [&](auto change) {
    auto settings = to_nobody();
    change(settings);
    sender = reinterpret_cast<texcast_sender*>(&call);
    return texcast_sender_create_for_textures(&texture, &settings, &sender, call.error());
  };
  const char* const hole[] = {nullptr};
  call.is_misuse("", with([](auto& s) { s.destination_count = 0; }));
  call.is_misuse("destinations is NULL", with([](auto& s) { s.destinations = nullptr; }));
  call.is_misuse("destination is NULL", with([&](auto& s) { s.destinations = hole; }));
  call.is_misuse("", with([](auto& s) { s.fps = -1; }));
  call.is_misuse("", with([](auto& s) { s.fps = std::nan(""); }));
  call.is_misuse("", with([](auto& s) { s.has_crf = 1, s.crf = 52; }));
  call.is_misuse("", with([](auto& s) { s.has_crf = 1, s.raw = 1; }));
  call.is_misuse("", with([](auto& s) { s.bitrate = -1; }));
  call.is_misuse("", with([](auto& s) { s.least_bitrate = 1e6; }));
  call.is_misuse("", with([](auto& s) { s.spread = 1.5; }));
  call.is_misuse("", with([](auto& s) { s.max_bits_per_s = -5; }));
  call.is_misuse("", with([](auto& s) { s.refresh_seconds = -1; }));
  call.is_misuse("", with([](auto& s) { s.multicast_ttl = 256; }));
  call.is_misuse("", with([](auto& s) { s.mtu = 12; }));
  call.is_misuse("transform", with([](auto& s) { s.transform = static_cast<texcast_transform>(3); }));
  call.is_misuse("quality", with([](auto& s) { s.search = static_cast<texcast_quality>(4); }));
  call.gives(TEXCAST_USAGE, with([](auto& s) { s.fec = "a lot"; }));
  const char* const wrong[] = {"udp://127.0.0.1:9"};
  call.gives(TEXCAST_USAGE, with([&](auto& s) { s.destinations = wrong; }));
  const char* const unknown[] = {"rtp://no.such.host.invalid"};
  call.gives(TEXCAST_NETWORK, with([&](auto& s) { s.destinations = unknown; }));
  CHECK(sender == nullptr);
  call.is_misuse("settings is NULL", texcast_sender_create_for_textures(&texture, nullptr, &sender, call.error()));
  const auto settings = to_nobody();
  call.is_misuse("like is NULL", texcast_sender_create_for_textures(nullptr, &settings, &sender, call.error()));
  call.is_misuse("sender is NULL", texcast_sender_create_for_textures(&texture, &settings, nullptr, call.error()));
  call.is_misuse("source is NULL", texcast_sender_create(nullptr, nullptr, &settings, &sender, call.error()));
  Picture picture;
  call.is_misuse("sender is NULL", texcast_sender_create(&picture.frame, nullptr, &settings, nullptr, call.error()));
  auto nowhere = on_cpu();
  nowhere.device = "no such device";
  call.gives(TEXCAST_NO_DEVICE, texcast_sender_create(&picture.frame, &nowhere, &settings, &sender, call.error()));
}

TEST_CASE("misuse of a sender has no effect, and the sender goes on") {
  Call call;
  const auto settings = to_nobody();
  const auto texture = small();
  Picture picture;
  texcast_sender* sender = nullptr;
  call.done(texcast_sender_create_for_textures(&texture, &settings, &sender, call.error()));
  call.is_misuse("", texcast_sender_send_frame(sender, &picture.frame, call.error()));
  call.is_misuse("frame is NULL", texcast_sender_send_frame(sender, nullptr, call.error()));
  call.is_misuse("texture is NULL", texcast_sender_send_texture(sender, nullptr, call.error()));
  call.is_misuse("sender is NULL", texcast_sender_send_texture(nullptr, &texture, call.error()));
  call.is_misuse("sender is NULL", texcast_sender_send_frame(nullptr, &picture.frame, call.error()));
  call.is_misuse("sender is NULL", texcast_sender_finish(nullptr, 0, call.error()));
  call.is_misuse("negative", texcast_sender_finish(sender, -1, call.error()));
  auto status = made<texcast_sender_status>();
  auto described = made<texcast_texture>();
  call.is_misuse("sender is NULL", texcast_sender_get_status(nullptr, &status, call.error()));
  call.is_misuse("status is NULL", texcast_sender_get_status(sender, nullptr, call.error()));
  call.is_misuse("sender is NULL", texcast_sender_get_texture(nullptr, &described, call.error()));
  call.is_misuse("texture is NULL", texcast_sender_get_texture(sender, nullptr, call.error()));
  status.struct_size = 8;
  call.is_misuse("struct_size", texcast_sender_get_status(sender, &status, call.error()));
  auto changed = texture;
  changed.width = 12;
  changed.bytes = texcast_texture_bytes(TEXCAST_FORMAT_BC1, 12, 16);
  call.is_misuse("", texcast_sender_send_texture(sender, &changed, call.error()));
  call.done(texcast_sender_send_texture(sender, &texture, call.error()));
  call.done(texcast_sender_finish(sender, kPatience.count(), call.error()));
  status.struct_size = sizeof(status);
  call.done(texcast_sender_get_status(sender, &status, call.error()));
  CHECK(status.frames == 1);
  texcast_sender_destroy(sender);
  texcast_sender_destroy(nullptr);
  CHECK(texcast_sender_device_name(nullptr) == nullptr);
}

TEST_CASE("settings that no receiver could have are errors, and give no receiver") {
  Call call;
  texcast_receiver* receiver = nullptr;
  const auto with = [&](auto change) {
    auto settings = made<texcast_receiver_settings>();
    settings.listen = "rtp://127.0.0.1:0";
    change(settings);
    receiver = reinterpret_cast<texcast_receiver*>(&call);
    return texcast_receiver_create(&settings, &receiver, call.error());
  };
  const char* const hole[] = {nullptr};
  call.is_misuse("from is NULL", with([](auto& s) { s.from_count = 1; }));
  call.is_misuse("address of from is NULL", with([&](auto& s) { s.from = hole, s.from_count = 1; }));
  call.is_misuse("900", with([](auto& s) { s.textures_kept = 901; }));
  call.is_misuse("64", with([](auto& s) { s.queue = 65; }));
  call.is_misuse("", with([](auto& s) { s.max_width = 64; }));
  call.is_misuse("", with([](auto& s) { s.max_width = s.max_height = -1; }));
  call.gives(TEXCAST_USAGE, with([](auto& s) { s.listen = "pcap:x"; }));
  call.gives(TEXCAST_USAGE, with([](auto& s) { s.cipher = "rot13"; }));
  call.gives(TEXCAST_NETWORK, with([](auto& s) { s.listen = "rtp://192.0.2.1:5004"; }));
  call.is_misuse("struct_size", with([](auto& s) { s.struct_size = 16; }));
  CHECK(receiver == nullptr);
  call.is_misuse("settings is NULL", texcast_receiver_create(nullptr, &receiver, call.error()));
  const auto settings = made<texcast_receiver_settings>();
  call.is_misuse("receiver is NULL", texcast_receiver_create(&settings, nullptr, call.error()));
}

TEST_CASE_FIXTURE(Listener, "a second receiver on the same port is an error of the network") {
  listen(nullptr, nullptr);
  auto settings = made<texcast_receiver_settings>();
  settings.listen = texcast_receiver_url(receiver, 0);
  texcast_receiver* other = nullptr;
  call.gives(TEXCAST_NETWORK, texcast_receiver_create(&settings, &other, call.error()));
  CHECK(other == nullptr);
}

TEST_CASE_FIXTURE(Listener, "null arguments of receivers are misuse") {
  listen(nullptr, nullptr);
  texcast_received* received = nullptr;
  auto status = made<texcast_receiver_status>();
  auto texture = made<texcast_texture>();
  auto info = made<texcast_received_info>();
  call.is_misuse("receiver is NULL", texcast_receiver_next(nullptr, 0, &received, call.error()));
  call.is_misuse("received is NULL", texcast_receiver_next(receiver, 0, nullptr, call.error()));
  call.is_misuse("receiver is NULL", texcast_receiver_stop(nullptr, call.error()));
  call.is_misuse("receiver is NULL", texcast_receiver_get_status(nullptr, &status, call.error()));
  call.is_misuse("status is NULL", texcast_receiver_get_status(receiver, nullptr, call.error()));
  call.is_misuse("received is NULL", texcast_received_get_texture(nullptr, &texture, call.error()));
  call.is_misuse("received is NULL", texcast_received_get_info(nullptr, &info, call.error()));
  call.is_misuse("received is NULL", texcast_received_keep(nullptr, call.error()));
  CHECK(texcast_receiver_url(nullptr, 0) == nullptr);
  CHECK(texcast_receiver_url(receiver, 1000) == nullptr);
  texcast_received_release(nullptr);
  texcast_receiver_destroy(nullptr);
}

TEST_CASE_FIXTURE(Listener, "stopping from within the callback is misuse, and the receiver goes on") {
  struct Shared {
    std::atomic<texcast_receiver*> receiver = nullptr;
    std::atomic<int> refused = 0;
  } shared;
  listen(
      [](void* user, texcast_received*) {
        auto& here = *static_cast<Shared*>(user);
        if (here.receiver && texcast_receiver_stop(here.receiver, nullptr) == TEXCAST_MISUSE) ++here.refused;
      },
      &shared);
  shared.receiver = receiver;
  send_until(receiver, [&] { return shared.refused >= 2; });
  CHECK(shared.refused >= 2);
  call.done(texcast_receiver_stop(receiver, call.error()));
}

TEST_CASE_FIXTURE(Listener, "an exception of a callback does not cross the interface: stop reports it once") {
  std::atomic<int> calls = 0;
  listen(
      [](void* user, texcast_received*) {
        ++*static_cast<std::atomic<int>*>(user);
        throw std::runtime_error("of the program's own");
      },
      &calls);
  send_until(receiver, [&] { return calls > 0; });
  call.fails(TEXCAST_FAILED, "of the program's own", texcast_receiver_stop(receiver, call.error()));
  call.done(texcast_receiver_stop(receiver, call.error()));
  CHECK(calls == 1);
}

TEST_CASE_FIXTURE(Listener, "a receiver can be destroyed by its callback, which is then the last call") {
  struct Shared {
    std::atomic<texcast_receiver*> receiver = nullptr;
    std::atomic<int> destroyed = 0;
  };
  static Shared shared;  // the callback may outlive the test
  listen(
      [](void*, texcast_received*) {
        texcast_receiver* mine = shared.receiver.exchange(nullptr);
        if (!mine) return;
        texcast_receiver_destroy(mine);
        ++shared.destroyed;
      },
      nullptr);
  // The receiver's URL belongs to it: the sender is made before the callback may destroy it.
  const std::string url = texcast_receiver_url(receiver, 0);
  const char* destination = url.c_str();
  auto settings = to_nobody();
  settings.destinations = &destination;
  texcast_sender* sender = nullptr;
  const auto texture = small();
  call.done(texcast_sender_create_for_textures(&texture, &settings, &sender, call.error()));
  shared.receiver = std::exchange(receiver, nullptr);
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (shared.destroyed == 0 && std::chrono::steady_clock::now() < limit) {
    CHECK(texcast_sender_send_texture(sender, &texture, nullptr) <= 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  texcast_sender_destroy(sender);
  CHECK(shared.destroyed == 1);
}
