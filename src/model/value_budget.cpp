#include "model/value_budget.h"

#include "kitbag/error.h"

namespace kitbag {

void ValueBudget::fail() {
  throw Error(ErrorCode::limit,
              "the definition makes far more values of the message than its bytes can hold");
}

}  // namespace kitbag
