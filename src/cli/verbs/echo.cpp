#include "cli/options/fields_to_come.h"
#include "cli/options/inputs.h"
#include "cli/options/live_system.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/printed.h"
#include "cli/verbs.h"
#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"

// Three kinds of sources that grow: a live system (echo_live.cpp), a bag that comes through a pipe,
// and a bag that somebody is writing, which is followed. Only the last one is looked at again and
// again, and what is damaged at its end may be whole at the next look. So damage counts only when
// it ends by itself, and a topic that nobody has sent is missed only then.

namespace kitbag::cli {
namespace {

/// Damage at the end of a bag that grows is not reported here: it may be intact soon.
Query query_of(const EchoArguments& arguments, const Session& session) {
  Query query;
  query.select = arguments.select;
  if (arguments.payload.where.empty()) query.count = arguments.count;
  Selector selector(query.select);  // expressions that do not compile are reported first
  if (arguments.start) {
    BagPtr bag = session.open(arguments.bag, arguments.reading.with([](const Error&) {}));
    const Summary& summary = bag->summary();
    bool is_relative = arguments.start->from != TimePoint::From::epoch;
    if (is_relative && summary.messages == 0) {
      throw Error(ErrorCode::invalid,
                  "a relative --start requires a message, but the bag has none yet; use an "
                  "absolute time, or wait",
                  arguments.bag);
    }
    query.begin = arguments.start->resolve(summary.start, summary.end);
  }
  return query;
}

/// What comes through a pipe grows by itself, and is read like any other.
int echo_stream(const EchoArguments& arguments, PayloadStages& stages, const Context& context) {
  SelectOptions select;
  select.select = arguments.select;
  select.start = arguments.start;
  select.order = Order::file;
  Inputs inputs({arguments.bag}, arguments.reading, context);
  Query query = make_query(select, inputs.bags());
  if (arguments.payload.where.empty()) query.count = arguments.count;
  FieldsToCome source(stages.add_to(inputs.read(query), arguments.count), arguments.print.fields,
                      select.select, context.session);
  auto prompt = prompt_to(context, arguments.print, stages.report());
  run(source, *prompt, context.clock, context.stop);
  int code = inputs.warn();
  stages.warn();
  source.require();
  return context.stop.stop_requested() ? kDone : code;
}

/// A topic of a bag that still grows may come yet; of one that is complete it is missing.
void require_topics(const EchoArguments& arguments, const Context& context) {
  BagPtr bag;
  try {
    bag = context.session.open(arguments.bag, arguments.reading.with([](const Error&) {}));
  } catch (const Error& error) {
    if (is_final(error.code()) && !context.stop.stop_requested()) throw;
    return;  // it has gone, which is one way for it to end
  }
  SelectOptions select;
  select.select = arguments.select;
  try {
    make_query(select, {&bag, 1});
  } catch (const Error& error) {
    if (!context.stop.stop_requested()) throw;
    print_warning(error.what());
  }
}

/// The bag, or the recording of that name that is not complete.
std::string path_of_growing(const std::string& bag, const Context& context) {
  if (bag == "-") return bag;
  std::string path = context.session.path_of(bag);
  FileSystemPtr files = context.session.file_system(path);
  std::string active = path + kActiveSuffix;
  if (files->status(path) || !files->status(active)) return bag;
  print_note(active + ": following the recording that is to become " + bag);
  return active;
}

}  // namespace

int echo(const EchoArguments& given, const Context& context) {
  if (is_live_system(given.bag, context.session)) return echo_live(given, context);
  if (!given.parameters.empty()) {
    throw Error(ErrorCode::invalid, "options for systems of ROS do not apply to a bag", given.bag);
  }
  EchoArguments arguments = given;
  arguments.bag = path_of_growing(given.bag, context);
  PayloadOptions payload = arguments.payload;
  payload.on_error = arguments.print.on_error;
  PayloadStages stages(payload, context);
  if (arguments.bag == "-") return echo_stream(arguments, stages, context);
  Damage damage;
  OnProblem on_problem;
  if (!arguments.reading.is_strict) on_problem = [&](const Error& found) { damage.add(found); };
  ReadOptions reading = arguments.reading.with(on_problem);
  Query query = query_of(arguments, context.session);
  auto followed = follow(arguments.bag, query, reading, context.session);
  FieldsToCome source(stages.add_to(std::move(followed), arguments.count), arguments.print.fields,
                      query.select, context.session);
  auto prompt = prompt_to(context, arguments.print, stages.report());
  Totals totals = run(source, *prompt, context.clock, context.stop);
  int code = warn_of(damage);
  stages.warn();
  source.require();
  if (totals.messages < arguments.count) require_topics(arguments, context);
  // Ctrl-C is how it ends; what was cut off then may be whole soon.
  return context.stop.stop_requested() ? kDone : code;
}

}  // namespace kitbag::cli
