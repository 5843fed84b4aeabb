// Functions of a library that their first call loads, and of a library that is missing.
#include "lazy/lazy_library.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "sample.h"
#include "texcast/error.h"

namespace {

using namespace texcast;

bool is_loaded(const char* soname) { return dlopen(soname, RTLD_LAZY | RTLD_NOLOAD) != nullptr; }

// The message of the exception that the call throws; empty if it returns.
template <typename Call>
std::string complaint_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::failed);
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The first case relies on the library not being loaded. The calls of each case are first calls: no two cases use the
// same functions.
TEST_CASE("a library is loaded by the first call of one of its functions") {
  const bool before = is_loaded("libtexcast-sample.so");
  CHECK(sample_call([](int value) { return 2 * value; }, 21) == 42);
  CHECK(is_loaded("libtexcast-sample.so"));
  CHECK_FALSE(before);
}

TEST_CASE("a first call passes on all arguments, in registers and on the stack, and the result") {
  for (int call = 1; call <= 2; ++call) {
    CAPTURE(call);
    CHECK(sample_places(1, 2, 3, 4, 5, 6, 7, 8, 9, 0) == 1234567890);
    CHECK(sample_digits(9, 8, 7, 6, 5, 4, 3, 2, 1, 0) == 9876543210.0);
    char text[64] = "";
    CHECK(sample_print(text, sizeof text, "%d %.1f %s %.2f", 7, 0.5, "of", 8.25) == 13);
    CHECK(std::string(text) == "7 0.5 of 8.25");
    const Large large = sample_large(100);
    for (int i = 0; i < 9; ++i) CHECK(large.values[i] == 100 + i);
  }
}

TEST_CASE("an exported object exists as soon as the library is loaded, at one address for both sides") {
  CHECK(std::string(sample_name_of(&sample_named)) == "sample");
  CHECK(sample_named.number == 7);
}

TEST_CASE("threads that make the first call at once all get their results") {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&right, i] {
      if (sample_from_threads(i) == i + 1) ++right;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 8);
}

TEST_CASE("a missing library is an error that says what needs it and which package has it") {
  for (int call = 1; call <= 2; ++call) {
    CAPTURE(call);
    const std::string complaint = complaint_of([] { absent_function(1); });
    CHECK(contains(complaint, "cannot load libtexcast-absent.so.7, which is needed for nothing at all"));
    CHECK(contains(complaint, "the package libtexcast-absent7"));
    CHECK_FALSE(contains(complaint, "\n"));
  }
}

TEST_CASE("the error unwinds the caller's frames") {
  struct Notes {
    bool& gone;
    ~Notes() { gone = true; }
  };
  bool gone = false;
  CHECK(complaint_of([&] {
          const Notes notes{gone};
          absent_function(1);
        }) != "");
  CHECK(gone);
}

TEST_CASE("a function that the library does not export is an error") {
  CHECK(contains(complaint_of([] { sample_missing(1); }), "libtexcast-sample.so has no sample_missing"));
}

TEST_CASE("the program lists its libraries, and why one does not load") {
  const auto files = lazy::library_files();
  const auto find = [&](const std::string& soname) {
    const auto found = std::ranges::find(files, soname, &lazy::LibraryFile::soname);
    REQUIRE(found != files.end());
    return *found;
  };
  CHECK(files.size() == 2);
  CHECK(find("libtexcast-sample.so").package == "libtexcast-sample0");
  CHECK(lazy::load_complaint(find("libtexcast-sample.so")) == "");
  CHECK(contains(lazy::load_complaint(find("libtexcast-absent.so.7")), "cannot load libtexcast-absent.so.7"));
}

}  // namespace
