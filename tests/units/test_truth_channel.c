/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies in a channel: decoys, used tokens, pages; and a recorder that has none. */
#include "tests/units/truth_bench.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

/* ---- decoys ---- */

/* n handoffs back and forth between two threads, with spares for their type. */
static void ping_pong(struct bench *b, unsigned n, uint64_t op)
{
	for (unsigned i = 0; i < n; i++) {
		struct recorder *from = &b->r[i % 2], *to = &b->r[(i + 1) % 2];
		uint64_t id = recorder_token(from), t0 = recorder_now(from),
			 t1 = recorder_now(from);

		recorder_src(from, id, op, HANDOFF_IO, key, i, 0, t0, t1);
		t0 = recorder_now(to);
		t1 = recorder_now(to);
		recorder_dst_consumed(to, id, op, HANDOFF_IO, key, i, 0, t0, t1, t1);
	}
}

Test(truth_channel, tells_decoys_apart_and_they_are_1_to_5_percent)
{
	struct channel_options o = {.slots = 2, .records = 30000, .decoy_ppm = 20000};
	struct bench b;
	struct truth t;
	size_t first = 0, second = 0;
	double share;

	bench_open(&b, &o, 2);
	recorder_spare(&b.c, HANDOFF_IO, KEY_USER_DATA, true, 2, 0xdead0);
	recorder_spare(&b.c, HANDOFF_IO, KEY_USER_DATA, true, 2, 0xdead1);
	uint64_t op = recorder_token(&b.r[0]), t0 = recorder_now(&b.r[0]);

	recorder_begin(&b.r[0], op, 0, t0, recorder_now(&b.r[0]));
	ping_pong(&b, 20000, op);
	t0 = recorder_now(&b.r[0]);
	recorder_end(&b.r[0], op, t0, recorder_now(&b.r[0]), false);
	bench_truth(&b, (struct truth_counts){1, 1, 0, 20000, 0}, &t);
	share = (double)t.decoys_cnt / (double)t.order_cnt;
	cr_assert(share > 0.01 && share < 0.05, "%f", share);
	for (size_t i = 0; i < t.decoys_cnt; i++) {
		const struct truth_decoy *y = &t.decoys[i];

		cr_assert(!y->as_event && y->type == HANDOFF_IO && (y->key.v & ~1ull) == 0xdead0);
		cr_assert(y->key.has_scope && y->key.scope == 2 && y->t.t0 <= y->t.t1);
		cr_assert(i == 0 || y->t.t0 > t.decoys[i - 1].t.t1, "one clock, one time each");
		first += y->has_id;
		second += !y->has_id;
	}
	cr_assert(second > first / 2 && second <= first, "%zu of %zu have a second end", second,
		  first);
	truth_free(&t);
}

Test(truth_channel, gives_event_decoys_where_events_are_all_there_is)
{
	struct channel_options o = {.slots = 2, .records = 3000, .decoy_ppm = 20000};
	struct bench b;
	struct truth t;
	uint64_t op, life;
	struct recorder *r = &b.r[0];

	bench_open(&b, &o, 1);
	recorder_spare(&b.c, RECORDER_SPARE_EVENT, KEY_NONE, false, 0, 0xfade);
	op = recorder_token(r);
	life = recorder_token(r);
	op_begin(r, op, 1);
	for (int i = 0; i < 2000; i++)
		recorder_event(r, EVENT_USE, 0, 0x55, life, 1, op, 3, 2, 3);
	recorder_end(r, op, 4, 5, false);
	bench_truth(&b, (struct truth_counts){1, 1, 0, 0, 2000}, &t);
	cr_assert(t.decoys_cnt >= 20 && t.decoys_cnt <= 100);
	for (size_t i = 0; i < t.decoys_cnt; i++)
		cr_assert(t.decoys[i].as_event && t.decoys[i].instance == 0xfade &&
			  t.decoys[i].type == EVENT_USE && t.decoys[i].has_id);
	truth_free(&t);
}

Test(truth_channel, leaves_no_used_token_and_no_used_decoy_in_the_memory)
{
	struct channel_options o = {.slots = 1, .records = 2000, .decoy_ppm = 20000};
	struct bench b;
	const struct log_decoy *decoys;
	size_t used = 0;

	bench_open(&b, &o, 1);
	recorder_spare(&b.c, HANDOFF_IO, KEY_USER_DATA, true, 2, 0xdead);
	for (int i = 0; i < 1000; i++)
		recorder_src(&b.r[0], recorder_token(&b.r[0]), 1, HANDOFF_IO, key, 0, 0, 1, 2);
	decoys = (const struct log_decoy *)((const char *)b.c.map + b.r[0].slot->decoys_off);
	while (!decoys[used].token && !decoys[used].gap)
		used++;
	cr_assert(used >= 10 && used <= 50, "%zu", used);
	for (int i = 0; i < 1000; i++)
		cr_assert(b.ch->slots[0].tokens_now[i] == 0);
	cr_assert(b.ch->slots[0].tokens_now[1000] != 0);
	bench_close(&b, (struct truth_counts){0});
	channel_free(b.ch);
}

/* ---- the memory ---- */

static long faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt + u.ru_majflt;
}

