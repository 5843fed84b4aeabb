// config_file.h — reads options from a file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace texcast::cli {

// The CLI11 group of the options that the program and all subcommands share.
inline constexpr const char* kCommonGroup = "common";

// A config file in TOML, as CLI11 reads it; a byte order mark at its beginning is skipped. The section [send] holds
// options of `send` by their long names; options before the first section apply to all subcommands. The command line
// overrides the file. An unknown section or option is an error, even in the section of another subcommand.
class ConfigFile {
 public:
  ConfigFile(std::string path, std::string text);
  // Throws Error{usage}, whose message names the file, the line and the key.
  void apply(CLI::App& app, CLI::App& chosen) const;

 private:
  CLI::Option& find(CLI::App& app, const CLI::ConfigItem& item) const;
  void take(CLI::Option& option, const CLI::ConfigItem& item) const;
  [[noreturn]] void refuse(const CLI::ConfigItem& item, const std::string& why) const;
  size_t line_of(const CLI::ConfigItem& item) const;

  const std::string path_;
  std::string text_;
};

// The path of the user's file: "~/.config/texcast/config.toml". Empty if the environment names no home folder.
std::string usual_config();

}  // namespace texcast::cli
