#include "media/recording_state.h"

#include <fmt/core.h>

#include <filesystem>

#include "media/journal_file.h"

namespace texcast::media {

RecordingState recording_state(const std::string& recording) {
  if (is_being_recorded(recording)) return RecordingState::being_recorded;
  const auto journal = journal_of(recording);
  return journal && *journal && !(*journal)->closed() ? RecordingState::cut_off : RecordingState::complete;
}

std::optional<std::string> advice_for(const std::string& recording) {
  switch (recording_state(recording)) {
    case RecordingState::complete: return std::nullopt;
    case RecordingState::being_recorded: return "it is still being recorded";
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
