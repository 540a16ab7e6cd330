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

/* For programs with their own main (`trueline test --main`): what a thread calls, with up to three arguments, and what
 * comes back: TL_CALL("enq", value) before the call; TL_RETURN(), or TL_RETURN(value), after it. */
TL_C_ void trueline_call(const char *name, int count, long a, long b, long c);
TL_C_ void trueline_return(int count, long value);
#define TL_FIFTH_(a, b, c, d, e, ...) e
#define TL_THIRD_(a, b, c, ...) c
#define TL_CALL0_(name) trueline_call(name, 0, 0, 0, 0)
#define TL_CALL1_(name, a) trueline_call(name, 1, (long)(a), 0, 0)
#define TL_CALL2_(name, a, b) trueline_call(name, 2, (long)(a), (long)(b), 0)
#define TL_CALL3_(name, a, b, c) trueline_call(name, 3, (long)(a), (long)(b), (long)(c))
#define TL_CALL(...) TL_FIFTH_(__VA_ARGS__, TL_CALL3_, TL_CALL2_, TL_CALL1_, TL_CALL0_, )(__VA_ARGS__)
#define TL_RETURN0_() trueline_return(0, 0)
#define TL_RETURN1_(value) trueline_return(1, (long)(value))
#define TL_RETURN(...) TL_THIRD_(0, ##__VA_ARGS__, TL_RETURN1_, TL_RETURN0_, )(__VA_ARGS__)

#endif
