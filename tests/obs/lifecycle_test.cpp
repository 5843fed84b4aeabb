// Sources, filters and outputs that come and go: nothing hangs, and memory does not grow.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "obs_session.h"
#include "pictures.h"
#include "stream_check.h"
#include "stream_feed.h"

using namespace texcast;
using namespace texcast::test;

namespace {

double resident_mib() {
  size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

// A source that shows a stream and sends it on by a filter. They end at any moment, or once the source shows something.
void come_and_go(const std::string& from, const std::string& to, bool waits) {
  const Source source = stream_source(from);
  const Source filter = send_filter(to);
  obs_source_filter_add(source.get(), filter.get());
  if (waits)
    CHECK(comes_true([&] { return obs_source_get_width(source.get()) > 0; }));
  else
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  obs_source_filter_remove(source.get(), filter.get());
}

}  // namespace

TEST_CASE("two hundred sources and filters come and go") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const StreamCheck check;
  const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64, 32));
  double before = 0;
  for (int n = 0; n < 200; ++n) {
    if (n == 50) before = resident_mib();  // allocators have their arenas by then
    come_and_go(address, check.address(), n % 10 == 0);
  }
  obs_wait_for_destroy_queue();
  MESSAGE("resident memory grew by " << resident_mib() - before << " MiB");
  CHECK(resident_mib() - before < 24);
  // Another one still works.
  const Source source = stream_source(address);
  const DecodedImage wanted = expected_picture(feed.blocks());
  CHECK(comes_true([&] { return psnr_db(drawn_by(source.get()), wanted) > 45; }));
}

TEST_CASE("a stream that changes its size twenty times is shown and sent on each time") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const StreamCheck check;
  const Source source = stream_source(address);
  const Source filter = send_filter(check.address());
  obs_source_filter_add(source.get(), filter.get());
  double before = 0;
  for (int n = 0; n < 20; ++n) {
    if (n == 4) before = resident_mib();
    const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64 + 4 * (n % 4), 32 + n % 3));
    const DecodedImage wanted = expected_picture(feed.blocks());
    CHECK(comes_true([&] { return psnr_db(drawn_by(source.get()), wanted) > 45; }));
    CHECK(comes_true([&] { return check.psnr_to(wanted) > 33; }));
  }
  MESSAGE("resident memory grew by " << resident_mib() - before << " MiB");
  CHECK(resident_mib() - before < 24);
  obs_source_filter_remove(source.get(), filter.get());
}

TEST_CASE("OBS ends while a source waits, a sender has died, and a host name is being resolved") {
  using namespace std::chrono;
  steady_clock::time_point begin;
  {
    const ObsSession obs;
    if (obs.skips()) return;
    const std::string address = free_address();
    const Source waits = stream_source("rtp://127.0.0.1:0");
    const Source dead = stream_source(address);
    {
      const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64, 32));
      const DecodedImage wanted = expected_picture(feed.blocks());
      CHECK(comes_true([&] { return psnr_db(drawn_by(dead.get()), wanted) > 45; }));
    }
    const Source filter = send_filter("rtp://no-such-host.invalid:5004");
    obs_source_filter_add(dead.get(), filter.get());
    begin = steady_clock::now();
  }
  MESSAGE("OBS ended in " << duration<double>(steady_clock::now() - begin).count() << " s");
}

// Run by hand, with empty caches, as a compiler takes long:
//     XDG_CACHE_HOME=$(mktemp -d) POCL_CACHE_DIR=$(mktemp -d) obs_test -ns -tc='*compiled*'
TEST_CASE("OBS ends while a kernel is compiled" * doctest::skip()) {
  using namespace std::chrono;
  steady_clock::time_point begin;
  {
    const ObsSession obs;
    REQUIRE(!obs.skips());
    const std::string address = free_address();
    const Source source = stream_source(address);
    const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64, 32));
    const Source filter =
        make_source("texcast_filter", R"({"format": "bc7", "quality": "best", "destination": "rtp://127.0.0.1:9"})");
    obs_source_filter_add(source.get(), filter.get());
    CHECK(comes_true([&] { return obs.has_said("compiling for"); }));
    begin = steady_clock::now();
  }
  MESSAGE("OBS ended in " << duration<double>(steady_clock::now() - begin).count() << " s");
}
