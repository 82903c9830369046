#pragma once

#include <string>
#include <vector>

#include "cli/command_line/verb.h"

// What is wrong with the words of a command line, in place of the texts of CLI11: with the names
// that may have been meant, or what to write.

namespace kitbag::cli {

/// The argument of verbs that write one bag of several.
inline constexpr char kInputsAndOutput[] = "IN...OUT";
/// The argument of `cp`, whose last word is the target.
inline constexpr char kSourcesAndTarget[] = "SRC";

/// "unknown verb "recrod"; similar: record".
std::string unknown_verb_text(const CLI::App& app, const std::string& name);

/// "unknown option --topcs; similar: --topics", or "unexpected argument "more"", of words that
/// `verb` could not take.
std::string unknown_word_text(const CLI::App& verb);

/// Whether an option is among the words that `verb` could not take.
bool has_unknown_option(const CLI::App& verb);

/// As Verb::explain_word(), of the first such word that it explains; "": of none.
std::string explained_words(const Verb& verb);

/// What `error` says of too few arguments or values in `given`.
std::string too_few_text(const Verb& verb, const CLI::ParseError& error,
                         const std::vector<std::string>& given);

}  // namespace kitbag::cli
