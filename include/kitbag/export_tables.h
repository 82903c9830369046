#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/columns.h"
#include "kitbag/export.h"
#include "kitbag/parquet.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

// export_tables() writes the messages of each topic as a table into a file of its own, for programs
// that know nothing of bags:
//
//   for (const ExportedTable& each : export_tables(bag->read(), "tables", {}, session)) {
//     std::cout << each.path << ": " << each.rows << " rows\n";
//   }
//
// A row is a message, with the column `time` and its fields, as columns() gives them. The source is
// read once, whatever the number of topics. Of several bags, merge() makes one source; the types of
// a topic are united then.

namespace kitbag {

/// The kind of the files.
enum class TableFormat {
  parquet,  ///< .parquet, see parquet.h
  arrow,    ///< .arrow, the file form of Arrow IPC, see arrow_ipc.h
};

/// What export_tables() is to write.
struct ExportRequest {
  TableFormat format = TableFormat::parquet;  ///< of all files
  /// Fields, times, errors, the report and warnings. `has_topic`, `threads` and what is said of
  /// batches do not count.
  ColumnsRequest columns = {};
  ParquetOptions parquet = {};  ///< how Parquet is written
  /// Existing files may be replaced.
  bool may_replace = false;
  /// All tables together hold about this many bytes of what is not written yet: row groups end
  /// earlier where there are many topics.
  std::uint64_t held_bytes = 128 << 20;
};

/// A file that was written.
struct ExportedTable {
  std::string topic;             ///< whose messages it has
  std::string path;              ///< with the folder
  std::uint64_t rows = 0;        ///< one for each message
  std::uint64_t size_bytes = 0;  ///< of the file
};

/// Returns the name of the file for a topic, without the extension: "camera__image_raw" for
/// "/camera/image_raw". Each "/" but the first becomes "__"; letters, digits, "_", "-" and "."
/// remain; any other byte becomes "%" and two hexadecimal digits, and so does a "." in front.
KITBAG_API std::string table_name(std::string_view topic);

/// Writes a file for each topic of `source` into `folder`, which is created if there is none. The
/// files get their names when all are complete; otherwise none of them appears. Topics without one
/// of the fields that are asked for, and those that cannot be decoded where that is no error, are
/// left out; `request.columns.on_warning` and the report say so.
///
/// Returns what was written, by topic. Throws Error: exists for a file that is there already;
/// invalid for two topics whose files would have the same name, on a disk that does not
/// distinguish capitals; cancelled if `wait.stop` is requested; and as columns() and `source` do.
KITBAG_API std::vector<ExportedTable> export_tables(std::unique_ptr<Source> source,
                                                    const std::string& folder,
                                                    const ExportRequest& request,
                                                    const Session& session, const Wait& wait = {});

}  // namespace kitbag
