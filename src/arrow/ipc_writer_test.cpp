#include <flatbuffers/flatbuffers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/column.h"
#include "kitbag/arrow_ipc.h"
#include "kitbag/error.h"
#include "tests/support/arrow_on_stack.h"
#include "tests/support/arrow_values.h"
#include "tests/support/thrown_by.h"

// The bytes are read as the specification describes them, by the numbers of the fields in
// Message.fbs, Schema.fbs and File.fbs. tests/interop/arrow_ipc_test.py reads them with the library
// of others.

namespace kitbag {
namespace {

using flatbuffers::Table;
using test::sentence_of;
using test::StackArray;
using test::StackSchema;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum HeaderType { kSchema = 1, kDictionaryBatch = 2, kRecordBatch = 3 };

flatbuffers::voffset_t place(int field) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

struct Pair {
  std::int64_t first;
  std::int64_t second;
  bool operator==(const Pair&) const = default;
};

std::vector<Pair> pairs_at(const Table* table, int field) {
  const auto* vector = table->GetPointer<const flatbuffers::Vector<std::int64_t>*>(place(field));
  std::vector<Pair> pairs(vector->size());
  // The elements are structs of 16 bytes; Data() knows them as numbers.
  if (!pairs.empty()) std::memcpy(pairs.data(), vector->Data(), pairs.size() * sizeof(Pair));
  return pairs;
}

struct IpcMessage {
  std::size_t offset = 0;
  std::size_t body_offset = 0;
  std::string metadata = {};
  std::string body = {};

