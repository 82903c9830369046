#include "sql/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "sql/print.h"
#include "tests/support/thrown_by.h"

namespace kitbag::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Text {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(std::string_view value) const { return std::string(value); }
  std::string operator()(ByteView value) const { return fmt::format("<{}>", value.size()); }
};

class DatabaseTest : public ::testing::Test {
 protected:
  /// The simulated robot, ten seconds of it.
  void SetUp() override { add("demo://?seconds=10&seed=7"); }

  void add(const std::string& uri) {
    set_->bags.push_back({uri, set_->session.open(uri)});
    set_->on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
    sort_bags(*set_);
    database_.reset();
  }

  std::vector<std::string> rows(const std::string& query) {
    if (!database_) database_ = std::make_unique<Database>(set_);
    auto answer = database_->query(query);
    std::size_t columns = answer->names().size();
    std::vector<std::string> all;
    while (answer->next()) {
      std::string line;
      for (std::size_t i = 0; i < columns; ++i) {
        if (i > 0) line += '|';
        line += std::visit(Text(), answer->value(i));
      }
      all.push_back(std::move(line));
    }
    return all;
  }

  std::shared_ptr<BagSet> set_ = std::make_shared<BagSet>();
  std::unique_ptr<Database> database_;
  std::vector<std::string> warnings_;
};

TEST_F(DatabaseTest, TopicsAreTables) {
  EXPECT_THAT(rows("SELECT count(*) FROM \"/imu\""), ElementsAre("1000"));
  EXPECT_THAT(rows("SELECT count(*) FROM imu"), ElementsAre("1000"));
  EXPECT_THAT(rows("SELECT time, round(voltage, 3), \"header.frame_id\" FROM battery LIMIT 2"),
              ElementsAre(HasSubstr("|25.2|"), HasSubstr("|25.199|")));
  EXPECT_THAT(warnings_, ElementsAre());
}

TEST_F(DatabaseTest, EveryColumnCanBeRead) {
  for (const std::string& table :
       rows("SELECT name FROM temp.sqlite_master WHERE type = 'table'")) {
    std::vector<std::string> all = rows("SELECT *, bag FROM \"" + table + "\"");
    EXPECT_FALSE(all.empty()) << table;
    EXPECT_THAT(all.front(), HasSubstr("demo://")) << table;
  }
}

TEST_F(DatabaseTest, TheSameAsReadingTheMessages) {
  double sum = 0;
  std::uint64_t count = 0;
  for (const Message& message : set_->bags[0].bag->messages(Selection{.topics = {"/odom"}})) {
    sum += static_cast<double>(message.data.size());
    ++count;
  }
  EXPECT_THAT(rows("SELECT count(*), sum(size_bytes) FROM messages WHERE topic = '/odom'"),
              ElementsAre(fmt::format("{}|{}", count, static_cast<std::int64_t>(sum))));
  EXPECT_THAT(rows("SELECT messages FROM topics WHERE topic = '/odom'"),
              ElementsAre(std::to_string(count)));
}

