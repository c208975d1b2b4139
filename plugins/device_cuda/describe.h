/*
 * describe.h - what is known of a device without opening it: facts for the record, and what makes
 * measurements on it noisy. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/cuda_driver.h"

#include <gbrun/device.h>

/* An attribute of a device; 0 if the driver does not know. */
uint32_t cuda_attribute(const struct driver *driver, CUdevice number, CUdevice_attribute which);

/* Fills in all of info but its size. */
void cuda_describe(const struct driver *driver, CUdevice number, uint32_t index,
                   struct gb_device_info *info);

void cuda_facts(const struct driver *driver, CUdevice number, gb_fact_fn *fact, void *context);

/* For gb_device_ops.examine; cupti: the device's option. */
void cuda_examine(const struct driver *driver, CUdevice number, const char *cupti,
                  gb_finding_fn *finding, void *context);
