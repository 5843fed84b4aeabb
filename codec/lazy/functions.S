// functions.S — stubs for the functions of one library, each of which jumps to the library's own. A generated file includes
// this and lists the library's names:
//
//   lazy_library "SONAMES", "PACKAGES", "PURPOSE"
//   lazy_objects
//   lazy_object NAME, BYTES       any number of times
//   lazy_objects_end
//   lazy_function NAME            any number of times
//
// A stub is a single jump through a pointer, which initially leads to .Lfirst_call. That saves all registers that carry arguments
// (variadic ones too), gets the address from texcast_lazy_function(), and jumps there. An exception passes through it.
// description.h declares the data that the macros write.

        .section .note.GNU-stack, "", %progbits

.macro lazy_library sonames, packages, purpose
        .section .rodata
.Lsonames:  .asciz "\sonames"
.Lpackages: .asciz "\packages"
.Lpurpose:  .asciz "\purpose"
        .data
        .p2align 3
.Llibrary:
        .quad .Lsonames, .Lpackages, .Lpurpose, .Lobjects, .Lobjects_end, 0
        .section texcast_lazy, "aw", %progbits
        .p2align 3
        .quad .Llibrary
.endm

.macro lazy_objects
        .data
        .p2align 3
.Lobjects:
.endm

.macro lazy_object name, bytes
        .pushsection .bss
        .p2align 5
        .globl \name
        .hidden \name
        .type \name, %object
        .size \name, \bytes
\name:  .zero \bytes
        .popsection
        .pushsection .rodata
.Lname_\name: .asciz "\name"
        .popsection
        .quad \name, .Lname_\name, \bytes
.endm

.macro lazy_objects_end
.Lobjects_end:
.endm

.macro lazy_function name
        .section .rodata
.Lname_\name: .asciz "\name"
        .data
        .p2align 3
.Lfunction_\name:
        .quad .Lfirst_\name, .Lname_\name
        .text
        .p2align 3
        .globl \name
        .hidden \name
        .type \name, %function
\name:
        .cfi_startproc
        lazy_jump .Lfunction_\name, .Lfirst_\name
        .cfi_endproc
        .size \name, . - \name
.endm

#if defined(__x86_64__)

// The System V ABI: rdi, rsi, rdx, rcx, r8, r9 and xmm0 to xmm7 carry arguments, al the number of vector registers of a
// variadic call, r10 a static chain. r11 is free.
.macro lazy_jump function, first
        jmp *\function(%rip)
\first: lea \function(%rip), %r11
        jmp .Lfirst_call
.endm

        .text
        .type .Lfirst_call, %function
.Lfirst_call:
        .cfi_startproc
        push %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        mov %rsp, %rbp
        .cfi_def_cfa_register %rbp
        sub $192, %rsp
        mov %rdi, 0(%rsp)
        mov %rsi, 8(%rsp)
        mov %rdx, 16(%rsp)
        mov %rcx, 24(%rsp)
        mov %r8, 32(%rsp)
        mov %r9, 40(%rsp)
        mov %rax, 48(%rsp)
        mov %r10, 56(%rsp)
        movaps %xmm0, 64(%rsp)
        movaps %xmm1, 80(%rsp)
        movaps %xmm2, 96(%rsp)
        movaps %xmm3, 112(%rsp)
        movaps %xmm4, 128(%rsp)
        movaps %xmm5, 144(%rsp)
        movaps %xmm6, 160(%rsp)
        movaps %xmm7, 176(%rsp)
        lea .Llibrary(%rip), %rdi
        mov %r11, %rsi
        call texcast_lazy_function
        mov %rax, %r11
        mov 0(%rsp), %rdi
        mov 8(%rsp), %rsi
        mov 16(%rsp), %rdx
        mov 24(%rsp), %rcx
        mov 32(%rsp), %r8
        mov 40(%rsp), %r9
        mov 48(%rsp), %rax
        mov 56(%rsp), %r10
        movaps 64(%rsp), %xmm0
        movaps 80(%rsp), %xmm1
        movaps 96(%rsp), %xmm2
        movaps 112(%rsp), %xmm3
        movaps 128(%rsp), %xmm4
        movaps 144(%rsp), %xmm5
        movaps 160(%rsp), %xmm6
        movaps 176(%rsp), %xmm7
        leave
        .cfi_def_cfa %rsp, 8
        jmp *%r11
        .cfi_endproc

#elif defined(__aarch64__)

// AAPCS64: x0 to x7 and q0 to q7 carry arguments, x8 the address of a large result. x16 and x17 are free. The target is
// loaded with acquire semantics: another thread may have stored it after it had loaded the library.
.macro lazy_jump function, first
        adrp x16, \function
        add x16, x16, :lo12:\function
        ldar x17, [x16]
        br x17
\first: b .Lfirst_call
.endm

// Stores or loads the registers that carry arguments: `pair` is stp or ldp, `one` str or ldr.
.macro lazy_arguments pair, one
        \pair x0, x1, [sp, #16]
        \pair x2, x3, [sp, #32]
        \pair x4, x5, [sp, #48]
        \pair x6, x7, [sp, #64]
        \one x8, [sp, #80]
        \pair q0, q1, [sp, #96]
        \pair q2, q3, [sp, #128]
        \pair q4, q5, [sp, #160]
        \pair q6, q7, [sp, #192]
.endm

        .text
        .type .Lfirst_call, %function
.Lfirst_call:
        .cfi_startproc
        stp x29, x30, [sp, #-224]!
        .cfi_def_cfa_offset 224
        .cfi_offset x29, -224
        .cfi_offset x30, -216
        mov x29, sp
        lazy_arguments stp, str
        adrp x0, .Llibrary
        add x0, x0, :lo12:.Llibrary
        mov x1, x16
        bl texcast_lazy_function
        mov x16, x0
        lazy_arguments ldp, ldr
        ldp x29, x30, [sp], #224
        .cfi_def_cfa_offset 0
        .cfi_restore x29
        .cfi_restore x30
        br x16
        .cfi_endproc

#else
#error "texcast_lazy_library.cmake links libraries as usual on this processor"
#endif
