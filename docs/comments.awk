# Doxygen's INPUT_FILTER: the plain comments of our headers as its own. A line's comment belongs to what follows it, one behind
# code to what stands before it, and a header's first comment to the file. Lines that are indented in a comment are code.
function words(text) {  # as Doxygen takes them: < and > are no HTML, @ and \ no commands
  gsub(/\\/, "\\\\", text)
  gsub(/[@#%]/, "\\\\&", text)
  gsub(/</, "\\\\<", text)
  gsub(/>/, "\\\\>", text)
  return text
}
function end_code() {
  if (in_code) print "/// @endcode"
  in_code = 0
}
FNR == 1 { in_head = 1; in_code = 0; last = "" }
in_head && !/^\/\// { end_code(); in_head = 0 }
in_head && FNR == 1 {
  sub(/^\/\/ [a-z0-9_]+\.h (—|-) */, "")
  print "/// @file\n/// " words($0)
  next
}
/^ *\/\/($| )/ {
  match($0, /\/\//)
  before = substr($0, 1, RSTART - 1)
  text = substr($0, RSTART + 2)
  if (text ~ /^     *[^ ]/) {  # four blanks or more behind the slashes' own one
    if (!in_code) print before "/// @code{.cpp}"
    in_code = 1
    print before "///" substr(text, 5)
  } else {
    end_code()
    print before "///" words(text)
  }
  next
}
{
  end_code()
  # Behind code, outside of a string.
  if (match($0, / +\/\/ /) && $0 !~ /".*\/\/.*"/) {
    code = substr($0, 1, RSTART - 1)
    text = substr($0, RSTART + RLENGTH)
    if (code ~ /[;,{]$|[a-z0-9_]$/ && code !~ /[{]$/ && code !~ /^ *#|^ *}/) {
      print code "  ///< " words(text)
      next
    }
  }
  print
}
