#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/columns.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/parquet.h"
#include "kitbag/print.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

// export_messages() writes messages as files for programs that know nothing of bags: tables,
// mostly one file for each topic.
//
//   for (const Exported& each : export_messages(bag->read(), "tables", {}, session)) {
//     std::cout << each.path << ": " << each.messages << " messages\n";
//   }
//
// The source is read once, whatever the number of topics. Of several bags, merge() makes one
// source; the types of a topic are united then. What a format writes is in docs/export.md;
// exporter.h is for those who add one.

namespace kitbag {

/// Into which files the messages of a topic go.
enum class Partition {
  none,    ///< one file a topic: "odom.parquet"
  by_day,  ///< by the log time, in UTC: "odom/day=2026-11-24/part.parquet"
  by_bag,  ///< "odom/bag=run1.bag/part.parquet"
};

/// How CSV is written; see PrintOptions.
struct CsvExportOptions {
  TimeFormat time_format = TimeFormat::ns;  ///< how times are shown
  bool escapes_formulas = false;            ///< ' before texts that a spreadsheet would evaluate
};

/// How pictures are encoded as a video. A video that a bag has already is not encoded again.
struct VideoOptions {
  unsigned crf = 20;              ///< of x264: 0 loses nothing, 51 is the smallest
  std::string preset = "medium";  ///< of x264: from "ultrafast" to "veryslow"
  /// From a frame that is decoded alone to the next one, at most; 0: as x264 has it, 250. Players
  /// that jump to single frames want few.
  unsigned frames_a_key = 0;

  bool operator==(const VideoOptions&) const = default;
};

/// Two frames of a robot.
struct FramePair {
  std::string parent;  ///< "map"
  std::string child;   ///< "base_link"; empty: there is none
};

/// What export_messages() is to write.
struct ExportRequest {
  std::string format = "parquet";  ///< the name of an ExportFormat
  /// Fields, times, errors, the report and warnings. `has_topic`, `threads` and what is said of
  /// batches do not count.
  ColumnsRequest columns = {};
  ParquetOptions parquet = {};  ///< how Parquet is written
  CsvExportOptions csv = {};    ///< how CSV is written
  VideoOptions video = {};      ///< how pictures are encoded
  /// Of formats with ExportFormat::has_parts. A part ends where messages of another day or bag
  /// come; if those of the first come again, they go into "part-1.parquet".
  Partition partition = Partition::none;
  /// For what reads_in_turn(): names the bag that a channel comes from. No two bags have the same
  /// name.
  std::function<std::string(const Channel& channel)> bag_of = {};
  /// Existing files may be replaced. Folders are not.
  bool may_replace = false;
  /// For "tum" and "kitti": instead of the poses of topics, where the child was in the parent, by
  /// the transforms in the source and their stamps.
  FramePair frame = {};
  /// For "lerobot": what the dataset consists of, in YAML; docs/datasets.md has its keys.
  std::string dataset = {};
  /// All topics together hold about this many bytes of what is not written yet: row groups end
  /// earlier where there are many topics.
  std::uint64_t held_bytes = 128 << 20;
};

/// What was written of one topic.
struct Exported {
  std::string topic;  ///< empty: of all topics
  std::string
      path;  ///< with the folder; of several files, the first one, or their folder and a "/"
  std::uint64_t messages = 0;    ///< in these files
  std::uint64_t files = 1;       ///< how many there are
  std::uint64_t size_bytes = 0;  ///< of all of them
};

/// Returns whether the source should give one bag after the other (read_in_turn()): for
/// Partition::by_bag, and for datasets whose episodes are bags. Throws Error (invalid) for a
/// description of a dataset that is none.
KITBAG_API bool reads_in_turn(const ExportRequest& request);

/// Returns the name of the file for a topic, without the extension: "camera__image_raw" for
/// "/camera/image_raw". Each "/" but the first becomes "__"; letters, digits, "_", "-" and "."
/// remain; any other byte becomes "%" and two hexadecimal digits, and so does a "." in front.
KITBAG_API std::string export_name(std::string_view topic);

/// Returns the formats that are part of the library and those of the session's registry. Formats of
/// kitbag's own plugins are not loaded by this.
KITBAG_API std::vector<ExportFormat> export_formats(const Session& session);

/// Returns the names of all formats, also of those in kitbag's own plugins that are installed.
KITBAG_API std::vector<std::string> export_format_names(const Session& session);

/// Writes the messages of `source` into `folder`, which is created if there is none. The files get
/// their names when all are complete; otherwise none of them appears. Topics that the format cannot
/// hold are left out; `request.columns.on_warning` and the report say so.
///
/// Returns what was written, by topic. Throws Error: exists for a file that is there already;
/// invalid for a format that does not exist, for a partition of a format that has none, and for two
/// topics whose files would have the same name, on a disk that does not distinguish capitals;
/// cancelled if `wait.stop` is requested; and as columns() and `source` do.
KITBAG_API std::vector<Exported> export_messages(std::unique_ptr<Source> source,
                                                 const std::string& folder,
                                                 const ExportRequest& request,
                                                 const Session& session, const Wait& wait = {});

}  // namespace kitbag
