#!/usr/bin/env bash
# On any runner: takes the decisions that warm.sh wrote and builds with them. No GPU, no network, no key.
#
#   samples/ci/consume.sh BUNDLE BUILD COMMAND...  in the project's folder; ks and ks-nvcc on PATH
#
# A BUNDLE that is missing is a build of the originals. One that is damaged, or whose signer ks.yaml does
# not trust, fails the job. With KS_MODE=strict so does a marked kernel without a decision: for releases.
set -euo pipefail
bundle=${1:?usage: consume.sh BUNDLE BUILD COMMAND...}
shift

if [ -e "$bundle" ]; then
    ks import "$bundle" --project
else
    echo "consume.sh: $bundle is not there: building the originals" >&2
fi
"$@"
