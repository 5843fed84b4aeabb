// scenarios.h — the attacks, each with what the genuine sender does meanwhile and what is looked at afterwards.
#pragma once

#include <span>
#include <string_view>

#include "task.h"

namespace texcast::attack {

struct Scenario {
  std::string_view name, about;
  // Prints a line. False where the genuine stream has come to harm, or something forged was taken for it.
  bool (*run)(const Task& task);
};
std::span<const Scenario> scenarios();

}  // namespace texcast::attack
