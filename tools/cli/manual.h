// manual.h — the man page and the shell completions, made by walking the option table.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace texcast::cli {

std::string man_page(const CLI::App& app);
// `shell` is bash, zsh or fish; throws Error{usage} for another.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace texcast::cli
