#include "batch/job_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/lines.h"
#include "base/path.h"
#include "base/summed_line.h"
#include "kitbag/error.h"
#include "kitbag/paths.h"

// The file `job`, a summed line for each field. Lists have a line for each entry, in their order:
//
//   kitbag batch  1
//   verb          convert
//   from          /data/in
//   to            /data/out
//   format        mcap
//   option        --topics=/odom
//
// A folder belongs to one request, and create() compares the whole text: records of a job with
// other options name the same targets, and would pass for what was asked for. So the name of the
// folder, which is a short sum of that text, need not be unique. A damaged line is an error and not
// skipped, since a request without one of its options is another request.

namespace kitbag::batch {
namespace {

constexpr std::string_view kJob = "job";
/// Files of a job are read whole.
constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 30;

}  // namespace

std::string text_of(const BatchRequest& request) {
  std::string text = summed_line({"kitbag batch", "1"});
  text += summed_line({"verb", request.verb});
  for (const std::string& from : request.from) text += summed_line({"from", from});
  text += summed_line({"to", request.to});
  text += summed_line({"format", request.format});
  for (const std::string& option : request.options) text += summed_line({"option", option});
  return text;
}

JobFolder::JobFolder(std::string path, const Session& session)
    : path_(without_slash(path)), files_(session.file_system(path_)) {}

std::string JobFolder::path_of(std::string_view name) const {
  return path_in(path_, name);
}

std::string JobFolder::text_of(std::string_view name) const {
  std::string path = path_of(name);
  if (!files_->status(path)) return {};
  auto file = files_->open(path);
  std::uint64_t size = file->size();
  if (size > kMostTextBytes) throw Error(ErrorCode::corrupt, "is too large for a job", path);
  std::string text(static_cast<std::size_t>(size), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

void JobFolder::put(std::string_view name, std::string_view text) const {
  std::string path = path_of(name);
  make_folders(std::string(parent_folder(path)), *files_);
  auto file = files_->create(path, {});
  file->append(as_bytes(text));
  file->commit();
}

void JobFolder::create(const BatchRequest& request) {
  std::string wanted = batch::text_of(request);
  std::string there = text_of(kJob);
  if (there.empty()) return put(kJob, wanted);
  if (there == wanted) return;
  throw Error(ErrorCode::invalid, "is the folder of a job with other arguments; name another one",
              path_);
}

BatchRequest JobFolder::request() const {
  std::string text = text_of(kJob);
  if (text.empty()) throw Error(ErrorCode::not_found, "is not the folder of a job", path_);
  BatchRequest request{.job = path_};
  bool is_first = true;
  for (std::string_view line : lines_of(text)) {
    auto fields = fields_of_summed_line(line);
    bool is_sound = fields && fields->size() == 2;
    if (!is_sound || (is_first && (*fields)[0] != "kitbag batch")) {
      throw Error(ErrorCode::corrupt, "the description of the job is damaged", path_of(kJob));
    }
    is_first = false;
    const std::string& name = (*fields)[0];
    const std::string& value = (*fields)[1];
    if (name == "verb") request.verb = value;
    if (name == "from") request.from.push_back(value);
    if (name == "to") request.to = value;
    if (name == "format") request.format = value;
    if (name == "option") request.options.push_back(value);
  }
  return request;
}

std::unique_ptr<FileLock> JobFolder::lock(const OnWarning& on_warning) const {
  try {
    return files_->lock(path_of(kJob), LockKind::exclusive, on_warning);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::busy) throw;
    throw Error(ErrorCode::busy, "another kitbag is at work on this job", path_);
  }
}

}  // namespace kitbag::batch
