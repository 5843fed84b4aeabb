// command_output.h — what a shell command writes to stdout. A command that fails ends the test.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

namespace texcast::test {

inline std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char piece[65536];
  for (size_t have = 0; (have = std::fread(piece, 1, sizeof piece, pipe)) > 0;) output.append(piece, have);
  REQUIRE_MESSAGE(pclose(pipe) == 0, command);
  return output;
}

}  // namespace texcast::test
