#!/bin/bash
# Converts all recordings that are not converted yet, on the cluster: by hand or by a timer.
#
#   slurm/convert.sh --compression zstd
#
# Each task does several bags. One that was lost with its node goes on on another one. Nothing is done
# twice, so this may be started again at any time.
set -euo pipefail

exec kitbag batch convert --from s3://bags --to s3://converted --on slurm -j 64 \
  --sbatch=--partition=bags -- "$@"
