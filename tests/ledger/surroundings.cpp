#include "surroundings.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "sha256.h"

namespace texcast::test {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::set<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

template <typename T>
bool read_at(std::ifstream& in, uint64_t offset, T& to) {
  return in.seekg(static_cast<std::streamoff>(offset)) && in.read(reinterpret_cast<char*>(&to), sizeof to);
}

// The description of an ELF file's note NT_GNU_BUILD_ID; empty if there is none.
std::string build_id(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!read_at(in, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(in, header.e_phoff + uint64_t{i} * header.e_phentsize, segment)) return {};
    if (segment.p_type != PT_NOTE) continue;
    for (uint64_t at = segment.p_offset, end = at + segment.p_filesz; at + sizeof(Elf64_Nhdr) <= end;) {
      Elf64_Nhdr note;
      if (!read_at(in, at, note)) return {};
      const uint64_t name = at + sizeof note, content = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 64) {
        std::array<unsigned char, 64> bytes{};
        in.seekg(static_cast<std::streamoff>(content));
        if (!in.read(reinterpret_cast<char*>(bytes.data()), note.n_descsz)) return {};
        std::string hex;
        for (unsigned k = 0; k < note.n_descsz; ++k) hex += fmt::format("{:02x}", bytes[k]);
        return hex;
      }
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return {};
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

}  // namespace

std::string hash_of_text(const std::string& text) { return sha256_hex(std::as_bytes(std::span(text))); }

std::string hash_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return {};
  std::string bytes(static_cast<size_t>(std::max<std::streamoff>(in.tellg(), 0)), '\0');
  in.seekg(0);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return {};
  return hash_of_text(bytes);
}

std::string mapped_libraries(std::istream& maps, const std::string& own_path) {
  std::set<std::string> paths, lines;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, rights, offset, device, inode, path;
    words >> range >> rights >> offset >> device >> inode >> path;
    if (rights.find('x') != std::string::npos && path.starts_with('/') && path != own_path) paths.insert(path);
  }
  for (const std::string& path : paths) {
    const std::string id = build_id(path);
    lines.insert(
        fmt::format("library {} {}", fs::path(path).filename().string(), id.empty() ? hash_of_file(path) : id));
  }
  return joined(lines);
}

std::string processor(std::istream& cpuinfo) {
  static constexpr auto kCounts = {"vendor_id",       "cpu family", "model",       "model name",   "stepping", "flags",
                                   "CPU implementer", "CPU part",   "CPU variant", "CPU revision", "Features"};
  std::set<std::string> lines;
  int processors = 0;
  for (std::string line; std::getline(cpuinfo, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    if (name == "processor") ++processors;
    if (std::ranges::find(kCounts, name) != kCounts.end())
      lines.insert(fmt::format("processor {}{}", name, line.substr(colon)));
  }
  lines.insert(fmt::format("processor count: {}", processors));
  return joined(lines);
}

std::string environment(const char* const* variables) {
  std::set<std::string> lines;
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    if (!starts_with_any(variable, {"TEXCAST_", "POCL_", "OCL_", "OCLGRIND_", "GALLIUM_", "GALLIVM_", "RUSTICL_", "LP_",
                                    "MESA_", "CLC_", "LLVM_", "CPU_", "IGC_", "NEO_", "DOCTEST_"}))
      continue;
    if (starts_with_any(variable,
                        {"TEXCAST_TEST_LEDGER=", "TEXCAST_TEST_SHARES=", "POCL_CACHE_DIR=", "MESA_SHADER_CACHE_DIR="}))
      continue;
    if (variable == "TEXCAST_KERNEL_DIR=") continue;  // an empty value counts as unset
    lines.insert(
        fmt::format("variable {}", variable.starts_with("TEXCAST_KERNEL_DIR=") ? "TEXCAST_KERNEL_DIR" : variable));
  }
  return joined(lines);
}

std::string driver_files(const std::vector<std::string>& paths) {
  std::set<std::string> lines;
  std::map<std::string, std::string>
      hashes;  // by the path without links: many names in libclc are links to a few files
  const auto hash = [&](const fs::path& path) -> std::string {
    std::error_code error;
    const std::string real = fs::canonical(path, error).string();
    if (error || !fs::is_regular_file(real, error)) return {};
    const auto [known, fresh] = hashes.try_emplace(real);
    if (fresh) known->second = hash_of_file(real);
    return known->second;
  };
  for (const std::string& path : paths) {
    std::error_code error;
    std::set<std::string> files;
    for (const auto& file : fs::recursive_directory_iterator(path, error))
      if (const std::string of = hash(file.path()); !of.empty()) files.insert(file.path().string() + " " + of);
    const std::string of = files.empty() ? hash(path) : hash_of_text(joined(files));
    if (!of.empty()) lines.insert(fmt::format("file {} {}", path, of));
  }
  return joined(lines);
}

std::vector<std::string> usual_driver_files(const std::string& libraries) {
  const auto has = [&](std::string_view part) { return libraries.find(part) != std::string::npos; };
  std::vector<std::string> paths{"/usr/bin/ld"};
  if (has("pocl")) paths.emplace_back("/usr/share/pocl");
  if (has("oclgrind")) paths.emplace_back("/usr/include/oclgrind");
  if (has("Rusticl") || has("MesaOpenCL")) paths.insert(paths.end(), {"/usr/lib/clc", "/usr/share/clc"});
  std::error_code error;
  for (const auto& folder : fs::directory_iterator("/usr/lib", error)) {
    const std::string llvm = folder.path().string();
    if (!llvm.starts_with("/usr/lib/llvm-")) continue;
    for (const char* const program : {"/bin/clang", "/bin/ld.lld"}) paths.push_back(llvm + program);
    for (const auto& version : fs::directory_iterator(llvm + "/lib/clang", error))
      if (!version.is_symlink(error)) paths.push_back(version.path().string() + "/include");
  }
  return paths;
}

}  // namespace texcast::test
