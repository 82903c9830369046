"""What is in a bag: its topics, and the fields of the last message of each."""

import sys

import kitbag

if len(sys.argv) != 2:
    sys.exit("usage: topics.py BAG")

with kitbag.open(sys.argv[1]) as bag:
    print(f"{bag.info.messages:,} messages in {bag.info.duration / 1e9:.1f} s")
    for topic in bag.info.topics:
        if topic.messages == 0:
            continue
        data = bag[topic.topic][-1].data
        fields = ", ".join(data) if data is not None else "of an unknown type"
        print(f"{topic.topic} {topic.type} {topic.messages:,}: {fields}")
