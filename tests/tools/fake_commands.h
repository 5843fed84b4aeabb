// fake_commands.h — subcommands that only record their options, for tests of the command line.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace texcast::test {

struct Said {
  std::string command;  // name of the last one that ran; empty: none
  cli::EncodeOptions encode;
  cli::FarmOptions farm;
  cli::SendOptions send;
  cli::PlayOptions play;
  cli::CtlOptions ctl;
  cli::WallOptions wall;
  cli::DoctorOptions doctor;
};
Said& said();
const cli::Commands& fake_commands();

}  // namespace texcast::test
