#include "cli/terminal/topic_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/system_error.h"

// A bag may have more topics than a process may have open files. So files are open only while text
// is appended to them, which waits in memory until there is enough of it.
//
// The name of a file comes from a bag, and a bag from anybody. Letters that could mean something to
// a file system or a shell become "_", and topics that are then alike get a number. A file that
// exists is never written to: it is created exclusively, before the first text is kept for it.

namespace kitbag::cli {
namespace {

constexpr std::size_t kMostWaiting = 16 << 20;
constexpr std::size_t kLongestName = 100;

std::string extension_of(PrintFormat format) {
  if (format == PrintFormat::csv) return ".csv";
  if (format == PrintFormat::json) return ".jsonl";
  if (format == PrintFormat::yaml) return ".yaml";
  throw Error(ErrorCode::invalid, "--split-by-topic requires --format json, yaml or csv");
}

bool is_safe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// "camera_image_raw" of "/camera/image_raw"
std::string safe_name(std::string_view topic) {
  while (topic.starts_with('/')) topic.remove_prefix(1);
  std::string name(topic.substr(0, kLongestName));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_safe(c); }, '_');
  return name.empty() ? "topic" : name;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

[[noreturn]] void throw_system(const std::filesystem::path& path) {
  int number = errno;
  throw SystemError(Error(ErrorCode::io, std::generic_category().message(number), path.string()),
                    number);
}

}  // namespace

TopicFiles::TopicFiles(const std::string& folder, PrintingOptions options, TranscodeReport& report,
                       const Context& context)
    : folder_(folder),
      options_(std::move(options)),
      extension_(extension_of(options_.format)),
      report_(report),
      context_(context) {
  options_.is_for_terminal = false;
  options_.has_colors = false;
  options_.most_elements = options_.elided_behind.value_or(0);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw SystemError(Error(ErrorCode::io, error.message(), folder), error.value());
}

TopicFiles::~TopicFiles() = default;

std::filesystem::path TopicFiles::new_path(const std::string& topic) {
  std::string name = safe_name(topic);
  std::string unique = name;
  for (std::size_t number = 2; !names_.insert(lower(unique)).second; ++number) {
    unique = fmt::format("{}-{}", name, number);
  }
  return folder_ / (unique + extension_);
}

TopicFiles::File& TopicFiles::file_of(const std::string& topic) {
  std::unique_ptr<File>& file = files_[topic];
  if (file) return *file;
  auto made = std::make_unique<File>(File{.topic = topic, .path = new_path(topic)});
  std::FILE* created = std::fopen(made->path.c_str(), "wx");
  if (!created && errno == EEXIST) {
    throw Error(ErrorCode::exists, "the file exists; choose another folder", made->path.string());
  }
  if (!created) throw_system(made->path);
  // The name is taken now; the text comes later.
  std::fclose(created);
  File* to = made.get();
  made->printer = printer(options_, {[this, to](std::string_view text) {
                            to->waiting += text;
                            waiting_bytes_ += text.size();
                          }},
                          report_, context_.session);
  file = std::move(made);
  return *file;
}

void TopicFiles::write(Batch&& batch) {
  for (const Message& message : std::as_const(batch).messages()) {
    File& file = file_of(message.channel->topic);
    Batch one;
    one.add(message);
    // A batch of one: each topic has its own printer, and messages of all topics come mixed.
    file.printer->write(std::move(one));
    ++file.messages;
    if (waiting_bytes_ > kMostWaiting) flush();
  }
}

void TopicFiles::append(File& file) {
  if (file.waiting.empty()) return;
  std::FILE* opened = std::fopen(file.path.c_str(), "a");
  if (!opened) throw_system(file.path);
  std::size_t written = std::fwrite(file.waiting.data(), 1, file.waiting.size(), opened);
  bool is_written = written == file.waiting.size();
  if (std::fclose(opened) != 0 || !is_written) throw_system(file.path);
  std::string().swap(file.waiting);
}

void TopicFiles::flush() {
  for (auto& [topic, file] : files_) append(*file);
  waiting_bytes_ = 0;
}

void TopicFiles::close() {
  for (auto& [topic, file] : files_) file->printer->close();
  flush();
}

}  // namespace kitbag::cli
