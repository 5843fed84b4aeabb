# language.awk — finds retired terms and sentences that begin with a clause of Of, What, Who or Where, in comments (C, C++,
# OpenCL, scripts), texts between quotation marks, and Markdown. Prints FILE:LINE: what, and fails if there is anything.
# -v terms=tools/retired-terms.txt. Glossaries may name retired terms: in Markdown, tables with the heading "formerly", and
# sentences with that word.
function bad(what) { print FILENAME ":" FNR ": " what; found = 1 }
function start_file() {
  is_code = FILENAME ~ /\.(h|cpp|cl)$/
  is_markdown = FILENAME ~ /\.md$/
  is_fenced = is_glossary = was_formerly = 0
  last = "."
}
# Comments and texts of a line of code, or "" where there are none.
function prose_of_code(line,   out, i, at) {
  out = ""
  while (match(line, /"([^"\\]|\\.)*"/)) {
    text = substr(line, RSTART + 1, RLENGTH - 2)
    if (text ~ / / && line !~ /^ *#include/) strings = strings " | " text
    line = substr(line, 1, RSTART - 1) "@" substr(line, RSTART + RLENGTH)
  }
  at = index(line, "//")
  return at > 0 ? substr(line, at + 2) : ""
}
function look_for_terms(text,   i, rest) {
  text = tolower(text)
  for (i = 1; i <= count; ++i)
    if (match(" " text " ", "[^a-z0-9_`-](" term[i] ")[^a-z0-9_`-]"))
      bad("\"" substr(" " text " ", RSTART + 1, RLENGTH - 2) "\": " instead[i])
}
function look_for_clauses(text) {
  if ((last ~ /[.!?:]$/ && text ~ /^(Of|What|Who|Whose|Where) [a-z]/ && text !~ /\?/) ||
      (text ~ /[.!] (Of|What|Who|Whose|Where) [a-z]/ && text !~ /\?/))
    bad("a sentence begins with a clause: " substr(text, 1, 60))
}
BEGIN {
  while ((getline line < terms) > 0)
    if (line !~ /^#/ && split(line, part, " = ") == 2) {
      term[++count] = part[1]
      instead[count] = "write " part[2]
    }
}
FNR == 1 { start_file() }
{
  strings = ""
  if (is_code) {
    text = prose_of_code($0)
  } else if (is_markdown) {
    if ($0 ~ /^ *```/) is_fenced = !is_fenced
    text = is_fenced ? "" : $0
    if ($0 == "" || $0 ~ /^#/) is_glossary = was_formerly = 0
    if ($0 ~ /^\|.*\| formerly \|$/) is_glossary = 1
    says_formerly = $0 ~ /formerly/ || was_formerly # which may go on in the next line
    was_formerly = $0 ~ /formerly [^)]*$/
    gsub(/`[^`]*`/, "@", text)
    gsub(/\]\([^)]*\)/, "]", text)
    sub(/^[-#*| ]+/, "", text)
    if (length($0) > 120 && $0 !~ /^\|/ && $0 !~ /https?:/ && !is_fenced) {
      line = $0
      gsub(/[\200-\277]/, "", line)
      if (length(line) > 120) bad("longer than 120 columns")
    }
  } else {
    text = $0 ~ /^ *#/ ? $0 : ""
    sub(/^[ #!]+/, "", text)
  }
  sub(/^ +/, "", text)
  if (text == "") { last = "."; }
  if (text != "") {
    if (!is_markdown || (!is_glossary && !says_formerly)) look_for_terms(text)
    if (!is_markdown || $0 !~ /^#/) look_for_clauses(text)
    last = text
  }
  if (strings != "") {
    look_for_terms(strings)
    if (strings ~ /\| (Of|What|Who|Whose|Where) [a-z]/ && strings !~ /\?/) bad("a text begins with a clause: " substr(strings, 4, 60))
  }
}
END { exit found }