TEST_F(DatabaseTest, TimesAreLookedUp) {
  std::int64_t start = to_ns(set_->bags[0].bag->summary().start);
  auto count = [&](const std::string& condition) {
    return rows("SELECT count(*) FROM imu WHERE " + condition).front();
  };
  std::string second = std::to_string(start + 1'000'000'000);
  std::string total =
      std::to_string(std::stoi(count("time < " + second)) + std::stoi(count("time >= " + second)));
  EXPECT_EQ(total, "1000");
  EXPECT_EQ(count("time > " + second + " AND time < " + second), "0");
  EXPECT_EQ(count("time BETWEEN 0 AND 1"), "0");
  EXPECT_EQ(count("time < 9e18"), "1000");
  EXPECT_EQ(count("time > -1e30"), "1000");
  EXPECT_EQ(count("time > NULL"), "0");
  EXPECT_EQ(count("time = (SELECT max(time) FROM imu)"), "1");
  EXPECT_EQ(count("time + 0.5 > " + second + ".5 AND time <= " + second + ".9"),
            count("time = " + second));
}

/// SQLite reads the table once for each condition, and tells by their numbers which rows it has
/// seen.
TEST_F(DatabaseTest, AlternativesAreCounted) {
  add("demo://?seconds=10&seed=8");  // the same times in both
  const std::string start = std::to_string(to_ns(set_->bags[0].bag->summary().start));
  for (const char* table : {"imu", "messages"}) {
    auto count = [&](const std::string& condition) {
      return rows(fmt::format("SELECT count(*) FROM {} WHERE {}", table, condition)).front();
    };
    std::string early = "time < " + start + " + 4000000000";
    std::string late = "time >= " + start + " + 3000000000";
    EXPECT_EQ(count(early + " OR " + late), count("1")) << table;
    EXPECT_EQ(count(early + " OR time < 0"), count(early)) << table;
    EXPECT_EQ(rows(fmt::format("SELECT count(DISTINCT rowid) FROM {}", table)).front(), count("1"))
        << table;
  }
  EXPECT_EQ(rows("SELECT count(*) FROM messages WHERE topic = '/imu' OR topic = '/odom'").front(),
            rows("SELECT count(*) FROM messages WHERE topic IN ('/imu', '/odom')").front());
}

TEST_F(DatabaseTest, RowsComeInTheOrderThatIsAskedFor) {
  std::vector<std::string> up = rows("SELECT time FROM imu ORDER BY time");
  std::vector<std::string> down = rows("SELECT time FROM imu ORDER BY time DESC");
  EXPECT_TRUE(std::is_sorted(up.begin(), up.end()));
  std::reverse(down.begin(), down.end());
  EXPECT_EQ(up, down);
}

TEST_F(DatabaseTest, TablesCanBeJoined) {
  EXPECT_THAT(rows("SELECT count(*) FROM battery b JOIN odom o ON o.time BETWEEN b.time AND "
                   "b.time + 30000000"),
              ElementsAre(::testing::Not("0")));
  EXPECT_THAT(
      rows("SELECT count(*) FROM messages WHERE topic IN ('/odom', '/imu')"),
      ElementsAre(
          rows("SELECT sum(messages) FROM topics WHERE topic IN ('/odom', '/imu')").front()));
}

TEST_F(DatabaseTest, ListsAreJsonAndBytesAreBlobs) {
  EXPECT_THAT(rows("SELECT json_array_length(ranges) > 10, json_extract(ranges, '$[0]') > 0 "
                   "FROM scan LIMIT 1"),
              ElementsAre("1|1"));
  EXPECT_THAT(rows("SELECT typeof(data) FROM \"/camera/image\" LIMIT 1"), ElementsAre("blob"));
  EXPECT_THAT(rows("SELECT json_extract(json, '$.topic') FROM messages WHERE topic = '/odom' "
                   "LIMIT 1"),
              ElementsAre("/odom"));
}

TEST_F(DatabaseTest, TransformsAreRows) {
  EXPECT_THAT(
      rows("SELECT parent, child, x, z, qw, is_static, topic FROM tf WHERE child = 'laser'"),
      ElementsAre(HasSubstr("base_link|laser|0.2|")));
  EXPECT_THAT(rows("SELECT child, is_static, topic, count(*) FROM tf GROUP BY child"),
              ElementsAre("base_link|0|/tf|500", "camera|1|/tf_static|1", "imu|1|/tf_static|1",
                          "laser|1|/tf_static|1", "odom|1|/tf_static|1"));
  EXPECT_THAT(rows("SELECT count(*), sum(time >= stamp) FROM tf"), ElementsAre("504|504"));
  EXPECT_EQ(rows("SELECT count(*) FROM tf WHERE time < (SELECT max(time) FROM tf)"),
            rows("SELECT count(*) - 1 FROM tf"));
  EXPECT_EQ(
      rows("SELECT time, round(x, 9), round(y, 9) FROM tf WHERE NOT is_static ORDER BY time"),
      rows("SELECT time, round(json_extract(transforms, '$[0].transform.translation.x'), 9), "
           "round(json_extract(transforms, '$[0].transform.translation.y'), 9) FROM \"/tf\""));
}

TEST_F(DatabaseTest, DiagnosticsAreRows) {
  EXPECT_THAT(rows("SELECT level, name, message, hardware_id, values_json, topic FROM diagnostics "
                   "LIMIT 2"),
              ElementsAre("0|power: battery|OK|battery-1|{\"voltage\":\"25.20 V\"}|/diagnostics",
                          "0|sensors: laser|OK|laser-1|{\"scans\":\"0\"}|/diagnostics"));
  EXPECT_THAT(rows("SELECT count(*) FROM diagnostics WHERE name LIKE 'power%'"), ElementsAre("10"));
}

TEST_F(DatabaseTest, EncodingsMakeNoDifference) {
  const std::string transforms = "SELECT time, stamp, parent, child, x, y, qz, is_static FROM tf";
  const std::string states = "SELECT time, level, name, message, values_json FROM diagnostics";
  std::vector<std::string> all_transforms = rows(transforms);
  std::vector<std::string> all_states = rows(states);
  for (const char* encoding : {"cdr", "json", "protobuf"}) {
    set_->bags.clear();
    add(fmt::format("demo://?seconds=10&seed=7&encoding={}", encoding));
    EXPECT_EQ(rows(transforms), all_transforms) << encoding;
    EXPECT_EQ(rows(states), all_states) << encoding;
  }
}

TEST_F(DatabaseTest, ListsAreUnnested) {
  rows("CREATE VIRTUAL TABLE temp.u USING kitbag_unnest('/scan', 'ranges')");
  EXPECT_EQ(rows("SELECT count(*), sum(value) > 0, max(\"index\") FROM u"),
            rows("SELECT sum(json_array_length(ranges)), 1, max(json_array_length(ranges)) - 1 "
                 "FROM scan"));
  EXPECT_EQ(rows("SELECT \"index\", round(value, 5) FROM u WHERE time = "
                 "(SELECT max(time) FROM scan)"),
            rows("SELECT key, round(value, 5) FROM scan, json_each(ranges) WHERE time = "
                 "(SELECT max(time) FROM scan)"));
  rows("CREATE VIRTUAL TABLE temp.t USING kitbag_unnest(\"/tf\", transforms)");
  EXPECT_EQ(rows("SELECT time, \"header.stamp\", child_frame_id, \"transform.rotation.w\" FROM t"),
            rows("SELECT time, stamp, child, qw FROM tf WHERE topic = '/tf'"));
  rows("CREATE VIRTUAL TABLE temp.p USING kitbag_unnest('/camera/image', 'data')");
  EXPECT_EQ(rows("SELECT count(*), sum(value) > 0, min(value) >= 0 FROM p WHERE time = "
                 "(SELECT max(time) FROM \"/camera/image\")"),
            rows("SELECT length(data), 1, 1 FROM \"/camera/image\" ORDER BY time DESC LIMIT 1"));
  for (const char* arguments :
       {"'/scan'", "'/scan', 'range_min'", "'/scan', ''", "'/scan', 'x.y'"}) {
    EXPECT_ERROR(invalid, rows(fmt::format("CREATE VIRTUAL TABLE temp.e USING kitbag_unnest({})",
                                           arguments)))
        << arguments;
  }
}

TEST_F(DatabaseTest, TopicsAreResampled) {
  for (const char* method : {"previous", "nearest", "linear"}) {
    rows(fmt::format("CREATE VIRTUAL TABLE temp.{0} USING kitbag_resample('/odom', 8, '{0}')",
                     method));
  }
  // The bag starts at a full second, /odom 3 ms later; the bag ends before the tenth second.
  EXPECT_THAT(rows("SELECT count(*), sum(time % 125000000), count(\"pose.pose.position.x\") "
                   "FROM previous"),
              ElementsAre("80|0|79"));
  const std::string x = "\"pose.pose.position.x\"";
  const std::string join =
      " WHERE r.time > (SELECT min(time) FROM odom) AND "
      "r.time < (SELECT max(time) FROM odom)";
  auto last = "(SELECT " + x + " FROM odom o WHERE o.time <= r.time ORDER BY o.time DESC LIMIT 1)";
  auto first = "(SELECT " + x + " FROM odom o WHERE o.time > r.time ORDER BY o.time LIMIT 1)";
  auto last_time = "(SELECT max(time) FROM odom o WHERE o.time <= r.time)";
  auto first_time = "(SELECT min(time) FROM odom o WHERE o.time > r.time)";
  EXPECT_THAT(rows("SELECT max(abs(r." + x + " - " + last + ")) FROM previous r" + join),
              ElementsAre("0"));
  EXPECT_THAT(rows("SELECT max(abs(r." + x + " - iif(" + first_time + " - r.time < r.time - " +
                   last_time + ", " + first + ", " + last + "))) FROM nearest r" + join),
              ElementsAre("0"));
  EXPECT_THAT(rows("SELECT max(abs(r." + x + " - (" + last + " + (" + first + " - " + last +
                   ") * (r.time - " + last_time + ") / (0.0 + " + first_time + " - " + last_time +
                   ")))) < 1e-12 FROM linear r" + join),
              ElementsAre("1"));
  EXPECT_THAT(rows("SELECT \"header.frame_id\" FROM linear WHERE time > 0 ORDER BY time DESC "
                   "LIMIT 1"),
              ElementsAre("odom"));
}

TEST_F(DatabaseTest, ResamplingStartsAtAnyTime) {
  rows("CREATE VIRTUAL TABLE temp.b USING kitbag_resample('/battery', 100)");
  // /battery begins 9 ms after the bag.
  EXPECT_THAT(rows("SELECT count(*), sum(voltage IS NULL), "
                   "min(time) = (SELECT min(start_time) FROM bags) FROM b"),
              ElementsAre("1000|1|1"));
  EXPECT_EQ(rows("SELECT voltage FROM b WHERE time = time_ns('2026-01-01T00:00:05.95Z')"),
            rows("SELECT voltage FROM battery WHERE time < time_ns('2026-01-01T00:00:05.95Z') "
                 "ORDER BY time DESC LIMIT 1"));
  EXPECT_THAT(rows("SELECT count(*) FROM b WHERE time < 0 OR time > 9e18"), ElementsAre("0"));
  rows("CREATE VIRTUAL TABLE temp.fine USING kitbag_resample('/battery', 1e3)");
  EXPECT_THAT(rows("SELECT count(*) FROM fine WHERE voltage IS NULL"), ElementsAre("9"));
  for (const char* arguments : {"'/odom'", "'/odom', 0", "'/odom', -1", "'/odom', 'x'",
                                "'/odom', nan", "'/odom', 1, 'cubic'"}) {
    EXPECT_ERROR(invalid, rows(fmt::format("CREATE VIRTUAL TABLE temp.e USING kitbag_resample({})",
                                           arguments)))
        << arguments;
  }
}

TEST_F(DatabaseTest, BagsFromBefore1970AreResampled) {
  auto channel = std::make_shared<Channel>();
  channel->topic = "/n";
  channel->encoding = "ros1";
  channel->schema = std::make_shared<Schema>(Schema{"std_msgs/UInt8", "ros1msg", "uint8 data\n"});
  const std::string path = ::testing::TempDir() + "before_1970.db3";
  auto writer = set_->session.create(path, {});
  for (unsigned char i = 0; i < 4; ++i) {
    ByteView payload[] = {std::as_bytes(std::span(&i, 1))};
    Time time = from_ns(-3'000'000'000 + std::int64_t{i} * 1'000'000'000);
    writer->append(channel, {time, time, 0}, payload);
  }
  writer->close();
  set_->bags.clear();
  add(path);
  rows("CREATE VIRTUAL TABLE temp.r USING kitbag_resample('/n', 1)");
  EXPECT_THAT(rows("SELECT time, data FROM r"),
              ElementsAre("-3000000000|0", "-2000000000|1", "-1000000000|2", "0|3"));
}

TEST_F(DatabaseTest, TopicsAreJoinedByTime) {
  rows("CREATE VIRTUAL TABLE temp.j USING kitbag_asof('/odom', '/battery')");
  rows("CREATE VIRTUAL TABLE temp.near USING kitbag_asof('/odom', '/battery', '100ms')");
  const std::string expected =
      "SELECT time, (SELECT max(time) FROM battery b WHERE b.time <= o.time), (SELECT voltage FROM "
      "battery b WHERE b.time <= o.time ORDER BY b.time DESC LIMIT 1) FROM odom o";
  EXPECT_EQ(rows("SELECT time, \"battery.time\", \"battery.voltage\" FROM j"), rows(expected));
  EXPECT_EQ(rows("SELECT time, \"battery.time\", \"battery.voltage\" FROM j "
                 "WHERE time > time_ns('2026-01-01T00:00:05.95Z')"),
            rows(expected + " WHERE time > time_ns('2026-01-01T00:00:05.95Z')"));
  EXPECT_THAT(rows("SELECT count(\"battery.time\"), max(time - \"battery.time\") <= 100000000, "
                   "count(*) FROM near"),
              ElementsAre("50|1|500"));
  for (const char* arguments : {"'/odom'", "'/odom', '/imu', 'x'"}) {
    EXPECT_ERROR(invalid,
                 rows(fmt::format("CREATE VIRTUAL TABLE temp.e USING kitbag_asof({})", arguments)))
        << arguments;
  }
}

TEST_F(DatabaseTest, TopicsMustBeThere) {
  for (const char* table : {"kitbag_unnest('/nowhere', 'ranges')", "kitbag_topic('/nowhere')",
                            "kitbag_resample('/nowhere', 1)", "kitbag_asof('/odom', '/nowhere')"}) {
    EXPECT_ERROR(not_found, rows(fmt::format("CREATE VIRTUAL TABLE temp.e USING {}", table)));
  }
}

TEST_F(DatabaseTest, ListsAreTables) {
  EXPECT_THAT(rows("SELECT count(*) > 1000 FROM scan, json_each(ranges)"), ElementsAre("1"));
  EXPECT_THAT(rows("SELECT value FROM json_tree('[[7]]') WHERE atom"), ElementsAre("7"));
}

/// SQLite reads a table once for each side of OR, and drops rows whose number it has seen.
TEST_F(DatabaseTest, NoRowIsLostByOr) {
  rows("CREATE VIRTUAL TABLE temp.r USING kitbag_resample('/odom', 8)");
  rows("CREATE VIRTUAL TABLE temp.j USING kitbag_asof('/odom', '/battery')");
  rows("CREATE VIRTUAL TABLE temp.u USING kitbag_unnest('/scan', 'ranges')");
  for (const char* table : {"r", "j", "u", "tf", "diagnostics", "odom", "messages"}) {
    const std::string first = "time < time_ns('2026-01-01T00:00:02Z')";
    const std::string second = "time > time_ns('2026-01-01T00:00:07Z')";
    auto count = [&](const std::string& condition) {
      return std::stoi(
          rows(fmt::format("SELECT count(*) FROM {} WHERE {}", table, condition)).front());
    };
    int early = count(first);
    int late = count(second);
    EXPECT_GT(early, 0) << table;
    EXPECT_GT(late, 0) << table;
    EXPECT_EQ(count(first + " OR " + second), early + late) << table;
  }
}

TEST_F(DatabaseTest, FramesAreLookedUp) {
  // The laser of the robot is 0.2 in front of it, 0.5 above it; odom and map are the same.
  EXPECT_THAT(rows("SELECT x, y, z, qw FROM tf_lookup('base_link', 'laser', "
                   "time_ns('2026-01-01T00:00:05Z'))"),
              ElementsAre("0.2|0|0.5|1"));
  EXPECT_THAT(rows("SELECT count(*), max(abs(l.x - o.\"pose.pose.position.x\")) < 1e-3, "
                   "max(abs(l.y - o.\"pose.pose.position.y\")) < 1e-3 FROM odom o "
                   "JOIN tf_lookup('map', 'base_link', o.\"header.stamp\") l"),
              ElementsAre("499|1|1"));
  EXPECT_THAT(rows("SELECT count(*), max(abs(l.x - (t.x + 0.2 * (1 - 2 * t.qz * t.qz)))) < 1e-12, "
                   "max(abs(l.y - (t.y + 0.4 * t.qz * t.qw))) < 1e-12 FROM tf t, "
                   "tf_lookup('map', 'laser', t.stamp) l WHERE t.topic = '/tf'"),
              ElementsAre("500|1|1"));
  EXPECT_THAT(rows("SELECT * FROM tf_lookup('map', 'base_link', 0)"), ElementsAre());
  EXPECT_THAT(rows("SELECT * FROM tf_lookup('map', 'nowhere', 0)"), ElementsAre());
  EXPECT_THAT(rows("SELECT * FROM tf_lookup('map', NULL, 0)"), ElementsAre());
  EXPECT_ERROR(invalid, rows("SELECT * FROM tf_lookup('map', 'odom')"));
}

TEST_F(DatabaseTest, BagsAreOneDatabase) {
  add("demo://?seconds=2&seed=8&start=1900000000");
  EXPECT_THAT(rows("SELECT bag, count(*) FROM imu GROUP BY bag ORDER BY min(time)"),
              ElementsAre("demo://?seconds=10&seed=7|1000", HasSubstr("|200")));
  EXPECT_THAT(rows("SELECT sum(messages) = (SELECT count(*) FROM messages) FROM bags"),
              ElementsAre("1"));
}

TEST_F(DatabaseTest, NothingElseIsReached) {
  for (const char* query :
       {"ATTACH '/tmp/x.db' AS x", "PRAGMA journal_mode = WAL", "VACUUM INTO '/tmp/x.db'",
        "SELECT load_extension('/tmp/x.so')", "CREATE TABLE main.x(a)", "DROP TABLE temp.bags_",
        "INSERT INTO imu VALUES (1)", "DETACH temp", "UPDATE main.sqlite_master SET sql = ''",
        "UPDATE sqlite_master SET sql = ''", "UPDATE temp.sqlite_temp_master SET sql = ''",
        "CREATE VIRTUAL TABLE temp.f USING fts5(a)"}) {
    EXPECT_ERROR(invalid, rows(query)) << query;
  }
}

TEST_F(DatabaseTest, StatementsAreCarriedOutInTurn) {
  EXPECT_THAT(rows("-- first\nCREATE TEMP TABLE t(x); /* second; */ SELECT 2 ; -- third"),
              ElementsAre("2"));
}

TEST_F(DatabaseTest, OnlyTheLastStatementMayGiveRows) {
  EXPECT_ERROR(invalid, rows("SELECT 1; SELECT 2"));
  EXPECT_ERROR(invalid, rows("SELECT 1; CREATE TEMP TABLE t(x)"));
}

TEST_F(DatabaseTest, QueriesCanKeepResults) {
  EXPECT_THAT(rows("CREATE TEMP TABLE kept AS SELECT time, voltage FROM battery; "
                   "SELECT count(*) FROM kept"),
              ElementsAre("10"));
}

TEST_F(DatabaseTest, InvalidQueriesAreErrors) {
  EXPECT_ERROR(invalid, rows(""));
  EXPECT_ERROR(invalid, rows("-- nothing"));
  EXPECT_ERROR(invalid, rows("SELEC 1"));
  EXPECT_ERROR(invalid, rows("SELECT nothing FROM imu"));
  EXPECT_ERROR(invalid, rows("SELECT 1; SELECT * FROM nowhere"));
  EXPECT_ERROR(invalid, rows("SELECT time_ns('yesterday')"));
}

TEST_F(DatabaseTest, ARealNumberIsATimeToTheNanosecond) {
  // The time of the map is a whole second, and so a multiple of 256, of which a double is exact.
  for (const char* condition :
       {"time = 1767225600*1e9", "time <= 1767225600*1e9", "time IN (1767225600*1e9)",
        "time BETWEEN 1.7e18 AND 1767225600*1e9"}) {
    EXPECT_THAT(rows(fmt::format("SELECT count(*) FROM map WHERE {}", condition)), ElementsAre("1"))
        << condition;
    EXPECT_THAT(
        rows(fmt::format("SELECT count(*) FROM messages WHERE topic = '/map' AND {}", condition)),
        ElementsAre("1"))
        << condition;
  }
}

TEST_F(DatabaseTest, ATimeIsNotComparedWithAText) {
  rows("CREATE VIRTUAL TABLE temp.even USING kitbag_resample('/battery', 1)");
  for (const char* table : {"battery", "messages", "tf", "even"}) {
    Error error = test::thrown_by([&] {
      rows(fmt::format("SELECT count(*) FROM {} WHERE time >= '2026-01-01T00:00:05Z'", table));
    });
    EXPECT_EQ(error.code(), ErrorCode::invalid) << table;
    EXPECT_THAT(error.what(), HasSubstr("compare it with time_ns('2026-01-01T00:00:05Z')"));
  }
}

TEST_F(DatabaseTest, TimesAreTextsAndBack) {
  EXPECT_THAT(rows("SELECT time_text(0), time_ns('1970-01-01T00:00:01Z'), time_text(NULL)"),
              ElementsAre("1970-01-01T00:00:00.000000000Z|1000000000|null"));
}

TEST_F(DatabaseTest, QueriesCanBeStopped) {
  std::stop_source stop;
  set_->stop = stop.get_token();
  rows("SELECT 1");
  stop.request_stop();
  EXPECT_ERROR(cancelled, rows("SELECT count(*) FROM imu a, imu b, imu c"));
  EXPECT_ERROR(cancelled, rows("SELECT max(value) FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION "
                               "ALL SELECT value + 1 FROM n) SELECT value FROM n)"));
}

std::string printed(Database& database, const std::string& query, AnswerFormat format) {
  std::string text;
  print(*database.query(query), format, {[&](std::string_view piece) { text += piece; }});
  return text;
}

TEST(Print, FormatsSayTheSame) {
  Database database(std::make_shared<BagSet>());
  const std::string query =
      "SELECT 1 AS a, 2.5 AS a, 'x,\"y\"' AS c, x'00ff' AS d, NULL AS e UNION ALL "
      "SELECT 2, 1e999, '', x'', 'z'";
  EXPECT_EQ(printed(database, query, AnswerFormat::csv),
            "a,a,c,d,e\n1,2.5,\"x,\"\"y\"\"\",AP8=,\n2,inf,,,z\n");
  EXPECT_EQ(printed(database, query, AnswerFormat::json_lines),
            "{\"a\":1,\"a_2\":2.5,\"c\":\"x,\\\"y\\\"\",\"d\":\"AP8=\",\"e\":null}\n"
            "{\"a\":2,\"a_2\":null,\"c\":\"\",\"d\":\"\",\"e\":\"z\"}\n");
  EXPECT_EQ(printed(database, "SELECT 1 AS a WHERE 0", AnswerFormat::json), "[]\n");
  EXPECT_EQ(printed(database, "SELECT 1 AS a", AnswerFormat::json), "[\n{\"a\":1}\n]\n");
}

}  // namespace
}  // namespace kitbag::sql
