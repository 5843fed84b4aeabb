// kernel_source.h — a kernel file with its includes as one text for the compiler, and the mapping from lines of that
// text back to the files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace texcast::ocl {

// The value of TEXCAST_KERNEL_DIR, from which kernels are read during their development; usually empty.
std::string kernel_folder();

// One file of cl_kernels by its path there ("bc1/range.cl"), from kernel_folder() if there is one. Throws
// Error{no_device} if there is no such file.
std::string kernel_text(const std::string& path);

// Calls the observer of programs (ocl/program.h).
void tell_observer(const std::string& path, const std::string& options, const std::string& text);

class KernelSource {
 public:
  // Lines of the form  #include "path"  are replaced by the file of that path in cl_kernels at their first occurrence;
  // later ones become empty. #if is not evaluated. Throws Error{no_device} for a missing file and for files that
  // include each other in a circle.
  explicit KernelSource(const std::string& path);

  const std::string& text() const { return text_; }
  // Rewrites a build log so that its messages name files and their lines, however the compiler counts.
  std::string with_file_names(std::string_view log) const;

 private:
  // Consecutive lines of one file: line `line` of the file is line `text_line` of the text.
  struct Piece {
    std::string path;
    unsigned line, text_line;
  };

  void add_file(const std::string& path);
  void begin_piece(const std::string& path, unsigned line);
  void add_line(std::string_view line);

  std::string text_;
  unsigned lines_ = 0;  // in text_
  std::vector<Piece> pieces_;
  std::vector<std::string> open_;  // files that are being read, each included by the previous one
  std::vector<std::string> known_;
};

}  // namespace texcast::ocl
