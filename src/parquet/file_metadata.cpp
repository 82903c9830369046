#include "parquet/file_metadata.h"

#include "kitbag/error.h"
#include "parquet/page_bytes.h"
#include "parquet/thrift_reader.h"

// The numbers of fields are those of parquet.thrift:
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
//
// Fields that nobody needs to read the values (statistics, indexes, encodings that are listed
// again in each page) are skipped, so that what is wrong with them is no error.

namespace kitbag::parquet {

namespace {

using ThriftType = ThriftReader::Type;

/// What files say that were written before there was a LogicalType.
void apply_converted(std::int32_t converted, StoredElement& element) {
  enum : std::int32_t {
    kUtf8 = 0,
    kMap = 1,
    kMapKeyValue = 2,
    kList = 3,
    kEnum = 4,
    kDecimal = 5,
    kDate = 6,
    kTimeMillis = 7,
    kTimeMicros = 8,
    kTimestampMillis = 9,
    kTimestampMicros = 10,
    kUint8 = 11,
    kInt8 = 15,
    kInt64 = 18,
    kJson = 19,
  };
  constexpr std::int32_t kByteBits = 8;
  switch (converted) {
    case kUtf8:
    case kEnum:
      element.logical = Logical::text;
      return;
    case kMap:
    case kMapKeyValue:
      element.logical = Logical::map;
      return;
    case kList:
      element.logical = Logical::list;
      return;
    case kDecimal:
      element.logical = Logical::decimal;
      return;
    case kDate:
      element.logical = Logical::date;
      return;
    case kTimeMillis:
    case kTimeMicros:
      element.logical = Logical::time_of_day;
      element.unit = converted - kTimeMillis + 1;
      return;
    case kTimestampMillis:
    case kTimestampMicros:
      element.logical = Logical::timestamp;
      element.is_in_utc = true;
      element.unit = converted - kTimestampMillis + 1;
      return;
    case kJson:
      element.logical = Logical::json;
      return;
    default:
      if (converted < kUint8 || converted > kInt64) return;
      element.logical = Logical::integer;
      element.is_signed = converted >= kInt8;
      // The numbers of one sign follow one another: 8, 16, 32 and 64 bits.
      element.bits = kByteBits << (converted - (element.is_signed ? kInt8 : kUint8));
  }
}

/// TimeType and TimestampType are alike.
void read_time(ThriftReader& from, ThriftType type, StoredElement& element) {
  from.read_struct(type, [&](int id, ThriftType of) {
    if (id == 1) {
      element.is_in_utc = from.boolean(of);
    } else if (id == 2) {
      from.read_struct(of, [&](int unit, ThriftType empty) {
        element.unit = unit;
        from.skip(empty);
      });
    } else {
      from.skip(of);
    }
  });
}

/// A union: one field says which type it is.
void read_logical(ThriftReader& from, ThriftType type, StoredElement& element) {
  from.read_struct(type, [&](int id, ThriftType of) {
    switch (id) {
      case 1:
      case 4:
        element.logical = Logical::text;
        return from.skip(of);
      case 2:
        element.logical = Logical::map;
        return from.skip(of);
      case 3:
        element.logical = Logical::list;
        return from.skip(of);
      case 5:
        element.logical = Logical::decimal;
        return from.read_struct(of, [&](int field, ThriftType each) {
          if (field == 1) {
            element.scale = from.integer32(each);
          } else {
            from.skip(each);
          }
        });
      case 6:
        element.logical = Logical::date;
        return from.skip(of);
      case 7:
        element.logical = Logical::time_of_day;
        return read_time(from, of, element);
      case 8:
        element.logical = Logical::timestamp;
        return read_time(from, of, element);
      case 10:
        element.logical = Logical::integer;
        return from.read_struct(of, [&](int field, ThriftType each) {
          if (field == 1) {
            element.bits = from.integer32(each);
          } else if (field == 2) {
            element.is_signed = from.boolean(each);
          } else {
            from.skip(each);
          }
        });
      case 12:
        element.logical = Logical::json;
        return from.skip(of);
      case 15:
        element.logical = Logical::float16;
        return from.skip(of);
      default:  // BSON, UUID, and what comes later
        element.logical = Logical::none;
        return from.skip(of);
    }
  });
}

StoredType stored_type(std::int32_t number) {
  if (number < 0 || number > static_cast<std::int32_t>(StoredType::fixed_bytes)) {
    fail_corrupt("a column of a type that Parquet does not have");
  }
  return static_cast<StoredType>(number);
}

StoredElement read_element(ThriftReader& from, ThriftType type) {
  StoredElement element;
  std::optional<std::int32_t> converted;
  bool has_logical = false;
  from.read_struct(type, [&](int id, ThriftType of) {
    switch (id) {
      case 1:
        element.type = stored_type(from.integer32(of));
        return;
      case 2:
        element.width = from.integer32(of);
        return;
      case 3:
        element.repetition = from.integer32(of);
        return;
      case 4:
        element.name = from.text(of);
        return;
      case 5:
        element.children = from.integer32(of);
        return;
      case 6:
        converted = from.integer32(of);
        return;
      case 7:
        element.scale = from.integer32(of);
        return;
      case 10:
        has_logical = true;
        return read_logical(from, of, element);
      default:
        return from.skip(of);
    }
  });
  // Writers of today write both, and the LogicalType says more.
  if (converted && !has_logical) apply_converted(*converted, element);
  if (element.repetition < 0 || element.repetition > 2)
    fail_corrupt("a column that repeats in no way");
  if (element.children < 0) fail_corrupt("a column with less than no children");
  return element;
}

void read_chunk_metadata(ThriftReader& from, ThriftType type, StoredChunk& chunk) {
  std::int64_t dictionary = 0;
  from.read_struct(type, [&](int id, ThriftType of) {
    switch (id) {
      case 1:
        chunk.type = stored_type(from.integer32(of));
        return;
      case 4:
        chunk.codec = from.integer32(of);
        return;
      case 5:
        chunk.values = from.integer(of);
        return;
      case 7:
        chunk.packed_bytes = from.integer(of);
        return;
      case 9:
        chunk.offset = from.integer(of);
        return;
      case 11:
        dictionary = from.integer(of);
        return;
      default:
        return from.skip(of);
    }
  });
  // The dictionary lies in front of the pages; some writers say that it is at 0 if there is none.
  if (dictionary > 0 && dictionary < chunk.offset) chunk.offset = dictionary;
  if (chunk.values < 0 || chunk.packed_bytes < 0 || chunk.offset < 0) {
    fail_corrupt("a column with a negative length");
  }
}

StoredChunk read_chunk(ThriftReader& from, ThriftType type) {
  StoredChunk chunk;
  bool has_metadata = false;
  from.read_struct(type, [&](int id, ThriftType of) {
    switch (id) {
      case 1:
        if (!from.text(of).empty()) {
          throw Error(ErrorCode::unsupported, "the values of a column are in another file");
        }
        return;
      case 3:
        has_metadata = true;
        return read_chunk_metadata(from, of, chunk);
      case 8:
        throw Error(ErrorCode::unsupported, "the columns are encrypted");
      default:
        return from.skip(of);
    }
  });
  if (!has_metadata) fail_corrupt("a column of which nothing is said");
  return chunk;
}

StoredGroup read_group(ThriftReader& from, ThriftType type) {
  StoredGroup group;
  from.read_struct(type, [&](int id, ThriftType of) {
    if (id == 1) {
      from.read_list(of, [&](ThriftType each) { group.chunks.push_back(read_chunk(from, each)); });
    } else if (id == 2) {
      group.unpacked_bytes = from.integer(of);
    } else if (id == 3) {
      group.rows = from.integer(of);
    } else {
      from.skip(of);
    }
  });
  if (group.rows < 0) fail_corrupt("a row group with less than no rows");
  return group;
}

std::pair<std::string, std::string> read_pair(ThriftReader& from, ThriftType type) {
  std::pair<std::string, std::string> pair;
  from.read_struct(type, [&](int id, ThriftType of) {
    if (id == 1) {
      pair.first = from.text(of);
    } else if (id == 2) {
      pair.second = from.text(of);
    } else {
      from.skip(of);
    }
  });
  return pair;
}

/// DataPageHeader and DictionaryPageHeader, whose first two fields are the same. The third one is a
/// boolean in the latter. The kind of the page is known by then: it has the lowest number.
void read_page(ThriftReader& from, ThriftType type, PageHeader& header) {
  from.read_struct(type, [&](int id, ThriftType of) {
    if (id == 1) {
      header.values = from.integer32(of);
    } else if (id == 2) {
      header.encoding = from.integer32(of);
    } else if (id == 3 && header.kind == PageHeader::Kind::data) {
      header.definition_encoding = from.integer32(of);
    } else if (id == 4 && header.kind == PageHeader::Kind::data) {
      header.repetition_encoding = from.integer32(of);
    } else {
      from.skip(of);
    }
  });
}

void read_page_v2(ThriftReader& from, ThriftType type, PageHeader& header) {
  from.read_struct(type, [&](int id, ThriftType of) {
    switch (id) {
      case 1:
        header.values = from.integer32(of);
        return;
      case 4:
        header.encoding = from.integer32(of);
        return;
      case 5:
        header.definition_bytes = from.integer32(of);
        return;
      case 6:
        header.repetition_bytes = from.integer32(of);
        return;
      case 7:
        header.is_compressed = from.boolean(of);
        return;
      default:
        return from.skip(of);
    }
  });
}

}  // namespace

StoredFooter read_footer(ByteView bytes) {
  StoredFooter footer;
  ThriftReader from(bytes);
  from.read_struct([&](int id, ThriftType of) {
    switch (id) {
      case 2:
        return from.read_list(
            of, [&](ThriftType each) { footer.elements.push_back(read_element(from, each)); });
      case 3:
        footer.rows = from.integer(of);
        return;
      case 4:
        return from.read_list(
            of, [&](ThriftType each) { footer.groups.push_back(read_group(from, each)); });
      case 5:
        return from.read_list(
            of, [&](ThriftType each) { footer.metadata.push_back(read_pair(from, each)); });
      case 8:
        throw Error(ErrorCode::unsupported, "the columns are encrypted");
      default:
        return from.skip(of);
    }
  });
  return footer;
}

std::pair<PageHeader, std::size_t> read_page_header(ByteView bytes) {
  PageHeader header;
  ThriftReader from(bytes);
  bool has_kind = false;
  from.read_struct([&](int id, ThriftType of) {
    switch (id) {
      case 1: {
        std::int32_t kind = from.integer32(of);
        if (kind < 0 || kind > 3) fail_corrupt("a page of a kind that Parquet does not have");
        header.kind = static_cast<PageHeader::Kind>(kind);
        has_kind = true;
        return;
      }
      case 2:
        header.unpacked_bytes = from.integer32(of);
        return;
      case 3:
        header.packed_bytes = from.integer32(of);
        return;
      case 5:
      case 7:
        return read_page(from, of, header);
      case 8:
        return read_page_v2(from, of, header);
      default:
        return from.skip(of);
    }
  });
  bool is_sound = has_kind && header.unpacked_bytes >= 0 && header.packed_bytes >= 0 &&
                  header.values >= 0 && header.definition_bytes >= 0 &&
                  header.repetition_bytes >= 0;
  if (!is_sound) fail_corrupt("a page with a malformed header");
  return {header, from.position()};
}

}  // namespace kitbag::parquet
