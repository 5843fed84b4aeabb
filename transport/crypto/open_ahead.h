// open_ahead.h — sealed datagrams of one session, opened by helpers before whoever takes them in order asks for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/work_ahead.h"
#include "transport/wire_keys.h"

namespace texcast::transport {

using SessionKey = std::array<unsigned char, 32>;

// Deciphers the sealed datagram into `plain`, which has as many bytes as it holds. False: not made under this key.
bool unseal(const SessionKey& key, Bytes sealed, MutableBytes plain);

// Says only what is authentic: whether it is fresh is for the one who takes it to find out, in order. Not thread-safe;
// allocates only when made.
class OpenAhead {
 public:
  static constexpr size_t kLeastDatagrams = 128;  // fewer are opened as soon by one thread as by several

  explicit OpenAhead(WorkAhead& helpers);  // must outlive this
  ~OpenAhead();

  // Forgets what was asked for before, and begins to open these: sealed datagrams of one session, which stay where they
  // are until the next call.
  void begin(const SessionKey& key);
  void add(Bytes sealed);
  void all_added();

  struct Opened {
    bool authentic = false;
    Bytes plain{};  // valid until the next begin()
  };
  // What has become of it, once it is there; nothing where it was not added. To be asked for in order.
  std::optional<Opened> find(Bytes sealed);

 private:
  static constexpr size_t kBatch = 32;                // datagrams that one thread opens
  static constexpr size_t kMemory = size_t{1} << 20;  // what comes beyond it is not opened ahead
  static constexpr size_t kMostDatagrams = 2048;
  static constexpr size_t kCounterAt = 12, kTagBytes = 16;

  // Where it was, and what it must still say there: memory is used again.
  struct Datagram {
    Bytes sealed{};
    uint64_t counter = 0;
    std::array<std::byte, kTagBytes> tag{};
    MutableBytes plain{};
    WorkAhead::Ticket ticket = 0;
    bool authentic = false;
  };
  void post_batch();
  void open_batch(size_t range);

  WorkAhead& helpers_;
  Secret<SessionKey> key_;
  std::vector<std::byte> memory_;
  size_t used_ = 0;  // of it
  std::vector<Datagram> datagrams_;
  size_t posted_ = 0;  // of them
  size_t next_ = 0;    // that is asked for, likely
  const struct OpenBatch {
    OpenAhead* ahead;
    void operator()(size_t range) const { ahead->open_batch(range); }
  } open_batch_{this};
};

}  // namespace texcast::transport
