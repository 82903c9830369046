#include "inputs.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "output.h"
#include "print.h"
#include "verbs.h"

namespace kitbag::cli {
namespace {

/// Hands on what was printed with each batch: somebody is looking at it.
class Prompt final : public Sink {
 public:
  explicit Prompt(std::unique_ptr<Sink> printer) : printer_(std::move(printer)) {}

  void write(Batch&& batch) override {
    printer_->write(std::move(batch));
    printer_->flush();
  }
  void flush() override { printer_->flush(); }
  void close() override { printer_->close(); }

 private:
  std::unique_ptr<Sink> printer_;
};

/// What is damaged at the end of a bag that grows is not told here: it may be whole soon.
Query make_query(const EchoArguments& arguments, const Registry& registry) {
  Query query;
  query.select = arguments.select;
  if (arguments.payload.where.empty()) query.count = arguments.count;
  filter(query);  // expressions that do not compile are reported first
  if (arguments.start) {
    BagPtr bag = open(arguments.bag, arguments.reading.with([](const Error&) {}), registry);
    const Summary& summary = bag->summary();
    query.begin = arguments.start->resolve(summary.start, summary.end);
  }
  return query;
}

}  // namespace

int echo(const EchoArguments& arguments, const Context& context) {
  PayloadOptions payload = arguments.payload;
  payload.on_error = arguments.print.on_error;
  PayloadStages stages(payload, context);
  Damage damage;
  OnProblem on_problem;
  if (!arguments.reading.is_strict) on_problem = [&](const Error& found) { damage.add(found); };
  ReadOptions reading = arguments.reading.with(on_problem);
  Query query = make_query(arguments, context.registry);
  auto source = follow(arguments.bag, query, reading, context.registry, context.clock);
  source = stages.add_to(std::move(source), arguments.count);
  Prompt prompt(printer(arguments.print, context, stages.report()));
  run(*source, prompt, context.clock, context.stop);
  int code = warn_of(damage);
  stages.warn();
  // Ctrl-C is how it ends; what was cut off then may be whole soon.
  return context.stop.stop_requested() ? kDone : code;
}

}  // namespace kitbag::cli
