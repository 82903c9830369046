#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "batch/job_folder.h"
#include "batch/record.h"
#include "kitbag/time.h"

namespace kitbag::batch {

/// Calls `use` for each line of `text` that has an end, and returns how many bytes these are.
std::size_t use_lines(std::string_view text, const std::function<void(std::string_view)>& use);

/// Writes what became of tasks into files of the folder `records`, whose names begin with `name`.
/// On a disk a record is there when add() returns. Elsewhere files cannot grow, so several records
/// are put there together, some seconds later; what is lost with the process is found out again.
/// Can be used from any thread.
class Journal {
 public:
  Journal(const JobFolder& folder, std::string name, ClockPtr clock);

  /// Throws Error (io).
  void add(const Record& record);
  /// Puts what was added into the folder. Throws Error (io).
  void flush();

 private:
  void put();

  const JobFolder& folder_;
  std::string name_;
  ClockPtr clock_;
  std::mutex mutex_;
  std::unique_ptr<WriteFile> file_;  ///< on this machine
  std::string waiting_;              ///< elsewhere
  SteadyTime due_;
  unsigned files_ = 0;
};

/// What became of the tasks of a job, by their targets: the newest record of each.
class Records {
 public:
  /// Reads what was added to the journals since the last call. `name` is how their names begin.
  /// Calls `on_record` for each record that is new. Throws Error (io).
  void read(const JobFolder& folder, const std::string& name = {},
            const std::function<void(const Record&)>& on_record = {});
  void put(const Record& record);
  /// Null: nothing is known of it.
  const Record* find(const std::string& target) const;

 private:
  std::map<std::string, std::uint64_t> read_bytes_;  ///< by the names of journals
  std::map<std::string, Record, std::less<>> records_;
};

}  // namespace kitbag::batch
