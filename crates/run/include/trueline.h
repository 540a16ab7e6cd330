/* The harness of `trueline test`: marks the functions that it calls. */
#ifndef TRUELINE_H
#define TRUELINE_H

#ifdef __cplusplus
#define TL_C_ extern "C"
#else
#include <stdbool.h>
#define TL_C_
#endif

#define TL_IN_(section_name) __attribute__((section(section_name), used, noinline))
#define TL_JOIN2_(a, b) a##b
#define TL_JOIN_(a, b) TL_JOIN2_(a, b)

/* Makes the object; called once before every execution. */
#define TL_INIT TL_IN_("tl_init")
/* An operation. Parameters and results are integers, bool or enums; pointers and references are outputs. */
#define TL_OP TL_IN_("tl_op")
/* Destroys the object (optional). Blocks that it leaves behind are a finding. */
#define TL_DONE TL_IN_("tl_done")
/* Called at the end of every execution (optional); false is a finding. */
#define TL_CHECK TL_IN_("tl_check")
/* The specification by name (optional), such as "queue". Without it the object itself, run sequentially, is it. */
#define TL_SPEC(name) \
  static const char TL_JOIN_(tl_spec_, __LINE__)[] __attribute__((section("tl_spec"), used)) = name

#endif
