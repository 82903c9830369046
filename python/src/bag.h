#pragma once

#include "python.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/align.h"
#include "kitbag/bag.h"
#include "kitbag/columns.h"
#include "kitbag/definitions.h"
#include "kitbag/transcode.h"
#include "kitbag/value.h"

namespace kitbag::python {

/// A time as Python has it: nanoseconds since 1970, a text as `kitbag cut --start` takes it, or
/// None.
using GivenTime = std::variant<std::monostate, std::int64_t, std::string>;

/// Which messages are wanted, as the arguments of Python say it.
struct Wanted {
  Selection select = {};
  GivenTime start = {};
  GivenTime end = {};
  std::string where = {};
  std::string order = "time";
  std::uint64_t nth = 0;
  std::uint64_t count = UINT64_MAX;
  bool latched_before = false;
  TimeField by = TimeField::log_time;  ///< what `start`, `end` and `order` refer to
};

/// The bags behind one kitbag.Bag: several are read as one. Immutable.
class Bags {
 public:
  /// Opens them without the GIL. `definitions` are folders with definitions that bags lack. Throws
  /// Error.
  Bags(std::vector<std::string> paths, const ReadOptions& options, bool is_strict,
       const std::vector<std::string>& definitions);

  const std::vector<std::string>& paths() const { return paths_; }
  const std::vector<BagPtr>& all() const { return *bags_; }
  const std::shared_ptr<Problems>& problems() const { return problems_; }
  /// A line for people about each release of definitions that were taken without proof.
  const std::vector<std::string>& assumptions() const { return assumptions_; }
  /// Decodes messages; needs the GIL, as all of them share it.
  const std::shared_ptr<ValueReader>& types() const { return types_; }

  /// False: it was opened before the process was forked, and must be opened again.
  bool is_of_this_process() const { return process_ == process_number(); }

  /// From the first message to the last one; both zero if there are none.
  std::pair<Time, Time> span() const;
  /// What `wanted` selects. `report` must outlive the source; needed if there is a condition.
  std::unique_ptr<Source> read(const Wanted& wanted, TranscodeReport* report) const;
  /// The same, but one bag follows the other, and channels know theirs: bag_of().
  std::unique_ptr<Source> read_in_turn(const Wanted& wanted, TranscodeReport* report) const;
  /// What read() gives, as columns.
  std::unique_ptr<Columns> columns(const Wanted& wanted, const ColumnsRequest& request,
                                   TranscodeReport* report) const;
  /// Topics at the same times, as columns.
  std::unique_ptr<Columns> align(const Wanted& wanted, const AlignRequest& request,
                                 TranscodeReport* report) const;
  /// A time that was given, within span() if it is relative. Throws Error (invalid).
  Time time(const GivenTime& given) const;
  /// The range of time that `wanted` selects, within span().
  std::pair<Time, Time> times(const Wanted& wanted) const;

 private:
  Query query(const Wanted& wanted) const;
  std::unique_ptr<Source> narrowed(
      const Wanted& wanted, const std::function<std::unique_ptr<Source>(const Query&)>& read_all,
      TranscodeReport* report) const;

  std::vector<std::string> paths_;
  unsigned process_ = process_number();
  std::shared_ptr<Problems> problems_;
  std::vector<std::string> assumptions_;
  std::shared_ptr<ValueReader> types_;
  OfThisProcess<std::vector<BagPtr>> bags_;
};

/// The path of the bag that a channel of Bags::read_in_turn() comes from.
std::string bag_of(const Channel& channel);

/// Where definitions are looked for: in these folders, and in those of the environment.
DefinitionPaths definition_places(const std::vector<std::string>& folders);

/// "stop", "skip" or "raw". Throws Error (invalid).
OnError on_error_of(const std::string& name);
/// "log_time", "publish_time" or "header_stamp". Throws Error (invalid).
RowTime row_time_of(const std::string& name);

/// Warns of what a condition or a conversion has left out.
void warn_of_losses(const TranscodeReport& report);

/// Adds what opens and reads bags.
void add_bags(py::module_& module);
/// Adds tables: columns for NumPy, and Arrow streams.
void add_columns(py::module_& module);

}  // namespace kitbag::python
