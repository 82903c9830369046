#pragma once

#include "kitbag/print.h"
#include "sql/answer.h"

namespace kitbag::sql {

/// How an answer is printed.
enum class AnswerFormat {
  csv,   ///< a line of names, and one for each row (RFC 4180)
  json,  ///< an array with an object for each row
  json_lines,
};

/// Prints all rows. Names that occur twice get a number behind them in JSON. Bytes are base64.
/// Throws as Answer::next() and `out` do.
void print(Answer& answer, AnswerFormat format, const TextOut& out);

}  // namespace kitbag::sql
