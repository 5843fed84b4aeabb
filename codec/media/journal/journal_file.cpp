#include "media/journal_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/file_place.h"
#include "base/log.h"
#include "base/whole_io.h"
#include "media/files.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

constexpr std::chrono::milliseconds kSyncEvery(700);  // about a second, with the time that the disk takes

// The name of a new file is stored in its folder, which has to be flushed to disk too.
void sync_folder_of(const std::string& path) {
  const Descriptor folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.valid()) fsync(folder.get());
}

// 0 or an errno. EINVAL and EROFS do not count as failures: pipes and devices cannot be synchronised.
int sync_data(int descriptor) { return fdatasync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno; }

}  // namespace

std::optional<Result<container::Journal>> journal_of(const std::string& recording) {
  const std::string path = journal_path(recording);
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (file.bad() || !file.is_open()) return Result<container::Journal>(Failure{"it cannot be read"});
  bytes.resize(static_cast<size_t>(file.gcount()));
  return container::read_journal(bytes);
}

bool is_being_recorded(const std::string& recording) {
  const Descriptor journal(open(journal_path(recording).c_str(), O_RDONLY | O_CLOEXEC));
  return journal.valid() && flock(journal.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

JournalFile::JournalFile(std::shared_ptr<OutputClaim> claim)
    : claim_(std::move(claim)), path_(journal_path(claim_->path())) {
  if (ftruncate(claim_->descriptor(), 0) != 0) throw_cannot_write(path_, errno);
}

JournalFile::~JournalFile() { stop(); }

void JournalFile::begin(const container::JournalHeader& header, int recording) {
  const auto bytes = container::write_journal_header(header);
  header_bytes_ = bytes.size();
  recording_ = recording;
  if (const int error = write_all(claim_->descriptor(), bytes)) throw_cannot_write(path_, error);
  has_new_bytes_ = true;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& none) {
    throw_cannot_write(path_, none.code().value());
  }
}

int JournalFile::write_pending() {
  if (const int error = error_.load()) return error;
  if (const int error = write_all(claim_->descriptor(), pending_)) return error;
  pending_.clear();
  const std::lock_guard lock(mutex_);
  has_new_bytes_ = true;
  return 0;
}

void JournalFile::run() {
  bool named = false;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kSyncEvery, [this] { return stopping_; })) {
    if (!std::exchange(has_new_bytes_, false)) continue;
    lock.unlock();
    // The recording comes first, so that the journal on disk never mentions packets that are not there.
    int error = sync_data(recording_);
    if (error == 0) error = sync_data(claim_->descriptor());
    if (error != 0) error_.store(error);
    if (!std::exchange(named, true)) sync_folder_of(path_);
    lock.lock();
  }
}

void JournalFile::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void JournalFile::close(int64_t recording_bytes, const std::vector<container::JournalRecord>& marks) {
  stop();
  if (marks.empty()) {
    claim_->remove_journal();
    return;
  }
  // The recording has its own index now, so only the marks are kept in the journal.
  std::vector<std::byte> bytes;
  for (const auto& mark : marks) container::append_journal_record(bytes, mark);
  container::append_journal_record(
      bytes, {.kind = container::JournalRecord::Kind::closed, .offset = static_cast<uint64_t>(recording_bytes)});
  const auto end = static_cast<off_t>(header_bytes_);
  if (ftruncate(claim_->descriptor(), end) != 0 || lseek(claim_->descriptor(), end, SEEK_SET) != end)
    throw_cannot_write(path_, errno);
  if (const int error = write_all(claim_->descriptor(), bytes)) throw_cannot_write(path_, error);
}

}  // namespace texcast::media
