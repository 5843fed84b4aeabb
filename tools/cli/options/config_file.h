// config_file.h — options from a file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

namespace texcast::cli {

// The group of the options that the program and all its subcommands have.
inline constexpr const char* kCommonGroup = "common";

// One file, as CLI11 reads TOML: [send] has options of `send` by their long names, what stands before any section those
// of all subcommands. What the command line says goes first. Everything in it has to be known, also what is of other
// subcommands.
class ConfigFile {
 public:
  ConfigFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  // Throws Error{usage}, which names the file, the line and the key.
  void apply(CLI::App& app, CLI::App& chosen) const;

 private:
  CLI::Option& find(CLI::App& app, const CLI::ConfigItem& item) const;
  void take(CLI::Option& option, const CLI::ConfigItem& item) const;
  [[noreturn]] void refuse(const CLI::ConfigItem& item, const std::string& why) const;
  size_t line_of(const CLI::ConfigItem& item) const;

  const std::string path_;
  const std::string text_;
};

// Where the user's file is looked for: "~/.config/texcast/config.toml". Empty where the environment names no home.
std::string usual_config();

}  // namespace texcast::cli
