#include "kernel_source.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "embedded.h"
#include "ocl/cache.h"
#include "ocl/program.h"
#include "texcast/error.h"

namespace texcast::ocl {
namespace {

ProgramObserver& observer() {
  static ProgramObserver observer;
  return observer;
}

// The path in a line  #include "path", which may have spaces where C allows them.
std::optional<std::string> included_path(std::string_view line) {
  const auto skip = [&](std::string_view word) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return std::nullopt;
  const size_t end = line.find('"');
  return end == std::string_view::npos ? std::nullopt : std::optional<std::string>(line.substr(0, end));
}

// Removes "<kernel>:812:" (NVIDIA) or "input.cl:812:" (Oclgrind) from the start of the log and returns the line number;
// 0 if something else stands there. Parsed by hand, because <regex> takes longer to compile than the rest of the
// module.
unsigned take_place(std::string_view& log) {
  for (const std::string_view name : {"<kernel>:", "input.cl:"}) {
    if (!log.starts_with(name)) continue;
    unsigned line = 0;
    const char* end = log.data() + log.size();
    const auto [after, error] = std::from_chars(log.data() + name.size(), end, line);
    if (error != std::errc() || after == end || *after != ':') continue;
    log.remove_prefix(static_cast<size_t>(after + 1 - log.data()));
    return line;
  }
  return 0;
}

}  // namespace

void observe_programs(ProgramObserver observe) { observer() = std::move(observe); }

void tell_observer(const std::string& path, const std::string& options, const std::string& text) {
  if (observer()) observer()(path, options, text);
}

std::string kernel_folder() {
  const char* folder = std::getenv("TEXCAST_KERNEL_DIR");
  return folder != nullptr ? folder : "";
}

std::string kernel_text(const std::string& path) {
  if (const std::string folder = kernel_folder(); !folder.empty()) {
    std::ifstream in(folder + "/" + path);
    if (!in) throw Error(ErrorKind::no_device, "TEXCAST_KERNEL_DIR has no " + path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  for (const EmbeddedFile& embedded : embedded_files())
    if (embedded.name == path) return std::string(embedded.text);
  throw Error(ErrorKind::no_device, "there is no kernel file " + path);
}

KernelSource::KernelSource(const std::string& path) { add_file(path); }

void KernelSource::add_file(const std::string& path) {
  const std::string file = kernel_text(path);
  open_.push_back(path);
  known_.push_back(path);
  begin_piece(path, 1);
  std::string_view rest = file;
  for (unsigned line = 1; !rest.empty(); ++line) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    const auto included = included_path(text);
    if (!included) {
      add_line(text);
      continue;
    }
    if (std::find(open_.begin(), open_.end(), *included) != open_.end())
      throw Error(ErrorKind::no_device,
                  path + ":" + std::to_string(line) + ": " + *included + " includes itself, in a circle");
    if (std::find(known_.begin(), known_.end(), *included) != known_.end()) {
      add_line("");
      continue;
    }
    add_file(*included);
    begin_piece(path, line + 1);
  }
  open_.pop_back();
}

void KernelSource::begin_piece(const std::string& path, unsigned line) {
  add_line("#line " + std::to_string(line) + " \"" + path + "\"");
  pieces_.push_back({path, line, lines_ + 1});
}

void KernelSource::add_line(std::string_view line) {
  text_.append(line).append("\n");
  ++lines_;
}

// The compilers that take_place() knows ignore #line and count lines of the whole text.
std::string KernelSource::with_file_names(std::string_view log) const {
  std::string named;
  while (!log.empty()) {
    const unsigned line = take_place(log);
    if (line == 0) {
      named += log.front();
      log.remove_prefix(1);
      continue;
    }
    const Piece* piece = &pieces_.front();
    for (const Piece& next : pieces_)
      if (next.text_line <= line) piece = &next;
    named += piece->path + ":" + std::to_string(piece->line + line - piece->text_line) + ":";
  }
  return named;
}

std::string program_source(const std::string& path) { return KernelSource(path).text(); }

std::string kernel_sources_hash() {
  std::string all;
  for (const EmbeddedFile& file : embedded_files()) try {
      all += kernel_text(std::string(file.name)) + "\n";
    } catch (const Error&) {
      // TEXCAST_KERNEL_DIR has other files; a missing one is reported when it is needed
    }
  std::string hash = content_hash(all);
  tell_observer("", "", hash);
  return hash;
}

}  // namespace texcast::ocl
