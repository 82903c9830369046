#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/pipeline.h"
#include "sql/database.h"
#include "tests/support/file_systems.h"
#include "tests/support/thrown_by.h"

// What fails below SQLite comes out of it as what it was.

namespace kitbag::sql {
namespace {

using testing::FailingFiles;

class FailuresTest : public ::testing::Test {
 protected:
  static std::string path() { return "failing://runs/drive.mcap"; }

  void SetUp() override {
    Session session = new_session();
    auto source = session.open("demo://?seconds=1&seed=7")->read({});
    auto writer = session.create(path(), {.compression = "zstd", .chunk_bytes = 256 << 10});
    run(*source, *writer, *session.clock());
    writer->close();
  }

  /// Without chunks that another session has read.
  Session new_session() const {
    Registry registry = Session().registry();
    registry.file_systems.push_back(files_);
    return Session(std::move(registry));
  }

  std::string answer(const std::string& query, const OnProblem& on_problem = {}) {
    auto set = std::make_shared<BagSet>();
    set->session = new_session();
    ReadOptions options;
    options.on_problem = on_problem;
    set->bags.push_back({"drive.mcap", set->session.open(path(), options)});
    Database database(set);
    auto rows = database.query(query);
    std::string all;
    while (rows->next()) {
      Value value = rows->value(0);
      const auto* number = std::get_if<std::int64_t>(&value);
      all += (number ? std::to_string(*number) : "other") + ' ';
    }
    return all;
  }

  std::shared_ptr<FailingFiles> files_ = std::make_shared<FailingFiles>();
};

TEST_F(FailuresTest, OfTheSystemAreErrorsAndNoDamage) {
  for (const char* query :
       {"SELECT count(*) FROM imu WHERE \"angular_velocity.z\" > 0",
        "SELECT size_bytes FROM messages", "SELECT count(*) FROM tf WHERE child = 'laser'",
        "SELECT count(*) FROM odom, tf_lookup('map', 'laser', odom.\"header.stamp\")",
        "CREATE VIRTUAL TABLE temp.u USING kitbag_unnest('/scan', ranges); SELECT count(*) FROM u",
        "CREATE VIRTUAL TABLE temp.j USING kitbag_asof('/odom', '/imu'); SELECT count(*) FROM j"}) {
    const std::string expected = answer(query);
    std::uint64_t failures = 0;
    for (std::uint64_t call = 1;; ++call) {
      ASSERT_LT(call, 1000U);
      files_->fail_at(call);
      auto damage = [&](const Error& problem) {
        ADD_FAILURE() << query << ": " << call << " is no damage: " << problem.what();
      };
      try {
        EXPECT_EQ(answer(query, damage), expected) << query << ": " << call;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io) << query << ": " << call << ": " << error.what();
        EXPECT_THAT(error.what(), ::testing::HasSubstr("injected"));
        ++failures;
      }
      bool is_past_the_last = files_->calls() < call;
      files_->fail_at(0);
      if (is_past_the_last) break;
    }
    EXPECT_GT(failures, 3) << query;
  }
}

TEST_F(FailuresTest, CodesAreThoseOfTheCause) {
  EXPECT_ERROR(not_found, answer("CREATE VIRTUAL TABLE temp.u USING kitbag_topic('/nowhere')"));
  EXPECT_ERROR(invalid, answer("SELECT nothing FROM imu"));
  EXPECT_ERROR(limit, answer("SELECT zeroblob(2000000000)"));
}

}  // namespace
}  // namespace kitbag::sql
