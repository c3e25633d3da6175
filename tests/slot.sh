#!/usr/bin/env bash
# slot.sh FOLDER NAME COMMAND...: runs a test in FOLDER/1, or FOLDER/2 if another one is in that, and so
# on. Tests that compile the same unit in the same folder share what is remembered of it
# (tests/toolkit); each in a folder of its own would compile it anew. What a failed one leaves is moved
# to FOLDER/NAME.
set -u
folder=$1 name=$2
shift 2
mkdir -p "$folder" && rm -rf "${folder:?}/$name" || exit 1
for ((slot = 1; ; slot++)); do
    exec {lock}> "$folder/$slot.lock" || exit 1
    flock -n "$lock" && break
    exec {lock}>&-
done
mkdir -p "$folder/$slot" && cd "$folder/$slot" || exit 1
"$@" {lock}>&-
status=$?
[ $status = 0 ] || [ $status = 77 ] || mv "$folder/$slot" "$folder/$name"
exit $status
