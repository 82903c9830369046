#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/column.h"
#include "arrow/row_reader.h"
#include "arrow/target.h"
#include "base/utf8.h"
#include "codec/cdr/codec.h"
#include "columns/field_path.h"
#include "columns/row_visitor.h"
#include "columns/test_columns.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"
#include "payload/field_steps.h"
#include "tests/support/arrow_values.h"
#include "tests/support/values.h"

// Random values of random types in every encoding: columns hold what a visitor gets, whether they
// are filled by reading single fields or by the visitor itself.

namespace kitbag {
namespace {

using arrow::Column;
using arrow::ColumnType;
using arrow::Target;
using test::Listing;
using test::Selected;

constexpr int kTypes = 400;
constexpr int kRows = 12;

/// Columns for whole messages of a type.
class Table {
 public:
  explicit Table(const Type& type)
      : type_(type),
        column_type_(arrow::column_type(type, "row")),
        pool_(std::make_shared<arrow::MemoryPool>(1 << 20)),
        column_(column_type_, pool_, replaced_bytes_) {
    bind_whole(type, target_, column_);
  }

  const Target& target() const { return target_; }
  Column& column() { return column_; }

  /// Each row as a visitor lists it.
  std::vector<std::string> rows() {
    test::Released<ArrowSchema> schema;
    test::Released<ArrowArray> array;
    export_schema(column_type_, &schema);
    column_.move_to(&array);
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < (*array).length; ++i) {
      Listing listing;
      test::visit_value(type_, *schema, *array, i, listing);
      all.push_back(listing.values);
    }
    return all;
  }

 private:
  const Type& type_;
  ColumnType column_type_;
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::uint64_t replaced_bytes_ = 0;
  Column column_;
  Target target_;
};

class RowSuite : public ::testing::TestWithParam<Codec> {
 protected:
  TypePtr random_type(std::mt19937& random) const {
    bool has_idl = GetParam().encoding == "cdr";
    const Language* language = find_language(session_.registry(), GetParam().language);
    for (;;) {
      TypePtr type = test::TypeMaker(random, has_idl).make();
      if (has_idl || !language || !language->adapt) return type;
      try {
        TypePtr adapted = language->adapt(*type);
        GetParam().encoder(adapted, {});
        return adapted;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
      }
    }
  }

  std::vector<std::byte> random_payload(const TypePtr& type, std::mt19937& random) const {
    auto encoder = GetParam().encoder(type, {});
    Arena arena;
    encoder->begin(arena);
    test::tell_random(*type, random, *encoder);
    ByteView payload = encoder->end();
    return {payload.begin(), payload.end()};
  }

