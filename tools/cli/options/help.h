// help.h — `--help`: one screen a subcommand.
#pragma once

#include <string>

#include "command_doc.h"

namespace texcast::cli {

std::string help_text(const CommandDoc& command);

}  // namespace texcast::cli
