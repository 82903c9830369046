// Reads and writes the cases of the MCAP conformance suite.
//
// usage: mcap_conformance streamed|indexed FILE.mcap   prints JSON
//        mcap_conformance write FILE.json              prints the file that it describes

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

#include "storage/chunked/bag.h"
#include "storage/mcap/content.h"
#include "storage/mcap/store.h"
#include "tests/conformance/case_writer.h"
#include "tests/conformance/record_json.h"

namespace kitbag::mcap::conformance {
namespace {

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& one : list) text += (text.empty() ? "" : ",") + one;
  return "[" + text + "]";
}

/// The records of a file as they stand, those in chunks in their place.
class StreamedReader {
 public:
  explicit StreamedReader(const std::string& path) : file_(open_file(path), path, true) {}

  std::string run() {
    std::uint64_t size = file_.file().size();
    ChunkBody whole = file_.stretch(0, size);
    ByteView bytes = whole.content;
    std::size_t at = kMagic.size();
    while (at + kMagic.size() < bytes.size()) {
      Record record = parse_record(bytes.subspan(at)).value();
      put(record, at);
      at += static_cast<std::size_t>(record.bytes);
    }
    return "{\"records\":" + joined(list_) + "}";
  }

 private:
  void put(const Record& record, std::uint64_t offset) {
    ByteView content = record.content;
    auto add = [&](const std::string& json) { list_.push_back(json); };
    switch (static_cast<Op>(record.op)) {
      case Op::header:
        return add(to_json(parse_header(content).value()));
      case Op::footer:
        return add(to_json(parse_footer(content).value()));
      case Op::schema:
        return add(to_json(parse_schema(content).value()));
      case Op::channel:
        return add(to_json(parse_channel(content).value()));
      case Op::message:
        return add(
            to_json(MessageHead::load(content.data()), content.subspan(MessageHead::kBytes)));
      case Op::chunk:
        return put_chunk(offset);
      case Op::chunk_index:
        return add(to_json(parse_chunk_index(content).value()));
      case Op::attachment: {
        AttachmentHead head = parse_attachment_head(content).value();
        return add(to_json(head, content.subspan(head.bytes, head.data_size)));
      }
      case Op::attachment_index:
        return add(to_json(parse_attachment_index(content).value()));
      case Op::statistics:
        return add(to_json(parse_statistics(content).value()));
      case Op::metadata:
        return add(to_json(parse_metadata(content).value()));
      case Op::metadata_index:
        return add(to_json(parse_metadata_index(content).value()));
      case Op::summary_offset:
        return add(to_json(parse_summary_offset(content).value()));
      case Op::data_end:
        return add(data_end_to_json(parse_data_end(content).value()));
      default:
        return;
    }
  }

  void put_chunk(std::uint64_t offset) {
    ChunkBody body = file_.body(file_.place(offset).value());
    if (body.fault) throw Error(*body.fault);
    ContentWalk walked = walk_content(
        body.content,
        [&](const MessageHead& head, std::size_t, ByteView data) {
          list_.push_back(to_json(head, data));
        },
        [&](const Record& record, std::size_t) { put(record, 0); });
    if (!walked.fault.empty()) throw std::runtime_error(std::string(walked.fault));
  }

  ChunkFile file_;
  std::vector<std::string> list_;
};

/// By the summary, messages in the order of their times.
std::string read_indexed(const std::string& path) {
  ReadOptions options;
  auto file = std::make_shared<const ChunkFile>(open_file(path), path, true);
  const BagIndex index = open_index(file, options);
  auto store = std::make_shared<const Store>(file, index, options);
  if (!index.is_found) throw std::runtime_error("the summary does not serve");
  std::vector<std::string> schemas, channels, messages, statistics;
  for (const auto& [id, content] : index.definitions.schemas()) {
    schemas.push_back(to_json(parse_schema(as_bytes(content)).value()));
  }
  for (const auto& [id, content] : index.definitions.channel_contents()) {
    channels.push_back(to_json(parse_channel(as_bytes(content)).value()));
  }
  auto source = ChunkedBag(store, Summary(), nullptr).read({});
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : batch.messages()) {
      MessageHead head{index.definitions.id(message.channel->slot), message.sequence,
                       stored_time(message.log_time), stored_time(message.publish_time)};
      messages.push_back(to_json(head, message.data));
    }
  }
  if (index.statistics) statistics.push_back(to_json(*index.statistics));
  return fmt::format("{{\"schemas\":{},\"channels\":{},\"messages\":{},\"statistics\":{}}}",
                     joined(schemas), joined(channels), joined(messages), joined(statistics));
}

std::string write_case(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  rapidjson::Document document;
  document.Parse(text.str().c_str());
  if (document.HasParseError()) throw std::runtime_error(path + " is no JSON");
  CaseWriter writer(document);
  return std::string(as_text(writer.write().view()));
}

int run(const std::string& mode, const std::string& path) {
  std::string out;
  if (mode == "streamed") {
    out = StreamedReader(path).run();
  } else if (mode == "indexed") {
    out = read_indexed(path);
  } else if (mode == "write") {
    out = write_case(path);
  } else {
    return 2;
  }
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}

}  // namespace
}  // namespace kitbag::mcap::conformance

int main(int count, char** arguments) {
  if (count != 3) return 2;
  try {
    return kitbag::mcap::conformance::run(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
