// open_ahead.h — decrypts sealed datagrams of one session on helper threads, before they are taken in order.
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

// Decrypts the sealed datagram into `plain`, which has exactly its size. False: it was not made with this key.
bool unseal(const SessionKey& key, Bytes sealed, MutableBytes plain);

// Reports only authenticity; the caller checks for replay, in order. Not thread-safe; allocates only when constructed.
class OpenAhead {
 public:
  static constexpr size_t kLeastDatagrams = 128;  // with fewer, several threads are no faster than one

  explicit OpenAhead(WorkAhead& helpers);  // must outlive this
  ~OpenAhead();

  // Forgets earlier requests and begins to decrypt these: sealed datagrams of one session, which must not change until
  // the next call.
  void begin(const SessionKey& key);
  void add(Bytes sealed);
  void all_added();

  struct Opened {
    bool authentic = false;
    Bytes plain{};  // valid until the next begin()
  };
  // The result, once it is available; nothing if the datagram was not added. Call in order.
  std::optional<Opened> find(Bytes sealed);

 private:
  static constexpr size_t kBatch = 32;                // datagrams per helper call
  static constexpr size_t kMemory = size_t{1} << 20;  // datagrams beyond it are not decrypted ahead
  static constexpr size_t kMostDatagrams = 2048;
  static constexpr size_t kCounterAt = 12, kTagBytes = 16;

  // The datagram's address and distinctive content, because its memory is reused.
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
  size_t used_ = 0;  // of memory_
  std::vector<Datagram> datagrams_;
  size_t posted_ = 0;  // number of them handed to helpers
  size_t next_ = 0;    // the one that is probably asked for next
  const struct OpenBatch {
    OpenAhead* ahead;
    void operator()(size_t range) const { ahead->open_batch(range); }
  } open_batch_{this};
};

}  // namespace texcast::transport
