#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/many_bags.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/table.h"
#include "cli/verbs.h"
#include "kitbag/bag_folder.h"
#include "kitbag/escape.h"
#include "kitbag/file_system.h"
#include "kitbag/paths.h"
#include "kitbag/registry.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

/// A bucket may hold millions of files; a table of them is printed in blocks (TableBlocks).
constexpr std::size_t kBlockLines = 1000;

/// The files that one path stands for, as they are printed.
class FileList {
 public:
  FileList(const LsArguments& arguments, const Context& context)
      : arguments_(arguments), context_(context), blocks_(context.out.is_terminal()) {}

  int print(const std::string& path) {
    code_ = kDone;
    std::vector<FoundPath> found =
        list_files(path, arguments_.is_recursive, context_.session, context_.stop);
    if (arguments_.link) leave_out_folders(found);
    for (const FoundPath& each : found) print(each);
    print_block();
    return code_;
  }

 private:
  /// They have no addresses.
  void leave_out_folders(std::vector<FoundPath>& found) const {
    auto folders =
        std::erase_if(found, [](const FoundPath& each) { return each.status.is_folder; });
    if (folders == 0) return;
    print_note(
        fmt::format("{} left out; use -r for the files in them", counted(folders, "folder")));
  }

  void print(const FoundPath& found) {
    require_not_stopped(context_.stop);
    ListedFile file{.path = shown_path(found.path),
                    .is_folder = found.status.is_folder,
                    .size_bytes = found.status.size_bytes};
    // Folders of an object store are only parts of names, and have no time.
    if (found.status.modified != Time()) file.modified = found.status.modified;
    if (arguments_.opens_bags) file.bag = bag_at(found);
    if (arguments_.link) file.link = link_to(found.path);
    if (arguments_.as_json) return context_.out.write(listed_json(file) + "\n");
    bool is_table = arguments_.is_long || arguments_.opens_bags;
    if (!is_table) return print_name(name_of(file));
    lines_.push_back(cells_of(file));
    if (lines_.size() >= kBlockLines) print_block();
  }

  std::string name_of(const ListedFile& file) const {
    if (!file.link.empty()) return file.link;
    return file.path + (file.is_folder && !file.path.ends_with('/') ? "/" : "");
  }

  /// For other programs as it is.
  void print_name(const std::string& name) const {
    context_.out.write((context_.out.is_terminal() ? escaped(name) : name) + "\n");
  }

  Cells cells_of(const ListedFile& file) const {
    Cells cells;
    if (arguments_.is_long) {
      cells.push_back(file.is_folder ? "-" : format_size(file.size_bytes));
      // To the second, as stores have it.
      cells.push_back(file.modified ? format_time(*file.modified).substr(0, 19) + "Z" : "-");
    }
    if (arguments_.opens_bags) {
      const auto& bag = file.bag;
      bool has_time = bag && bag->messages > 0;
      cells.push_back(bag ? bag->format : "-");
      cells.push_back(has_time ? format_duration(saturating_difference(bag->start, bag->end))
                               : "-");
      cells.push_back(bag ? grouped(bag->messages) : "-");
    }
    cells.push_back(name_of(file));
    return cells;
  }

  void print_block() {
    if (lines_.empty()) return;
    std::vector<Cells> lines = {{}};
    std::vector<bool> to_right;
    if (arguments_.is_long) {
      lines.front() = {"size", "modified"};
      to_right = {true, false};
    }
    if (arguments_.opens_bags) {
      for (const char* name : {"format", "duration", "messages"}) lines.front().emplace_back(name);
      to_right.insert(to_right.end(), {false, true, true});
    }
    lines.front().emplace_back(arguments_.link ? "address" : "path");
    to_right.push_back(false);
    if (has_heading_) lines.clear();
    has_heading_ = true;
    std::move(lines_.begin(), lines_.end(), std::back_inserter(lines));
    lines_.clear();
    context_.out.write(blocks_.layout(std::move(lines), to_right));
  }

  /// Nothing of what is no bag; one that cannot be read is reported.
  std::optional<Summary> bag_at(const FoundPath& found) {
    const Session& session = context_.session;
    try {
      if (found.status.is_folder && !is_bag_directory(found.path, session)) return std::nullopt;
      if (!found.status.is_folder && !is_bag_file(found.path, found.status, session)) {
        return std::nullopt;
      }
      bool is_damaged = false;
      ReadOptions options;
      options.stop = context_.stop;
      options.on_problem = [&](const Error&) { is_damaged = true; };
      Summary summary = session.open(found.path, options)->summary();
      if (is_damaged) code_ = std::max(code_, kNotSo);
      if (is_damaged) print_warning(shown_path(found.path) + ": is damaged; see kitbag check");
      return summary;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      code_ = kFailed;
      print_error(error_text(error));
      return std::nullopt;
    }
  }

  std::string link_to(const std::string& path) const {
    auto link = context_.session.file_system(path)->link(path, *arguments_.link);
    if (link) return *link;
    throw Error(ErrorCode::unsupported, "only files in object stores (s3://) have such addresses",
                shown_path(path));
  }

  const LsArguments& arguments_;
  const Context& context_;
  TableBlocks blocks_;
  std::vector<Cells> lines_;
  bool has_heading_ = false;
  int code_ = kDone;
};

}  // namespace

int ls(const LsArguments& arguments, const Context& context) {
  ExitOnStop nothing_to_clean_up(context.stop);
  FileList listing(arguments, context);
  return for_each_bag(arguments.paths, context,
                      [&](const std::string& path) { return listing.print(path); });
}

}  // namespace kitbag::cli
