#include "catalog/bag_rows.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catalog/bag_details.h"
#include "catalog/bag_query.h"
#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::catalog {
namespace {

/// Answers each statement with the rows that a test wants, whatever it asks.
class AnyAnswer final : public Database {
 public:
  explicit AnyAnswer(std::vector<SqlRow> rows) : rows_(std::move(rows)) {}

  const SqlDialect& dialect() const override { return dialect_; }
  void run(const std::string&, std::span<const SqlValue>,
           const std::function<void(SqlRow& row)>& on_row) override {
    for (SqlRow row : rows_) on_row(row);
  }
  void begin_writing() override {}

 private:
  SqlDialect dialect_{.name = "any", .bytes = "BYTES", .counted = "COUNTED"};
  std::vector<SqlRow> rows_;
};

std::vector<std::byte> bytes_of_text(const std::string& text) {
  ByteView bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

/// Everything that reads rows.
const std::vector<std::function<void(Database& database)>> kReaders = {
    [](Database& database) { file_at(database, "a.bag"); },
    [](Database& database) { paths_of(database, 1); },
    [](Database& database) { bag_with(database, "f"); },
    [](Database& database) { contents_of(database, 1); },
    [](Database& database) { files_of(database, 1); },
    [](Database& database) { checksums_of(database, 1); },
    [](Database& database) { picture_in(database, 1, "/camera", Time()); },
    [](Database& database) { picture_in(database, 1, "", Time()); },
    [](Database& database) {
      CatalogBag bag;
      add_details(database, {&bag, 1});
    },
    [](Database& database) { bag_of(database.run("SELECT 1").at(0)); },
    [](Database& database) { undecoded_messages(database, {}); },
};

TEST(RowsOfACatalog, ThatAreOfAnotherKindAreDamage) {
  const std::vector<SqlValue> kValues = {
      SqlValue(), SqlValue(0.5), SqlValue(std::string("\xff\xfe")),
      SqlValue(bytes_of_text("not compressed")),
      SqlValue(std::int64_t{std::numeric_limits<std::int64_t>::min()})};
  for (const SqlValue& value : kValues) {
    for (std::size_t columns : {std::size_t{0}, std::size_t{1}, std::size_t{12}}) {
      for (std::size_t i = 0; i < kReaders.size(); ++i) {
        AnyAnswer database({SqlRow(columns, value)});
        try {
          kReaders[i](database);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::corrupt) << i << ": " << error.what();
        }
      }
    }
  }
}

TEST(RowsOfACatalog, NumbersThatCannotBeBelowZero) {
  SqlRow row{std::int64_t{-1}, std::int64_t{0}};
  EXPECT_ERROR(corrupt, count_in(row, 0));
  EXPECT_EQ(count_in(row, 1), 0U);
  EXPECT_ERROR(corrupt, count_in(row, 2));
  AnyAnswer files({{std::string("a.bag"), std::int64_t{-1}, std::int64_t{0}}});
  EXPECT_ERROR(corrupt, files_of(files, 1));
}

TEST(PictureOfACatalog, IsAWholeJpegOrDamage) {
  auto asked = [](const std::string& jpeg) {
    AnyAnswer database({{std::int64_t{7}, bytes_of_text(jpeg)}});
    return picture_in(database, 1, "/camera", Time());
  };
  EXPECT_EQ(asked("\xff\xd8 a picture \xff\xd9")->time, from_ns(7));
  for (const std::string& damaged :
       {std::string(), std::string("\xff\xd8"), std::string("\xff\xd8\xff"),
        std::string("\xff\xd8 cut off"), std::string("no picture \xff\xd9"),
        "\xff\xd8" + std::string(kMostPictureBytes, ' ') + "\xff\xd9"}) {
    EXPECT_ERROR(corrupt, asked(damaged)) << damaged.size();
  }
  AnyAnswer none({});
  EXPECT_FALSE(picture_in(none, 1, "/camera", Time()));
}

}  // namespace
}  // namespace kitbag::catalog
