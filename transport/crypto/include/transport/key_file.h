// key_file.h — reads the passphrase for `--key-file` from the first line of a file, which keeps it out of process
// lists, the shell history and logs.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "transport/wire_keys.h"

namespace texcast::transport {

// At most 1024 bytes, in memory for secrets.
class Passphrase {
 public:
  static constexpr size_t kLongest = 1024;
  explicit Passphrase(std::string_view text);  // misuse if it is longer
  std::string_view view() const { return {text_->bytes.data(), text_->size}; }

 private:
  struct Text {
    std::array<char, kLongest> bytes;
    size_t size;
  };
  Secret<Text> text_;
};

// Returns the first line without CR, LF and a UTF-8 byte order mark, which editors add and nobody types. `path` may be
// a pipe. Logs a warning, as ssh does, if others may read the file. Throws Error{input} if it cannot be read, is empty
// or has too long a line.
Passphrase read_key_file(const std::string& path);

// Reads the file and derives the keys.
std::shared_ptr<const WireKeys> load_keys(const std::string& path);

}  // namespace texcast::transport
