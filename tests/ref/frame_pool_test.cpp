// The frame pool: whom it lends to, its bound, several threads; and the layout of its frames.
#include "texcast/frame_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <thread>

using namespace texcast;

TEST_CASE("planes follow each other, each with room below for a decoder, and strides are in proportion") {
  // By hand: 130 texels need 192 for luma, but then 96 for chroma, which is not a multiple of 64; so 256 and 128. 50
  // rows need 64, and two more; chroma half of that.
  const FramePlacement p = place_frame({PixelFormat::yuv420p, 130, 50, {}});
  CHECK(p.stride == std::array{256, 128, 128});
  CHECK(p.padded_rows == std::array{66, 33, 33});
  CHECK(p.offset == std::array{0, 256 * 66, 256 * 66 + 128 * 33});
  CHECK(p.bytes == size_t{256 * 66 + 128 * 33 + 128 * 25});  // 58 half rows are 29 whole ones
  CHECK(p.padded_bytes == size_t{256 * 66 + 2 * 128 * 33});
  const FramePlacement uhd = place_frame({PixelFormat::nv12, 3840, 2160, {}});
  CHECK(uhd.stride == std::array{3840, 3840, 0});
  CHECK(uhd.offset[1] == 3840 * 2178);
  CHECK(place_frame({PixelFormat::rgb24, 127, 1, {}}).stride[0] == 128 * 3);
  CHECK(place_frame({PixelFormat::rgba, kMaxFrameSize, kMaxFrameSize, {}}).padded_bytes < size_t{1} << 31);
}

TEST_CASE("a frame is lent again when its last share is released, not before") {
  const auto pool = FramePool::create({PixelFormat::gray, 64, 4, {}}, 2);
  FrameLease a = pool->lend();
  const std::byte* first = a.data();
  FrameLease b = a;
  FrameLease c = pool->share(a.view());
  CHECK(a.shares() == 3);
  FrameLease other = pool->lend();
  CHECK(other.data() != first);
  CHECK(!pool->lend());  // both are lent
  a = {};
  b = std::move(c);
  CHECK(!pool->lend());
  b = {};
  CHECK(pool->lent() == 1);
  CHECK(pool->lend().data() == first);
  CHECK(pool->frames() == 2);
}

TEST_CASE("share() knows its own frames only") {
  const FrameFormat format{PixelFormat::nv12, 64, 32, {}};
  const auto pool = FramePool::create(format, 4), other = FramePool::create(format, 4);
  const FrameLease lease = pool->lend();
  CHECK(pool->share(lease.view()));
  CHECK(!other->share(lease.view()));
  FrameView moved = lease.view();
  moved.planes[0].data += 64;  // cropped: starts inside the frame
  moved.planes[1].data += 64;
  CHECK(!pool->share(moved));
  FrameView wider = lease.view();
  wider.planes[1].stride_bytes *= 2;
  CHECK(!pool->share(wider));
  FrameView tagged = lease.view();
  tagged.format.color.range = ColorRange::full;  // other kernels would read it
  CHECK(!pool->share(tagged));
  CHECK(lease.shares() == 1);
}

TEST_CASE("if memory runs out, the pool has no more frames") {
  struct None : FrameMemory {
    std::byte* allocate(size_t) override { return nullptr; }
  };
  const auto pool = FramePool::create({PixelFormat::gray, 8, 8, {}}, 4, std::make_unique<None>());
  CHECK(!pool->lend());
  CHECK(pool->frames() == 0);
}

TEST_CASE("threads that lend, share and release never own the same frame at the same time") {
  const auto pool = FramePool::create({PixelFormat::gray, 64, 1, {}}, 3);
  std::atomic<int> lent = 0, refused = 0, torn = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 1; t <= 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 2000; ++i) {
          FrameLease mine = pool->lend();
          if (!mine) {
            ++refused;
            continue;
          }
          ++lent;
          std::memset(mine.data(), t, 64);
          const FrameLease again = pool->share(mine.view());
          mine = {};
          for (int at = 0; at < 64; ++at) torn += again.data()[at] != static_cast<std::byte>(t) ? 1 : 0;
        }
      });
  }
  CHECK(lent + refused == 8000);
  CHECK(torn == 0);
  CHECK(pool->lent() == 0);
  CHECK(pool->frames() <= 3);
}
