// The frame pipeline as users of encoder.h see it: order, time stamps, reuse of slots, and the reference's bytes.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/bytes.h"
#include "check.h"
#include "completion.h"
#include "patience.h"
#include "texcast/encoder.h"
#include "texcast/error.h"

using namespace texcast;

namespace {

// Reads the blocks of the oldest frame as they become final, until all are; returns their memory.
Bytes take_early(Encoder& encoder, Bytes want) {
  size_t ready = 0;
  const auto limit = steady_now() + test::kPatience;
  while (ready < want.size()) {
    const size_t now = encoder.ready_bytes();
    REQUIRE(now >= ready);
    REQUIRE(steady_now() < limit);
    if (now == ready) {
      std::this_thread::yield();
      continue;
    }
    const Bytes blocks = encoder.peek().texture.blocks;
    REQUIRE(blocks.size() == want.size());
    CHECK(std::memcmp(blocks.data() + ready, want.data() + ready, now - ready) == 0);
    ready = now;
  }
  CHECK(encoder.ready());
  return encoder.peek().texture.blocks;
}

void check_pipeline(const EncoderSettings& settings, int bands = 1) {
  const auto encoder = check::make_built_encoder(settings);
  CHECK(encoder->capacity() == settings.frames_in_flight);
  CHECK(encoder->bands() == bands);
  CHECK(encoder->ready_bytes() == 0);
  constexpr int kFrames = 11;
  int taken = 0;
  const auto take = [&] {
    const auto frame = check::make_frame(settings.source, check::Pattern::random, static_cast<uint32_t>(taken));
    const auto want = check::reference_blocks(frame, settings);
    const Bytes begun = taken % 2 == 0 ? take_early(*encoder, want) : Bytes();
    const EncodedFrame encoded = encoder->next();
    if (!begun.empty()) CHECK(begun.data() == encoded.texture.blocks.data());
    CHECK(encoded.times.pts == nanoseconds(taken));
    CHECK(encoded.times.encoded >= encoded.times.available);
    REQUIRE(encoded.texture.blocks.size() == want.size());
    CHECK(std::memcmp(encoded.texture.blocks.data(), want.data(), want.size()) == 0);
    ++taken;
  };
  for (int i = 0; i < kFrames; ++i) {
    if (encoder->in_flight() == encoder->capacity()) take();
    const auto frame = check::make_frame(settings.source, check::Pattern::random, static_cast<uint32_t>(i));
    FrameTimes times;
    times.pts = nanoseconds(i);
    times.available = wall_now();
    encoder->submit(frame.view(), times);  // `frame` is destroyed here: the encoder must have a copy
  }
  while (encoder->in_flight() > 0) take();
  CHECK(taken == kFrames);
}

}  // namespace

TEST_CASE("frames are returned in order, complete, with their times") {
  const int width = check::tiny_only() ? 12 : 333, height = check::tiny_only() ? 8 : 77;
  const std::string selector = std::to_string(check::device().info().index);
  for (const int in_flight : {1, 3, 4})
    check_pipeline({.source = {PixelFormat::nv12, width, height, {}},
                    .texture = TextureFormat::ycocg_bc4_420,
                    .device = selector,
                    .frames_in_flight = in_flight});
  check_pipeline({.source = {PixelFormat::rgb24, width, height, {ColorMatrix::bt709, ColorRange::full}},
                  .quality = Quality::normal,
                  .device = selector});
}

TEST_CASE("bands of a frame arrive in host memory one after the other, with the frame's bytes") {
  const int width = check::tiny_only() ? 12 : 333, height = check::tiny_only() ? 16 : 77;
  for (const QueueLayout queues : {QueueLayout::per_direction, QueueLayout::per_frame})
    check_pipeline({.source = {PixelFormat::nv12, width, height, {}},
                    .method = Method::range,
                    .device = std::to_string(check::device().info().index),
                    .frames_in_flight = 3,
                    .queues = queues,
                    .bands = 4},
                   check::tiny_only() ? 1 : 4);  // a work-group is larger than a tiny frame
}

TEST_CASE("the progress callback says when to look for a frame") {
  const int width = check::tiny_only() ? 12 : 333, height = check::tiny_only() ? 16 : 77;
  for (const int bands : {1, 4})
    for (const std::string& device : {std::to_string(check::device().info().index), std::string("cpu-reference")}) {
      const FrameFormat format{PixelFormat::nv12, width, height, {}};
      std::mutex mutex;
      std::condition_variable changed;
      int told = 0;
      const auto encoder =
          check::make_built_encoder({.source = format, .device = device, .frames_in_flight = 2, .bands = bands});
      encoder->on_progress([&] {
        {
          const std::lock_guard lock(mutex);
          ++told;
        }
        changed.notify_all();
      });
      const auto frame = check::make_frame(format, check::Pattern::random, 1);
      for (int i = 0; i < 20; ++i) {
        encoder->submit(frame.view(), {});
        if (i % 2 == 0) encoder->submit(frame.view(), {});
        while (encoder->in_flight() > 0) {
          int known = 0;
          {
            const std::lock_guard lock(mutex);
            known = told;
          }
          if (encoder->ready()) {
            encoder->next();
            continue;
          }
          std::unique_lock lock(mutex);
          REQUIRE(changed.wait_for(lock, test::kPatience, [&] { return told != known; }));
        }
      }
      {
        std::unique_lock lock(mutex);  // a frame may be ready a little before its callback
        CHECK(changed.wait_for(lock, test::kPatience, [&] { return told >= 30; }));
      }
      encoder->on_progress({});
      const int before = told;  // no other thread counts any more
      encoder->submit(frame.view(), {});
      encoder->next();
      CHECK(told == before);
    }
}

