#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/left_out.h"
#include "kitbag/exporter.h"
#include "kitbag/field.h"
#include "kitbag/value.h"
#include "payload/header_stamps.h"

namespace kitbag {

/// Returns the time in a field; JSON does not say that a structure is one. Throws Error (invalid).
Time time_in(const Value& stamp);

/// The times that messages are exported with, as ColumnsRequest::time says. One thread.
class MessageTimes {
 public:
  MessageTimes(const ExportRequest& request, const Session& session);

  /// Messages without `header.stamp` have that of the field `timestamp`, and without both their log
  /// time.
  Time of(const Message& message);

 private:
  RowTime time_;
  HeaderStamps stamps_;
  FieldReader<Value> timestamp_;
  std::vector<bool> have_none_;  ///< the channels that have no such field, by slot
};

/// Returns "1700000000.123456789", with at least ten digits of seconds, so that names sort by time.
std::string name_of_time(Time time);

/// The files of one topic, one for each message, in a folder. One thread.
class MessageFiles {
 public:
  /// `job` must outlive it.
  MessageFiles(const std::string& topic, const ExportJob& job);

  /// Writes a file that is called after `time`; of several with the same time, the second one has
  /// "_1" behind it, and so on. Returns its name in the folder.
  std::string write(Time time, std::string_view extension, std::initializer_list<ByteView> pieces);
  /// Begins a file with another name, such as a list. The folder comes into being with it.
  std::unique_ptr<WriteFile> create(const std::string& name);
  /// Returns what was written, once all is, with `more_bytes` in files of create().
  Exported finish(std::uint64_t more_bytes = 0);

 private:
  std::string topic_;
  const ExportJob& job_;
  std::string folder_;
  std::unordered_map<std::int64_t, std::uint32_t> used_;  ///< how many files have this time
  std::uint64_t messages_ = 0;
  std::uint64_t files_ = 0;
  std::uint64_t size_bytes_ = 0;
};

/// What a format writes of a topic as a file for each message. Messages that cannot become one are
/// left out, or end the export.
class TopicFiles : public TopicExport {
 public:
  /// `job` must outlive it.
  TopicFiles(const std::string& topic, const ExportJob& job)
      : topic_(topic),
        job_(job),
        files_(topic, job),
        times_(job.request, job.session),
        left_out_(topic, job.request) {}

  void write(std::span<const Message> messages, const ChannelsPtr& channels) final;
  Exported finish() override { return files_.finish(); }

 protected:
  /// Writes the file of a message. An Error leaves it out, as ExportRequest says.
  virtual void write_one(const Message& message) = 0;

  std::string topic_;
  const ExportJob& job_;
  MessageFiles files_;
  MessageTimes times_;
  LeftOut left_out_;
};

}  // namespace kitbag
