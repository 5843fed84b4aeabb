// picture_files.h — the pictures that the words of a command name, and the texture that each of them becomes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texcast::cli {

struct PictureFile {
  std::string input;
  std::string below;  // the path below the folder that was given as the input; of a file its name
  std::string output;
};

// Whether FFmpeg reads files with this extension as pictures.
bool is_picture_name(const std::string& path);

// Files, folders with all pictures in and below them, and patterns (*, ?, [a-z]) that the shell did not expand. Sorted
// within each word; a file that several words name counts once. `extension`: of the outputs, with its dot. Throws
// Error{input} for a word that names nothing, and Error{usage} if two inputs would become the same output.
std::vector<PictureFile> pictures_to_folder(const std::vector<std::string>& words, const std::string& folder,
                                            const std::string& extension);

// The existing files of a numbered sequence ("t_%d.png", with gaps), each with the output of its own number
// ("o_%03d.ktx2"), the lowest first; at most `limit`. Empty if one of the two is no such pattern, or no file matches.
std::vector<PictureFile> numbered_pictures(const std::string& input, const std::string& output,
                                           std::optional<int64_t> limit);

}  // namespace texcast::cli
