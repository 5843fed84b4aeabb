#include "open_ahead.h"

#include <algorithm>

#include "transport/sealing.h"

namespace texcast::transport {

OpenAhead::OpenAhead(WorkAhead& helpers) : helpers_(helpers), memory_(kMemory) { datagrams_.reserve(kMostDatagrams); }

OpenAhead::~OpenAhead() { helpers_.finish(); }

void OpenAhead::begin(const SessionKey& key) {
  helpers_.finish();
  *key_ = key;
  datagrams_.clear();
  used_ = posted_ = next_ = 0;
}

void OpenAhead::add(Bytes sealed) {
  const size_t plain_bytes = sealed.size() - kSealOverhead;
  if (datagrams_.size() == kMostDatagrams || memory_.size() - used_ < plain_bytes) return;
  Datagram& datagram = datagrams_.emplace_back();
  datagram.sealed = sealed;
  datagram.counter = load_be64(sealed, kCounterAt);
  std::ranges::copy(sealed.last(kTagBytes), datagram.tag.begin());
  datagram.plain = MutableBytes(memory_).subspan(used_, plain_bytes);
  used_ += plain_bytes;
  if (datagrams_.size() - posted_ == kBatch) post_batch();
}

void OpenAhead::all_added() {
  if (posted_ < datagrams_.size()) post_batch();
}

void OpenAhead::post_batch() {
  const size_t first = posted_;
  const size_t last = datagrams_.size();
  posted_ = last;
  // Helpers do not read what is written here: only the caller uses tickets.
  const WorkAhead::Ticket ticket = helpers_.post(open_batch_, first << 16 | last);
  for (size_t i = first; i < last; ++i) datagrams_[i].ticket = ticket;
}

// On any thread.
void OpenAhead::open_batch(size_t range) {
  for (size_t i = range >> 16; i < (range & 0xFFFF); ++i) {
    Datagram& datagram = datagrams_[i];
    datagram.authentic = unseal(*key_, datagram.sealed, datagram.plain);
  }
}

std::optional<OpenAhead::Opened> OpenAhead::find(Bytes sealed) {
  for (size_t i = next_; i < datagrams_.size(); ++i) {
    const Datagram& datagram = datagrams_[i];
    if (datagram.sealed.data() != sealed.data()) continue;
    next_ = i + 1;
    if (datagram.sealed.size() != sealed.size() || datagram.counter != load_be64(sealed, kCounterAt) ||
        !std::ranges::equal(datagram.tag, sealed.last(kTagBytes)))
      return std::nullopt;
    helpers_.need(datagram.ticket);
    return Opened{datagram.authentic, datagram.plain};
  }
  return std::nullopt;
}

}  // namespace texcast::transport
