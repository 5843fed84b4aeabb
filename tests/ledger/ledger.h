// ledger.h — records test cases that passed, with all inputs that they passed with, so that an interpreter of kernels
// need not repeat a run whose inputs are exactly the same. docs/measuring.md describes it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace texcast::test {

// An input that a case read while it ran: its name, and the SHA-256 of its content.
struct LedgerInput {
  std::string name;
  std::string hash;
  auto operator<=>(const LedgerInput&) const = default;
};

// A case that passed. Names must not contain line breaks.
struct LedgerEntry {
  std::string key;                  // lines: all inputs that are known before the case runs
  std::vector<LedgerInput> inputs;  // that the case read, known only afterwards; sorted
  int assertions = 0;
  std::vector<std::string> messages;  // that the case printed: what it skipped and why
  std::string date;                   // "2026-11-27"
};

// The content of the entry's file: lines, the last of which is the SHA-256 of the others.
std::string to_text(const LedgerEntry& entry);
// nullopt if `text` is not what to_text() returns for some entry.
std::optional<LedgerEntry> ledger_entry_from(const std::string& text);
// Hashes of the key and of the inputs.
std::string file_name(const LedgerEntry& entry);

// A folder with one file per entry. Not thread-safe, but several processes may use one folder.
class Ledger {
 public:
  // The current SHA-256 of the input of this name; empty if it does not exist.
  using HashNow = std::function<std::string(const std::string& name)>;

  explicit Ledger(std::filesystem::path folder);

  // Returns the entry with this key whose inputs have not changed, and marks it as used.
  std::optional<LedgerEntry> find(const std::string& key, const HashNow& hash_now);
  // Writes the file under another name and renames it, so that no process reads an incomplete entry. If the folder
  // cannot be written, cases run again, which only costs time.
  void add(const LedgerEntry& entry);
  // Removes entries that were not used for `days` days. If more than `most` are left, removes those unused for longest.
  void remove_old(int days, size_t most);

  // One line for each file that is not an entry: damaged, edited, or under the name of another. Such files count as
  // absent.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  std::optional<LedgerEntry> read(const std::string& name);

  std::filesystem::path folder_;
  std::set<std::string> names_;
  std::vector<std::string> complaints_;
};

}  // namespace texcast::test
