#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kitbag/arrow.h"
#include "kitbag/definitions.h"
#include "kitbag/export.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/table.h"
#include "kitbag/table_origin.h"

// Tables as messages: the opposite of columns.h and export_messages.h.
//
//   auto source = messages_from(open_table("odom.parquet", {}, session), {.topic = "/odom"},
//   session); auto writer = session.create("run.mcap"); run(*source, *writer, *session.clock());
//   writer->close();
//
// A row is a message. Its columns are matched with the fields of the type by name: "pose" with a
// structure, "pose.position.x" with a field in it, "ranges[3]" with an element. The type is named,
// or the file says it: the Parquet files of export_messages() have the definition with them.
//
// Numbers are converted where the value stays the same: 3.0 to an integer, 300 to no uint8. Texts
// are read as what the field is: a number, a time, a boolean, the name of an enumerator; lists,
// structures and unions as JSON. So CSV needs no types of its own. What is missing is NaN in a
// floating-point number, nothing in an optional field, and the default of the definition elsewhere.

namespace kitbag {

/// A table, and what is known of it.
struct TableFile {
  std::string name;                  ///< the file, for errors; the topic may come from it
  std::unique_ptr<Columns> columns;  ///< its rows
  KeyValues key_values = {};         ///< what the file says of itself, see table_origin.h
  bool is_empty_missing = false;     ///< an empty text is no value: in CSV it stands for none
  /// Where the row is, from 0, of the batch that came last: "line 18". Empty: "row 17", from 1.
  std::function<std::string(std::uint64_t row)> place_of_row = {};
};

/// How open_table() reads a file.
struct OpenTableOptions {
  char delimiter = 0;  ///< of CSV; 0: a tab for ".tsv", else a comma
};

/// Opens a Parquet file, recognized by its first bytes, or else one of CSV; "-" is standard input.
/// Throws Error as parquet_reader(), csv_reader() and Session::file_system() do; not_found if there
/// is no such file.
KITBAG_API TableFile open_table(const std::string& path, const OpenTableOptions& options,
                                const Session& session);

/// Takes a stream of the Arrow C stream interface over, and sets `stream` to released. Throws
/// Error, also next(): invalid if its arrays are not as its schema says; unsupported for types that
/// arrow_ipc_writer() does not have either; with the sentence of the stream if that fails.
KITBAG_API std::unique_ptr<Columns> columns_of(ArrowArrayStream* stream);

/// What rows are to become.
struct ImportRequest {
  /// Of all messages. Empty: as the table says; a column `topic` of texts, if there is one and no
  /// field has that name; or by the name of the file, as export_name() made it.
  std::string topic;
  /// "package/Type", which is searched for in `definitions`. Empty: as the table says.
  std::string type;
  /// The encoding that is best for where the messages go: "ros1" takes the definition of ROS 1 of
  /// `type`, anything else that of ROS 2 and CDR. If there is only the other one, that is taken. A
  /// table that says its type keeps its own encoding: use transcode() to change it.
  std::string encoding;
  /// The column of the log times. Empty: "time", "log_time" or "log_time_ns", whichever is there.
  std::string time_column;
  /// The unit of times and durations that are numbers, in nanoseconds. 0: seconds for numbers with
  /// a decimal point, else nanoseconds; a column of texts that has both is an error.
  std::int64_t time_unit_ns = 0;
  bool ignores_columns = false;      ///< columns that fit no field are left out, and told
  DefinitionPaths definitions = {};  ///< where to search for `type`
  OnWarning on_warning = {};         ///< called with what is left out, or was missing
};

/// Returns the rows of `table` as messages, in its order, which need not be that of their times:
/// writers take them as they come. It reads a batch of the table at a time.
///
/// Throws Error: not_found if there is no definition of the type, or no column of times; invalid if
/// the type is not known, or if columns fit no field of the type, with names that are similar, or a
/// type that its field cannot have. Source::read() throws Error as the table does, and invalid for
/// a value that its field cannot have: the message names the row and the column.
KITBAG_API std::unique_ptr<Source> messages_from(TableFile table, const ImportRequest& request,
                                                 const Session& session);

}  // namespace kitbag
