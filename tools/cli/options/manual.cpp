#include "manual.h"

#include <fmt/core.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/presets.h"
#include "control/table.h"
#include "player/window.h"
#include "texcast/error.h"
#include "texcast/format.h"
#include "texcast/quality.h"
#include "text/figures.h"
#include "text/nearest.h"
#include "transport/crypto_choice.h"

namespace texcast::cli {
namespace {

// "--format FORMAT", "-h, --help", "DEST...", "[WHAT...]"
std::string label(const OptionDoc& option) {
  if (option.positional) {
    const std::string text = option.name + (option.repeats ? "..." : "");
    return option.required ? text : "[" + text + "]";
  }
  std::string text;
  for (const char name : option.short_names) text += (text.empty() ? "-" : ", -") + std::string(1, name);
  for (const std::string& name : option.long_names) text += (text.empty() ? "--" : ", --") + name;
  return option.type.empty() ? text : text + " " + option.type;
}

// "texcast encode INPUT OUTPUT [options]"
std::string usage_line(const CommandDoc& command) {
  std::string line = command.subcommands.empty() ? "texcast " + command.name : "texcast SUBCOMMAND";
  for (const OptionDoc& option : command.options)
    if (option.positional) line.append(" ").append(label(option));
  return line + " [options]";
}

// ---- help ----

constexpr size_t kColumn = 24;  // where the descriptions begin
constexpr size_t kWidth = 100;

// "  label       description, wrapped
//                and indented"
std::string entry(const std::string& label, const std::string& explanation) {
  std::string text = "  " + label;
  if (text.size() + 2 > kColumn) text += "\n";
  size_t at = text.back() == '\n' ? 0 : text.size();
  const auto pad = [&] {
    text.append(kColumn - at, ' ');
    at = kColumn;
  };
  pad();
  std::istringstream words(explanation);
  for (std::string word; words >> word;) {
    if (at > kColumn && at + 1 + word.size() > kWidth) {
      text += '\n';
      at = 0;
      pad();
    } else if (at > kColumn) {
      text += ' ';
      ++at;
    }
    text += word;
    at += word.size();
  }
  return text + "\n";
}

}  // namespace

std::string help_text(const CommandDoc& command) {
  std::string positionals, options, subcommands;
  std::string common;
  for (const OptionDoc& option : command.options) {
    if (option.common && command.subcommands.empty())
      common.append(common.empty() ? "" : ", ").append(label(option));
    else
      (option.positional ? positionals : options) += entry(label(option), option.about);
  }
  for (const CommandDoc& sub : command.subcommands) subcommands += entry(sub.name, sub.about);

  std::string text = fmt::format("{}.\n\nUsage: {}\n", command.about, usage_line(command));
  if (!subcommands.empty()) text += "\nSubcommands:\n" + subcommands;
  if (!positionals.empty()) text += "\n" + positionals;
  if (!options.empty()) text += "\nOptions:\n" + options;
  if (!common.empty()) text += "\nCommon options: " + common + "\n";
  if (subcommands.empty()) return text + fmt::format("\nExample: {}\n", command.example);
  return text +
         "\nGive an option only once; -- ends the options (texcast info -- -odd-name.mov).\n"
         "`texcast help SUBCOMMAND` shows the options of one; `texcast doctor` checks this machine.\n";
}

std::string help_about(const CommandDoc& program, const std::string& subcommand) {
  if (subcommand.empty()) return help_text(program);
  const std::string wanted = lower_case(subcommand);
  std::vector<std::string> names;
  for (const CommandDoc& sub : program.subcommands) {
    if (sub.name == wanted) return help_text(sub);
    names.push_back(sub.name);
  }
  throw Error(ErrorKind::usage, fmt::format("'{}' is not a subcommand{} (see: texcast help)", subcommand,
                                            did_you_mean(subcommand, names)));
}

namespace {

// ---- man page: roff with the man macros ----

// Escapes text: a line that begins with a dot or quote would be a request, and a plain hyphen is typeset as U+2010. The
// ellipsis, the only non-ASCII character in these texts, is written by its code point.
std::string roff(std::string_view text) {
  constexpr std::string_view kEllipsis = "…";
  std::string escaped;
  while (!text.empty()) {
    const bool is_ellipsis = text.starts_with(kEllipsis);
    if (is_ellipsis)
      escaped += "\\[u2026]";
    else if (text[0] == '\\')
      escaped += "\\e";
    else if (text[0] == '-')
      escaped += "\\-";
    else
      escaped += text[0];
    text.remove_prefix(is_ellipsis ? kEllipsis.size() : 1);
  }
  if (!escaped.empty() && (escaped[0] == '.' || escaped[0] == '\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string tagged(const std::string& label, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(label), roff(text));
}

std::string command_section(const CommandDoc& sub) {
  std::string text = fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", roff(sub.name), roff(sub.about), roff(usage_line(sub)));
  for (const OptionDoc& option : sub.options)
    if (!option.common && option.long_names != std::vector<std::string>{"help"})
      text += tagged(label(option), option.about);
  text += ".PP\nExample:\n.nf\n.RS\n" + roff(sub.example) + "\n.RE\n.fi\n";
  return text;
}

constexpr const char* kExitStatus[][2] = {
    {"0", "success"},
    {"1", "failure"},
    {"2", "usage error"},
    {"3", "no usable OpenCL device"},
    {"4", "no display"},
    {"5", "the input cannot be opened"},
    {"6", "network error"},
    {"7", "corrupt data"},
    {"8", "internal error; please report it"},
    {"by a signal",
     "interrupted by it, after files were closed (in a shell: 130 for Ctrl-C, 143 for SIGTERM); by SIGPIPE "
     "(141) if the reader of OUTPUT - has ended"},
};

constexpr const char* kFiles[][2] = {
    {"$XDG_CONFIG_HOME/texcast/config.toml", "config file (default: ~/.config/texcast/config.toml)"},
    {"$XDG_STATE_HOME/texcast/window", "position of the player's window (default: ~/.local/state/texcast/window)"},
    {"$XDG_CACHE_HOME/texcast", "compiled kernels, PoCL's among them, and tuning results (default: ~/.cache/texcast)"},
};

// The presets of `send --for`.
std::string preset_section() {
  std::string text = ".SH PRESETS\nThe values of \\fBsend \\-\\-for\\fR. Explicit options override them.\n";
  for (const Preset& preset : presets()) {
    std::string settings = preset.what;
    if (preset.format) settings += fmt::format("; --format {}", name(*preset.format));
    if (preset.crf) settings += fmt::format("; --crf {:.0f}", *preset.crf);
    if (preset.parity_percent) settings += fmt::format("; --fec {}%", *preset.parity_percent);
    text += tagged(preset.name, settings);
  }
  return text +
         ".PP\nA screen or window is sent with desktop, unless \\fB\\-\\-for\\fR, \\fB\\-\\-format\\fR, "
         "\\fB\\-\\-quality\\fR, \\fB\\-\\-method\\fR or one of its options, \\fB\\-\\-plain\\fR,\n"
         "UltraGrid's FEC or UltraGrid's encryption is given.\n";
}

std::string control_section() {
  std::string text =
      ".SH REMOTE CONTROL\n"
      "With \\fB\\-\\-control\\fR PATH texcast listens on a Unix socket, which only its user can open. A request is "
      "a line "
      "with a JSON object, as\n"
      "{\"command\": [\"set\", \"volume\", 50], \"request_id\": 1}, and is answered with "
      "{\"error\": \"success\", \"data\": null, \"request_id\": 1}.\n"
      "\\fBtexcast ctl\\fR PATH COMMAND sends one. The properties, commands and events are:\n";
  for (const control::Row& row : control::table())
    text += tagged(control::words_of(row),
                   fmt::format("{} ({}; {})", row.about, control::use_text(row), control::programs_text(row)));
  return text;
}

// ---- completions ----

// The values that an option of this type accepts. Empty: no fixed set.
std::vector<std::string> values_of(const std::string& type, const CommandDoc& program) {
  if (type == "HOW") return {"ffmpeg", "replicate"};
  if (type == "SCALE") return {"fit", "fill", "1:1"};
  if (type == "SIDES") return {"none", "horizontal", "vertical"};
  if (type == "SYNC") return {"on", "off", "adaptive"};
  if (type == "SOUND") return {"copy", "pcm", "none"};
  if (type == "SHELL") return {"bash", "zsh", "fish"};
  if (type == "auto|MS") return {"auto", "0"};
  if (type == "on|off") return {"on", "off"};
  std::vector<std::string> names;
  if (type == "PURPOSE")
    for (const Preset& preset : presets()) names.emplace_back(preset.name);
  const auto add_all = [&](const auto& values) {
    for (const auto value : values) names.emplace_back(name(value));
  };
  if (type == "FORMAT") add_all(encoded_formats());
  if (type == "METHOD") add_all(kMethods);
  if (type == "CIPHER") add_all(transport::kCryptoChoices);
  if (type == "LAYOUT") add_all(kRecordingLayouts);
  if (type == "WHAT") names = {kMeasurementNames.begin(), kMeasurementNames.end()};
  if (type == "PIXELFORMAT")
    for (int i = 0; i < kPixelFormatCount; ++i) names.emplace_back(name(static_cast<PixelFormat>(i)));
  if (type == "FILTER") add_all(kMipFilters);
  if (type == "QUALITY") add_all(kQualities);
  if (type == "SUBCOMMAND")
    for (const CommandDoc& sub : program.subcommands) names.push_back(sub.name);
  return names;
}

bool takes_file(const std::string& type) {
  return type == "FILE" || type == "CLIP" || type == "INPUT" || type == "OUTPUT" || type == "SOURCE";
}

std::vector<std::string> option_names(const CommandDoc& command) {
  std::vector<std::string> names;
  for (const OptionDoc& option : command.options)
    for (const std::string& name : option.long_names) names.push_back("--" + name);
  return names;
}

std::string bash_script(const CommandDoc& program) {
  std::vector<std::string> subcommands;
  std::string cases;
  for (const CommandDoc& sub : program.subcommands) {
    subcommands.push_back(sub.name);
    std::vector<std::string> options = option_names(sub);
    std::string values;
    for (const OptionDoc& option : sub.options) {
      const std::string words = joined(values_of(option.type, program));
      if (words.empty()) continue;
      if (option.positional) options.push_back(words);
      for (const std::string& name : option.long_names)
        values += fmt::format("      --{}) words=\"{}\" ;;\n", name, words);
    }
    cases += fmt::format("    {})\n      words=\"{}\"\n", sub.name, joined(options));
    if (!values.empty()) cases += "      case \"$before\" in\n" + values + "      esac\n";
    cases += "      ;;\n";
  }
  return fmt::format(
      "# bash completion for texcast: source <(texcast completion bash)\n"
      "_texcast() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words=\"{} --help --version\"\n"
      "  else\n"
      "    case \"${{COMP_WORDS[1]}}\" in\n{}    esac\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}}\n"
      "complete -o default -F _texcast texcast\n",
      joined(subcommands), cases);
}

// For single quotes; brackets and colons are special in _arguments.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'')
      escaped += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      escaped += std::string("\\") + c;
    else
      escaped += c;
  }
  return escaped;
}

std::string zsh_value(const OptionDoc& option, const CommandDoc& program) {
  if (option.type.empty()) return "";
  const std::string type = option.type;
  const auto values = values_of(type, program);
  const std::string action = !values.empty() ? fmt::format("({})", joined(values)) : takes_file(type) ? "_files" : " ";
  return fmt::format(":{}:{}", zsh_text(type), action);
}

std::string zsh_script(const CommandDoc& program) {
  std::string names, cases;
  for (const CommandDoc& sub : program.subcommands) {
    names += fmt::format("    '{}:{}'\n", sub.name, zsh_text(sub.about));
    cases += fmt::format("    {})\n      _arguments \\\n", sub.name);
    for (const OptionDoc& option : sub.options) {
      if (option.positional) {
        cases += fmt::format("        '{}{}' \\\n", option.repeats ? "*" : "", zsh_value(option, program));
        continue;
      }
      for (const std::string& name : option.long_names)
        cases += fmt::format("        '--{}[{}]{}' \\\n", name, zsh_text(option.about), zsh_value(option, program));
    }
    cases += "        && return\n      ;;\n";
  }
  return fmt::format(
      "#compdef texcast\n"
      "# zsh completion for texcast: texcast completion zsh > \"${{fpath[1]}}/_texcast\"\n"
      "_texcast() {{\n"
      "  local -a subcommands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'subcommand' subcommands\n"
      "    return\n"
      "  fi\n"
      "  local chosen=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $chosen in\n{}  esac\n"
      "}}\n"
      "compdef _texcast texcast\n",
      names, cases);
}

std::string fish_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string fish_script(const CommandDoc& program) {
  std::string script = "# fish completion for texcast: texcast completion fish | source\n";
  for (const CommandDoc& sub : program.subcommands) {
    script +=
        fmt::format("complete -c texcast -n __fish_use_subcommand -f -a {} -d '{}'\n", sub.name, fish_text(sub.about));
    for (const OptionDoc& option : sub.options) {
      const auto values = values_of(option.type, program);
      const std::string words = values.empty() ? "" : fmt::format(" -a '{}'", joined(values));
      const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", sub.name);
      if (option.positional && !values.empty()) script += fmt::format("complete -c texcast {} -f{}\n", when, words);
      for (const std::string& name : option.long_names)
        script += fmt::format("complete -c texcast {} -l {}{}{} -d '{}'\n", when, name,
                              option.type.empty()       ? ""
                              : takes_file(option.type) ? " -r -F"
                                                        : " -x",
                              words, fish_text(option.about));
    }
  }
  return script;
}

}  // namespace

const char* program_version() { return TEXCAST_VERSION; }

std::string man_page(const CommandDoc& program) {
  std::string page = fmt::format(
      ".TH TEXCAST 1 \"\" \"texcast {}\" \"User Commands\"\n"
      ".SH NAME\ntexcast \\- {}\n"
      ".SH SYNOPSIS\n.B {}\n"
      ".SH DESCRIPTION\n"
      "texcast turns video into block\\-compressed GPU textures with OpenCL, streams them over RTP/UDP, records them, "
      "and\n"
      "plays them without decoding them on the CPU.\n"
      ".PP\n"
      "Video is sent and recorded either as a \\fIraw stream\\fR (\\fBplain\\fR) of complete frames, or as a "
      "\\fIcoded stream\\fR (\\fBcompact\\fR),\n"
      "which holds only what changed since the previous frame, lossless, or lossy with \\fB\\-\\-crf\\fR or "
      "\\fB\\-\\-bitrate\\fR.\n"
      ".PP\n"
      "Options may be given before or after the arguments, each only once unless its description says otherwise; "
      "\\fB\\-\\-\\fR ends\n"
      "the options, so that file names may begin with a hyphen.\n"
      ".SH COMMON OPTIONS\n",
      TEXCAST_VERSION, roff(program.about), roff(usage_line(program)));
  for (const OptionDoc& option : program.options)
    if (option.common) page += tagged(label(option), option.about);
  page +=
      ".PP\nThe config file has a section for each subcommand with its long options: in [send] quality = \"best\" and "
      "loop = true, in "
      "[play]\nvolume = 30; verbose or quiet go before all sections. The command line overrides the file. Unknown "
      "names "
      "are "
      "errors.\n.SH SUBCOMMANDS\n";
  for (const CommandDoc& sub : program.subcommands) page += command_section(sub);

  page += preset_section();
  page += ".SH PLAYER KEYS\n.nf\n";
  for (const std::string& line : player::key_help()) page += roff(line) + "\n";
  page +=
      ".fi\n.PP\n"
      "With the mouse, the bar at the bottom seeks, the wheel sets the volume, a double click toggles fullscreen, and "
      "a "
      "right click\n"
      "pauses. Files that are dropped onto the window are played.\n";
  page += control_section();
  page += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitStatus) page += tagged(code, meaning);
  page += ".SH FILES\n";
  for (const auto& [file, meaning] : kFiles) page += tagged(file, meaning);
  page += ".SH SEE ALSO\n.BR ffmpeg (1),\n.BR clinfo (1)\n";
  return page;
}

std::string completion_script(const CommandDoc& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  throw Error(ErrorKind::usage, fmt::format("no completion for '{}'; choose bash, zsh or fish", shell));
}

}  // namespace texcast::cli
