// ledger.h — a record of test cases that passed and of everything that they passed with, so that an interpreter of
// kernels need not run again what it would run in exactly the same way. docs/measuring.md describes it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace texcast::test {

// Something that a case read while it ran, by its name, and the SHA-256 of its content.
struct LedgerInput {
  std::string name;
  std::string hash;
  auto operator<=>(const LedgerInput&) const = default;
};

// One case that passed. The names in it may not contain line breaks.
struct LedgerEntry {
  std::string key;                  // lines: all that is known before the case runs
  std::vector<LedgerInput> inputs;  // what it read, known only afterwards; sorted
  int assertions = 0;
  std::vector<std::string> messages;  // that the case printed: what it skipped and why
  std::string date;                   // "2026-11-27"
};

// The file's content: the entry in lines, and their SHA-256 as the last one.
std::string to_text(const LedgerEntry& entry);
// Nothing where `text` is not what to_text() gives for some entry.
std::optional<LedgerEntry> ledger_entry_from(const std::string& text);
// The hashes of the key and of the inputs.
std::string file_name(const LedgerEntry& entry);

// A folder with one file an entry. Not thread-safe; several processes may use one folder.
class Ledger {
 public:
  // The SHA-256 of the input of this name as it is now; empty where there is none.
  using HashNow = std::function<std::string(const std::string& name)>;

  explicit Ledger(std::filesystem::path folder);

  // The entry with this key whose inputs are what they were. Marks it as used.
  std::optional<LedgerEntry> find(const std::string& key, const HashNow& hash_now);
  // Writes the file under another name and renames it, so that no process reads half an entry. A folder that cannot be
  // written costs time, nothing else.
  void add(const LedgerEntry& entry);
  // Removes entries that were not used for `days`, and the longest unused ones above `most`.
  void remove_old(int days, size_t most);

  // One line for each file that is no entry: damaged, edited, or under another's name. Such files count as absent.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  std::optional<LedgerEntry> read(const std::string& name);

  std::filesystem::path folder_;
  std::set<std::string> names_;
  std::vector<std::string> complaints_;
};

}  // namespace texcast::test
