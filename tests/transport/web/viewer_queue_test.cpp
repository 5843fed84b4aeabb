// The bound of what waits for a viewer.
#include "viewer_queue.h"

#include "server_support.h"

using namespace texcast;
using namespace texcast::test;
using namespace texcast::web;
using namespace std::chrono_literals;

namespace {

const SteadyTime kNow{1000s};

SharedMessage picture(size_t bytes) {
  const std::string payload(bytes - 3, 'p');  // channel and length
  return datagram_messages(Channel::picture, std::vector{packet(payload)}).front();
}
SharedMessage sound(size_t bytes) {
  const std::string payload(bytes - 3, 's');
  return datagram_messages(Channel::sound, std::vector{packet(payload)}).front();
}

}  // namespace

TEST_CASE("above the limit pictures are dropped until nothing waits any more") {
  ViewerQueue queue;
  CHECK(queue.front() == nullptr);
  CHECK(queue.push(picture(600), 1000, kNow));
  CHECK(queue.push(picture(400), 1000, kNow));
  CHECK(!queue.push(picture(10), 1000, kNow));
  CHECK(queue.bytes() == 1000);
  queue.pop();
  CHECK(!queue.push(picture(10), 1000, kNow));  // there would be room, but not everything has been sent
  CHECK(queue.dropped_datagrams() == 2);
  CHECK(queue.dropped_bytes() == 20);
  queue.pop();
  CHECK(queue.empty());
  CHECK(queue.push(picture(10), 1000, kNow));
  CHECK(queue.bytes() == 10);
}

TEST_CASE("a message above the limit waits if it is alone") {
  ViewerQueue queue;
  CHECK(queue.push(picture(5000), 1000, kNow));
  CHECK(!queue.push(picture(10), 1000, kNow));
}

TEST_CASE("sound is sent before pictures, but not before texts, and has a bound of its own") {
  ViewerQueue queue;
  queue.push(picture(600), 1000, kNow);
  queue.push(text_message("text"), 0, kNow);
  queue.push(picture(601), 10'000, kNow);
  queue.push(sound(50), 0, kNow);
  std::vector<Message::Kind> order;
  while (!queue.empty()) {
    order.push_back(queue.front()->kind);
    queue.pop();
  }
  using Kind = Message::Kind;
  CHECK(order == std::vector{Kind::sound, Kind::picture, Kind::text, Kind::picture});
  CHECK(queue.bytes() == 0);

  queue.push(text_message("welcome"), 0, kNow);
  queue.push(sound(50), 0, kNow);
  CHECK(queue.front()->kind == Kind::text);
  size_t taken = 0;
  while (queue.push(sound(1000), 0, kNow)) ++taken;
  CHECK(taken == 131);  // 128 KiB
  CHECK(queue.push(picture(10), 1000, kNow));
}

TEST_CASE("pictures are dropped while the oldest message waits too long, and while the path is congested") {
  ViewerQueue queue;
  CHECK(queue.push(picture(10), 1000, kNow));
  CHECK(queue.push(picture(10), 1000, kNow + 150ms));
  CHECK(!queue.push(picture(10), 1000, kNow + 151ms));
  CHECK(queue.push(sound(10), 1000, kNow + 151ms));
  queue.pop();  // the sound
  queue.pop();
  CHECK(!queue.push(picture(10), 1000, kNow + 152ms));
  queue.pop();
  CHECK(queue.push(picture(10), 1000, kNow + 153ms));
  queue.set_congested(true);
  CHECK(!queue.push(picture(10), 1000, kNow + 154ms));
  queue.set_congested(false);
  CHECK(queue.push(picture(10), 1000, kNow + 155ms));
  CHECK(queue.dropped_datagrams() == 3);
}

TEST_CASE("another stream leaves only texts in the queue") {
  ViewerQueue queue;
  queue.push(picture(600), 1000, kNow);
  queue.push(text_message("text"), 0, kNow);
  queue.push(picture(600), 1000, kNow);  // dropped
  queue.push(sound(50), 0, kNow);
  queue.clear_stream();
  CHECK(queue.bytes() == 4);
  CHECK(queue.dropped_datagrams() == 3);
  CHECK(queue.push(picture(600), 1000, kNow));
}

TEST_CASE("a viewer may have about two frames waiting, of any stream") {
  constexpr size_t kLeast = 1000, kMost = 1'000'000;
  const SteadyTime start{1000s};
  QueueLimit limit(kLeast, kMost);
  CHECK(limit.bytes() == kLeast);
  // Frames of 30,000 bytes in ten parts, at 25 frames a second.
  for (int frame = 0; frame < 25; ++frame)
    for (int part = 0; part < 10; ++part) limit.add(3000, start + frame * 40ms + part * 1ms);
  CHECK(limit.bytes() >= 30'000);
  CHECK(limit.bytes() <= 60'000);
  // One large frame counts at once, and for a second.
  limit.add(500'000, start + 1s);
  CHECK(limit.bytes() >= 500'000);
  limit.add(10, start + 1900ms);
  CHECK(limit.bytes() >= 500'000);
  limit.add(10, start + 2100ms);
  CHECK(limit.bytes() == kLeast);
  limit.add(2'000'000, start + 3s);
  CHECK(limit.bytes() == kMost);
  limit.add(10, start + 1000s);
  CHECK(limit.bytes() == kLeast);
}
