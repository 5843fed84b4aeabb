// key_file.h — `--key-file`: the passphrase is the first line of a file, so that it is in no list of processes, no
// shell history and no log.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "transport/wire_keys.h"

namespace texcast::transport {

// Of at most 1024 bytes, in memory for secrets.
class Passphrase {
 public:
  static constexpr size_t kLongest = 1024;
  explicit Passphrase(std::string_view text);  // misuse where it is longer
  std::string_view view() const { return {text_->bytes.data(), text_->size}; }

 private:
  struct Text {
    std::array<char, kLongest> bytes;
    size_t size;
  };
  Secret<Text> text_;
};

// The first line without its CR and LF (nor a UTF-8 byte order mark, which editors put there and nobody types). A pipe
// does as well as a file. Warns, as ssh does, when others may read the file. Throws Error{input} where it cannot be
// read, is empty or has a line that is too long.
Passphrase read_key_file(const std::string& path);

// Both in one.
std::shared_ptr<const WireKeys> load_keys(const std::string& path);

}  // namespace texcast::transport