  const Table* root() const { return flatbuffers::GetRoot<Table>(metadata.data()); }
  int type() const { return root()->GetField<std::uint8_t>(place(1), 0); }
  const Table* header() const { return root()->GetPointer<const Table*>(place(2)); }
  const Table* batch() const {
    return type() == kDictionaryBatch ? header()->GetPointer<const Table*>(place(1)) : header();
  }
  std::int64_t rows() const { return batch()->GetField<std::int64_t>(place(0), -1); }
  std::vector<Pair> nodes() const { return pairs_at(batch(), 1); }
  std::vector<Pair> buffers() const { return pairs_at(batch(), 2); }
  std::string buffer(std::size_t index) const {
    Pair at = buffers().at(index);
    return body.substr(static_cast<std::size_t>(at.first), static_cast<std::size_t>(at.second));
  }
  template <class T>
  std::vector<T> values(std::size_t index) const {
    std::string bytes = buffer(index);
    std::vector<T> all(bytes.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
};

std::uint32_t word_at(const std::string& bytes, std::size_t offset) {
  std::uint32_t word = 0;
  EXPECT_LE(offset + sizeof word, bytes.size());
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

/// The messages from `offset` on, which is left behind the end of the stream.
std::vector<IpcMessage> messages_of(const std::string& bytes, std::size_t& offset) {
  std::vector<IpcMessage> all;
  for (;;) {
    EXPECT_EQ(offset % 8, 0U);
    EXPECT_EQ(word_at(bytes, offset), 0xFFFFFFFFU);
    std::size_t size = word_at(bytes, offset + 4);
    IpcMessage message{.offset = offset, .body_offset = offset + 8 + size};
    offset += 8;
    if (size == 0) return all;
    message.metadata = bytes.substr(offset, size);
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(message.metadata.data()),
                                   message.metadata.size());
    EXPECT_TRUE(message.root()->VerifyTableStart(verifier));
    EXPECT_EQ(message.root()->GetField<std::int16_t>(place(0), 0), 4) << "V5";
    auto body = message.root()->GetField<std::int64_t>(place(3), 0);
    message.body = bytes.substr(offset + size, static_cast<std::size_t>(body));
    EXPECT_EQ(message.body.size(), static_cast<std::size_t>(body));
    offset += size + message.body.size();
    all.push_back(std::move(message));
  }
}

std::vector<IpcMessage> messages_of(const std::string& bytes) {
  std::size_t offset = 0;
  auto all = messages_of(bytes, offset);
  EXPECT_EQ(offset, bytes.size());
  return all;
}

BytesOut into(std::string& bytes) {
  return [&bytes](ByteView piece) { bytes += as_text(piece); };
}

/// The message of a batch with one column.
IpcMessage batch_of(StackSchema column, StackArray values) {
  StackSchema schema("+s", "", {&column});
  StackArray batch(values.length, {nullptr}, {&values});
  std::string bytes;
  auto writer = arrow_ipc_writer(schema, into(bytes));
  writer->write(batch);
  writer->finish();
  auto all = messages_of(bytes);
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(all.back().type(), kRecordBatch);
  return all.back();
}

const Table* field_of(const IpcMessage& schema, std::size_t index) {
  const auto* fields =
      schema.header()->GetPointer<const flatbuffers::Vector<flatbuffers::Offset<Table>>*>(place(1));
  return fields->Get(static_cast<flatbuffers::uoffset_t>(index));
}

TEST(ArrowIpcWriter, AlignsEveryBuffer) {
  auto pool = std::make_shared<arrow::MemoryPool>(0);
  std::uint64_t replaced = 0;
  arrow::ColumnType table{.name = "", .format = "+s"};
  table.children = {arrow::time_type("time"), arrow::text_type("text"),
                    arrow::list_type(arrow::text_type("item"), "texts")};
  arrow::Column column(table, pool, replaced);
  test::Released<ArrowSchema> schema;
  export_schema(table, &schema);
  for (bool is_file : {false, true}) {
    std::string bytes;
    auto writer =
        arrow_ipc_writer(*schema, into(bytes), is_file ? ArrowIpcForm::file : ArrowIpcForm::stream);
    for (int batch = 0; batch < 3; ++batch) {
      for (int row = 0; row < 21; ++row) {
        column.add_parent();
        column.children()[0].add(std::int64_t{row});
        column.children()[1].add_text("a text of some length");
        column.children()[2].begin_list(2);
        column.children()[2].element().add_text("b");
        column.children()[2].element().add_null();
      }
      test::Released<ArrowArray> array;
      column.move_to(&array);
      writer->write(*array);
    }
    writer->finish();
    std::size_t offset = is_file ? 8 : 0;
    auto messages = messages_of(bytes, offset);
    ASSERT_EQ(messages.size(), 4U);
    for (const IpcMessage& message : messages) {
      EXPECT_EQ(message.body_offset % 64, 0U);
      EXPECT_EQ(message.body.size() % 64, 0U);
      if (message.type() != kRecordBatch) continue;
      EXPECT_EQ(message.rows(), 21);
      for (const Pair& buffer : message.buffers()) EXPECT_EQ(buffer.first % 64, 0);
      EXPECT_THAT(message.nodes(),
                  ElementsAre(Pair{21, 0}, Pair{21, 0}, Pair{21, 0}, Pair{42, 21}));
      EXPECT_EQ(message.buffers().size(), 2U + 3U + 2U + 3U);
      EXPECT_EQ(message.values<std::int64_t>(1).at(20), 20);
    }
  }
}

TEST(ArrowIpcWriter, DescribesTypes) {
  struct Case {
    const char* format;
    int type;
    std::vector<int> parameters;
    int bytes_of_parameter = 4;
  };
  const Case cases[] = {
      {"n", 1, {}},
      {"b", 6, {}},
      {"u", 5, {}},
      {"U", 20, {}},
      {"z", 4, {}},
      {"Z", 19, {}},
      {"c", 2, {8}},
      {"C", 2, {8}},
      {"s", 2, {16}},
      {"S", 2, {16}},
      {"i", 2, {32}},
      {"I", 2, {32}},
      {"l", 2, {64}},
      {"L", 2, {64}},
      {"e", 3, {0}, 2},
      {"f", 3, {1}, 2},
      {"g", 3, {2}, 2},
      {"w:7", 15, {7}},
      {"d:38,2", 7, {38, 2, 128}},
      {"d:9,1,256", 7, {9, 1, 256}},
      {"tdD", 8, {0}, 2},
      {"tdm", 8, {1}, 2},
      {"tts", 9, {0}, 2},
      {"ttn", 9, {3}, 2},
      {"tsn:", 10, {3}, 2},
      {"tss:UTC", 10, {0}, 2},
      {"tDu", 18, {2}, 2},
      {"tiM", 11, {0}, 2},
      {"tiD", 11, {1}, 2},
      {"tin", 11, {2}, 2},
  };
  for (const Case& each : cases) {
    StackSchema column(each.format, "called");
    StackSchema schema("+s", "", {&column});
    std::string bytes;
    arrow_ipc_writer(schema, into(bytes))->finish();
    auto messages = messages_of(bytes);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].type(), kSchema);
    const Table* field = field_of(messages[0], 0);
    EXPECT_EQ(field->GetPointer<const flatbuffers::String*>(place(0))->str(), "called");
    EXPECT_EQ(field->GetField<std::uint8_t>(place(1), 0), 1) << "nullable";
    EXPECT_EQ(field->GetField<std::uint8_t>(place(2), 0), each.type) << each.format;
    const Table* type = field->GetPointer<const Table*>(place(3));
    for (std::size_t i = 0; i < each.parameters.size(); ++i) {
      auto at = place(static_cast<int>(i));
      int value = each.bytes_of_parameter == 2 ? type->GetField<std::int16_t>(at, -1)
                                               : type->GetField<std::int32_t>(at, -1);
      EXPECT_EQ(value, each.parameters[i]) << each.format;
    }
    if (each.type == 2) {
      bool is_signed = std::islower(static_cast<unsigned char>(each.format[0])) != 0;
      EXPECT_EQ(type->GetField<std::uint8_t>(place(1), 9), is_signed ? 1 : 0) << each.format;
    }
    const auto* zone = type->GetPointer<const flatbuffers::String*>(place(1));
    if (each.type == 10) {
      EXPECT_EQ(zone ? zone->str() : "", std::string(each.format + 4));
    }
  }
}

TEST(ArrowIpcWriter, WritesMetadataOfColumns) {
  const char encoded[] = "\1\0\0\0\3\0\0\0key\5\0\0\0value";
  StackSchema column("l");
  column.metadata = encoded;
  StackSchema schema("+s", "", {&column});
  schema.metadata = encoded;
  std::string bytes;
  arrow_ipc_writer(schema, into(bytes))->finish();
  auto messages = messages_of(bytes);
  using Tables = const flatbuffers::Vector<flatbuffers::Offset<Table>>*;
  for (Tables pairs : {field_of(messages[0], 0)->GetPointer<Tables>(place(6)),
                       messages[0].header()->GetPointer<Tables>(place(2))}) {
    ASSERT_EQ(pairs->size(), 1U);
    EXPECT_EQ(pairs->Get(0)->GetPointer<const flatbuffers::String*>(place(0))->str(), "key");
    EXPECT_EQ(pairs->Get(0)->GetPointer<const flatbuffers::String*>(place(1))->str(), "value");
  }
}

// Consumers of the C data interface slice arrays by their offset and length.
TEST(ArrowIpcWriter, WritesOnlyTheSlice) {
  const std::array<std::uint8_t, 2> bits = {0b1011'0110, 0b0000'0001};
  const std::array<std::int32_t, 10> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  StackArray sliced(4, {bits.data(), numbers.data()});
  sliced.offset = 3;
  sliced.null_count = -1;
  IpcMessage batch = batch_of(StackSchema("i"), sliced);
  EXPECT_THAT(batch.nodes(), ElementsAre(Pair{4, 2}));
  EXPECT_EQ(batch.values<std::uint8_t>(0).at(0) & 0b1111, 0b0110);
  EXPECT_THAT(batch.values<std::int32_t>(1), ElementsAre(3, 4, 5, 6));

  StackArray booleans(6, {nullptr, bits.data()});
  booleans.offset = 4;
  batch = batch_of(StackSchema("b"), booleans);
  EXPECT_EQ(batch.values<std::uint8_t>(1).at(0) & 0b111111, 0b011011);

  const std::array<std::int32_t, 5> ends = {0, 1, 3, 6, 10};
  StackArray texts(2, {nullptr, ends.data(), "abbcccdddd"});
  texts.offset = 2;
  batch = batch_of(StackSchema("u"), texts);
  EXPECT_THAT(batch.values<std::int32_t>(1), ElementsAre(0, 3, 7));
  EXPECT_EQ(batch.buffer(2), "cccdddd");

  const std::array<std::int64_t, 5> large_ends = {0, 1, 3, 6, 10};
  StackArray large(2, {nullptr, large_ends.data(), "abbcccdddd"});
  large.offset = 1;
  batch = batch_of(StackSchema("Z"), large);
  EXPECT_THAT(batch.values<std::int64_t>(1), ElementsAre(0, 2, 5));
  EXPECT_EQ(batch.buffer(2), "bbccc");
}

TEST(ArrowIpcWriter, WritesOnlyTheSliceOfChildren) {
  const std::array<std::int32_t, 10> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::array<std::int32_t, 4> ends = {0, 2, 3, 7};
  StackArray elements(9, {nullptr, numbers.data()});
  elements.offset = 1;
  StackSchema element("i", "item");
  StackArray lists(2, {nullptr, ends.data()}, {&elements});
  lists.offset = 1;
  IpcMessage batch = batch_of(StackSchema("+l", "x", {&element}), lists);
  EXPECT_THAT(batch.values<std::int32_t>(1), ElementsAre(0, 1, 5));
  EXPECT_THAT(batch.values<std::int32_t>(3), ElementsAre(3, 4, 5, 6, 7));

  StackArray pairs(2, {nullptr}, {&elements});
  pairs.offset = 2;
  batch = batch_of(StackSchema("+w:2", "x", {&element}), pairs);
  EXPECT_THAT(batch.nodes(), ElementsAre(Pair{2, 0}, Pair{4, 0}));
  EXPECT_THAT(batch.values<std::int32_t>(2), ElementsAre(5, 6, 7, 8));

  StackArray structs(3, {nullptr}, {&elements});
  structs.offset = 4;
  batch = batch_of(StackSchema("+s", "x", {&element}), structs);
  EXPECT_THAT(batch.values<std::int32_t>(2), ElementsAre(5, 6, 7));
}

TEST(ArrowIpcWriter, WritesArraysWithoutValues) {
  StackSchema element("i", "item");
  StackArray none(0, {nullptr, nullptr});
  EXPECT_THAT(batch_of(StackSchema("u"), StackArray(0, {nullptr, nullptr, nullptr}))
                  .values<std::int32_t>(1),
              ElementsAre(0));
  IpcMessage batch =
      batch_of(StackSchema("+l", "x", {&element}), StackArray(0, {nullptr, nullptr}, {&none}));
  EXPECT_THAT(batch.nodes(), ElementsAre(Pair{0, 0}, Pair{0, 0}));
  batch = batch_of(StackSchema("n"), StackArray(5, {}));
  EXPECT_THAT(batch.nodes(), ElementsAre(Pair{5, 5}));
  EXPECT_THAT(batch.buffers(), IsEmpty());
}

/// Batches with a column of texts by their indexes.
class Dictionaries : public testing::Test {
 protected:
  void write(ArrowIpcWriter& writer, const std::vector<std::string>& texts) {
    std::vector<std::int32_t> ends = {0};
    std::string all;
    for (const std::string& text : texts) {
      all += text;
      ends.push_back(static_cast<std::int32_t>(all.size()));
    }
    StackArray values(static_cast<std::int64_t>(texts.size()), {nullptr, ends.data(), all.data()});
    const std::int32_t index = 0;
    StackArray column(1, {nullptr, &index});
    column.dictionary = &values;
    StackArray batch(1, {nullptr}, {&column});
    writer.write(batch);
  }

