// screenshot.h — what is on the screen, into PNG files.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "player/presenter.h"

namespace texcast::cli {

// Not thread-safe.
class Screenshots {
 public:
  // `path` empty: the first free one of texcast-1.png, texcast-2.png … in the current folder.
  explicit Screenshots(std::string path) : path_(std::move(path)) {}
  // The line for the on-screen display. Never throws: a picture that cannot be saved must not end the show.
  std::string save(const player::ShownPicture& picture);
  // Throws what the last save() to the path given met.
  void rethrow_failure() const {
    if (failure_) throw *failure_;
  }

 private:
  const std::string path_;
  std::optional<Error> failure_;
};

}  // namespace texcast::cli
