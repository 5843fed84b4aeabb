// Key files: the passphrase is the one that `texcast --key-file` reads.
#include "key_file.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "../temporary_folder.h"
#include "texcast/error.h"

using namespace texcast;

namespace {

std::string passphrase_of(const std::string& bytes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("key");
  std::ofstream(path, std::ios::binary) << bytes;
  return gstreamer::passphrase_in(path);
}

}  // namespace

TEST_CASE("a passphrase is the first line without line end and byte order mark") {
  const std::string longest(1024, 'x'), mark = "\xEF\xBB\xBF";
  for (const std::string& passphrase : {std::string("a secret"), longest}) {
    for (const std::string& begin : {std::string(), mark}) {
      for (const std::string end : {"", "\n", "\r\n", "\nand more"}) {
        CAPTURE(end);
        CHECK(passphrase_of(begin + passphrase + end) == passphrase);
      }
    }
  }
}

TEST_CASE("a key file without a passphrase, or with too long a one, is refused") {
  for (const std::string bytes : {"", "\n", "\r\nand more", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"}) {
    CAPTURE(bytes);
    CHECK_THROWS_AS(passphrase_of(bytes), Error);
  }
  for (const size_t bytes : {size_t{1025}, size_t{1029}, size_t{100'000}}) {
    CAPTURE(bytes);
    CHECK_THROWS_AS(passphrase_of(std::string(bytes, 'x')), Error);
    CHECK_THROWS_AS(passphrase_of(std::string(bytes, 'x') + "\n"), Error);
  }
  CHECK_THROWS_AS(gstreamer::passphrase_in("/"), Error);
}
