#!/usr/bin/env bash
# On a runner with a GPU: finds what the build has no decision for, decides it, and writes everything
# into one signed file for the runners without one.
#
#   samples/ci/warm.sh BUNDLE BUILD COMMAND...     in the project's folder; ks and ks-nvcc on PATH
#
# BUNDLE is read first if it is there, so that only what is new costs time on the GPU. SIGNING_KEY, from
# the CI system's secrets, is the text of a key.sec; its public half stands under `trust:` in ks.yaml.
# Without it the runner's own key signs.
set -euo pipefail
bundle=${1:?usage: warm.sh BUNDLE BUILD COMMAND...}
shift

if [ -n "${SIGNING_KEY:-}" ]; then
    KS_CONFIG_DIR=$(mktemp -d) # gone with this job, whatever becomes of it
    export KS_CONFIG_DIR
    trap 'rm -rf "$KS_CONFIG_DIR"' EXIT
    (umask 077 && printf '%s\n' "$SIGNING_KEY" >"$KS_CONFIG_DIR/key.sec")
fi

# Another run's signer may be trusted no more (exit status 1): what it signed is decided anew.
if [ -e "$bundle" ]; then
    ks import "$bundle" --project || [ $? -eq 1 ]
fi
KS_MODE=consume "$@"          # notes the kernels that have no decision
status=0
ks requalify || status=$?     # a new toolkit or new options: what was found for the old ones, judged anew
ks warm || status=$?          # the rest: a search
# What was decided is worth keeping, also where one kernel is at fault. 1: there is nothing to export.
ks export --project --out="$bundle" || [ $? -eq 1 ]
exit $status
