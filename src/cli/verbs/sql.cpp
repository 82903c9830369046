#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/options/definitions.h"
#include "cli/options/inputs.h"
#include "cli/options/open_catalog.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/table.h"
#include "cli/terminal/transcode_warnings.h"
#include "cli/verbs.h"
#include "kitbag/bag_folder.h"
#include "kitbag/catalog.h"
#include "kitbag/damage.h"
#include "kitbag/database.h"
#include "kitbag/error.h"
#include "sql/database.h"
#include "sql/duckdb/database.h"
#include "sql/fleet.h"
#include "sql/print.h"

// A table needs the widths of its columns before the first line, and an answer may be long. So it
// is laid out in blocks of kRowsAtOnce rows: the first one sets the widths, and later ones only
// widen them.
//
// All bags of a command line are opened first, since tables follow from their topics. Those of a
// catalog are not: its rows say what topics they have, and a bag is opened when a query needs its
// messages.

namespace kitbag::cli {
namespace {

/// A table is laid out in blocks of this many rows.
constexpr std::size_t kRowsAtOnce = 1000;

struct TableCell {
  std::string operator()(std::monostate) const { return "NULL"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(std::string_view value) const { return std::string(value); }
  std::string operator()(ByteView value) const { return fmt::format("<{} bytes>", value.size()); }
};

bool is_number(const sql::Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

void print_table(sql::Answer& answer, Output& out) {
  TableBlocks table(out.is_terminal());
  const std::vector<std::string> names = answer.names();
  std::vector<Cells> lines = {names};
  std::vector<bool> are_numbers(names.size(), true);
  for (bool has_more = true; has_more; lines.clear()) {
    while (lines.size() < kRowsAtOnce && (has_more = answer.next())) {
      Cells& cells = lines.emplace_back();
      for (std::size_t i = 0; i < names.size(); ++i) {
        sql::Value value = answer.value(i);
        bool is_null = std::holds_alternative<std::monostate>(value);
        are_numbers[i] = are_numbers[i] && (is_null || is_number(value));
        cells.push_back(std::visit(TableCell(), value));
      }
    }
    out.write(table.layout(std::move(lines), are_numbers));
  }
}

/// The bags of a command line, in which a folder stands for all bags in it.
class BagsOfQuery {
 public:
  /// A bag of a folder that cannot be opened is reported, and left out. Throws Error for other
  /// bags.
  BagsOfQuery(const SqlArguments& arguments, const Context& context)
      : definitions_(arguments.definitions, context.session) {
    const ReadingOptions& reading = arguments.reading;
    for (const std::string& path : arguments.bags) {
      bool is_folder = is_folder_of_bags(path, context.session);
      for (const std::string& each : sql::bags_at(path, context.session)) {
        try {
          add(each, reading, context);
        } catch (const Error& error) {
          if (!is_folder || reading.is_strict || error.code() == ErrorCode::cancelled) throw;
          print_warning(problem_text(error) + "; the bag is left out");
          is_complete_ = false;
        }
      }
    }
  }

  const std::vector<sql::NamedBag>& named() const { return named_; }

  /// Reports damage, and definitions without proof. Gives the exit code.
  [[nodiscard]] int warn() const {
    definitions_.warn();
    int code = is_complete_ ? kDone : kNotSo;
    for (const auto& each : inputs_) code = std::max(code, each->warn());
    return code;
  }

 private:
  void add(const std::string& path, const ReadingOptions& reading, const Context& context) {
    auto inputs = std::make_unique<Inputs>(std::vector{path}, reading, context,
                                           InputOptions{.definitions = &definitions_});
    if (inputs->has_stream()) {
      throw Error(ErrorCode::unsupported,
                  "a query may read a bag several times; save the bag to a file first", "-");
    }
    named_.push_back({path, inputs->bags()[0]});
    inputs_.push_back(std::move(inputs));
  }

  Definitions definitions_;
  std::vector<std::unique_ptr<Inputs>> inputs_;
  std::vector<sql::NamedBag> named_;
  bool is_complete_ = true;  ///< no bag was left out
};

/// The bags of a catalog, which is named in their place.
class FleetOfQuery {
 public:
  /// Throws Error.
  FleetOfQuery(const SqlArguments& arguments, const Context& context)
      : definitions_(arguments.definitions, context.session),
        catalog_(open_catalog(arguments.catalog, context)),
        fleet_(catalog_, without_password(arguments.catalog),
               read_options(arguments.reading, context),
               [this](BagPtr bag) { return definitions_.supply(std::move(bag)); }) {}

  const std::vector<sql::NamedBag>& named() const { return fleet_.bags(); }

  /// Says how many bags were opened, and what is wrong with some. Gives the exit code.
  [[nodiscard]] int warn() const {
    definitions_.warn();
    for (const Error& error : fleet_.failed()) {
      print_warning(problem_text(error) + "; the bag is left out");
    }
    std::string text =
        fmt::format("{}, {} opened", counted(fleet_.bags().size(), "bag"), fleet_.opened());
    if (fleet_.changed() > 0) {
      text += fmt::format(", {} of them changed since they were added", fleet_.changed());
    }
    print_note(text);
    return std::max(fleet_.failed().empty() ? kDone : kNotSo, warn_of(damage_));
  }

 private:
  ReadOptions read_options(const ReadingOptions& reading, const Context& context) {
    OnProblem on_problem;
    if (!reading.is_strict) on_problem = [this](const Error& found) { damage_.add(found); };
    ReadOptions options = reading.with(std::move(on_problem));
    options.stop = context.stop;
    return options;
  }

  Damage damage_;
  Definitions definitions_;
  Catalog catalog_;
  sql::Fleet fleet_;
};

void print_answer(sql::Answer& answer, AnswerForm form, Output& out) {
  const TextOut text{[&](std::string_view piece) { out.write_content(piece); }};
  switch (form) {
    case AnswerForm::table:
      return print_table(answer, out);
    case AnswerForm::csv:
      return print(answer, sql::AnswerFormat::csv, text);
    case AnswerForm::json:
      return print(answer, sql::AnswerFormat::json, text);
    case AnswerForm::ndjson:
      return print(answer, sql::AnswerFormat::json_lines, text);
    case AnswerForm::arrow:
      return print(answer, sql::AnswerFormat::arrow, text);
  }
}

void answer_by_duckdb(const std::shared_ptr<sql::BagSet>& set, const SqlArguments& arguments,
                      Output& out) {
  const char* path = std::getenv("KITBAG_DUCKDB");
  sql::DuckDbDatabase database(set, sql::load_duckdb(path ? path : ""));
  print_answer(*database.query(arguments.query), arguments.form, out);
}

void answer(const std::shared_ptr<sql::BagSet>& set, const SqlArguments& arguments,
            const Context& context) {
  if (arguments.engine == SqlEngine::duckdb) {
    answer_by_duckdb(set, arguments, context.out);
  } else {
    sql::Database database(set);
    print_answer(*database.query(arguments.query), arguments.form, context.out);
  }
  require_not_stopped(context.stop);
  context.out.flush();
}

}  // namespace

int sql(const SqlArguments& arguments, const Context& context) {
  if (arguments.form == AnswerForm::arrow && context.out.is_terminal()) {
    throw Error(ErrorCode::invalid,
                "--format arrow is not for terminals; redirect the output to a file or a program");
  }
  TranscodeReport report;
  auto set = std::make_shared<sql::BagSet>();
  set->session = context.session;
  set->on_error = arguments.on_error;
  set->report = &report;
  set->on_warning = [](const Error& warning) { print_warning(warning.message()); };
  set->stop = context.stop;
  int code = kDone;
  if (!arguments.catalog.empty()) {
    FleetOfQuery fleet(arguments, context);
    set->bags = fleet.named();
    set->is_catalog = true;
    answer(set, arguments, context);
    code = fleet.warn();
    // The set outlives the fleet, which these bags belong to.
    set->bags.clear();
  } else {
    BagsOfQuery bags(arguments, context);
    set->bags = bags.named();
    sql::sort_bags(*set);
    answer(set, arguments, context);
    code = bags.warn();
  }
  warn_of(report);
  return code;
}

}  // namespace kitbag::cli
