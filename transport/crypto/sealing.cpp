#include "transport/sealing.h"

#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "base/work_ahead.h"
#include "open_ahead.h"
#include "raw_bytes.h"
#include "seal_magic.h"
#include "transport/replay_window.h"

namespace texcast::transport {
namespace {

static_assert(crypto_aead_chacha20poly1305_ietf_KEYBYTES == 32);
static_assert(crypto_aead_chacha20poly1305_ietf_ABYTES == kSealTagBytes);
static_assert(ReplayWindow::kReach == Opener::kWindow);

constexpr size_t kSessionAt = 4, kSessionBytes = 8, kCounterAt = 12, kBeganAt = 20, kSealedAt = 24;
constexpr size_t kLargestSealed = 65535;

using SealNonce = std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

void derive_session_key(SessionKey& key, const WireKeys::MasterKey& master, Bytes header) {
  std::array<std::byte, kSessionBytes + 4> session;
  const auto rest = std::ranges::copy(header.subspan(kSessionAt, kSessionBytes), session.begin()).out;
  std::ranges::copy(header.subspan(kBeganAt, 4), rest);
  crypto_generichash(key.data(), key.size(), raw(session), session.size(), raw(master), master.size());
}

// Wraps in 2106; differences are correct up to 68 years.
uint32_t seconds_of(WallTime time) {
  return static_cast<uint32_t>(std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
}

// A counter is used once with a session's key, so it suffices as nonce.
SealNonce nonce_of(Bytes header) {
  SealNonce nonce{};
  std::copy_n(raw(header) + kCounterAt, 8, nonce.begin() + 4);
  return nonce;
}

}  // namespace

Sealer::Sealer(const WireKeys& keys) {
  *master_ = keys.master();
  const MutableBytes header(session_->header);
  std::ranges::copy(kSealMagic, header.begin());
  randombytes_buf(header.data() + kSessionAt, kSessionBytes);
}

Bytes Sealer::seal(Bytes header, Bytes payload, MutableBytes out, WallTime now) {
  return seal_as(reserve(1, now), header, payload, out, now);
}

uint64_t Sealer::reserve(uint64_t count, WallTime now) {
  if (!begun_) {
    begun_ = true;
    store_be32(session_->header, kBeganAt, seconds_of(now));
    derive_session_key(session_->key, *master_, session_->header);
  }
  counter_ += count;  // one lifetime does not suffice for 2^64 packets
  return counter_ - count;
}

Bytes Sealer::seal_as(uint64_t counter, Bytes header, Bytes payload, MutableBytes out, WallTime now) const {
  const size_t plain_bytes = header.size() + payload.size();
  ENSURE(begun_ && out.size() >= plain_bytes + kSealOverhead);
  const MutableBytes seal = out.first(kSealHeaderBytes);
  std::ranges::copy(session_->header, seal.begin());
  store_be32(seal, kSealedAt, seconds_of(now));
  store_be64(seal, kCounterAt, counter);
  const MutableBytes plain = out.subspan(kSealHeaderBytes, plain_bytes);
  std::ranges::copy(header, plain.begin());
  std::ranges::copy(payload, plain.begin() + static_cast<std::ptrdiff_t>(header.size()));
  const SealNonce nonce = nonce_of(seal);
  crypto_aead_chacha20poly1305_ietf_encrypt(raw_out(plain), nullptr, raw(plain), plain.size(), raw(seal),
                                            kSealHeaderBytes, nullptr, nonce.data(), session_->key.data());
  return out.first(plain_bytes + kSealOverhead);
}

bool unseal(const SessionKey& key, Bytes sealed, MutableBytes plain) {
  ENSURE(plain.size() + kSealOverhead == sealed.size());
  const Bytes header = sealed.first(kSealHeaderBytes);
  const Bytes body = sealed.subspan(kSealHeaderBytes);
  const SealNonce nonce = nonce_of(header);
  return crypto_aead_chacha20poly1305_ietf_decrypt(raw_out(plain), nullptr, nullptr, raw(body), body.size(),
                                                   raw(header), header.size(), nonce.data(), key.data()) == 0;
}

std::optional<Bytes> Sealer::open_own(Bytes sealed, MutableBytes out) const {
  const Bytes session = Bytes(session_->header).subspan(kSessionAt, kSessionBytes);
  if (!begun_ || !is_sealed(sealed) || !std::ranges::equal(sealed.subspan(kSessionAt, kSessionBytes), session))
    return std::nullopt;
  const MutableBytes plain = out.first(sealed.size() - kSealOverhead);
  if (!unseal(session_->key, sealed, plain)) return std::nullopt;
  return plain;
}

struct Opener::State {
  struct Session {
    uint64_t last_use = 0;  // 0: this place is free
    SessionKey key;
    ReplayWindow window;
  };
  struct Table {
    std::array<uint64_t, kSessions> ids;
    std::array<Session, kSessions> sessions;
    SessionKey stranger;
  };

