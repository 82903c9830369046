#include "bag_info.h"
#include "inputs.h"
#include "json.h"
#include "output.h"
#include "verbs.h"

namespace kitbag::cli {

int info(const InfoArguments& arguments, const Context& context) {
  Inputs inputs(arguments.bags, arguments.reading, context);
  std::vector<BagInfo> infos;
  for (std::size_t i = 0; i < arguments.bags.size(); ++i) {
    infos.push_back(describe_bag(arguments.bags[i], *inputs.bags()[i], context.stop));
  }
  if (arguments.as_json) {
    context.out.write(info_json(infos) + "\n");
  } else {
    for (const BagInfo& each : infos) {
      if (&each != &infos.front()) context.out.write("\n");
      context.out.write(info_text(each, context.out.is_terminal()));
    }
  }
  inputs.warn();
  return kDone;
}

}  // namespace kitbag::cli