  std::string bytes_;
  StackSchema texts_{"u", nullptr};
  StackSchema column_{[this] {
    StackSchema column("i");
    column.dictionary = &texts_;
    return column;
  }()};
  StackSchema schema_{"+s", "", {&column_}};
};

TEST_F(Dictionaries, AreWrittenAgainWhereTheyHaveChanged) {
  auto writer = arrow_ipc_writer(schema_, into(bytes_));
  write(*writer, {"a", "bc"});
  write(*writer, {"a", "bc"});
  write(*writer, {"a", "bc", "d"});
  write(*writer, {"e"});
  writer->finish();
  auto messages = messages_of(bytes_);
  std::vector<int> types;
  std::vector<std::string> dictionaries;
  for (const IpcMessage& message : messages) {
    types.push_back(message.type());
    if (message.type() != kDictionaryBatch) continue;
    EXPECT_EQ(message.header()->GetField<std::int64_t>(place(0), 9), 0) << "id";
    EXPECT_EQ(message.header()->GetField<std::uint8_t>(place(2), 9), 0) << "a delta";
    dictionaries.push_back(message.buffer(2));
  }
  EXPECT_THAT(types, ElementsAre(1, 2, 3, 3, 2, 3, 2, 3));
  EXPECT_THAT(dictionaries, ElementsAre("abc", "abcd", "e"));
  const Table* field = field_of(messages[0], 0);
  EXPECT_EQ(field->GetField<std::uint8_t>(place(2), 0), 5) << "the type of the values";
  const Table* encoding = field->GetPointer<const Table*>(place(4));
  EXPECT_EQ(encoding->GetPointer<const Table*>(place(1))->GetField<std::int32_t>(place(0), 0), 32);
}

TEST_F(Dictionaries, GrowInAFile) {
  auto writer = arrow_ipc_writer(schema_, into(bytes_), ArrowIpcForm::file);
  write(*writer, {"a", "bc"});
  write(*writer, {"a", "bc", "d", "ee"});
  EXPECT_THAT(sentence_of([&] {
                write(*writer, {"a", "x", "d", "ee"});
              }),
              HasSubstr("which an Arrow file cannot have"));
  writer->finish();
  std::size_t end = 8;
  auto messages = messages_of(bytes_, end);
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages[3].header()->GetField<std::uint8_t>(place(2), 0), 1) << "a delta";
  EXPECT_EQ(messages[3].rows(), 2);
  EXPECT_THAT(messages[3].values<std::int32_t>(1), ElementsAre(0, 1, 3));
  EXPECT_EQ(messages[3].buffer(2), "dee");

