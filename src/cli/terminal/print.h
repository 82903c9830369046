#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/pipeline.h"

namespace kitbag::cli {

/// "8,647"
std::string grouped(std::uint64_t number);
/// "1 message", "8,647 messages": `noun` with its number, an s where it is not one.
std::string counted(std::uint64_t number, std::string_view noun);

/// Topics in a table of channels; several channels on one topic count once.
std::size_t count_topics(const ChannelsPtr& channels);
/// "8,647 messages, 12 topics, 743.1 KiB payload": what every verb says at its end.
std::string describe(const Totals& totals, const ChannelsPtr& channels);

/// Colors make sense: somebody watches and has not set NO_COLOR.
bool has_colors(bool is_terminal);
enum class Style { bold, yellow, red };
/// `text` in `style` where somebody watches and has not set NO_COLOR, else as it is.
std::string styled(std::string_view text, Style style, bool is_terminal);

/// Prints "kitbag: TEXT" on standard error, as well as it can be written; escaped(), since errors
/// quote what bags say.
void print_error(std::string_view text);
/// The same of what is neither wrong nor a warning.
void print_note(std::string_view text);
/// Prints "kitbag: warning: TEXT" there.
void print_warning(std::string_view text);
/// Prints these warnings about the files of one bag, in order. Those that differ only by their
/// numbers are one line.
void print_warnings_of_files(const std::vector<Error>& warnings);

}  // namespace kitbag::cli
