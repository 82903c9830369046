#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/terminal/table.h"
#include "kitbag/bag.h"
#include "kitbag/batch.h"
#include "kitbag/catalog.h"
#include "kitbag/catalog_jobs.h"
#include "kitbag/compare.h"
#include "kitbag/copy_files.h"
#include "kitbag/error.h"
#include "kitbag/export_messages.h"
#include "kitbag/find.h"
#include "kitbag/message.h"
#include "kitbag/moment_cuts.h"
#include "kitbag/pipeline.h"
#include "kitbag/play.h"
#include "kitbag/record.h"
#include "kitbag/repair.h"
#include "kitbag/transcode.h"
#include "kitbag/video.h"

namespace kitbag::cli {

/// What a repair of the bag at `from` to `to` has done, as one JSON object.
std::string repair_json(const std::string& from, const std::string& to, const Repaired& repaired);

/// What a conversion has written.
struct Converted {
  std::vector<std::string> inputs;
  std::string name;  ///< of the target; see Target::name()
  std::vector<std::string> files;
  std::string original;  ///< the file that a bag rewritten in place was kept as, or ""
  Totals totals;
  ChannelsPtr channels;
  std::uint64_t size_bytes = 0;
  Duration taken{};
  int code = 0;
  KeyFrameReport key_frames;
};

/// A conversion, as one JSON object on one line.
std::string converted_json(const Converted& converted);
/// One that failed: what would have been written, and `error` in words.
std::string failed_json(const std::vector<std::string>& inputs, const std::string& target,
                        const std::string& error);

/// A file or folder in a list.
struct ListedFile {
  std::string path;
  bool is_folder = false;
  std::uint64_t size_bytes = 0;
  std::optional<Time> modified = std::nullopt;
  std::string link = {};                      ///< empty: none
  std::optional<Summary> bag = std::nullopt;  ///< if it is one
};
/// The same as one JSON object on one line.
std::string listed_json(const ListedFile& file);

/// What was copied, as one JSON object on one line.
std::string copied_json(const std::string& from, const std::string& to, const Copied& copied,
                        Duration taken);

/// A bag that was found, as one JSON object on one line. `link` may be empty.
std::string found_json(const std::string& file, const Summary& summary, const std::string& link);
/// What was done, or is wrong, of a bag of a catalog, likewise.
std::string catalogued_json(const std::string& file, const std::string& what);
/// A bag of a catalog, likewise.
std::string catalog_json(const CatalogBag& bag);
/// A job of a catalog, likewise.
std::string catalog_job_json(const CatalogJob& job);
/// A bag of such a job that has failed or is damaged, likewise.
std::string catalog_job_bag_json(const BatchTask& task);
/// A moment that was found in `file`, likewise.
std::string moment_json(const std::string& file, const Moment& moment, const std::string& link);
/// A cut out of `file`, likewise; `what` was done with it.
std::string cut_json(const std::string& file, const Cut& cut, const std::string& what);

/// JSON without line breaks.
std::string on_one_line(std::string_view json);

/// A file that was uploaded, as one JSON object on one line.
std::string uploaded_json(const UploadedFile& file);

/// A bag of a batch, as one JSON object on one line.
std::string batch_task_json(const BatchTask& task);

/// How a recording stands, and what comes a second, as one JSON object.
std::string recording_json(const RecordStatus& status, double rate, double bytes_rate);

/// How a playing stands, as one JSON object.
std::string playing_json(const PlayStatus& status);

/// An array with an object for each row: its cells under `names`, as numbers where `are_numbers`.
std::string table_json(const std::vector<std::string>& names, const std::vector<bool>& are_numbers,
                       const std::vector<Cells>& rows);

/// The same rows, an object a line, behind the file that they are about.
std::string rows_json(const std::string& file, const std::vector<std::string>& names,
                      const std::vector<bool>& are_numbers, const std::vector<Cells>& rows);

/// What a check of a bag has found. The first kMostKept findings are kept, all are counted.
class Findings {
 public:
  void add(const Error& finding, Severity severity);

  struct Finding {
    Error error;
    Severity severity;
  };
  const std::vector<Finding>& kept() const { return kept_; }
  std::uint64_t count(Severity severity) const {
    return counts_[static_cast<std::size_t>(severity)];
  }
  /// There are notes at most.
  bool is_sound() const { return count(Severity::error) + count(Severity::warning) == 0; }

  static constexpr std::size_t kMostKept = 10'000;

 private:
  std::vector<Finding> kept_;
  std::array<std::uint64_t, 3> counts_ = {};  ///< by severity
};

/// What a check of `file` has found, as one JSON object on one line.
std::string check_json(const std::string& file, const Findings& findings);
/// How a channel of `file` stands to other definitions, as one JSON object on one line.
std::string evolution_json(const std::string& file, const Channel& channel,
                           const Evolution& evolution);
/// A comparison, as one JSON object on one line.
std::string comparison_json(const std::string& a, const std::string& b,
                            const Comparison& comparison);
/// An array of types, each with its language and topics.
std::string types_json(
    const std::map<std::pair<std::string, std::string>, std::set<std::string>>& topics);

/// What was exported of a topic, as one JSON object on one line.
std::string exported_json(const Exported& exported);

/// One object.
std::string values_json(const std::map<std::string, std::string>& values);

}  // namespace kitbag::cli
