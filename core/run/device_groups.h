/*
 * device_groups.h - cases that need several devices of a node each (gpus_per_case): which devices
 * belong together, and which of these groups are this task's among those of a job on the node.
 *
 * A plugin whose devices can be chosen by a variable of the environment names that in the fact
 * DEVICE_FACT_VISIBLE_BY; it takes UUIDs, separated by commas, in whose order a process then sees
 * them. What the variable, a cgroup or a partition of a device hides already is in no group, as the
 * plugin does not find it.
 */
#pragma once

#include "core/run/probe.h"

#define DEVICE_FACT_VISIBLE_BY "visible_by"
#define DEVICE_FACT_GROUP "group"

struct node_task {
    uint32_t number, n; /* from 0, of n tasks of a job on this node; n is 1: it is alone */
};

/* A variable of the environment that holds a whole number; false: it is not set, or holds no such.
 * variable may be NULL. */
bool task_number(const char *variable, uint32_t *ret);

/* By the variables of Slurm, Open MPI, Flux, Hydra and PALS; {0, 1} where there are none. */
struct node_task node_task_of_environment(void);

/*
 * Leaves in the list, of the devices of each plugin that can be chosen so, the first of each group
 * of n_each neighbours, if the group is this task's: each task->nth, beginning with number. All
 * tasks find the same groups, by PCI address, or UUID where there is none. A device that was left
 * has its group, and a fact of that name. Where a plugin has not enough for one group, its devices
 * are absent, with a reason.
 *
 * With fewer groups than tasks it cannot be known whether the scheduler has given each task devices
 * of its own or they see the same: task number mod groups, where the locks make them take turns.
 * *notes says so, in a line.
 */
void device_groups_make(struct device_list *devices, uint32_t n_each, const struct node_task *task,
                        struct arena *arena, struct text *notes);