  Session* find(uint64_t id) {
    if (table->ids[latest] == id && table->sessions[latest].last_use > 0) return &table->sessions[latest];
    for (size_t i = 0; i < table->ids.size(); ++i)
      if (table->ids[i] == id && table->sessions[i].last_use > 0) {
        latest = i;
        return &table->sessions[i];
      }
    return nullptr;
  }
  bool was_displaced(uint64_t id) const {
    const auto end = displaced.begin() + static_cast<std::ptrdiff_t>(std::min(displacements, displaced.size()));
    return std::find(displaced.begin(), end, id) != end;
  }
  // A free place, or that of the session that has been silent the longest.
  Session& begin(uint64_t id, const SessionKey& key) {
    const auto oldest = std::ranges::min_element(table->sessions, {}, &Session::last_use);
    latest = static_cast<size_t>(oldest - table->sessions.begin());
    if (oldest->last_use > 0) displaced[displacements++ % displaced.size()] = table->ids[latest];
    table->ids[latest] = id;
    *oldest = {.key = key, .window = {}};
    return *oldest;
  }

  Secret<Table> table;
  size_t latest = 0;  // index of the previous packet's session, nearly always this one's too
  uint64_t uses = 0;
  std::vector<uint64_t> displaced = std::vector<uint64_t>(kForgotten);
  size_t displacements = 0;
  std::vector<std::byte> opened = std::vector<std::byte>(kLargestSealed);
  std::optional<OpenAhead> ahead;
  uint64_t ahead_id = 0;  // the session of the datagrams decrypted ahead
};

Opener::Opener(std::shared_ptr<const WireKeys> keys, nanoseconds max_age, WorkAhead* helpers)
    : keys_(std::move(keys)), max_age_(max_age), state_(std::make_unique<State>()) {
  if (helpers && helpers->threads() > 0) state_->ahead.emplace(*helpers);
}
Opener::~Opener() = default;

// Checks authenticity first and freshness after it, so that forgeries can fill neither the windows nor the table, and
// every datagram counted as replayed was genuine.
Opener::Opened Opener::open(Bytes sealed, WallTime now) {
  State& s = *state_;
  if (!is_sealed(sealed) || sealed.size() > kLargestSealed) return {};
  const Bytes header = sealed.first(kSealHeaderBytes);
  const uint64_t id = load_be64(header, kSessionAt);
  State::Session* session = s.find(id);
  if (!session) derive_session_key(s.table->stranger, keys_->master(), header);
  const SessionKey& key = session ? session->key : s.table->stranger;

  Bytes plain(s.opened.data(), sealed.size() - kSealOverhead);
  // Datagrams were decrypted ahead with the key of a session that was known then; its id identifies it.
  const auto ahead = session && s.ahead && id == s.ahead_id ? s.ahead->find(sealed) : std::nullopt;
  if (ahead) {
    if (!ahead->authentic) return {};
    plain = ahead->plain;
  } else if (!unseal(key, sealed, MutableBytes(s.opened).first(plain.size()))) {
    return {};
  }

  if (!session) {
    if (s.was_displaced(id)) return {.outcome = Outcome::replayed};
    const int64_t age = static_cast<int32_t>(seconds_of(now) - load_be32(header, kSealedAt));
    if (max_age_ > nanoseconds{} && std::chrono::seconds(std::abs(age)) > max_age_)
      return {.outcome = age > 0 ? Outcome::too_old : Outcome::from_the_future, .seconds = std::abs(age)};
    session = &s.begin(id, key);
  }
  session->last_use = ++s.uses;
  const uint64_t counter = load_be64(header, kCounterAt);
  if (!session->window.accept(counter)) return {.outcome = Outcome::replayed};
  return {.outcome = Outcome::opened,
          .datagram = plain,
          .session = id,
          .began = load_be32(header, kBeganAt),
          .counter = counter};
}

void Opener::expect(std::span<const Bytes> datagrams) {
  State& s = *state_;
  if (!s.ahead) return;
  const State::Session& session = s.table->sessions[s.latest];
  s.ahead->begin(session.key);
  s.ahead_id = s.table->ids[s.latest];
  if (session.last_use == 0 || datagrams.size() < OpenAhead::kLeastDatagrams) return;
  for (const Bytes datagram : datagrams)
    if (is_sealed(datagram) && datagram.size() <= kLargestSealed && load_be64(datagram, kSessionAt) == s.ahead_id)
      s.ahead->add(datagram);
  s.ahead->all_added();
}

}  // namespace texcast::transport
