// task.h — the command line of attack.
#pragma once

#include <cstdint>
#include <string>

namespace texcast::attack {

struct Task {
  std::string program, command = "receive", scenario = "flood";
  std::string from = "127.0.0.2";  // or "sender": the genuine sender's address and port
  std::string kind = "all";        // of flood's packets, a name of Forger::kNames
  bool sealed = false;
  int seconds = 10, rate = 20'000;
  uint32_t seed = 1;
};

}  // namespace texcast::attack
