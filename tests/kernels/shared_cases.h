// shared_cases.h — divides test cases between several processes that run the same command at the same time. Each takes
// the next case that no other has taken, so that all end at about the same time. For the file with doctest's
// implementation.
#pragma once

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "ledger/surroundings.h"

namespace check {

class SharedCases {
 public:
  // `folder` belongs to one run of the tests, and is empty before it. A process takes a case by creating a folder in
  // it.
  explicit SharedCases(std::string folder) : folder_(std::move(folder)) {
    for (const auto& test : doctest::detail::getRegisteredTests())
      cases_.push_back(&const_cast<doctest::detail::TestCase&>(test));
    // In doctest's default order.
    std::ranges::sort(cases_, [](const Case* a, const Case* b) {
      const int order = a->m_file.compare(b->m_file);
      return order != 0 ? order < 0 : a->m_line < b->m_line;
    });
  }

  // Skips the cases that others have taken, up to the next free one, and takes that. To be called before the first
  // case, and after each case that was taken.
  void take_next() {
    taken_ = nullptr;
    for (; taken_ == nullptr && next_ < cases_.size(); ++next_) {
      if (take(*cases_[next_]))
        taken_ = cases_[next_];
      else
        cases_[next_]->m_skip = true;
    }
  }
  bool is_taken(const doctest::TestCaseData& test) const { return taken_ == &test; }

 private:
  using Case = doctest::detail::TestCase;

  // If the folder cannot be used, every process runs every case.
  bool take(const Case& test) const {
    const std::string name = fmt::format("{}:{} {}", test.m_file.c_str(), test.m_line, test.m_name);
    return mkdir((folder_ + "/" + texcast::test::hash_of_text(name)).c_str(), 0700) == 0 || errno != EEXIST;
  }

  std::string folder_;
  std::vector<Case*> cases_;
  size_t next_ = 0;
  const doctest::TestCaseData* taken_ = nullptr;
};

}  // namespace check