/* Of 20,000 records in 300 pages. */
static long faults_of_recording(bool secret)
{
	struct channel_options o = {
		.slots = 1, .records = 20000, .decoy_ppm = 20000, .secret = secret};
	struct bench b;
	long before;

	bench_open(&b, &o, 1);
	recorder_let_go(&b.c);
	before = faults();
	for (int i = 0; i < 19000; i++)
		recorder_segment(&b.r[0], recorder_token(&b.r[0]), 1, 2);
	before = faults() - before;
	bench_close(&b, (struct truth_counts){.segment = 19000});
	channel_free(b.ch);
	return before;
}

Test(truth_channel, a_record_is_never_the_first_to_touch_its_page)
{
	cr_assert(faults_of_recording(false) < 30, "ordinary memory");
	if (geteuid() || close(channel_secret_memory(1)))
		cr_skip_test("no secret memory, or too little of it for who is not root");
	cr_assert(faults_of_recording(true) < 30, "secret memory");
}

/* Debian's 6.1 and 6.12 count it against the limit: no SIGBUS, whatever comes of it. */
Test(truth_channel, secret_memory_is_as_large_as_asked_for_or_refused)
{
	struct channel_options o = {
		.slots = 2, .records = 40000, .decoy_ppm = 10000, .secret = true};
	struct rlimit page = {4096, 4096}, after;
	struct diag d = {0};
	struct channel *c;

	if (geteuid() || close(channel_secret_memory(1)))
		cr_skip_test("no secret memory, or too little of it for who is not root");
	cr_assert(!setrlimit(RLIMIT_MEMLOCK, &page));
	c = channel_new(&o, &d);
	cr_assert(c || (d.err == -ENOMEM && strstr(d.cure, "ulimit -l")), "%s", d.reason);
	cr_assert(!getrlimit(RLIMIT_MEMLOCK, &after) && after.rlim_cur == page.rlim_cur);
	channel_free(c);
}

Test(truth_channel, nobody_reads_secret_memory_who_has_not_mapped_it)
{
	struct channel_options o = {.slots = 1, .records = 64, .decoy_ppm = 10000, .secret = true};
	uint64_t magic = 0;
	struct iovec to = {&magic, sizeof(magic)}, from = {0};
	char path[64];
	struct bench b;

	if (geteuid() || close(channel_secret_memory(1)))
		cr_skip_test("no secret memory, or too little of it for who is not root");
	bench_open(&b, &o, 1);
	from = (struct iovec){b.c.map, sizeof(magic)};
	cr_assert(b.c.map->magic == LOG_MAGIC);
	cr_assert(process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 && errno == EFAULT);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", channel_fd(b.ch));
	cr_assert(open(path, O_RDONLY | O_CLOEXEC) < 0 && errno == ENXIO);
	channel_let_go(b.ch);
	cr_assert(channel_fd(b.ch) == -1);
	bench_close(&b, (struct truth_counts){0});
	channel_free(b.ch);
}

/* ---- truth off ---- */

Test(truth_channel, does_nothing_without_a_channel)
{
	struct recorder_channel c;
	struct recorder r;

	cr_assert(recorder_map_fd(&c, -1) == 0 && c.map == NULL);
	cr_assert(recorder_open(&r, &c, 5));
	cr_assert(recorder_now(&r) == 0 && recorder_token(&r) == 0);
	recorder_name_kind(&c, 0, "get");
	recorder_keys(&c, 1);
	recorder_src(&r, 1, 2, HANDOFF_IO, key, 0, 0, 1, 2);
	recorder_end(&r, 1, 2, 3, false);
	recorder_close(&r);
	recorder_unmap(&c, 0, 0, 0, 0, 0);
}

Test(truth_channel, refuses_a_channel_of_another_version)
{
	struct log_channel head = {.magic = LOG_MAGIC, .version = LOG_VERSION + 1};
	struct recorder_channel c;
	int fd = memfd_create("", 0);

	cr_assert(write(fd, &head, sizeof(head)) == sizeof(head));
	cr_assert(recorder_map_fd(&c, fd) == -EPROTO && c.map == NULL);
	close(fd);
}

/* ---- the harness's side ---- */

Test(truth_channel, leaves_the_raw_memory_for_whoever_must_look)
{
	const char *path = scratch("dump");
	struct log_channel head;
	struct bench b;
	struct diag d;
	FILE *f;

	bench_small(&b, 1);
	cr_assert(channel_dump(b.ch, path, &d) == 0);
	f = fopen(path, "r");
	cr_assert(f != NULL && fread(&head, sizeof(head), 1, f) == 1);
	cr_assert(head.magic == LOG_MAGIC);
	fclose(f);
	unlink(path);
	cr_assert(channel_dump(b.ch, "/nonexistent/dump", &d) == -ENOENT);
	bench_close(&b, (struct truth_counts){0});
	channel_free(b.ch);
}

Test(truth_channel, says_what_a_channel_would_have_needed)
{
	struct channel_options o = {
		.slots = 1000, .records = UINT64_C(1) << 40, .decoy_ppm = 10000};
	struct diag d = {0};

	cr_assert(channel_new(&o, &d) == NULL);
	cr_assert(strstr(d.reason, "1000 slots") != NULL && d.cure[0], "%s", d.reason);
}
