/* verify.h - an output of `convolution` compared with its reference. Plugin side. */
#pragma once

#include <gbrun/bench.h>

/* Verify of bench.h. */
int32_t convolution_verify(void *object, const struct gb_queue *queue);
