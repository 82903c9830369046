#include "storage/mcap/write/written_schemas.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "kitbag/error.h"

namespace kitbag::mcap {

namespace {

SchemaRecord record_of(const Schema& schema, std::uint16_t id) {
  return {id, schema.name, schema.language, as_bytes(schema.text)};
}

}  // namespace

void WrittenSchemas::add_known(const SchemaRecord& schema) {
  auto known = std::make_shared<const Schema>(Schema{
      std::string(schema.name), std::string(schema.encoding), std::string(as_text(schema.data))});
  keep({std::move(known), schema.id, true});
  next_id_ = std::max(next_id_, schema.id + 1U);
}

std::uint16_t WrittenSchemas::find(const SchemaPtr& schema) {
  auto same = by_content_.find(schema);
  if (same != by_content_.end()) return schemas_[same->second].id;
  if (next_id_ > std::numeric_limits<std::uint16_t>::max()) {
    throw Error(ErrorCode::unsupported, "an MCAP file cannot have more than 65535 schemas", path_);
  }
  auto id = static_cast<std::uint16_t>(next_id_++);
  summary_.add(record_of(*schema, id));
  keep({schema, id, false});
  return id;
}

void WrittenSchemas::keep(Written schema) {
  by_content_.try_emplace(schema.schema, schemas_.size());
  by_id_.try_emplace(schema.id, schemas_.size());
  schemas_.push_back(std::move(schema));
}

void WrittenSchemas::describe(std::uint16_t id, std::uint32_t lane, Buffer& into) {
  auto place = by_id_.find(id);
  if (place == by_id_.end() || schemas_[place->second].is_stored) return;
  Written& written = schemas_[place->second];
  auto& lanes = written.lanes;
  if (std::find(lanes.begin(), lanes.end(), lane) != lanes.end()) return;
  lanes.push_back(lane);
  append(into, record_of(*written.schema, written.id));
}

void WrittenSchemas::settle() {
  for (Written& written : schemas_) written.is_stored |= !written.lanes.empty();
}

}  // namespace kitbag::mcap
