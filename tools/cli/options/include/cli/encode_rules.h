// encode_rules.h — the rules file of `encode --rules`: how textures are encoded, by the names of their pictures.
//
//     # normal maps, masks, everything else
//     *_n.png      = bc5 --mips kaiser
//     *_a.png      = bc4
//     ui/*         = bc7 --quality high --srgb
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"

namespace texcast::cli {

// One line.
struct EncodeRule {
  std::string pattern;    // as of a shell; with a slash it is compared with the path, otherwise with the name
  EncodeOptions options;  // the defaults, and those of the line
};

// The first line that matches a picture holds.
class EncodeRules {
 public:
  EncodeRules() = default;  // none
  // Throws Error{input} if the file cannot be read, Error{usage} for a line that is wrong, which the message names.
  explicit EncodeRules(const std::string& file);
  // `path`: below the folder that was given as the input, or as it was given. Null: no line matches.
  const EncodeRule* match(const std::string& path) const;

 private:
  std::vector<EncodeRule> rules_;
};

}  // namespace texcast::cli
