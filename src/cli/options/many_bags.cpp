#include "cli/options/many_bags.h"

#include <algorithm>
#include <filesystem>

#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/verbs.h"
#include "kitbag/bag_folder.h"
#include "kitbag/escape.h"
#include "kitbag/paths.h"

namespace kitbag::cli {
namespace {

void add_bags_below(const std::string& folder, const Context& context,
                    std::vector<NamedBag>& bags) {
  std::vector<std::string> paths = bags_below(folder, context.session);
  if (paths.empty()) throw Error(ErrorCode::not_found, "no bags in this folder", folder);
  for (std::string& path : paths) {
    std::string name = std::filesystem::path(path).lexically_relative(folder).string();
    bags.push_back({std::move(path), std::move(name)});
  }
}

}  // namespace

std::vector<NamedBag> named_bags(const std::vector<std::string>& paths, bool is_recursive,
                                 const Context& context) {
  std::vector<NamedBag> bags;
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw Error(ErrorCode::invalid, "standard input can be used for only one bag", "-");
  }
  for (const std::string& path : expanded_paths(paths, context.session, context.stop)) {
    if (is_recursive && is_folder_of_bags(path, context.session)) {
      add_bags_below(path, context, bags);
    } else {
      bags.push_back({path, name_at(path)});
    }
  }
  return bags;
}

int for_each_bag(const std::vector<std::string>& paths, const Context& context,
                 const std::function<int(const std::string& path)>& work) {
  if (paths.size() == 1) return work(paths.front());
  int code = kDone;
  for (const std::string& path : paths) {
    try {
      code = std::max(code, work(path));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      // Standard output is the same for all bags: that it cannot be written is no failure of this
      // one.
      bool is_output = error.code() == ErrorCode::io &&
                       (error.file() == context.out.name() || error.file() == "-");
      if (is_output) throw;
      context.out.flush();  // what was said of the bags before it
      print_error(error_text(error));
      code = kFailed;
    }
    require_not_stopped(context.stop);
  }
  return code;
}

void print_bag_heading(const std::string& path, bool is_first, Output& out) {
  if (!is_first) out.write("\n");
  out.write(styled(escaped(shown_path(path) + ":"), Style::bold, out.is_terminal()) + "\n");
}

bool ManyBags::are_several(const Context& context) const {
  return is_recursive || bags.size() > 1 ||
         (bags.size() == 1 && is_path_glob(bags.front(), context.session));
}

std::vector<std::string> ManyBags::paths(const Context& context) const {
  std::vector<std::string> all;
  for (NamedBag& bag : named_bags(bags, is_recursive, context)) all.push_back(std::move(bag.path));
  return all;
}

}  // namespace kitbag::cli
