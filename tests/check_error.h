// check_error.h — checks that a call throws an Error of a kind with a certain message.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "texcast/error.h"

namespace texcast::test {

inline void check_error(ErrorKind kind, const std::string& words, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK_MESSAGE(error.kind() == kind, error.what());
    CHECK_MESSAGE(std::string(error.what()).find(words) != std::string::npos, error.what(), " does not contain ",
                  words);
    return;
  }
  FAIL_CHECK("nothing was thrown where an error has: ", words);
}

// A call that a header forbids, and the part of the message that says what is wrong.
struct Forbidden {
  const char* words;
  std::function<void()> call;
};
inline void check_forbidden(const std::vector<Forbidden>& table) {
  for (const auto& [words, call] : table) check_error(ErrorKind::misuse, words, call);
}

// The wording is free, as the message is for people. But it names the call, and says more than that.
inline void check_misuse(const std::function<void()>& call) {
  check_error(ErrorKind::misuse, "", [&] {
    try {
      call();
    } catch (const Error& error) {
      CHECK(std::string(error.what()).size() > 15);
      throw;
    }
  });
}

}  // namespace texcast::test
