/* gbrun.h - all that a plugin needs. */
#ifndef GBRUN_GBRUN_H
#define GBRUN_GBRUN_H

#include <gbrun/abi.h>
#include <gbrun/activities.h>
#include <gbrun/bench.h>
#include <gbrun/check.h>
#include <gbrun/counters.h>
#include <gbrun/device.h>
#include <gbrun/formats.h>
#include <gbrun/host.h>
#include <gbrun/module.h>
#include <gbrun/option.h>
#include <gbrun/policy.h>
#include <gbrun/profile.h>
#include <gbrun/search.h>
#include <gbrun/simple.h>

#endif
