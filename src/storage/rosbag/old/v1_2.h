#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "storage/chunked/run_parser.h"
#include "storage/rosbag/records.h"

namespace kitbag::rosbag {

inline constexpr std::string_view kLine1_2 = "#ROSRECORD V1.2\n";
inline constexpr std::uint32_t kIndexVersion1_2 = 0;
/// One index entry: u32 sec, u32 nsec, u64 offset of the record in the file.
inline constexpr std::size_t kIndexEntryBytes1_2 = 16;

/// The records of version 1.2. They have the shape of version 2.0 (fields in a header, then data),
/// but each message names its topic, md5sum and type, and since 2010 the node that sent it and
/// whether it was latched. A definition is a field of a record of its own, one a topic or, from the
/// Python writer, one a type.
class V1_2Parser final : public RunParser {
 public:
  RunRecord parse(ByteView bytes, RunScratch& scratch) const override;
  void learn(ByteView head, std::uint32_t slot) override;
  void note(ByteView head) override;
  Channel describe(std::string_view key) const override;
  std::vector<Channel> silent_channels(const Channels& known) const override;
  std::size_t find_record(ByteView bytes) const override;

  /// The kind of a record.
  static Op op_of(ByteView head);
  /// The topic that a record names, "" if none.
  static std::string topic_of(ByteView head);
  /// A file header record was met; files of early 2010 have none.
  bool has_file_header() const { return has_file_header_; }
  /// As it says; 0: not closed.
  std::uint64_t index_pos() const { return index_pos_; }
  /// What the definitions say against this channel of their topic; "" if nothing.
  std::string contradiction(const Channel& channel) const;

 private:
  struct Definition {
    std::string md5sum, type;
    std::shared_ptr<const std::string> text;
  };
  /// A message's header with the places of its time, the only thing in which others differ from it.
  struct Shape {
    std::string header;
    std::size_t sec_at, nsec_at;
    std::uint32_t slot;

    bool matches(const std::byte* other) const;
  };
  /// Compared one by one, so few.
  static constexpr std::size_t kMostShapes = 64;

  const Shape* find_shape(ByteView header, RunScratch& scratch) const;
  const std::string* find_definition(std::string_view topic, std::string_view md5sum,
                                     std::string_view type) const;

  std::vector<Shape> shapes_;
  std::map<std::string, std::vector<Definition>, std::less<>> by_topic_;
  bool has_file_header_ = false;
  std::uint64_t index_pos_ = 0;
};

}  // namespace kitbag::rosbag
