#include "media/journal_read.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <vector>

#include "media/recording_state.h"

namespace texcast::media {

std::string journal_path(const std::string& recording) { return recording + ".journal"; }

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
  const int descriptor = open(journal_path(recording).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return locked;
}

RecordingState recording_state(const std::string& recording) {
  if (is_being_recorded(recording)) return RecordingState::being_recorded;
  const auto journal = journal_of(recording);
  return journal && *journal && !(*journal)->closed() ? RecordingState::cut_off : RecordingState::complete;
}

std::optional<std::string> advice_for(const std::string& recording) {
  switch (recording_state(recording)) {
    case RecordingState::complete: return std::nullopt;
    case RecordingState::being_recorded: return "it is being recorded right now";
    case RecordingState::cut_off: return fmt::format("it was not closed: texcast recover {}", recording);
  }
  return std::nullopt;
}

std::optional<ConcealedCount> concealed_in(const std::string& recording) {
  const auto journal = journal_of(recording);
  if (!journal || !*journal) return std::nullopt;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(recording, error);
  if (error) return std::nullopt;
  if (const auto* closed = (*journal)->closed(); closed && closed->offset != bytes) return std::nullopt;
  ConcealedCount count;
  for (const auto& record : (*journal)->records) {
    if (record.kind != container::JournalRecord::Kind::concealed) continue;
    ++count.frames;
    count.blocks += record.size;
  }
  return count;
}

}  // namespace texcast::media
