// nearest.h — finds what a user probably meant by a word that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace texcast {

std::string lower_case(std::string_view text);  // A to Z alone

// The choice that `word` was probably meant to be, whatever the case of its letters: the one that it begins, if that is
// only one and the word has two letters or more, else the one that takes the fewest letters inserted, left out,
// replaced or swapped, at most a third of the word's. Empty: none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& choices);

// "; did you mean high?" for the end of a message; empty if nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& choices);

}  // namespace texcast
