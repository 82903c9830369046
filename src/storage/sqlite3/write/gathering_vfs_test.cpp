#include "storage/sqlite3/write/gathering_vfs.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::sqlite3 {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TestDatabase {
 public:
  TestDatabase(std::string path, const char* vfs) : path_(std::move(path)) {
    ::sqlite3* database = nullptr;
    EXPECT_EQ(
        sqlite3_open_v2(path_.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs),
        SQLITE_OK);
    database_.reset(database);
  }

  int run(const std::string& sql) {
    return sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  }
  const std::string& path() const { return path_; }
  void close() { database_.reset(); }

 private:
  struct Close {
    void operator()(::sqlite3* database) const { EXPECT_EQ(sqlite3_close(database), SQLITE_OK); }
  };
  std::string path_;
  std::unique_ptr<::sqlite3, Close> database_;
};

/// The same statements by both; a small cache, so that pages come back before a transaction ends.
class GatheringVfs : public testing::Test {
 protected:
  void both(const std::string& sql) {
    ASSERT_EQ(gathered_.run(sql), SQLITE_OK) << sql;
    ASSERT_EQ(plain_.run(sql), SQLITE_OK) << sql;
  }
  void begin(const std::string& journal) {
    both("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF; PRAGMA cache_size=20;");
    both("PRAGMA journal_mode=" + journal);
    both("CREATE TABLE t(id INTEGER PRIMARY KEY, time INTEGER, data BLOB)");
    both("CREATE INDEX i ON t (time)");
  }
  /// Messages of all sizes, some of them changed or taken back.
  void change() {
    std::string number = std::to_string(random_());
    std::string bytes = std::to_string(random_() % (random_() % 8 == 0 ? 60'000 : 300));
    switch (random_() % 8) {
      case 0:
        return both("UPDATE t SET data=zeroblob(" + bytes +
                    ") WHERE id % 7 = " + std::to_string(random_() % 7));
      case 1:
        return both("DELETE FROM t WHERE id % 11 = " + std::to_string(random_() % 11));
      default:
        return both("INSERT INTO t(time, data) VALUES(" + number + ", zeroblob(" + bytes + "))");
    }
  }
  void expect_equal_files() {
    ASSERT_TRUE(content_of(gathered_.path()) == content_of(plain_.path()));
  }

  TemporaryFolder folder_;
  TestDatabase gathered_{folder_.path("gathered"), gathering_vfs()};
  TestDatabase plain_{folder_.path("plain"), nullptr};
  std::minstd_rand random_;
};

TEST_F(GatheringVfs, TheFileIsTheSameAfterEveryTransaction) {
  for (const char* journal : {"MEMORY", "DELETE"}) {
    if (journal == std::string("MEMORY")) begin(journal);
    both(std::string("PRAGMA journal_mode=") + journal);
    for (int transaction = 0; transaction < 25; ++transaction) {
      both("BEGIN");
      for (auto i = random_() % 30; i > 0; --i) change();
      both(random_() % 5 == 0 ? "ROLLBACK" : "COMMIT");
      expect_equal_files();
    }
  }
  both("VACUUM");
  expect_equal_files();
  gathered_.close();
  plain_.close();
  expect_equal_files();
}

TEST_F(GatheringVfs, PagesWaitForTheEndOfTheirTransaction) {
  begin("MEMORY");
  both("BEGIN");
  both("INSERT INTO t(data) VALUES(zeroblob(500000))");
  EXPECT_LT(content_of(gathered_.path()).size(), content_of(plain_.path()).size());
  both("COMMIT");
  expect_equal_files();
}

TEST_F(GatheringVfs, ADatabaseWithALogIsConverted) {
  begin("WAL");
  both("INSERT INTO t(data) VALUES(zeroblob(500000))");
  both("PRAGMA journal_mode=MEMORY");
  both("INSERT INTO t(data) VALUES(zeroblob(500000))");
  expect_equal_files();
}

TEST_F(GatheringVfs, ATransactionWhosePagesCannotBeWrittenFails) {
  begin("MEMORY");
  std::string before = content_of(gathered_.path());
  {
    test::FileSizeLimit limit(200'000);
    EXPECT_EQ(gathered_.run("INSERT INTO t(data) VALUES(zeroblob(500000))") & 0xFF, SQLITE_IOERR);
  }
  EXPECT_EQ(gathered_.run("PRAGMA integrity_check"), SQLITE_OK);
  EXPECT_EQ(gathered_.run("INSERT INTO t(data) VALUES(zeroblob(500000))"), SQLITE_OK);
  EXPECT_EQ(plain_.run("INSERT INTO t(data) VALUES(zeroblob(500000))"), SQLITE_OK);
  gathered_.close();
  EXPECT_GT(content_of(gathered_.path()).size(), before.size());
}

}  // namespace
}  // namespace kitbag::sqlite3
