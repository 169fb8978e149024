/* entries_x86_64.S -- what stands in the kernels' tables instead of Compute and
 * the destructor.
 *
 *     Status Compute(OpKernelContext *) const
 *
 * comes with the status's place in rdi, the kernel in rsi, the context in rdx;
 * a destructor with the object in rdi.  There is one entry for each function
 * that was replaced, since a kernel's class may call its base's; the entry's
 * number leads to the function.
 *
 * While no inference is traced, all leave by a jump: whatever the function is,
 * and whatever else it is given, it gets.  Otherwise we stay around it.  An
 * exception passes through us; trace.c sees that by the stack. */
        .text

/* OPS_ENTRIES entries of OPS_ENTRY_SIZE bytes, which load their number. */
        .macro  entries name, to
        .globl  \name
        .hidden \name
        .type   \name, @function
        .p2align 4
\name:
        .set    number, 0
        .rept   4096
        .p2align 4
        endbr64
        movl    $number, %eax
        jmp     \to
        .set    number, number + 1
        .endr
        .size   \name, .-\name
        .endm

        entries hook_compute_entries, compute
        entries hook_destroy_entries, destroy

        .type   compute, @function
        .p2align 4
compute:
        .cfi_startproc
        movq    hook_functions(%rip), %r11
        movq    (%r11,%rax,8), %r11     /* ops_functions.compute */
        cmpl    $0, hook_traces(%rip)
        jne     1f
        jmp     *%r11
1:      pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_offset %rbx, -16
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        movq    %r11, %rbx
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rsp, %rdx
        movl    %eax, %ecx
        call    hook_kernel_entered     /* (kernel, context, stack, number) */
        movq    8(%rsp), %rdx
        movq    16(%rsp), %rsi
        movq    24(%rsp), %rdi
        call    *%rbx
        movq    %rax, %rbx
        movq    %rsp, %rdi
        call    hook_kernel_left        /* (stack) */
        movq    %rbx, %rax
        addq    $32, %rsp
        .cfi_adjust_cfa_offset -32
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        ret
        .cfi_endproc
        .size   compute, .-compute

        .type   destroy, @function
        .p2align 4
destroy:
        .cfi_startproc
        movq    hook_functions(%rip), %r11
        movq    4096*8(%r11,%rax,8), %r11 /* ops_functions.destroy */
        pushq   %r11
        .cfi_adjust_cfa_offset 8
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    hook_kernel_ends        /* (kernel) */
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        popq    %r11
        .cfi_adjust_cfa_offset -8
        jmp     *%r11
        .cfi_endproc
        .size   destroy, .-destroy

/* Indirect branches land on endbr64, calls and returns match. */
        .section .note.gnu.property, "a", @note
        .p2align 3
        .long   4, 16, 5                /* name, properties, their kind */
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0     /* x86 features: IBT, SHSTK */

        .section .note.GNU-stack, "", @progbits
