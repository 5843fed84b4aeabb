#include "ledger.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <string_view>
#include <utility>

#include "sha256.h"

namespace texcast::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeading = "texcast test ledger 1";
constexpr std::string_view kKey = "= ", kInput = "input ", kMessage = "message ", kAssertions = "assertions ",
                           kDate = "date ", kSum = "sha256 ";
constexpr size_t kHashLength = 64;

std::string hash_of(std::string_view text) { return sha256_hex(std::as_bytes(std::span(text))); }

std::string lines_of_inputs(const LedgerEntry& entry) {
  std::string lines;
  for (const LedgerInput& input : entry.inputs) lines += fmt::format("{}{} {}\n", kInput, input.hash, input.name);
  return lines;
}

std::string body(const LedgerEntry& entry) {
  std::string text = fmt::format("{}\n", kHeading);
  for (std::string_view rest = entry.key; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    text += fmt::format("{}{}\n", kKey, line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  text += lines_of_inputs(entry);
  for (const std::string& message : entry.messages) text += fmt::format("{}{}\n", kMessage, message);
  return text + fmt::format("{}{}\n{}{}\n", kAssertions, entry.assertions, kDate, entry.date);
}

bool take(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

// Lenient, as its result is converted back and compared with `text`.
LedgerEntry parse(std::string_view text) {
  LedgerEntry entry;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (take(line, kKey))
      entry.key.append(line).append("\n");
    else if (take(line, kInput) && line.size() > kHashLength)
      entry.inputs.push_back({std::string(line.substr(kHashLength + 1)), std::string(line.substr(0, kHashLength))});
    else if (take(line, kMessage))
      entry.messages.emplace_back(line);
    else if (take(line, kAssertions))
      std::from_chars(line.data(), line.data() + line.size(), entry.assertions);
    else if (take(line, kDate))
      entry.date = line;
  }
  return entry;
}

}  // namespace

std::string to_text(const LedgerEntry& entry) {
  const std::string text = body(entry);
  return text + fmt::format("{}{}\n", kSum, hash_of(text));
}

std::optional<LedgerEntry> ledger_entry_from(const std::string& text) {
  LedgerEntry entry = parse(text);
  if (to_text(entry) != text) return std::nullopt;
  return entry;
}

std::string file_name(const LedgerEntry& entry) {
  return hash_of(entry.key) + "-" + hash_of(lines_of_inputs(entry)).substr(0, 16);
}

Ledger::Ledger(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  for (const auto& file : fs::directory_iterator(folder_, error)) names_.insert(file.path().filename().string());
}

std::optional<LedgerEntry> Ledger::read(const std::string& name) {
  std::ifstream in(folder_ / name, std::ios::binary);
  if (!in) return std::nullopt;  // another process has removed it
  auto entry = ledger_entry_from({std::istreambuf_iterator<char>(in), {}});
  if (entry && file_name(*entry) == name) return entry;
  complaints_.push_back(
      fmt::format("{}: not an entry of the ledger as it was written: ignored", (folder_ / name).string()));
  return std::nullopt;
}

std::optional<LedgerEntry> Ledger::find(const std::string& key, const HashNow& hash_now) {
  const std::string prefix = hash_of(key) + "-";
  for (auto name = names_.lower_bound(prefix); name != names_.end() && name->starts_with(prefix); ++name) {
    auto entry = read(*name);
    if (!entry || entry->key != key || entry->inputs.empty() || entry->assertions <= 0) continue;
    if (!std::ranges::all_of(entry->inputs,
                             [&](const LedgerInput& input) { return hash_now(input.name) == input.hash; }))
      continue;
    std::error_code ignored;
    fs::last_write_time(folder_ / *name, fs::file_time_type::clock::now(), ignored);
    return entry;
  }
  return std::nullopt;
}

void Ledger::add(const LedgerEntry& entry) {
  std::error_code ignored;
  const std::string name = file_name(entry);
  const fs::path half = folder_ / fmt::format(".{}.{}", name, getpid());
  {
    std::ofstream out(half, std::ios::binary);
    out << to_text(entry);
    if (!out.flush()) {
      fs::remove(half, ignored);
      return;
    }
  }
  fs::rename(half, folder_ / name, ignored);
  names_.insert(name);
}

void Ledger::remove_old(int days, size_t most) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& file : fs::directory_iterator(folder_, error))
    if (const auto time = file.last_write_time(error); !error) files.emplace_back(time, file.path());
  std::ranges::sort(files, std::greater<>());
  const auto oldest = fs::file_time_type::clock::now() - std::chrono::hours(24) * days;
  for (size_t i = 0; i < files.size(); ++i)
    if (i >= most || files[i].first < oldest) fs::remove(files[i].second, error);
}

}  // namespace texcast::test