  EXPECT_EQ(bytes_.substr(0, 8), std::string("ARROW1\0\0", 8));
  EXPECT_EQ(bytes_.substr(bytes_.size() - 6), "ARROW1");
  std::size_t size = word_at(bytes_, bytes_.size() - 10);
  ASSERT_EQ(end + size + 10, bytes_.size());
  const auto* footer = flatbuffers::GetRoot<Table>(bytes_.data() + end);
  EXPECT_EQ(footer->GetField<std::int16_t>(place(0), 0), 4);
  std::vector<std::size_t> found;
  for (int list : {2, 3}) {  // dictionaries, record batches
    const auto* blocks = footer->GetPointer<const flatbuffers::Vector<std::int64_t>*>(place(list));
    ASSERT_EQ(blocks->size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {  // three numbers each: offset, metadata, body
      std::array<std::int64_t, 3> block{};
      std::memcpy(block.data(), blocks->Data() + i * sizeof block, sizeof block);
      const IpcMessage& message = messages.at(i * 2 + static_cast<std::size_t>(list) - 1);
      EXPECT_EQ(static_cast<std::size_t>(block[0]), message.offset);
      EXPECT_EQ(static_cast<std::size_t>(block[0] + block[1]), message.body_offset);
      EXPECT_EQ(static_cast<std::size_t>(block[2]), message.body.size());
    }
  }
}

TEST(ArrowIpcWriter, RefusesArraysThatAreNotAsTheSchemaSays) {
  const std::array<std::int32_t, 3> numbers = {0, 2, 1};
  StackSchema element("i", "item");
  StackArray two(2, {nullptr, numbers.data()});
  auto refusal = [](const StackSchema& column, const StackArray& values) {
    return sentence_of([&] { batch_of(column, values); });
  };
  EXPECT_THAT(refusal(StackSchema("i"), StackArray(1, {nullptr})),
              HasSubstr("\"x\" has 1 buffers"));
  EXPECT_THAT(refusal(StackSchema("i"), StackArray(1, {nullptr, nullptr})),
              HasSubstr("without an address"));
  EXPECT_THAT(refusal(StackSchema("b"), StackArray(1, {nullptr, nullptr})),
              HasSubstr("without an address"));
  EXPECT_THAT(refusal(StackSchema("u"), StackArray(1, {nullptr, numbers.data() + 1, "abc"})),
              HasSubstr("out of order"));
  EXPECT_THAT(refusal(StackSchema("+s", "x", {&element}), StackArray(1, {nullptr})),
              HasSubstr("has 0 children"));
  EXPECT_THAT(refusal(StackSchema("+s", "x", {&element}), StackArray(3, {nullptr}, {&two})),
              HasSubstr("\"item\" has 2 values from 0 on, too few"));
  EXPECT_THAT(refusal(StackSchema("+w:3", "x", {&element}), StackArray(1, {nullptr}, {&two})),
              HasSubstr("too few"));
  StackArray negative = two;
  negative.offset = -1;
  EXPECT_THAT(refusal(StackSchema("i"), negative), HasSubstr("too few"));
  StackSchema indexes("i");
  indexes.dictionary = &element;
  EXPECT_THAT(refusal(indexes, two), HasSubstr("has no dictionary"));
}

TEST(ArrowIpcWriter, RefusesSchemasThatItDoesNotKnow) {
  auto refusal = [](StackSchema column) {
    StackSchema schema("+s", "", {&column});
    return sentence_of([&] { arrow_ipc_writer(schema, [](ByteView) {}); });
  };
  for (const char* format : {"", "vu", "+ud:0,1", "+r", "ts", "tsx:", "tD", "d:3", "d:3,1,0",
                             "d:3,1,", "w:", "w:-1", "+w:x", "ttx", "tsn"}) {
    EXPECT_THAT(refusal(StackSchema(format)), HasSubstr("which is not written as Arrow IPC"))
        << format;
  }
  EXPECT_THAT(refusal(StackSchema("+l")), HasSubstr("has 0 children"));
  StackSchema values("u");
  StackSchema texts("u");
  texts.dictionary = &values;
  EXPECT_THAT(refusal(texts), HasSubstr("has indexes of type \"u\""));
  StackSchema number("l");
  EXPECT_THAT(sentence_of([&] { arrow_ipc_writer(number, [](ByteView) {}); }),
              HasSubstr("must be a struct"));
}

TEST(ArrowIpcWriter, RefusesRowsThatAreNull) {
  const std::uint8_t bits = 0b101;
  StackSchema schema("+s");
  StackArray batch(3, {&bits});
  batch.null_count = 1;
  auto writer = arrow_ipc_writer(schema, [](ByteView) {});
  EXPECT_THAT(sentence_of([&] { writer->write(batch); }), HasSubstr("must not be null"));
}

TEST(WriteArrowIpc, PassesOnTheSentenceOfAStream) {
  ArrowArrayStream stream{};
  stream.get_schema = [](ArrowArrayStream*, ArrowSchema*) { return EIO; };
  stream.get_last_error = [](ArrowArrayStream*) { return "the disk is gone"; };
  EXPECT_THAT(sentence_of([&] { write_arrow_ipc(stream, [](ByteView) {}); }),
              HasSubstr("the disk is gone"));
}

}  // namespace
}  // namespace kitbag
