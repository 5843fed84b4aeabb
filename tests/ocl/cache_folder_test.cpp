// Which folder holds compiled programs, who may read and write it, and which files are ignored.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "ocl/cache.h"
#include "scoped_env.h"
#include "temporary_folder.h"

using namespace texcast;
namespace fs = std::filesystem;

namespace {

// A home folder, and a fallback folder next to it.
struct Home {
  test::TemporaryFolder folder;
  test::ScopedVariable home{"HOME", folder / "home"}, cache{"XDG_CACHE_HOME", std::nullopt},
      run{"XDG_RUNTIME_DIR", std::nullopt}, temporary{"TMPDIR", folder / "tmp"};
  Home() {
    fs::create_directory(folder / "home");
    fs::create_directory(folder / "tmp");
  }
  std::string usual() const { return folder / "home/.cache/texcast"; }
  std::string last_resort() const { return folder / "tmp/texcast-" + std::to_string(geteuid()); }
};

mode_t mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(lstat(path.c_str(), &found) == 0);
  return found.st_mode & 07777;
}

class ScopedUmask {
 public:
  explicit ScopedUmask(mode_t mask) : before_(umask(mask)) {}
  ~ScopedUmask() { umask(before_); }
  ScopedUmask(const ScopedUmask&) = delete;
  ScopedUmask& operator=(const ScopedUmask&) = delete;

 private:
  mode_t before_;
};

}  // namespace

// Expected values are those of b2sum -l 256.
TEST_CASE("hashes are BLAKE2b") {
  CHECK(ocl::content_hash("") == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  CHECK(ocl::content_hash("abc") == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  CHECK(ocl::is_content_hash(ocl::content_hash("abc")));
  CHECK_FALSE(ocl::is_content_hash("abc"));
  CHECK_FALSE(ocl::is_content_hash(std::string(64, 'g')));
}

TEST_CASE("only this user can access folders and files of the cache, with any umask") {
  for (const mode_t mask : {0, 002, 022, 077, 0777}) {
    CAPTURE(mask);
    const Home home;
    const ScopedUmask umask(mask);
    const ocl::CacheChoice choice = ocl::choose_cache();
    CHECK(choice.usual);
    CHECK(choice.path == home.usual());
    CHECK(mode_of(home.folder / "home/.cache") == 0700);
    CHECK(mode_of(home.usual()) == 0700);
    ocl::write_cache_file("a", "bytes");
    CHECK(mode_of(home.usual() + "/a") == 0600);
    CHECK(ocl::read_cache_file("a", 100) == "bytes");
    ocl::remove_cache_file("a");
    CHECK(fs::is_empty(home.usual()));
  }
}

TEST_CASE("a folder that others can write to is not used, and the message says what to do") {
  for (const mode_t mode : {0777, 0775, 0722, 01777}) {
    CAPTURE(mode);
    const Home home;
    fs::create_directories(home.usual());
    REQUIRE(chmod(home.usual().c_str(), mode) == 0);
    const ocl::CacheChoice choice = ocl::choose_cache();
    CHECK_FALSE(choice.usual);
    CHECK(choice.is_news);
    CHECK(choice.path == home.last_resort());
    CHECK(choice.why == "others can write to " + home.usual());
    CHECK(choice.mend.starts_with("rm -r '" + home.usual() + "'"));
    ocl::write_cache_file("a", "bytes");
    CHECK(fs::is_empty(home.usual()));
  }
}

TEST_CASE("a folder that others can replace is not used") {
  const Home home;
  REQUIRE(ocl::choose_cache().usual);
  REQUIRE(chmod((home.folder / "home").c_str(), 0777) == 0);
  CHECK(ocl::choose_cache().why == "others can write to " + (home.folder / "home"));
  REQUIRE(chmod((home.folder / "home").c_str(), 01777) == 0);  // as /tmp: only the owner of a file can rename it
  CHECK(ocl::choose_cache().usual);
}

TEST_CASE("another user's folder is not used") {
  if (geteuid() != 0) {
    MESSAGE("SKIP: only root can create folders of another user");
    return;
  }
  const Home home;
  fs::create_directories(home.usual());
  REQUIRE(chown(home.usual().c_str(), 12345, 12345) == 0);
  const ocl::CacheChoice choice = ocl::choose_cache();
  CHECK(choice.path == home.last_resort());
  CHECK(choice.why == home.usual() + " belongs to another user");
  // The home of another user, as sudo leaves it: nothing is created there.
  fs::remove(home.usual());
  REQUIRE(chown((home.folder / "home/.cache").c_str(), 12345, 12345) == 0);
  CHECK(ocl::choose_cache().path == home.last_resort());
  CHECK(fs::is_empty(home.folder / "home/.cache"));
}

TEST_CASE("files of the cache that others can write to, or that are not regular files, are not read") {
  const Home home;
  ocl::write_cache_file("a", "bytes");
  const std::string file = home.usual() + "/a";
  REQUIRE(chmod(file.c_str(), 0666) == 0);
  CHECK_FALSE(ocl::read_cache_file("a", 100).has_value());
  REQUIRE(chmod(file.c_str(), 0644) == 0);  // as older versions created them
  CHECK(ocl::read_cache_file("a", 100).has_value());
  CHECK_FALSE(ocl::read_cache_file("a", 4).has_value());
  fs::create_symlink(file, home.usual() + "/b");
  CHECK_FALSE(ocl::read_cache_file("b", 100).has_value());
  REQUIRE(mkfifo((home.usual() + "/c").c_str(), 0600) == 0);
  CHECK_FALSE(ocl::read_cache_file("c", 100).has_value());
  fs::create_directory(home.usual() + "/d");
  CHECK_FALSE(ocl::read_cache_file("d", 100).has_value());
  if (geteuid() != 0) return;
  REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
  CHECK_FALSE(ocl::read_cache_file("a", 100).has_value());
}
