#!/usr/bin/env bash
# Attention, as templates.sh has products.
#   tests/emu/templates_attention.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
# Attention in four forms and an element a thread; six that are almost that are nothing else either.
known attention "by_thread attention" "by_thread attention_rows" "by_block attention" "by_block attention_rows" \
    "causal_in_registers attention" "causal_in_registers attention_rows" "causal_in_registers attention_fixed" "causal_by_warp attention" "causal_by_warp attention_rows" \
    "as_it_is attention" "as_it_is attention_rows"
bound attention by_thread attention form=all scale=scale m=n n=n d=d batch=grid.y
bound attention by_block attention form=all_by_root q=queries k=keys v=values m=m n=n batch=grid.z
bound attention causal_in_registers attention form=causal_by_root d=4 batch=bh
bound attention causal_by_warp attention form=causal_zero scale=scale batch=1
bound attention as_it_is attention form=all_by_root batch=1
tiny=(lines=2 rows=1 keys=1)
right attention by_thread attention_rows "${tiny[@]}"
right attention by_block attention "${tiny[@]}"
right attention causal_in_registers attention_fixed "${tiny[@]}"
right attention causal_by_warp attention form=causal_zero "${tiny[@]}"
# Zero times an infinity that a query does not see is NaN in this kernel: tiles of such keys may not be left out.
wrong attention causal_by_warp attention 's/const int end = n;/const int end = n < row0 + tall ? n : row0 + tall;/' ': .*NaN, infinity' "${tiny[@]}"
judged
