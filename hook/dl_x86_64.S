/* dl_x86_64.S -- dlopen, dlsym and syscall as the program sees them.
 *
 * In assembler, because they must leave by a jump where they can: the loader
 * looks at the return address to learn who asks, for RTLD_NEXT and for the
 * caller's RUNPATH; a system call may return twice.  A compiler may turn a last
 * call into a plain one. */
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

/* A system call by its number.  Those that become another program go the way of
 * all who do; the rest is none of our business. */
        .globl  syscall
        .type   syscall, @function
syscall:
        .cfi_startproc
        endbr64
        cmpq    $59, %rdi               /* SYS_execve */
        je      4f
        cmpq    $322, %rdi              /* SYS_execveat */
        je      5f
        movq    hook_real_syscall(%rip), %r11
        testq   %r11, %r11
        jz      6f
        jmp     *%r11
4:      movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        jmp     exec_path               /* (path, words, environment) */
5:      movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %rcx
        movq    %r9, %r8
        jmp     exec_at                 /* (fd, path, words, env., flags) */
6:                                      /* a constructor before ours */
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        pushq   %r8
        .cfi_adjust_cfa_offset 8
        pushq   %r9
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    hook_find_real
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r9
        .cfi_adjust_cfa_offset -8
        popq    %r8
        .cfi_adjust_cfa_offset -8
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        movq    hook_real_syscall(%rip), %r11
        testq   %r11, %r11
        jz      7f
        jmp     *%r11
7:      movq    $-1, %rax
        ret
        .cfi_endproc
        .size   syscall, .-syscall

/* Indirect branches land on endbr64, calls and returns match. */
        .section .note.gnu.property, "a", @note
        .p2align 3
        .long   4, 16, 5                /* name, properties, their kind */
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0     /* x86 features: IBT, SHSTK */

        .section .note.GNU-stack, "", @progbits
