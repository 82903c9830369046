#include <fmt/format.h>

#include <utility>

#include "io/local/folder_file.h"
#include "kitbag/error.h"
#include "kitbag/exporter.h"

// Files are staged one by one, folders as a whole: a topic with a hundred thousand pictures is one
// rename, and its files are synced together. So a folder of an export that is there already is an
// error, and its files are not mixed with older ones.

namespace kitbag {
namespace {

constexpr std::size_t kLongestName = 200;  // a file system takes 255 bytes, and writers add some

bool is_safe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

std::string export_name(std::string_view topic) {
  if (topic.starts_with('/')) topic.remove_prefix(1);
  std::string name;
  // A point in front is encoded: no name is hidden, or is "." or "..".
  for (char c : topic) {
    if (c == '/') {
      name += "__";
    } else if (is_safe(c) && !(c == '.' && name.empty())) {
      name += c;
    } else {
      name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return name.empty() ? "topic" : name;
}

ExportFolder::ExportFolder(std::string folder, const ExportRequest& request, const Session& session)
    : folder_(std::move(folder)),
      may_replace_(request.may_replace),
      on_warning_(request.columns.on_warning),
      file_system_(session.file_system(folder_)) {
  while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
}

ExportFolder::~ExportFolder() = default;

std::string ExportFolder::path_of(const std::string& name) const {
  return folder_ + "/" + name;
}

std::string ExportFolder::name_of(const std::string& topic, std::string_view extension) {
  std::string name = export_name(topic);
  if (name.size() > kLongestName) {
    throw Error(ErrorCode::invalid,
                fmt::format("the name of the topic {} is too long for a file; leave the topic "
                            "out or rename it",
                            topic));
  }
  name += extension;
  auto [place, is_new] = topics_by_name_.emplace(lower(name), topic);
  if (!is_new) {
    throw Error(ErrorCode::invalid,
                fmt::format("the topics {} and {} would have the same file, {}; export them into "
                            "two folders",
                            place->second, topic, name));
  }
  return name;
}

std::string ExportFolder::name_of_another(const std::string& topic, std::uint64_t& number,
                                          std::string_view extension) {
  std::string base = export_name(topic);
  for (;; ++number) {
    std::string name = fmt::format("{}.{}{}", base, number, extension);
    if (topics_by_name_.emplace(lower(name), topic).second) return name;
  }
}

std::string ExportFolder::hidden_place(const std::string& name) {
  if (!staging_) {
    file_system_->make_folder(folder_);
    staging_ = file_system_->stage(folder_ + "/.", on_warning_);
  }
  std::size_t slash = name.find('/');
  if (slash == std::string::npos) return staging_->place(path_of(name), may_replace_);
  // Only the outermost folder is staged. What is inside of it gets its name with it.
  auto [place, is_new] = folders_.try_emplace(name.substr(0, slash));
  if (is_new) {
    place->second = staging_->place(path_of(place->first) + "/", false);
    file_system_->make_folder(place->second);
  }
  for (std::size_t next = name.find('/', slash + 1); next != std::string::npos;
       next = name.find('/', next + 1)) {
    std::string inner = place->second + name.substr(slash + 1, next - slash - 1);
    if (folders_.emplace(name.substr(0, next), inner).second) file_system_->make_folder(inner);
  }
  return place->second + name.substr(slash + 1);
}

std::unique_ptr<WriteFile> ExportFolder::create(const std::string& name) {
  std::string place = hidden_place(name);
  bool is_one_of_many = name.find('/') != std::string::npos && file_system_->is_local();
  if (is_one_of_many) return create_folder_file(place);
  return file_system_->create(place, {.on_warning = on_warning_});
}

std::string ExportFolder::place(const std::string& name) {
  if (!file_system_->is_local()) {
    throw Error(ErrorCode::unsupported,
                "this format is written to a local folder only; export into one and copy it",
                folder_);
  }
  return hidden_place(name);
}

void ExportFolder::publish() {
  if (file_system_->is_local()) {
    for (const auto& [name, place] : folders_) {
      if (name.find('/') == std::string::npos) sync_folder_files(place);
    }
  }
  if (staging_) return staging_->publish();
  file_system_->make_folder(folder_);
}

Error ExportFolder::with_final_name(const Error& error) const {
  return staging_ ? staging_->with_final_name(error) : error;
}

}  // namespace kitbag
