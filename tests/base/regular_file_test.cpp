#include "base/regular_file.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "base/whole_io.h"
#include "temporary_folder.h"

using namespace texcast;

namespace {

std::string why_not(const std::string& path) {
  const auto text = read_regular_file(path, 100);
  return text ? "" : text.error().message;
}

}  // namespace

TEST_CASE("a file is read completely, or not at all if it is larger than allowed") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "a") << std::string(100, 'x');
  CHECK(read_regular_file(folder / "a", 100).value() == std::string(100, 'x'));
  CHECK(read_regular_file(folder / "a", 99).error().message == "it has 100 bytes, but the limit is 99");
  std::ofstream(folder / "empty") << "";
  CHECK(read_regular_file(folder / "empty", 0).value().empty());
  REQUIRE(symlink("a", (folder / "link").c_str()) == 0);
  CHECK(read_regular_file(folder / "link", 100).value().size() == 100);
}

TEST_CASE("FIFOs, devices, sockets and folders are refused without waiting for them") {
  const test::TemporaryFolder folder;
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(why_not(folder / "fifo") == "it is a FIFO, not a file");
  CHECK(why_not(folder.path.string()) == "it is a folder, not a file");
  CHECK(why_not("/dev/zero") == "it is a device, not a file");
  CHECK(why_not(folder / "gone") == "No such file or directory");
  CHECK(why_not("").size() > 0);
  const int unix_socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = folder / "s";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(bind(unix_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(why_not(path) == "it is a socket, not a file");
  close(unix_socket);
}

TEST_CASE("the null device is an empty file") { CHECK(read_regular_file("/dev/null", 100).value().empty()); }

TEST_CASE("the beginning of a file is read as far as the file and the buffer go") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "a") << "0123456789";
  const auto file = open_regular_file(folder / "a");
  REQUIRE(file.has_value());
  CHECK(file->bytes == 10);
  std::array<std::byte, 4> some{};
  CHECK(read_all_at(file->descriptor.get(), some, 0).value() == 4);
  CHECK(some[3] == std::byte{'3'});
  std::array<std::byte, 16> more{};
  CHECK(read_all_at(file->descriptor.get(), more, 0).value() == 10);
  CHECK(more[9] == std::byte{'9'});
}
