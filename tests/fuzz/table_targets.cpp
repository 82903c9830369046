#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/csv.h"
#include "kitbag/import_tables.h"
#include "kitbag/parquet.h"
#include "kitbag/session.h"
#include "tests/fuzz/targets.h"

// Tables that become messages: Parquet, with whatever it says of its types, and CSV.

namespace kitbag::fuzz {
namespace {

constexpr std::uint64_t kMostMessages = 20'000;

const Session& table_session() {
  static const Session kSession;
  return kSession;
}

/// Some rows: a few bytes may stand for very many.
void read_messages(TableFile table, const std::string& type) {
  ImportRequest request;
  request.type = type;
  request.topic = "/x";
  request.ignores_columns = true;
  request.definitions = {{kStandardDefinitions, 0}};
  auto source = messages_from(std::move(table), request, table_session());
  std::uint64_t count = 0;
  for (Batch batch; count < kMostMessages && source->read(batch, {}); batch.clear()) {
    count += batch.messages().size();
  }
}

template <class Open>
void run_table(Open open, const std::string& type) {
  try {
    read_messages(open(), type);
  } catch (const Error& error) {
    require(error.code() != ErrorCode::io);
  }
}

void run_parquet(ByteView bytes) {
  for (const char* type : {"", "nav_msgs/Odometry"}) {
    run_table(
        [&] {
          TableFile table;
          table.name = "x";
          auto reader = parquet_reader(memory_file(bytes), "x");
          table.key_values = reader->key_values();
          table.columns = std::move(reader);
          return table;
        },
        type);
  }
}

void run_csv(ByteView bytes) {
  run_table(
      [&] {
        TableFile table;
        table.name = "x";
        table.columns = csv_reader(memory_file(bytes), "x");
        table.is_empty_missing = true;
        return table;
      },
      "sensor_msgs/BatteryState");
}

std::vector<std::string> parquet_seeds() {
  std::vector<std::string> seeds;
  BagPtr bag = table_session().open("demo://?seconds=0.3&seed=7");
  for (const char* topic : {"/odom", "/battery", "/diagnostics", "/tf"}) {
    for (int level : {0, 1}) {
      Query query;
      query.select.topics = {topic};
      ParquetOptions options;
      options.zstd_level = level;
      options.page_bytes = 200;
      for (const ChannelPtr& channel : *bag->summary().channels) {
        if (channel && channel->topic == topic) {
          options.key_values = table_key_values(*channel, table_session());
        }
      }
      std::string file;
      write_parquet(
          *columns(*bag, query, {.has_topic = false}, table_session()),
          [&](ByteView piece) { file += as_text(piece); }, options);
      seeds.push_back(std::move(file));
    }
  }
  return seeds;
}

std::vector<std::string> csv_seeds() {
  return {"time,voltage,present,location,cell_voltage\n1,2.5,true,here,\"[1,2]\"\n",
          "log_time,header.stamp,voltage\r\n2026-01-01T00:00:00Z,2026-01-01 00:00:00.5,nan\r\n",
          "\xef\xbb\xbflog_time_ns,topic,header.stamp.sec,\"vol\"\"tage\"\n5,/a,1,\n"};
}

}  // namespace

void add_tables(std::map<std::string, Target>& all) {
  all["table-parquet"] = {run_parquet, parquet_seeds};
  all["table-csv"] = {run_csv, csv_seeds};
}

}  // namespace kitbag::fuzz
