#pragma once

#include <string>
#include <vector>

#include "cli/command_line/verb.h"

// What a shell offers when Tab is pressed. The scripts in share/completions ask for it by
// `kitbag --complete WORD...`: the words of the command line behind "kitbag", the last of which is
// the one to complete. What an option takes is known by its placeholder in the help, so a new
// option needs nothing here; topics, types and fields are those of the bags on the line.

namespace kitbag::cli {

/// The option of the program, before the words.
inline constexpr char kCompleteOption[] = "--complete";

/// A word that could be there, and what it means.
struct Candidate {
  std::string word;
  std::string text;
};

/// What a shell has to offer.
struct Completion {
  std::vector<Candidate> candidates;
  bool has_files = false;  ///< the shell adds names of files and folders
};

/// Completes the last of `words`. Bags that cannot be opened at once, as they have no index, are
/// ignored; so is everything else that is wrong on the line.
Completion complete(const CommandLine& line, const std::vector<std::string>& words,
                    const Session& session);

/// What --complete prints: "files" or "words", then a line for each candidate: the word, a tab and
/// its meaning.
std::string print_completion(const Completion& completion);

}  // namespace kitbag::cli
