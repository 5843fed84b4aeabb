#include "transport/key_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "temporary_folder.h"
#include "texcast/error.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

std::string passphrase_of(const std::string& content) {
  const texcast::test::TemporaryFolder folder;
  const std::string path = folder / "key";
  std::ofstream(path, std::ios::binary) << content;
  ::chmod(path.c_str(), 0600);
  return std::string(read_key_file(path).view());
}

std::string refusal_of(const std::string& content) {
  try {
    passphrase_of(content);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::input);
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST_CASE("a key file's passphrase is its first line, without additions by editors") {
  CHECK(passphrase_of("secret") == "secret");
  CHECK(passphrase_of("secret\n") == "secret");
  CHECK(passphrase_of("secret\r\nsecond line\r\n") == "secret");
  CHECK(passphrase_of("\xEF\xBB\xBFsecret\n") == "secret");
  CHECK(passphrase_of(" two words \n") == " two words ");
  CHECK(passphrase_of(std::string(1024, 'x') + "\r\n" + std::string(5000, 'y')) == std::string(1024, 'x'));
  CHECK(passphrase_of("\xEF\xBB\xBF" + std::string(1024, 'x')) == std::string(1024, 'x'));
}

TEST_CASE("key files without a passphrase are refused, and their content is not revealed") {
  for (const std::string content : {"", "\n", "\r\n", "\nsecret\n"})
    CHECK(refusal_of(content).find("its first line is empty; write the passphrase there") != std::string::npos);
  for (const size_t size : {1025, 1026, 1028, 1030, 5000}) {
    const std::string said = refusal_of(std::string(size, 'x'));
    CHECK(said.find("more than 1024 bytes") != std::string::npos);
    CHECK(said.find("xx") == std::string::npos);
  }
  CHECK_THROWS_WITH_AS(read_key_file("/nowhere/key"),
                       "no passphrase from the key file /nowhere/key: No such file or directory", Error);
  CHECK_THROWS_WITH_AS(read_key_file("/"), "no passphrase from the key file /: Is a directory", Error);
}

TEST_CASE("a passphrase may come from a pipe, in any number of pieces") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "sec", 3) == 3);
  REQUIRE(::write(ends[1], "ret\nrest", 8) == 8);
  CHECK(read_key_file("/dev/fd/" + std::to_string(ends[0])).view() == "secret");
  ::close(ends[1]);
  ::close(ends[0]);
}
