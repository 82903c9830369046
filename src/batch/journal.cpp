#include "batch/journal.h"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "base/path.h"
#include "kitbag/paths.h"

// A journal has one writer, which only adds lines, so no lock is needed to read it: a line without
// an end is being written and is left for the next look, one whose sum is wrong was torn by a kill
// and is skipped. Whoever waits for an array job looks twice a second. Records keeps how far it has
// read each journal, so a look costs a listing and what is new.
//
// In a store an object cannot grow, so a journal is a row of objects, NAME.0, NAME.1 and so on. A
// kill loses what had not been put there yet. The next run finds these targets and compares them,
// which costs time and no data.

namespace kitbag::batch {
namespace {

constexpr std::string_view kFolder = "records";
/// Between two files of a journal in a store.
constexpr Duration kFilePeriod = std::chrono::seconds(5);

}  // namespace

std::size_t use_lines(std::string_view text, const std::function<void(std::string_view)>& use) {
  std::size_t used = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', used)) {
    use(text.substr(used, end - used));
    used = end + 1;
  }
  return used;
}

Journal::Journal(const JobFolder& folder, std::string name, ClockPtr clock)
    : folder_(folder),
      name_(std::move(name)),
      clock_(std::move(clock)),
      due_(clock_->steady() + kFilePeriod) {}

void Journal::add(const Record& record) {
  std::lock_guard lock(mutex_);
  std::string line = line_of(record);
  if (!folder_.files().is_local()) {
    waiting_ += line;
    if (clock_->steady() >= due_) put();
    return;
  }
  if (!file_) {
    make_folders(folder_.path_of(kFolder), folder_.files());
    file_ = folder_.files().create(path_in(folder_.path_of(kFolder), name_),
                                   {.io = Io::buffered, .is_visible = true});
  }
  file_->append(as_bytes(line));
  file_->flush();
}

void Journal::flush() {
  std::lock_guard lock(mutex_);
  if (!waiting_.empty()) put();
}

void Journal::put() {
  folder_.put(fmt::format("{}/{}.{}", kFolder, name_, files_++), std::exchange(waiting_, {}));
  due_ = clock_->steady() + kFilePeriod;
}

void Records::read(const JobFolder& folder, const std::string& name,
                   const std::function<void(const Record&)>& on_record) {
  std::string place = folder.path_of(kFolder);
  if (!folder.files().status(place)) return;
  std::vector<FolderEntry> journals;
  folder.files().visit(place, [&](FolderEntry entry) {
    if (!entry.status.is_regular || !entry.name.starts_with(name)) return;
    if (entry.name.starts_with('.')) return;  // being written
    if (entry.status.size_bytes > read_bytes_[entry.name]) journals.push_back(std::move(entry));
  });
  for (const FolderEntry& entry : journals) {
    std::uint64_t& at = read_bytes_[entry.name];
    auto file = folder.files().open(path_in(place, entry.name));
    std::string text(static_cast<std::size_t>(entry.status.size_bytes - at), '\0');
    text.resize(file->read(at, std::as_writable_bytes(std::span(text))));
    at += use_lines(text, [&](std::string_view line) {
      auto record = record_of(line);
      if (!record) return;
      put(*record);
      if (on_record) on_record(*record);
    });
  }
}

void Records::put(const Record& record) {
  // Journals are read in the order of a listing, so the time of a record decides and not its place.
  auto [place, is_new] = records_.emplace(record.task.target, record);
  if (!is_new && place->second.time_ns <= record.time_ns) place->second = record;
}

const Record* Records::find(const std::string& target) const {
  auto found = records_.find(target);
  return found == records_.end() ? nullptr : &found->second;
}

}  // namespace kitbag::batch