  Session session_;
};

/// Of the encodings that have a reader of single fields.
class FieldSuite : public RowSuite {};

TEST_P(RowSuite, ColumnsHoldWhatAVisitorGets) {
  std::mt19937 random(19);
  int read_by_fields = 0;
  for (int i = 0; i < kTypes; ++i) {
    TypePtr type = random_type(random);
    if (type->fields.empty()) continue;
    auto decoder = GetParam().decoder(type);
    Table visited(*type);
    Table read(*type);
    auto visitor = make_row_visitor(visited.target(), session_);
    std::unique_ptr<arrow::RowReader> reader;
    if (GetParam().row_reader) reader = GetParam().row_reader(type, read.target());
    std::vector<std::string> expected;
    for (int row = 0; row < kRows; ++row) {
      std::vector<std::byte> payload = random_payload(type, random);
      Listing listing;
      decoder->decode(payload, listing);
      expected.push_back(listing.values);
      visitor->begin();
      decoder->decode(payload, *visitor);
      if (reader) {
        ASSERT_TRUE(reader->read(payload)) << "type " << i << ", row " << row;
      }
    }
    ASSERT_EQ(visited.rows(), expected) << "type " << i;
    if (!reader) continue;
    ++read_by_fields;
    ASSERT_EQ(read.rows(), expected) << "type " << i;
  }
  if (GetParam().row_reader) {
    EXPECT_GT(read_by_fields, kTypes / 5);
  }
}

/// A row that is taken back leaves nothing behind.
TEST_P(RowSuite, RowsCanBeTakenBack) {
  std::mt19937 random(23);
  for (int i = 0; i < kTypes / 4; ++i) {
    TypePtr type = random_type(random);
    auto decoder = GetParam().decoder(type);
    Table table(*type);
    auto visitor = make_row_visitor(table.target(), session_);
    std::vector<std::string> expected;
    for (int row = 0; row < kRows; ++row) {
      std::vector<std::byte> payload = random_payload(type, random);
      auto cut = ByteView(payload).first(random() % (payload.size() + 1));
      std::size_t before = table.column().length();
      visitor->begin();
      try {
        decoder->decode(cut, *visitor);
      } catch (const Error&) {
        table.column().truncate(before);
        continue;
      }
      Listing listing;
      decoder->decode(cut, listing);
      expected.push_back(listing.values);
    }
    ASSERT_EQ(table.rows(), expected) << "type " << i;
  }
}

/// JSON has no bytes: a list of them is base64, or a list of numbers.
TEST(RowVisitor, TakesBytesThatComeAsNumbers) {
  Session session;
  TypeBuilder builder;
  Type& type = builder.add(Kind::structure, "test/T");
  type.fields = {{.name = "fixed", .type = &builder.array(builtin_type(Kind::uint8), 3)},
                 {.name = "any", .type = &builder.sequence(builtin_type(Kind::uint8))}};
  TypePtr finished = builder.finish(type);
  auto rows_of = [&](std::string_view payload) {
    Selected columns(*finished, {"fixed", "any"});
    auto visitor = make_row_visitor(columns.target(), session);
    visitor->begin();
    find_codec(session.registry(), "json")->decoder(finished)->decode(as_bytes(payload), *visitor);
    return columns.rows();
  };
  EXPECT_EQ(rows_of(R"({"fixed":[1,2,3],"any":[4,255]})"),
            rows_of(R"({"fixed":"AQID","any":"BP8="})"));
}

/// Writes the forms of CDR that kitbag reads and never writes: big-endian, and XCDR2. Structures of
/// members with ids are not written.
class CdrWriter final : public LeafVisitor<CdrWriter> {
 public:
  CdrWriter(bool is_big_endian, bool is_version_2, bool is_delimited)
      : is_big_endian_(is_big_endian), is_version_2_(is_version_2), is_delimited_(is_delimited) {
    auto form = is_version_2 ? (is_delimited ? 0x08 : 0x06) : 0x00;
    bytes_ = {std::byte{0}, static_cast<std::byte>(form | (is_big_endian ? 0 : 1)), std::byte{0},
              std::byte{0}};
  }

  const std::vector<std::byte>& payload() const { return bytes_; }

  void begin_struct(const Type& type) override {
    begin_value();
    bool heeds = is_delimited_ || outermost_ != Extensibility::appendable;
    if (sizes_.empty()) {
      outermost_ = type.extensibility;
      heeds = is_delimited_ || outermost_ != Extensibility::appendable;
    }
    bool is_framed = is_version_2_ && heeds && type.extensibility == Extensibility::appendable;
    begin_frame(is_framed);
    if (type.fields.empty() && !is_framed) put<std::uint8_t>(0);
  }
  void field(const Field& field) override { is_optional_ = field.is_optional; }
  void end_struct() override { end_frame(); }
  void begin_array(const Type& type, std::size_t count) override {
    begin_value();
    Kind element = type.element->kind;
    begin_frame(is_version_2_ && (!is_scalar(element) || element == Kind::enumeration));
    if (type.kind == Kind::sequence) put(static_cast<std::uint32_t>(count));
  }
  void end_array() override { end_frame(); }

