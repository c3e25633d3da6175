#!/usr/bin/env bash
# Batches of matrix-vector products, and such products of bytes.
#   tests/emu/templates_batched.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known batched "by_column row_sums" "rounded row_sums" "scaled row_sums" "by_thread gemv_batch" "by_thread matrix_vector" "by_thread gemv_whole" "by_thread matrix_vector_whole" \
    "by_warp gemv_batch" "by_warp matrix_vector" "flat gemv_batch" "flat matrix_vector" \
    "scores gemv_half_batch" "scores matrix_vector_half" "scores gemv_whole" "scores matrix_vector_whole" \
    "values gemv_half_batch" "values matrix_vector_half" \
    "bytes gemv_bytes" "bytes gemv_bytes_scaled" "bytes matrix_vector_bytes" "four_shares gemv_bytes" "four_shares matrix_vector_bytes" \
    "scaled gemv_bytes_scaled" "scaled matrix_vector_bytes" "in_runs gemv_bytes_scaled" "in_runs matrix_vector_bytes"
bound batched by_thread gemv_batch a=a x=x c=y m=m k=k batch=grid.z form=rows
bound batched by_warp gemv_batch batch=grid.y T=f64 'bias[i]' 'old[z * m + i]'
bound batched scores gemv_whole a=K x=q c=s alpha=scale m=T k=D T=f16 R=f32
bound batched values gemv_half_batch a=V x=p m=D k=T batch=grid.x T=bf16 X=f32 R=bf16 form=columns
bound batched flat gemv_batch batch=B form=columns
bound batched bytes gemv_bytes a=w x=x T=i8 X=f32 R=f32 's[i]'
bound batched four_shares gemv_bytes T=u8 X=f16 R=f16 's[i]' 'bias[i]'
bound batched scaled gemv_bytes_scaled s=s run=k
bound batched in_runs gemv_bytes_scaled s=s run=32 S=f16
right batched by_thread gemv_batch share=16
right batched by_thread gemv_whole threads=32 groups=2 lines=1 multiple=1
right batched by_warp gemv_batch share=64 lines=2
right batched scores gemv_half_batch share=16 threads=64
right batched scores gemv_whole threads=32 groups=4 lines=4
right batched values gemv_half_batch share=16
right batched flat matrix_vector share=16
right batched bytes gemv_bytes threads=32 groups=2 lines=4 multiple=1
right batched bytes gemv_bytes_scaled threads=64 groups=2 lines=2
right batched four_shares gemv_bytes threads=64 groups=1 lines=8 multiple=16
right batched scaled gemv_bytes_scaled threads=32 groups=4 lines=2
right batched in_runs gemv_bytes_scaled threads=32 groups=1 lines=4
wrong batched by_thread gemv_batch 's/x += (size_t)blockIdx.z \* k/x += (size_t)blockIdx.z/' '' share=16
wrong batched by_warp gemv_batch 's/sums += product \* parts \* m/sums += product * m/' '' share=16
wrong batched scores gemv_whole 's/const size_t product = blockIdx.y/const size_t product = 0/' '' threads=32 groups=4 lines=4
wrong batched in_runs gemv_bytes_scaled 's/(unsigned)l \/ (unsigned)run/(unsigned)l \/ 64u/' '' threads=32 groups=1 lines=4
wrong batched scaled gemv_bytes_scaled 's/min(row0 + r, m - 1) \* (k \/ run)/min(row0 + r, m - 1)/; s/factor\[r\]\[/factor[0][/' '' threads=32 groups=4 lines=2
judged
