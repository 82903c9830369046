#include "model/type/value_budget.h"

#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

TEST(ValueBudget, GrowsWithThePayload) {
  ValueBudget small(0);
  small.charge(1 << 16);
  EXPECT_EQ(test::thrown_by([&] { small.charge(1); }).code(), ErrorCode::limit);
  ValueBudget large(1 << 20);
  large.charge(32 << 20);
  EXPECT_NO_THROW(large.charge(1 << 16));
}

TEST(ValueBudget, HugeChargesDoNotWrapAround) {
  ValueBudget budget(0);
  budget.charge(1);
  EXPECT_EQ(test::thrown_by([&] { budget.charge(UINT64_MAX); }).code(), ErrorCode::limit);
}

}  // namespace
}  // namespace kitbag