  void leaf(const Type&, std::nullopt_t) {
    is_optional_ = false;
    put<std::uint8_t>(0);
  }
  template <class Value>
  void leaf(const Type& type, Value value) {
    begin_value();
    if constexpr (std::is_same_v<Value, std::string_view>) {
      put(static_cast<std::uint32_t>(value.size() + 1));
      for (char c : value) put(c);
      put('\0');
    } else {
      switch (scalar_bytes(type.kind, type.base)) {
        case 1:
          return put(static_cast<std::uint8_t>(value));
        case 2:
          return put(static_cast<std::uint16_t>(value));
        case 4:
          if (type.kind == Kind::float32) return put(static_cast<float>(value));
          return put(static_cast<std::uint32_t>(value));
        default:
          if (type.kind == Kind::float64) return put(static_cast<double>(value));
          put(static_cast<std::uint64_t>(value));
      }
    }
  }

 private:
  static constexpr std::size_t kNoSize = SIZE_MAX;

  void begin_value() {
    if (std::exchange(is_optional_, false)) put<std::uint8_t>(1);
  }

  void begin_frame(bool is_framed) {
    if (is_framed) put<std::uint32_t>(0);
    sizes_.push_back(is_framed ? bytes_.size() : kNoSize);
  }
  void end_frame() {
    std::size_t begin = sizes_.back();
    sizes_.pop_back();
    if (begin == kNoSize) return;
    auto size = static_cast<std::uint32_t>(bytes_.size() - begin);
    for (std::size_t i = 0; i < 4; ++i) {
      std::size_t shift = 8 * (is_big_endian_ ? 3 - i : i);
      bytes_[begin - 4 + i] = static_cast<std::byte>(size >> shift);
    }
  }

