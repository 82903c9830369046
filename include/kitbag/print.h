#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"

namespace kitbag {

/// How messages are printed.
enum class PrintFormat {
  json,  ///< one object on each line
  /// The elements of a JSON list, divided by commas. Each is an object with the topic, the fields
  /// of the message, `__stamp` (the log time in seconds) and `__latched`; a field with one of these
  /// names gets "_" behind its own. A message that cannot be decoded has `__encoding` and
  /// `__data_base64` instead of fields. This is the form of the Bag Player API.
  flat_json,
  flat_json_lines,  ///< the same objects, one on each line
  yaml,             ///< one document for each message
  csv,              ///< one line for each message, one column for each field
  raw,              ///< the payloads, one after the other
};

/// How CSV shows times.
enum class TimeFormat {
  ns,       ///< nanoseconds since 1970; times in messages have a column for each of their fields
  seconds,  ///< "1767225600.009000000"; times and durations in messages are one column
  iso,      ///< "2026-01-01T00:00:00.009000000Z"; durations are in seconds
};

/// What printer() prints, and how.
struct PrintOptions {
  PrintFormat format = PrintFormat::json;  ///< see PrintFormat
  /// Paths, such as "pose.position.x" or "transforms[0].child_frame_id", in the order in which they
  /// are printed; empty: all.
  std::vector<std::string> fields = {};
  TimeFormat time_format = TimeFormat::ns;  ///< csv
  /// csv: put ' before texts that a spreadsheet would interpret as formulas.
  bool escapes_formulas = false;
  /// json, flat_json and flat_json_lines: print integers whose type has 64 bits as decimal strings.
  /// Readers that take all numbers for doubles, as JavaScript does, would round large ones.
  bool quotes_int64 = false;
  /// json, yaml: lists with more elements are cut, and say how many are left out; 0: none is cut.
  std::size_t most_elements = 0;
  /// json, yaml, csv: topics have colors, by the codes of terminals.
  bool has_colors = false;
  /// The output goes to a terminal: csv and raw escape control characters, as json and yaml always
  /// do.
  bool is_for_terminal = false;
  /// flat_json, flat_json_lines: which channels are latched; called for each message. Empty:
  /// kitbag::is_latched().
  std::function<bool(const Channel& channel)> is_latched = {};
  CodecOptions codec = {.not_a_number = CodecOptions::NotANumber::null};  ///< of JSON
  /// json, yaml, csv: the file that a channel comes from, which is printed first, as `file`; called
  /// for each message. Empty: no files are printed.
  std::function<std::string(const Channel& channel)> file_of = {};
  /// How a message that cannot be decoded is handled.
  OnError on_error = OnError::skip;
};

/// Where printed text goes: a file, a socket, a string.
struct TextOut {
  /// Takes the next part; may throw to end the printing.
  std::function<void(std::string_view text)> write;
  /// Passes what was written to the system; may be empty.
  std::function<void()> flush = {};
};

/// Returns a sink that decodes every message and prints it. It counts in `report`, which must
/// outlive it, what it leaves out. Throws Error (invalid) for options that contradict each other;
/// write() throws Error for a message that cannot be decoded if options.on_error is OnError::stop,
/// and for csv if the messages have several types.
KITBAG_API std::unique_ptr<Sink> printer(const PrintOptions& options, TextOut out,
                                         TranscodeReport& report, const Session& session);

/// Returns one message as a JSON object, without a newline: topic, type, times, sequence and size,
/// and its payload decoded as "data", or as "data_base64" if it cannot be decoded. Compiles the
/// definition of the channel in each call; printer() compiles it once per channel.
KITBAG_API std::string to_json(const Message& message, const Session& session,
                               const PrintOptions& options = {});

}  // namespace kitbag
