#include "transport/ros2/messages.h"

#include <algorithm>

#include "kitbag/codec.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "transport/ros2/wire.h"

// Layouts are written out by hand, because these few messages must be read before there is any
// definition. They come from strangers: counts are checked against what is left, with the least
// size of an element.
//
// GIDs have 16 bytes since Iron and 24 before, and no field says which. Both are tried, the newer
// one first. A wrong size is found out: a namespace must begin with "/", and no more than padding
// may be left over.
//
// A definition from a node is trusted only by its hash. What its sources give is parsed and hashed
// (RIHS01), and must equal what the publisher has announced for its type; otherwise the recording
// would keep a definition that does not fit its payloads.

namespace kitbag::ros2 {

namespace {

constexpr std::size_t kGid = 16;
constexpr std::size_t kOldGid = 24;  // up to Humble

Guid read_gid(WireReader& reader, std::size_t bytes) {
  Guid guid{};
  ByteView gid = reader.raw(bytes);
  std::copy_n(gid.begin(), guid.size(), guid.begin());
  return guid;
}

// ParticipantEntitiesInfo: Gid gid; NodeEntitiesInfo[] {string node_namespace, string node_name,
// Gid[] reader_gid_seq, Gid[] writer_gid_seq}.

ParticipantInfo read_participant(ByteView payload, std::size_t gid_bytes) {
  constexpr std::size_t kLeastNode = 16;
  WireReader reader(payload);
  ParticipantInfo info;
  info.participant = read_gid(reader, gid_bytes);
  std::size_t nodes = reader.count(kLeastNode);
  for (std::size_t i = 0; i < nodes; ++i) {
    NodeInfo node;
    std::string space = reader.text();
    std::string name = reader.text();
    if (!space.starts_with('/')) throw Error(ErrorCode::corrupt, "invalid namespace of a node");
    node.name = space.ends_with('/') ? space + name : space + "/" + name;
    for (int list = 0; list < 2; ++list) {
      std::size_t count = reader.count(gid_bytes);
      for (std::size_t k = 0; k < count; ++k) node.endpoints.insert(read_gid(reader, gid_bytes));
    }
    info.nodes.push_back(std::move(node));
  }
  constexpr std::size_t kPadding = 3;
  if (reader.left() > kPadding) {
    throw Error(ErrorCode::corrupt, "the message is longer than expected");
  }
  return info;
}

// type_description_interfaces: TypeDescription {IndividualTypeDescription type_description,
// IndividualTypeDescription[] referenced_type_descriptions}, where IndividualTypeDescription is
// {string type_name, Field[] fields} and Field {string name, FieldType {uint8 type_id, uint64
// capacity, uint64 string_capacity, string nested_type_name} type, string default_value}.

TypeDescription read_description(WireReader& reader) {
  constexpr std::size_t kLeastField = 24;
  TypeDescription description;
  description.type = reader.text();
  std::size_t fields = reader.count(kLeastField);
  for (std::size_t i = 0; i < fields; ++i) {
    FieldDescription field;
    field.name = reader.text();
    field.type_id = reader.number<std::uint8_t>();
    field.capacity = reader.number<std::uint64_t>();
    field.text_capacity = reader.number<std::uint64_t>();
    field.nested_type = reader.text();
    reader.text();  // its default, in words that nothing lays down
    description.fields.push_back(std::move(field));
  }
  return description;
}

void read_types(WireReader& reader, DescriptionReply& reply) {
  constexpr std::size_t kLeastDescription = 8;
  constexpr std::size_t kLeastSource = 12;
  bool is_successful = reader.number<std::uint8_t>() != 0;
  reader.text();  // the reason why not
  if (!is_successful) return;
  reply.types.push_back(read_description(reader));
  std::size_t referenced = reader.count(kLeastDescription);
  for (std::size_t i = 0; i < referenced; ++i) reply.types.push_back(read_description(reader));
  std::size_t count = reader.count(kLeastSource);
  for (std::size_t i = 0; i < count; ++i) {
    TypeSource source;
    source.type = reader.text();
    source.encoding = reader.text();
    source.text = reader.text();
    reply.sources.push_back(std::move(source));
  }
}

const Language& language_of(const Schema& schema, const Session& session) {
  const Language* language = find_language(session.registry(), schema.language);
  if (!language || !language->metadata) {
    throw Error(ErrorCode::unsupported, "unknown definition language " + schema.language);
  }
  return *language;
}

std::string joined_idl(const std::string& type, const std::vector<TypeSource>& sources) {
  const std::string line(80, '=');
  std::string text;
  for (const TypeSource& source : sources) {  // the type itself comes first
    std::string part = line + "\nIDL: " + source.type + "\n" + source.text + "\n";
    text = source.type == type ? part + text : text + part;
  }
  return text;
}

Schema schema_of_sources(const std::string& type, const std::vector<TypeSource>& sources,
                         const Session& session) {
  constexpr const char* kImplicit = "implicit";  // the encoding of what no file defines
  auto text = [&](const std::string& name) -> std::optional<std::string> {
    for (const TypeSource& source : sources) {
      if (source.type == name && source.encoding != kImplicit) return source.text;
    }
    return std::nullopt;
  };
  auto root = std::find_if(sources.begin(), sources.end(), [&](const TypeSource& source) {
    return source.type == type && source.encoding != kImplicit;
  });
  if (root == sources.end()) {
    throw Error(ErrorCode::not_found, "the node does not provide the definition");
  }
  if (root->encoding == "idl") return {type, "ros2idl", joined_idl(type, sources)};
  Schema schema{type, "ros2msg", {}};
  const Language& language = language_of(schema, session);
  if (language.files) schema.text = language.files->full_text(type, root->text, text);
  return schema;
}

}  // namespace

Payload write_participant(const Guid& participant, const std::string& node,
                          const std::set<Guid>& readers, const std::set<Guid>& writers,
                          std::size_t gid_bytes) {
  WireWriter writer;
  auto write_gid = [&](const Guid& guid) {
    writer.raw(guid);
    writer.raw(Payload(gid_bytes - guid.size()));
  };
  auto write_all = [&](const std::set<Guid>& guids) {
    writer.count(guids.size());
    for (const Guid& guid : guids) write_gid(guid);
  };
  write_gid(participant);
  writer.count(1);
  writer.text("/");
  writer.text(node);
  write_all(readers);
  write_all(writers);
  return writer.take();
}

std::optional<ParticipantInfo> parse_participant(ByteView payload) {
  for (std::size_t gid_bytes : {kGid, kOldGid}) {
    try {
      return read_participant(payload, gid_bytes);
    } catch (const Error&) {
      continue;
    }
  }
  return std::nullopt;
}

Payload description_request(const Call& call, const std::string& type, const std::string& hash) {
  WireWriter request;
  request.number(call.client);
  request.number(call.sequence);
  request.text(type);
  request.text(hash);
  request.number<std::uint8_t>(1);  // with sources
  return request.take();
}

DescriptionReply parse_description_reply(ByteView payload) {
  WireReader reader(payload);
  DescriptionReply reply;
  reply.call.client = reader.number<std::uint64_t>();
  reply.call.sequence = reader.number<std::int64_t>();
  read_types(reader, reply);
  return reply;
}

Schema schema_of(const std::string& type, const std::string& hash, const DescriptionReply& reply,
                 const Session& session) {
  auto matching = [&](Schema schema) {
    const Language& language = language_of(schema, session);
    auto metadata = language.metadata(schema, *language.parse(schema));
    if (metadata["topic_type_hash"] != hash) {
      throw Error(ErrorCode::invalid,
                  "the definition from the publisher's node has another type hash");
    }
    return schema;
  };
  try {
    return matching(schema_of_sources(type, reply.sources, session));
  } catch (const Error&) {
    // Nobody wrote a file for the messages of services and actions.
    if (reply.types.empty() || reply.types.front().type != type) throw;
    return matching(Schema{type, "ros2msg", text_of(reply.types)});
  }
}

}  // namespace kitbag::ros2
