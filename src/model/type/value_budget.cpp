#include "model/type/value_budget.h"

#include "kitbag/error.h"

namespace kitbag {

void ValueBudget::fail() {
  throw Error(ErrorCode::limit,
              "the definition yields far more values than the message's bytes can hold");
}

}  // namespace kitbag
