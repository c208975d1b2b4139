/*
 * store_upgrade.h - results files that an earlier version has made.
 *
 * One that is to be written is brought up to the present schema; one that is only read stays as it
 * is, and what its tables lack is put before them for this connection alone.
 */
#ifndef GBRUN_CORE_STORE_UPGRADE_H
#define GBRUN_CORE_STORE_UPGRADE_H

#include "core/store/store_internal.h"

/* version: the file's, below STORE_SCHEMA_VERSION. In one transaction, all or nothing. */
int32_t store_upgrade(struct store *store, int version, struct gb_error *error);

/* The same for a file that cannot or must not be changed. */
int32_t store_read_as_present(struct store *store, int version, struct gb_error *error);

#endif
