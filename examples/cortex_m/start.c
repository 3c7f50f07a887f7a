/* SPDX-License-Identifier: Apache-2.0 */
/* What runs before and after main() on a Cortex-M: the vector table, memory with its first values, the floating-point unit, and the end.
   There is no operating system; the program ends by semihosting, as debuggers and QEMU understand it. */
#include <stdint.h>

#include "semihosting.h"

/* Of the linker script. */
extern uint32_t data_source[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

int main(void);
/* Of newlib, where a program uses <stdio.h>: its semihosting, and the end at which files are written. */
__attribute__((weak)) void initialise_monitor_handles(void);
__attribute__((weak)) void exit(int status);
void _fini(void); /* exit() calls it */
__attribute__((weak)) void _fini(void) {}

void _exit(int status) __attribute__((noreturn));
__attribute__((weak)) void _exit(int status) {
  const uint32_t reason[2] = {0x20026u, (uint32_t)status}; /* the program's own end */
  (void)semihosting(SEMIHOSTING_EXIT, reason);
  for (;;) {
  }
}

__attribute__((noreturn)) static void reset(void) {
  const uint32_t* from = data_source;
  uint32_t* to;
  int status;
  *(volatile uint32_t*)0xE000ED88u |= 0xFu << 20; /* coprocessors 10 and 11: floating point */
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  for (to = data_begin; to < data_end; ++to) *to = *from++;
  for (to = bss_begin; to < bss_end; ++to) *to = 0;
  if (initialise_monitor_handles != 0) initialise_monitor_handles();
  status = main();
  if (exit != 0) exit(status);
  _exit(status);
}

/* A fault: say so, instead of standing still. */
__attribute__((noreturn)) static void fault(void) {
  say("the processor reports a fault\n");
  _exit(2);
}

typedef struct vectors {
  uint32_t* stack;
  void (*handlers[15])(void);
} vectors;
__attribute__((section(".vectors"), used)) static const vectors table = {
    stack_top, {reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, fault}};
