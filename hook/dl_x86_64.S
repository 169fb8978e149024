/* dl_x86_64.S -- dlopen and dlsym as the program sees them.
 *
 * In assembler, because both must leave by a jump where they can: the loader
 * looks at the return address to learn who asks, for RTLD_NEXT and for the
 * caller's RUNPATH.  A compiler may turn a last call into a plain one. */
        .text

        .globl  dlopen
        .type   dlopen, @function
dlopen:
        .cfi_startproc
        endbr64
        movq    (%rsp), %rdx            /* who asks */
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        movq    %rdx, %rsi
        call    hook_before_dlopen      /* (name, caller) */
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        movq    hook_real_dlopen(%rip), %r11
        testq   %r11, %r11
        jz      1f
        testb   %al, %al
        jz      2f
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    *%r11
        movq    %rax, (%rsp)
        movq    %rax, %rdi
        call    hook_after_dlopen       /* (handle) */
        popq    %rax
        .cfi_adjust_cfa_offset -8
        ret
1:      xorl    %eax, %eax
        ret
2:      jmp     *%r11
        .cfi_endproc
        .size   dlopen, .-dlopen

        .globl  dlsym
        .type   dlsym, @function
dlsym:
        .cfi_startproc
        endbr64
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    hook_before_dlsym       /* (handle, name) */
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        testq   %rax, %rax
        jnz     3f
        movq    hook_real_dlsym(%rip), %r11
        testq   %r11, %r11
        jz      1b
        jmp     *%r11
3:      ret
        .cfi_endproc
        .size   dlsym, .-dlsym

/* Indirect branches land on endbr64, calls and returns match. */
        .section .note.gnu.property, "a", @note
        .p2align 3
        .long   4, 16, 5                /* name, properties, their kind */
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0     /* x86 features: IBT, SHSTK */

        .section .note.GNU-stack, "", @progbits
