// Any bytes as a recording's journal. Most checksums are corrected first, so that the fuzzer reaches the code behind
// them.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "container/journal.h"

using namespace texcast;
using namespace texcast::container;

namespace {

constexpr size_t kPreamble = 16;

void correct_checksums(MutableBytes file) {
  if (file.size() < kPreamble) return;
  const size_t header_bytes = load_le32(file, 8);
  if (header_bytes < kPreamble || header_bytes > file.size()) return;
  store_le32(file, 12, crc32(file.subspan(kPreamble, header_bytes - kPreamble)));
  for (size_t at = header_bytes; at + kJournalRecordBytes <= file.size(); at += kJournalRecordBytes)
    if (load_u8(file, at + 6) == 0)  // others stay wrong
      store_le32(file, at, crc32(file.subspan(at + 4, kJournalRecordBytes - 4)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> file(first, first + size);
  correct_checksums(file);
  const auto journal = read_journal(file);
  if (!journal) return 0;
  // A journal that was read can be written, and is the same when it is read again.
  auto again = write_journal_header(journal->header);
  for (const JournalRecord& record : journal->records) append_journal_record(again, record);
  const auto second = read_journal(again);
  if (!second || second->header != journal->header || second->records != journal->records) std::abort();
  return 0;
}
