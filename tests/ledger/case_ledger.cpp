#include "case_ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace texcast::test {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

CaseLedger::CaseLedger(Ledger& ledger, ReachedObjects objects, std::string surroundings, Ledger::HashNow hash_now)
    : ledger_(ledger),
      objects_(std::move(objects)),
      surroundings_(std::move(surroundings)),
      hash_now_(std::move(hash_now)) {}

std::optional<LedgerEntry> CaseLedger::begin(const CaseName& test) {
  const std::lock_guard lock(mutex_);
  inputs_.clear();
  messages_.clear();
  key_.reset();
  vouched_ = false;
  const auto reached = objects_.of(test.file);
  if (!reached) return std::nullopt;
  std::string key = fmt::format("case {}\nsuite {}\nfile {}\n", one_line(test.name), one_line(test.suite),
                                std::filesystem::path(test.file).filename().string());
  key += reached->objects;
  for (const std::string& name : reached->data_files)
    key += fmt::format("data {} {}\n", name, hash_now_("data " + name));
  key_ = key + surroundings_;
  const auto entry = ledger_.find(*key_, hash_now_);
  if (!entry) return std::nullopt;
  vouched_ = true;
  ++from_ledger_.cases;
  from_ledger_.assertions += entry->assertions;
  if (first_date_.empty() || entry->date < first_date_) first_date_ = entry->date;
  last_date_ = std::max(last_date_, entry->date);
  return entry;
}

void CaseLedger::note_input(const std::string& name, const std::string& hash) {
  const std::lock_guard lock(mutex_);
  const auto [noted, fresh] = inputs_.try_emplace(name, hash);
  if (noted->second != hash || hash.empty() || name.find('\n') != std::string::npos) key_.reset();
}

void CaseLedger::note_message(const std::string& message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(one_line(message));
}

void CaseLedger::end(bool passed, int assertions, const std::string& date) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(vouched_, false)) return;
  ++here_.cases;
  here_.assertions += assertions;
  if (!passed || assertions <= 0 || !key_ || inputs_.empty()) return;
  LedgerEntry entry;
  entry.key = *key_;
  for (const auto& [name, hash] : inputs_) entry.inputs.push_back({name, hash});
  entry.assertions = assertions;
  entry.messages = messages_;
  entry.date = date;
  ledger_.add(entry);
}

std::string CaseLedger::summary() const {
  std::string text =
      fmt::format("ledger: {} cases with {} assertions checked here, {} cases with {} assertions as checked",
                  here_.cases, here_.assertions, from_ledger_.cases, from_ledger_.assertions);
  if (from_ledger_.cases > 0)
    text += last_date_ == first_date_ ? fmt::format(" on {}", first_date_)
                                      : fmt::format(" from {} to {}", first_date_, last_date_);
  return text;
}

}  // namespace texcast::test
