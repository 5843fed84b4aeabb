// manual.h — the man page and the shell completions, made by walking the option table.
#pragma once

#include <string>

#include "command_doc.h"

namespace texcast::cli {

std::string man_page(const CommandDoc& program);
// `shell` is bash, zsh or fish; throws Error{usage} for another.
std::string completion_script(const CommandDoc& program, const std::string& shell);

}  // namespace texcast::cli
