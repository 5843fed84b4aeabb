// scenarios.h — the attacks, each with the behaviour of the genuine sender and the judgement of the recording.
#pragma once

#include <span>
#include <string_view>

#include "task.h"

namespace texcast::attack {

struct Scenario {
  std::string_view name, about;
  // Prints one line. Returns false if the genuine stream was harmed, or if something forged was taken for it.
  bool (*run)(const Task& task);
};
std::span<const Scenario> scenarios();

}  // namespace texcast::attack
