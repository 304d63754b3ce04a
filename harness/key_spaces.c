/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys by type of handoff. */
#include "harness/key_spaces.h"

#include "lib/vocab.h"

static const struct {
	uint8_t ns;
	const char *words;
} keys[HANDOFF_TYPE_CNT] = {
	[HANDOFF_IO] = {KEY_USER_DATA, "user_data; scope: the ring, counted from 1"},
	[HANDOFF_WORK] = {KEY_WORK, "work, the address of the work_struct"},
	[HANDOFF_WAKE] = {KEY_UADDR, "uaddr, the futex word; shared between processes: its offset "
				     "in the file, scope the inode"},
	[HANDOFF_TIMER] = {KEY_TIMERFD, "timerfd, the descriptor"},
	[HANDOFF_MSG] = {KEY_FD, "fd, the descriptor of who reads; scope: its inode"},
	[HANDOFF_QUEUE] = {KEY_TASK, "task, what the manifest's descriptor names"},
	[HANDOFF_SPAWN] = {KEY_TASK, "task, what the manifest's descriptor names"},
	[HANDOFF_RESUME] = {KEY_TASK, "task, what the manifest's descriptor names"},
	[HANDOFF_GRANT] = {KEY_NONE, "none"},
	[HANDOFF_CALL] = {KEY_NONE, "none"},
};

uint8_t key_space(unsigned type)
{
	return keys[type].ns;
}

const char *key_words(unsigned type)
{
	return keys[type].words;
}
