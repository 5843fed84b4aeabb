// journal_read.h — the journal of a recording that lies there, and whether somebody is writing it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "container/journal.h"

namespace texcast::media {

// "show.mov.journal"
std::string journal_path(const std::string& recording);

// Nothing where there is none; a Failure where it cannot be read or is no journal.
std::optional<Result<container::Journal>> journal_of(const std::string& recording);

// A recorder holds the journal's lock as long as it lives.
bool is_being_recorded(const std::string& recording);

}  // namespace texcast::media
