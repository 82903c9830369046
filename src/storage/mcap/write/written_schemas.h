#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/buffer.h"
#include "kitbag/message.h"
#include "storage/mcap/records.h"
#include "storage/mcap/write/summary_builder.h"

namespace kitbag::mcap {

/// The schemas of a file being written. Equal ones are stored as one; each is written before the
/// first channel that has it, in every lane of chunks, because it is not known which lane's first
/// chunk is written first.
class WrittenSchemas {
 public:
  /// `path` of the file, for errors. New schemas are added to `summary`, which must outlive it.
  WrittenSchemas(std::string path, SummaryBuilder& summary)
      : path_(std::move(path)), summary_(summary) {}

  /// Adds a schema of the file appended to; the summary has it already.
  void add_known(const SchemaRecord& schema);
  /// The id of a schema, which is added if it is new. Throws Error (unsupported) if there are too
  /// many.
  std::uint16_t find(const SchemaPtr& schema);
  /// Appends the record of a schema, unless it precedes what the lane holds.
  void describe(std::uint16_t id, std::uint32_t lane, Buffer& into);
  /// To be called when all chunks are written: the schemas in them precede all that follows.
  void settle();

 private:
  struct Written {
    SchemaPtr schema;
    std::uint16_t id = 0;
    bool is_stored = false;  ///< it precedes all that follows
    std::vector<std::uint32_t> lanes = {};
  };
  struct BeforeInContent {
    bool operator()(const SchemaPtr& a, const SchemaPtr& b) const {
      return std::tie(a->name, a->language, a->text) < std::tie(b->name, b->language, b->text);
    }
  };

  void keep(Written schema);

  std::string path_;
  SummaryBuilder& summary_;
  std::vector<Written> schemas_;
  std::map<SchemaPtr, std::size_t, BeforeInContent> by_content_;  ///< in schemas_
  std::map<std::uint16_t, std::size_t> by_id_;                    ///< the same
  std::uint32_t next_id_ = 1;                                     ///< 0 means: none
};

}  // namespace kitbag::mcap
