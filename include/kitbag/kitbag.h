#pragma once

/// Start here. The public headers, in the order in which they are best read:
///
///   session.h   Session: what everything works with; open(), create(), append(), check(),
///               listen(), publish()
///   message.h   Schema, Channel, Message, Batch: what travels
///   stream.h    Source, Sink, Stage: how it travels
///   bag.h       Bag, Query, Summary, Writer: what is stored; messages.h: its messages one by one
///   feed.h      Feed: where messages come in one by one, from any threads
///   batch_writer.h  BatchWriter: what a format of your own may begin with
///   pieces.h    PieceList, append_message(): messages of your own types, without a copy
///   pipeline.h  run(), filter, rename, merge, split, queue: what happens on the way
///   live.h      LiveSource: what happens now; transport.h: who brings it
///   record.h    Recorder: a live system to files; play.h: Player, the other way
///   control.h   ControlServer: commands for what is running
///   definitions.h  define(): definitions that a bag does not hold
///   repair.h    repair(), and what damage has cost
///   type.h      Type: what a payload is made of; codec.h: how it is encoded and described
///   transcode.h transcode(), decoder_of(): payloads opened, or brought to another encoding
///   fields.h    where(), select_fields(): what payloads say
///   print.h     printer(), to_json(): messages as JSON, YAML and CSV
///   usage.h     usage(): what takes the room
///   compare.h   digest() and compare(): are two bags the same?
///   registry.h  Format and Registry: what can be plugged in; plugin.h: from outside
///   open.h      standard_registry(); what a URI says
///   leave.h     leave(): the end of a process that is too busy to stop
///   error.h, time.h, file.h, text.h, escape.h, bytes.h: the small things below

#include "kitbag/bag.h"
#include "kitbag/batch_writer.h"
#include "kitbag/codec.h"
#include "kitbag/compare.h"
#include "kitbag/control.h"
#include "kitbag/definitions.h"
#include "kitbag/escape.h"
#include "kitbag/feed.h"
#include "kitbag/fields.h"
#include "kitbag/leave.h"
#include "kitbag/live.h"
#include "kitbag/open.h"
#include "kitbag/pieces.h"
#include "kitbag/pipeline.h"
#include "kitbag/play.h"
#include "kitbag/plugin.h"
#include "kitbag/print.h"
#include "kitbag/record.h"
#include "kitbag/registry.h"
#include "kitbag/repair.h"
#include "kitbag/session.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/transport.h"
#include "kitbag/type.h"
#include "kitbag/usage.h"
