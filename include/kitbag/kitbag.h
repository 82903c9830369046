#pragma once

/// @file
/// The public interface of kitbag. This header includes all others except rosbag2.h, bag_options.h
/// and foxglove.h. A first program:
///
///   kitbag::Session session;
///   auto bag = session.open("drive.bag");
///   for (const kitbag::Message& message : bag->messages({.topics = {"/imu"}})) {
///     use(message.log_time, message.field<double>("linear_acceleration.x"));
///   }
///
/// The headers, in the order in which they are best read:
///
///   session.h       Session: the entry point; open(), create(), append(), check(), listen()
///   message.h       Schema, Channel, Message, Batch: the data
///   stream.h        Source, Sink, Stage: how data moves
///   bag.h           Bag, Query, Summary, Writer: stored logs
///   selector.h      Selection, Selector: which channels are wanted
///   messages.h      Messages: the messages of a bag, one at a time
///   pipeline.h      run(), filter(), read(), split(): the parts between source and sink
///   merge.h         merge(): several sources as one
///   type.h          Type: the structure of a payload
///   codec.h         Decoder, Encoder, Codec, Language: how payloads and types are encoded
///   transcode.h     transcode(), decoder_of(): decoding and converting payloads
///   field.h         Message::field(), FieldReader: fields of messages by their paths
///   describe.h      Describe: structs of your own as messages
///   struct_writer.h  StructWriter: a bag of such structs
///   value.h         Value: a message in memory, read and changed by the names of fields
///   value_text.h    parse_value(): a message of YAML or JSON
///   find.h          fits(), find_moments(): which bags, and when
///   fields.h        where(), select_fields(): selecting by the content of messages
///   print.h         printer(), to_json(): messages as JSON, YAML and CSV
///   bag_info.h      describe_bag(): a bag's times, topics and schemas, also as JSON
///   calls.h         call_topic(), call_counts(): the topics of services and actions
///   bookmark.h      bookmark_of(): a place from which messages are read on
///   bag_folder.h    bags_in(): the bags of a folder
///   paths.h         expanded_paths(), list_files(): globs and folders as files
///   copy_files.h    plan_copies(), copy(): files as they are, between file systems
///   bag_stream.h    create_bag_stream(): a bag that goes to no file
///   columns.h       columns(): messages as tables, in Arrow record batches (arrow.h)
///   arrow_ipc.h     write_arrow_ipc(): these batches as bytes, in the Arrow IPC format
///   parquet.h       write_parquet(), parquet_reader(): these batches as a Parquet file
///   table.h         Columns: a table as record batches, whatever it comes from
///   csv.h           csv_reader(): the rows of a CSV file
///   import_tables.h  messages_from(): rows of a table as messages
///   table_origin.h  table_key_values(): what a table says of the messages that it had
///   export_messages.h  export_messages(): files for other programs, such as a table a topic
///   exporter.h      ExportJob, TopicExport: what formats of exports implement
///   series.h        series(): fields over time, for plots
///   plot.h          plot(): fields over time or each other, as SVG, PNG and text
///   align.h         align(): topics at the same times, as one table
///   transforms.h    Transforms: where frames are, by the transforms in bags
///   picture.h       picture_at(): images as pictures, scaled, and as JPEG or PNG
///   video.h         VideoReader: pictures of a video; VideoDecoder: what decodes one
///   definitions.h   define(): finding message definitions that a bag lacks
///   pieces.h        PieceList, append_message(): writing messages of your own types
///   live.h          LiveSource: messages of a live system
///   listen.h        listen(), join(): several live systems as one
///   live_topics.h   LiveTopics: which topics a live system has, and what comes on them
///   publish_message.h  written_message(): a message that a person writes, to be sent
///   join.h          join_to(): one of several writers of one bag
///   record.h        Recorder: from a live system to files
///   upload.h        Uploader: complete files to an object store, in the background
///   batch.h         BatchJob: the same with thousands of bags, here or by Slurm
///   play.h          Player: from bags to a live system
///   chunk_figures.h  chunk_figures(): what the readers of a session share
///   excerpt.h       excerpt(): a part of a bag as a file, without writing it
///   control.h       ControlServer: commands for a running recorder or player
///   damage.h        Damage: what is wrong with a bag, and what is lost
///   repair.h        repair(): saving what is intact
///   rewrite.h       rewrite(): a new bag in the place of an old one, which is kept
///   message_timeline.h  message_timeline(): messages over time, gaps and delays
///   statistics.h    statistics(): how regularly messages come, how late they are
///   usage.h         usage(), timings(): size and rate of topics
///   compare.h       digest(), compare(): whether two bags hold the same messages
///   registry.h      Format, Transport, Registry: what can be plugged in
///   file_system.h   FileSystem, WriteFile: where files are
///   remote_file.h   RangeReader, remote_file(): files far away, read by ranges
///   remote_options.h  RemoteOptions: the caches of remote files
///   remote_rules.h  RemoteRules: which remote addresses may be read
///   plugin.h        Plugin: how a shared object adds parts
///   batch_writer.h  BatchWriter: a base class for writers of your own formats
///   transport.h     Subscriber, Publisher: what a transport implements
///   feed.h          Feed: messages from many threads to one reader
///   foxglove.h      the messages of the Foxglove WebSocket protocol
///   rosbag2.h       QoS profiles and other YAML texts of rosbag2
///   bag_options.h   the options of bags in files for `ros2 bag convert`
///   open.h          standard_registry(), path_of(), location_of(): built-in parts, and URIs
///   leave.h         leave(): ending a process that is too busy to stop
///   system_error.h  SystemError: an Error that knows its errno
///   error.h, time.h, file.h, text.h, escape.h, bytes.h, export.h: the basics
///
/// Errors are exceptions of the type Error (error.h). Times are in nanoseconds (time.h). A Session
/// and a Bag can be used from any thread; a Source, a Sink or a Stage from one thread at a time.

