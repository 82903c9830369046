"""Why targets are missed: a run that misses a target without a reason here ends with an error."""

SMALL = "1,000,000 x 100 B on 10 topics, none"
PAGE_CACHE = ("of the same day's runs; 62 to 71 % of the time is the kernel's, which finds pages "
              "for the page cache, touches them first and copies")
COPY = "a copy of these bytes alone takes 48 to 140 us one time in a thousand on this machine"
WHY = {
    # (work, metric): "why the target is missed when it is"
    (f"rosbag write {SMALL}", "messages per CPU-second"): f"5.2 to 11.1 M in medians {PAGE_CACHE}",
    (f"mcap write {SMALL}", "messages per CPU-second"): f"11.3 to 15.7 M in medians {PAGE_CACHE}",
    (f"mcap read in file order {SMALL}", "messages per CPU-second"):
        "36 to 51 M in medians of the same day's runs: 38 % of the time is the kernel's copy out "
        "of the page cache, 16 % the messages, 8 % the batches, 7 % the CRC, 7 % the loading of "
        "libraries",
    ("mcap read in file order 2,000 x 1 MB on 1 topic, none", "bytes per CPU-second"):
        "5.9 to 14 GB: most of the time is the kernel's copy out of the page cache and the "
        "touching, as in the bare reader, and 16 % is the CRC, which the bare reader does not "
        "have. It is computed at 62 GB/s from any cache, which bounds the ratio to 0.84. Without "
        "the CRC the ratio is 0.98",
    ("mcap read in file order without verifying CRC 2,000 x 1 MB on 1 topic, none",
     "bytes per CPU-second"):
        "9.3 GB, where a bare loop of read() reaches 9.0 and a bare reader 9.3: it is the kernel's "
        "copy out of the page cache, which is the machine's",
    ("threads mcap write 1,000,000 x 100 B, zstd, two threads", "throughput"):
        "1.33 to 1.88 in medians of the same day's runs: beside the one thread the caller fills "
        "chunks (1.08 cores are busy), so two can be 1.87 times as fast; they wait for nothing but "
        "the first chunk and the last",
    ("live push 2,000 x 100 kB a second, rosbag", "latency p99.9"): COPY,
    ("live push 2,000 x 100 kB a second, mcap", "latency p99.9"): COPY,
    ("convert rosbag, none, to mcap, zstd, of 70/20/10 % by bytes of 1 MiB, 10 KiB, 100 B",
     "throughput"): "0.81 to 1.15 in medians of the same day's runs: both write to the page cache",
    ("disk write 4,000 x 1 MiB past the page cache, synced, mcap", "CPU seconds per GB"):
        "0.097 to 0.13, and 0.09 to 0.15 for the bare loop, in medians of the same day's runs",
    ("remote read a MCAP of 1 GB from an object store", "throughput"):
        "store and client share two cores, and use all of them: for 1 GB the store takes 1.3 s of "
        "CPU by ranges and 1.1 s for curl's one request, and kitbag 0.43 s where curl, which "
        "throws the bytes away, takes 0.23 s",
    ("catalogue bags with a month in the path, PostgreSQL", "wall time"):
        "28,000 bags have it, all of them long ago, and pg_trgm gives them "
        "as a whole",
    ("catalogue bags with a day in the path, PostgreSQL", "wall time"):
        "pg_trgm reads the lists of all six pieces of the text, of which each is in most paths",
    ("catalogue count bags with /camera/*, to 10,000, PostgreSQL", "wall time"):
        "39 to 56 ms: 10,000 numbers are read in their order; another program ran beside "
        "PostgreSQL in the last run",
    ("catalogue bags with the name of a file, PostgreSQL", "wall time"):
        "pg_trgm reads the lists of all ten pieces of the text, of which some are in all paths",
    ("codec an Odometry decode to a visitor", "messages per CPU-second"):
        "4.0 to 7.6 M in medians of two days' runs, and 5.0 to 7.1 M in runs a second apart",
}
