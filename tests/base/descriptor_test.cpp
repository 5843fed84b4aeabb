#include "base/descriptor.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>

#include "base/poll_until.h"
#include "base/wake_event.h"

using namespace texcast;
using namespace std::chrono_literals;

namespace {

Descriptor open_null() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

bool is_readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 1;
}

}  // namespace

TEST_CASE("a descriptor is closed once: by its last owner, by one that replaces it, or by close()") {
  int first = -1, second = -1;
  {
    Descriptor one = open_null();
    first = one.get();
    REQUIRE(one.valid());
    Descriptor owner(std::move(one));
    CHECK(owner.get() == first);
    CHECK(is_open(first));

    Descriptor other = open_null();
    second = other.get();
    owner = std::move(other);
    CHECK_FALSE(is_open(first));
    CHECK(owner.get() == second);
    CHECK(is_open(second));
  }
  CHECK_FALSE(is_open(second));

  Descriptor closed = open_null();
  const int third = closed.get();
  CHECK(closed.close() == 0);
  CHECK_FALSE(is_open(third));
  CHECK_FALSE(closed.valid());
  CHECK(closed.close() == 0);
}

TEST_CASE("a released descriptor is the caller's; an invalid one is recognised, and close() returns its error") {
  Descriptor given = open_null();
  Descriptor taken(given.release());
  CHECK_FALSE(given.valid());
  CHECK(is_open(taken.get()));

  CHECK_FALSE(Descriptor(::open("/nowhere/at all", O_RDONLY | O_CLOEXEC)).valid());
  const int gone = taken.get();
  CHECK(taken.close() == 0);
  CHECK(Descriptor(gone).close() == EBADF);
}

TEST_CASE("a wake event is readable from the first wake() until take(), however often it was woken") {
  const WakeEvent event;
  CHECK_FALSE(is_readable(event.fd()));
  CHECK_FALSE(event.take());
  event.wake();
  event.wake();
  CHECK(is_readable(event.fd()));
  CHECK(event.take());
  CHECK_FALSE(event.take());
  CHECK_FALSE(is_readable(event.fd()));
}

TEST_CASE("a wake event ends a poll() on another thread") {
  const WakeEvent event;
  std::atomic<bool> woken = false;
  std::thread waits([&] {
    pollfd waiting{event.fd(), POLLIN, 0};
    while (::poll(&waiting, 1, -1) < 0 && errno == EINTR) {
    }
    woken = event.take();
  });
  event.wake();
  waits.join();
  CHECK(woken);
}

TEST_CASE("poll_until() returns ready descriptors, polls even if the time is over, and waits no longer than that") {
  const WakeEvent event;
  std::array waiting{pollfd{event.fd(), POLLIN, 0}};
  const SteadyTime begun = steady_now();
  CHECK(poll_until(waiting, begun + 5ms) == 0);
  CHECK(steady_now() >= begun + 5ms);
  CHECK(poll_until(waiting, begun) == 0);
  event.wake();
  CHECK(poll_until(waiting, begun) == 1);
  CHECK(waiting[0].revents == POLLIN);
  CHECK(poll_until(waiting, SteadyTime::max()) == 1);
}