// A device uses one of the two (make_completion()); each must work on all devices whose driver has callbacks.
TEST_CASE("the end of an event calls back, from the driver or from a watching thread") {
  const ocl::Device& device = check::device();
  const bool calls_back = device.info().platform.find("Oclgrind") == std::string::npos;
  for (const bool watch : {true, false}) {
    if (!watch && !calls_back) continue;
    CAPTURE(watch);
    std::mutex mutex;
    std::condition_variable changed;
    int told = 0;
    const auto completion = watch ? make_completion_watch() : make_completion_callback();
    const cl::CommandQueue queue = device.make_queue();
    const cl::Buffer buffer(device.context(), CL_MEM_READ_WRITE, 64);
    const std::array<std::byte, 64> bytes{};
    const auto write = [&] {
      cl::Event done;
      queue.enqueueWriteBuffer(buffer, CL_FALSE, 0, bytes.size(), bytes.data(), nullptr, &done);
      queue.flush();
      completion->call_after(done);
    };
    write();  // without a callback
    completion->set([&] {
      {
        const std::lock_guard lock(mutex);
        ++told;
      }
      changed.notify_all();
    });
    for (int i = 1; i <= 5; ++i) {
      write();
      std::unique_lock lock(mutex);
      REQUIRE(changed.wait_for(lock, test::kPatience, [&] { return told == i; }));
    }
    completion->set({});
    write();
    queue.finish();
    CHECK(told == 5);
  }
}

TEST_CASE("the end of an event calls back although an earlier event has not ended") {
  const ocl::Device& device = check::device();
  std::mutex mutex;
  std::condition_variable changed;
  int told = 0;
  const auto completion = make_completion_watch();
  completion->set([&] {
    {
      const std::lock_guard lock(mutex);
      ++told;
    }
    changed.notify_all();
  });
  cl::UserEvent earlier(device.context()), later(device.context());
  completion->call_after(earlier);
  completion->call_after(later);
  const auto wait_for = [&](int times) {
    std::unique_lock lock(mutex);
    REQUIRE(changed.wait_for(lock, test::kPatience, [&] { return told == times; }));
  };
  later.setStatus(CL_COMPLETE);
  wait_for(1);
  earlier.setStatus(CL_COMPLETE);
  wait_for(2);
}

// The device may be at any step when the encoder is destroyed: many rounds, each with the same frames.
TEST_CASE("an encoder that is destroyed with frames in flight returns all of them to the pool") {
  const EncoderSettings settings{.source = {PixelFormat::nv12, 37, 21, {}},
                                 .device = std::to_string(check::device().info().index),
                                 .frames_in_flight = 3};
  std::atomic<int> calls = 0;
  // Rusticl compiles a kernel when it is enqueued, once for each queue until one of them has stored it in the cache.
  // Without this first frame hundreds of threads would compile at once.
  const auto first = check::make_frame(settings.source, check::Pattern::flat, 1);
  {
    const auto encoder = check::make_built_encoder(settings);
    encoder->submit(first.view(), {});
    encoder->next();
  }
  for (int round = 0; round < (check::tiny_only() ? 5 : 100); ++round) {
    auto encoder = check::make_built_encoder(settings);
    const auto pool = encoder->frame_pool();
    for (int i = 0; i < settings.frames_in_flight; ++i) {
      const FrameLease lease = pool->lend();
      REQUIRE(lease);
      std::memset(lease.data(), i, place_frame(settings.source).bytes);
      if (i > 0)
        encoder->on_progress([&calls] { ++calls; });  // the driver may call back after the encoder is destroyed
      encoder->submit(lease.view(), {});
    }
    encoder = nullptr;
    CHECK(pool->lent() == 0);
  }
}

TEST_CASE("the reference encoder behaves the same") {
  check_pipeline({.source = {PixelFormat::yuv422p, 33, 21, {}}, .device = "cpu-reference"});
}

TEST_CASE("the error about a method that a format does not have names those it has") {
  std::string message;
  try {
    check::make_built_encoder({.source = {PixelFormat::rgba, 16, 16, {}},
                               .texture = TextureFormat::ycocg_bc4_420,
                               .method = Method::lspiro1,
                               .device = "cpu-reference"});
  } catch (const Error& error) {
    message = error.what();
    CHECK(error.kind() == ErrorKind::usage);
  }
  CHECK(message.find(list_methods(TextureFormat::ycocg_bc4_420)) != std::string::npos);
}

TEST_CASE("a device that does not exist") {
  CHECK_THROWS_AS(check::make_built_encoder({.source = {PixelFormat::rgba, 16, 16, {}}, .device = "no such device"}),
                  Error);
}
