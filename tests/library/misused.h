// misused.h — that a call is answered with Error{misuse}.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "texcast/error.h"

// The message is for a person: it names the call, and has more than that to say.
template <typename Call>
void check_misuse(Call&& call) {
  try {
    call();
    FAIL_CHECK("nothing was thrown");
  } catch (const texcast::Error& error) {
    CHECK(error.kind() == texcast::ErrorKind::misuse);
    CHECK(std::string(error.what()).size() > 15);
  }
}
