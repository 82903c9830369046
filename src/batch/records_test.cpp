#include <gmock/gmock.h>

#include "batch/journal.h"
#include "batch/record.h"
#include "batch/slurm.h"
#include "kitbag/batch.h"

namespace kitbag::batch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Record a_record() {
  return {{"s3://bags/a\tb\n.bag", "1 5 7", "/out/a.bag"},
          BatchState::damaged,
          12,
          "1 4 9",
          "beef",
          "is damaged\n"};
}

TEST(Record, IsReadFromItsLine) {
  std::string line = line_of(a_record());
  auto read = record_of(std::string_view(line).substr(0, line.size() - 1));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->task.source, "s3://bags/a\tb\n.bag");
  EXPECT_EQ(read->task.source_state, "1 5 7");
  EXPECT_EQ(read->task.target, "/out/a.bag");
  EXPECT_EQ(read->state, BatchState::damaged);
  EXPECT_EQ(read->time_ns, 12);
  EXPECT_EQ(read->target_state, "1 4 9");
  EXPECT_EQ(read->target_sum, "beef");
  EXPECT_EQ(read->reason, "is damaged\n");
  EXPECT_FALSE(task_of(std::string_view(line).substr(0, line.size() - 1)));
}

TEST(Records, KeepTheNewestOfATarget) {
  Records records;
  Record record = a_record();
  records.put(record);
  record.time_ns = 11;
  record.state = BatchState::failed;
  records.put(record);
  EXPECT_EQ(records.find("/out/a.bag")->state, BatchState::damaged);
  record.time_ns = 13;
  records.put(record);
  EXPECT_EQ(records.find("/out/a.bag")->state, BatchState::failed);
  EXPECT_EQ(records.find("/out/b.bag"), nullptr);
}

TEST(Lines, AreUsedWhenTheyHaveAnEnd) {
  std::vector<std::string> lines;
  auto use = [&](std::string_view line) { lines.emplace_back(line); };
  EXPECT_EQ(use_lines("a\nbc\nd", use), 5U);
  EXPECT_THAT(lines, ElementsAre("a", "bc"));
}

/// What is written in several runs, in a file system whose files cannot grow.
TEST(Journal, IsReadOnFromWhereItWas) {
  Session session;
  FileSystemPtr memory = memory_file_system();
  Registry registry = session.registry();
  registry.file_systems.push_back(memory);
  Session with_memory(std::move(registry));
  JobFolder folder("memory://job", with_memory);
  Records records;
  std::vector<std::string> seen;
  auto note = [&](const Record& record) { seen.push_back(record.task.source); };
  for (const char* name : {"1", "2"}) {
    Journal journal(folder, name, with_memory.clock());
    Record record = a_record();
    record.task.source = name;
    journal.add(record);
    journal.flush();
    records.read(folder, "", note);
  }
  records.read(folder, "", note);
  EXPECT_THAT(seen, ElementsAre("1", "2"));
}

TEST(ArrayNumbers, AreThoseThatSlurmWrites) {
  EXPECT_THAT(array_numbers("7"), ElementsAre(7));
  EXPECT_THAT(array_numbers("1-3,9%4"), ElementsAre(1, 2, 3, 9));
  for (const char* text : {"", "x", "3-1", "3-", "-3", "1,x", "0-99999999999"}) {
    EXPECT_THAT(array_numbers(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace kitbag::batch