  template <class T>
  void put(T value) {
    std::size_t alignment = std::min<std::size_t>(sizeof value, is_version_2_ ? 4 : 8);
    while ((bytes_.size() - 4) % alignment != 0) bytes_.push_back({});
    std::array<std::byte, sizeof value> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    if (is_big_endian_) std::reverse(bytes.begin(), bytes.end());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  bool is_big_endian_;
  bool is_version_2_;
  bool is_delimited_;
  Extensibility outermost_ = Extensibility::fixed;
  bool is_optional_ = false;  ///< the value that comes is that of an optional field
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> sizes_;  ///< where the frames that are open begin
};

bool has_members(const Type& type) {
  if (type.extensibility == Extensibility::by_id) return true;
  if (type.element && has_members(*type.element)) return true;
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [](const Field& field) { return has_members(*field.type); });
}

bool has_optional(const Type& type) {
  if (type.element && has_optional(*type.element)) return true;
  return std::any_of(type.fields.begin(), type.fields.end(), [](const Field& field) {
    return field.is_optional || has_optional(*field.type);
  });
}

struct CdrForm {
  const char* name;
  bool is_big_endian;
  bool is_version_2;
  bool is_delimited;
};

class CdrForms : public ::testing::TestWithParam<CdrForm> {};

TEST_P(CdrForms, AreReadByFields) {
  const CdrForm form = GetParam();
  Session session;
  const Codec codec = cdr::codec();
  std::mt19937 random(29);
  int read_by_fields = 0;
  for (int i = 0; i < 4 * kTypes; ++i) {
    TypePtr type = test::TypeMaker(random, true).make();
    if (type->fields.empty() || has_members(*type)) continue;
    if (!form.is_version_2 && has_optional(*type)) continue;
    Table read(*type);
    auto reader = codec.row_reader(type, read.target());
    if (!reader) continue;
    auto decoder = codec.decoder(type);
    std::vector<std::string> expected;
    for (int row = 0; row < kRows; ++row) {
      CdrWriter writer(form.is_big_endian, form.is_version_2, form.is_delimited);
      test::tell_random(*type, random, writer);
      Listing listing;
      decoder->decode(writer.payload(), listing);
      expected.push_back(listing.values);
      ASSERT_TRUE(reader->read(writer.payload())) << "type " << i << ", row " << row;
    }
    ++read_by_fields;
    ASSERT_EQ(read.rows(), expected) << "type " << i;
  }
  EXPECT_GT(read_by_fields, kTypes / 4);
}

INSTANTIATE_TEST_SUITE_P(Cdr, CdrForms,
                         ::testing::Values(CdrForm{"LittleEndian", false, false, false},
                                           CdrForm{"BigEndian", true, false, false},
                                           CdrForm{"Version2", false, true, false},
                                           CdrForm{"Version2Delimited", false, true, true},
                                           CdrForm{"Version2BigEndian", true, true, true}),
                         [](const auto& form) { return std::string(form.param.name); });

/// Random fields of random types: what is read by fields is what is visited.
TEST_P(FieldSuite, SomeFieldsAreThoseOfAllFields) {
  std::mt19937 random(31);
  for (int i = 0; i < kTypes; ++i) {
    TypePtr type = random_type(random);
    std::vector<std::string> paths = all_paths(*type);
    if (paths.empty()) continue;
    std::shuffle(paths.begin(), paths.end(), random);
    paths.resize(std::min<std::size_t>(paths.size(), 1 + random() % 3));
    Selected visited(*type, paths);
    Selected read(*type, paths);
    auto reader = GetParam().row_reader(type, read.target());
    if (!reader) continue;
    auto visitor = make_row_visitor(visited.target(), session_);
    auto decoder = GetParam().decoder(type);
    for (int row = 0; row < kRows; ++row) {
      std::vector<std::byte> payload = random_payload(type, random);
      visitor->begin();
      decoder->decode(payload, *visitor);
      ASSERT_TRUE(reader->read(payload)) << "type " << i << ", row " << row;
    }
    ASSERT_EQ(read.rows(), visited.rows()) << "type " << i;
  }
}

/// Random bytes do no harm, and what is read of them is what is decoded.
TEST_P(FieldSuite, HarmedPayloadsAreRefusedOrRead) {
  std::mt19937 random(37);
  for (int i = 0; i < kTypes; ++i) {
    TypePtr type = random_type(random);
    if (type->fields.empty()) continue;
    Table table(*type);
    auto reader = GetParam().row_reader(type, table.target());
    if (!reader) continue;
    auto decoder = GetParam().decoder(type);
    std::vector<std::string> expected;
    for (int row = 0; row < kRows; ++row) {
      std::vector<std::byte> payload = random_payload(type, random);
      for (int n = 0; n < 3 && !payload.empty(); ++n) {
        payload[random() % payload.size()] = static_cast<std::byte>(random());
      }
      payload.resize(payload.size() - random() % std::min<std::size_t>(payload.size() + 1, 3));
      std::size_t before = table.column().length();
      Listing listing;
      bool is_decoded = true;
      try {
        decoder->decode(payload, listing);
      } catch (const Error&) {
        is_decoded = false;
      }
      bool is_read = reader->read(payload);
      // What stands behind the last field is not looked at. Texts are mended in columns.
      if (is_read && is_decoded && is_utf8(listing.values)) {
        expected.push_back(listing.values);
      } else {
        table.column().truncate(before);
      }
    }
    ASSERT_EQ(table.rows(), expected) << "type " << i;
  }
}

std::string encoding_name(const ::testing::TestParamInfo<Codec>& info) {
  return std::string(info.param.encoding);
}

std::vector<Codec> codecs_with_row_readers() {
  std::vector<Codec> found;
  for (const Codec& codec : standard_registry().codecs) {
    if (codec.row_reader) found.push_back(codec);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Codecs, FieldSuite, ::testing::ValuesIn(codecs_with_row_readers()),
                         encoding_name);
INSTANTIATE_TEST_SUITE_P(Codecs, RowSuite, ::testing::ValuesIn(standard_registry().codecs),
                         encoding_name);

}  // namespace
}  // namespace kitbag