#include "kitbag/align.h"
#include "kitbag/arrow_ipc.h"
#include "kitbag/bag.h"
#include "kitbag/bag_folder.h"
#include "kitbag/bag_info.h"
#include "kitbag/bag_stream.h"
#include "kitbag/base64.h"
#include "kitbag/batch.h"
#include "kitbag/batch_writer.h"
#include "kitbag/bookmark.h"
#include "kitbag/calls.h"
#include "kitbag/chunk_figures.h"
#include "kitbag/codec.h"
#include "kitbag/columns.h"
#include "kitbag/compare.h"
#include "kitbag/control.h"
#include "kitbag/copy_files.h"
#include "kitbag/csv.h"
#include "kitbag/definitions.h"
#include "kitbag/describe.h"
#include "kitbag/encode_video.h"
#include "kitbag/escape.h"
#include "kitbag/excerpt.h"
#include "kitbag/export_messages.h"
#include "kitbag/exporter.h"
#include "kitbag/feed.h"
#include "kitbag/field.h"
#include "kitbag/fields.h"
#include "kitbag/file_system.h"
#include "kitbag/find.h"
#include "kitbag/import_tables.h"
#include "kitbag/join.h"
#include "kitbag/leave.h"
#include "kitbag/listen.h"
#include "kitbag/live.h"
#include "kitbag/live_topics.h"
#include "kitbag/message_timeline.h"
#include "kitbag/open.h"
#include "kitbag/paths.h"
#include "kitbag/picture.h"
#include "kitbag/pieces.h"
#include "kitbag/pipeline.h"
#include "kitbag/play.h"
#include "kitbag/plot.h"
#include "kitbag/plugin.h"
#include "kitbag/print.h"
#include "kitbag/publish_message.h"
#include "kitbag/record.h"
#include "kitbag/registry.h"
#include "kitbag/remote_file.h"
#include "kitbag/remote_options.h"
#include "kitbag/remote_rules.h"
#include "kitbag/repair.h"
#include "kitbag/rewrite.h"
#include "kitbag/selector.h"
#include "kitbag/series.h"
#include "kitbag/session.h"
#include "kitbag/statistics.h"
#include "kitbag/struct_writer.h"
#include "kitbag/system_error.h"
#include "kitbag/table.h"
#include "kitbag/table_origin.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/transforms.h"
#include "kitbag/transport.h"
#include "kitbag/type.h"
#include "kitbag/upload.h"
#include "kitbag/usage.h"
#include "kitbag/value.h"
#include "kitbag/value_text.h"
#include "kitbag/video.h"

/// The library. kitbag.h says where to start.
namespace kitbag {}
