#include "storage/sqlite3/write/message_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "storage/sqlite3/tables.h"
#include "storage/sqlite3/write/create_tables.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::sqlite3 {
namespace {

class MessageRowsTest : public testing::Test {
 protected:
  MessageRowsTest() : path_(folder_.path("bag.db3")) {
    std::ofstream{path_};
    database_ = std::make_unique<Database>(path_, path_);
    database_->run("BEGIN;");
    create_tables(*database_, kNewestSchema);
    rows_ = std::make_unique<MessageRows>(*database_, false);
  }
  ~MessageRowsTest() override { rows_->close(); }

  /// A message of a second, published as many nanoseconds before.
  void put(std::int64_t second, std::int64_t delay_ns, const std::string& data) {
    Message message{};
    message.log_time = from_ns(second * 1'000'000'000);
    message.publish_time = from_ns(second * 1'000'000'000 - delay_ns);
    message.data = as_bytes(data);
    rows_->put(message, 1);
    rows_->insert();
  }
  std::int64_t number(const char* sql) { return database_->prepare(sql).number(); }

  TemporaryFolder folder_;
  std::string path_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<MessageRows> rows_;
};

TEST_F(MessageRowsTest, ARunOfStampsBeginsWithItsFirstMessage) {
  put(1, 0, "a");
  put(2, 0, "b");
  rows_->put_stamps();  // says nothing
  put(3, 5, "c");
  put(4, 0, "d");
  rows_->put_stamps();
  EXPECT_EQ(number("SELECT count(*) FROM kitbag_stamps;"), 1);
  EXPECT_EQ(number("SELECT first_id FROM kitbag_stamps;"), 3);
  EXPECT_EQ(rows_->stamps_bytes(), 4U);
}

}  // namespace
}  // namespace kitbag::sqlite3
