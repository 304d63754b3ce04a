/* SPDX-License-Identifier: BSD-2-Clause */
/* From the recorder's calls to truth: windows, joins, decoys, and every way a run can be broken. */
#include "tests/units/truth_help.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "groundtruth/channel.h"
#include "groundtruth/recorder.h"

/* Both ends of a channel in one process, and recorders that pose as threads 101, 102… */
struct bench {
	struct channel *ch;
	struct recorder_channel c;
	struct recorder r[4];
};

static void bench_open(struct bench *b, const struct channel_options *o, unsigned threads)
{
	struct diag d = {0};

	memset(b, 0, sizeof(*b));
	b->ch = channel_new(o, &d);
	cr_assert(b->ch != NULL, "%s", d.reason);
	cr_assert(recorder_map_fd(&b->c, dup(channel_fd(b->ch))) == 0 && b->c.map != NULL);
	recorder_name_kind(&b->c, 0, "get");
	recorder_name_class(&b->c, 0, "pool.frame");
	recorder_name_class(&b->c, 1, "pool-thrash");
	recorder_keys(&b->c, 1u << KEY_USER_DATA | 1u << KEY_UADDR);
	for (unsigned i = 0; i < threads; i++)
		cr_assert(recorder_open(&b->r[i], &b->c, 101 + i));
}

static void bench_small(struct bench *b, unsigned threads)
{
	struct channel_options o = {.slots = 4, .records = 64, .decoy_ppm = 10000};

	bench_open(b, &o, threads);
}

static void bench_close(struct bench *b, struct truth_counts n)
{
	for (unsigned i = 0; i < 4; i++)
		recorder_close(&b->r[i]);
	recorder_unmap(&b->c, n.begin, n.end, n.segment, n.handoff, n.event);
}

static int bench_collect(struct bench *b, struct truth *t, struct diag *d)
{
	static const struct collect_descriptor wrong = {
		.id = 3, .resource = "pool.frame", .valid = false, .has_since = true, .since = 5};
	struct collect_info info = {.workload = "w",
				    .variant = "base",
				    .seed = 9,
				    .scored = {1, 10000},
				    .descriptors = &wrong,
				    .descriptors_cnt = 1};

	memset(d, 0, sizeof(*d));
	return channel_collect(b->ch, &info, t, d);
}

/* Collects what must be sound. */
static void bench_truth(struct bench *b, struct truth_counts n, struct truth *t)
{
	struct diag d;

	bench_close(b, n);
	cr_assert(bench_collect(b, t, &d) == 0, "%s", d.reason);
	cr_assert(truth_check(t, "", &d) == 0, "line %llu: %s", (unsigned long long)d.line,
		  d.reason);
	channel_free(b->ch);
}

/* Collects what must be found broken. */
static void bench_broken(struct bench *b, const char *says)
{
	struct truth t = {.seed = 77};
	struct diag d;

	bench_close(b, (struct truth_counts){0});
	cr_assert(bench_collect(b, &t, &d) == -EINVAL);
	cr_assert(strstr(d.reason, says) != NULL, "says %s and not %s", d.reason, says);
	cr_assert(d.cure[0] && t.seed == 77);
	channel_free(b->ch);
}

static const struct rec_key key = {.v = 0x7f10, .scope = 2, .ns = KEY_USER_DATA, .has_scope = true};

static void op_begin(struct recorder *r, uint64_t op, uint64_t t)
{
	recorder_begin(r, op, 0, t, t + 10);
}

Test(truth_collect, joins_the_ends_and_derives_their_windows)
{
	struct bench b;
	struct truth t;
	const struct truth_handoff *h;
	uint64_t op, id;

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	id = recorder_token(&b.r[0]);
	op_begin(&b.r[0], op, 100);
	recorder_src(&b.r[0], id, op, HANDOFF_IO, key, 17, 1u << MARK_PUNTED, 200, 230);
	recorder_segment(&b.r[0], op, 110, 400);
	recorder_segment(&b.r[1], op, 120, 560);
	recorder_dst(&b.r[1], id, op, HANDOFF_IO, key, 9, 1u << MARK_LATE, 0, 640);
	recorder_segment(&b.r[1], op, 650, 700);
	recorder_mark(&b.r[0], id, 1u << MARK_CROSS);
	recorder_amb(&b.r[1], id, 0xabc);
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 3, 1, 0}, &t);
	h = &t.handoffs[0];
	cr_assert(h->id == id && h->type == HANDOFF_IO && h->seq == 17 && h->take == 9);
	cr_assert(h->has == (TH_SRC | TH_DST | TH_SEQ | TH_TAKE | TH_AMB | TH_MARKS));
	cr_assert(h->src_op == op && h->src_tid == 101 && h->dst_op == op && h->dst_tid == 102);
	cr_assert(h->src_t.t0 == 200 && h->src_t.t1 == 230);
	cr_assert(h->dst_ready.t0 == 200 && h->dst_ready.t1 == 640, "never looked: from the src");
	cr_assert(h->dst_t.t0 == 560 && h->dst_t.t1 == 700, "free since 560, segment ends 700");
	cr_assert(h->marks == (1u << MARK_PUNTED | 1u << MARK_LATE | 1u << MARK_CROSS));
	cr_assert(h->amb == 0xabc);
	cr_assert(h->key.ns == KEY_USER_DATA && h->key.v == 0x7f10 && h->key.has_scope &&
		  h->key.scope == 2);
	truth_free(&t);
}

/* One handoff of a type, received with these moments; its windows. */
static struct truth_handoff receive(unsigned type, uint64_t free_since, uint64_t ready0,
				    uint64_t ready1, uint64_t consumed)
{
	struct bench b;
	struct truth t;
	struct truth_handoff h;
	uint64_t op, id;

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	id = recorder_token(&b.r[0]);
	op_begin(&b.r[0], op, 10);
	recorder_src(&b.r[0], id, op, type, key, RECORDER_NO_SEQ, 0, 200, 230);
	if (free_since)
		recorder_segment(&b.r[1], op, 20, free_since);
	recorder_dst_consumed(&b.r[1], id, op, type, key, RECORDER_NO_SEQ, 0, ready0, ready1,
			      consumed);
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, free_since ? 1 : 0, 1, 0}, &t);
	h = t.handoffs[0];
	truth_free(&t);
	return h;
}

Test(truth_collect, clamps_windows_to_the_src)
{
	struct truth_handoff h = receive(HANDOFF_WAKE, 0, 150, 300, 310);

	cr_assert(h.dst_ready.t0 == 200 && h.dst_ready.t1 == 300, "not before the src");
	cr_assert(h.dst_t.t0 == 200 && h.dst_t.t1 == 310, "to the moment it was consumed");
	cr_assert(!(h.has & (TH_SEQ | TH_TAKE)));
	h = receive(HANDOFF_WAKE, 180, 250, 300, 300);
	cr_assert(h.dst_ready.t0 == 250, "from the last moment it was not there");
	cr_assert(h.dst_t.t0 == 200 && h.dst_t.t1 == 300, "free before the src");
	h = receive(HANDOFF_WAKE, 260, 250, 300, 305);
	cr_assert(h.dst_t.t0 == 260, "free since the end of the segment before");
	h = receive(HANDOFF_WORK, 0, 250, 300, 305);
	cr_assert(h.dst_ready.t0 == 200, "kernel work may be ready from its src on");
}

Test(truth_collect, lets_several_handoffs_start_one_segment)
{
	struct bench b;
	struct truth t;
	uint64_t op, id[2];

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	op_begin(&b.r[0], op, 100);
	for (int i = 0; i < 2; i++) {
		id[i] = recorder_token(&b.r[0]);
		recorder_src(&b.r[0], id[i], op, HANDOFF_MSG, key, RECORDER_NO_SEQ, 0, 200, 230);
		recorder_dst(&b.r[1], id[i], op, HANDOFF_MSG, key, RECORDER_NO_SEQ, 0, 240, 300);
	}
	recorder_segment(&b.r[1], op, 310, 400);
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 1, 2, 0}, &t);
	cr_assert(t.handoffs[0].dst_t.t1 == 400 && t.handoffs[1].dst_t.t1 == 400);
	truth_free(&t);
}

Test(truth_collect, keeps_one_ended_handoffs)
{
	struct bench b;
	struct truth t;
	uint64_t op, id[2];
	char *text;

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	id[0] = recorder_token(&b.r[0]);
	id[1] = recorder_token(&b.r[1]);
	op_begin(&b.r[0], op, 100);
	recorder_src(&b.r[0], id[0], op, HANDOFF_IO, key, 1, 0, 200, 230);
	recorder_mark(&b.r[1], id[0], 1u << MARK_CANCELLED);
	recorder_dst_consumed(&b.r[1], id[1], op, HANDOFF_IO, key, 1, 1u << MARK_LOST, 0, 300, 320);
	recorder_end(&b.r[0], op, 900, 905, true);
	bench_truth(&b, (struct truth_counts){1, 1, 0, 2, 0}, &t);
	text = export_text(&t);
	cr_assert(strstr(text, "\"dst\":null,\"marks\":[\"cancelled\"]") != NULL);
	cr_assert(strstr(text, "\"src\":null,\"dst\":{") != NULL);
	cr_assert(strstr(text, "\"ready\":[300,300],\"t\":[300,320]},\"marks\":[\"lost\"]") != NULL,
		  "%s", text);
	cr_assert(t.ops[0].open == 1);
	free(text);
	truth_free(&t);
}

Test(truth_collect, takes_one_sides_key_for_both)
{
	struct bench b;
	struct truth t;
	struct rec_key bare = {.v = 0x7f10, .ns = KEY_USER_DATA};
	uint64_t op, id[2];

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	op_begin(&b.r[0], op, 100);
	for (int i = 0; i < 2; i++) {
		id[i] = recorder_token(&b.r[0]);
		recorder_src(&b.r[0], id[i], op, HANDOFF_IO, i ? bare : (struct rec_key){0},
			     RECORDER_NO_SEQ, 0, 200 + i, 230);
		recorder_dst_consumed(&b.r[1], id[i], op, HANDOFF_IO, key, RECORDER_NO_SEQ, 0, 240,
				      300, 310);
	}
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 0, 2, 0}, &t);
	for (int i = 0; i < 2; i++)
		cr_assert(t.handoffs[i].key.v == 0x7f10 && t.handoffs[i].key.has_scope &&
			  t.handoffs[i].key.scope == 2);
	truth_free(&t);
}

Test(truth_collect, carries_events_lives_effects_diagnoses_and_contradictions)
{
	struct bench b;
	struct truth t;
	uint64_t op, life, old;
	struct recorder *r = &b.r[0];

	bench_small(&b, 1);
	op = recorder_token(r);
	life = recorder_token(r);
	old = recorder_token(r);
	op_begin(r, op, 100);
	recorder_live(r, old, 2, true);
	recorder_event(r, EVENT_ACQUIRE, 0, 0x55, life, 4, op, 3, 300, 360);
	recorder_event(r, EVENT_RELEASE, 0, 0x56, old, 2, op, 0, 370, 380);
	recorder_effect(r, life, EFFECT_BLOCK_IO, 4096, 400, 500);
	recorder_diagnosis(r, 1, 0, 600, 700);
	recorder_contradicted(r, 3, 999);
	recorder_contradicted(r, 3, 450);
	recorder_live(r, life, 4, false);
	recorder_end(r, op, 900, 905, false);
	bench_truth(&b, (struct truth_counts){1, 1, 0, 0, 2}, &t);
	cr_assert(t.events[0].instance == 0x55 && t.events[0].life == life &&
		  t.events[0].units == 4 && t.events[0].desc == 3 && t.events[0].tid == 101);
	cr_assert(!(t.events[1].has & TE_DESC));
	cr_assert(t.effects[0].cause == life && t.effects[0].v == 4096);
	cr_assert(strcmp(strtab_get(t.strings, t.diagnoses[0].label_str), "pool-thrash") == 0);
	cr_assert(t.descriptors[0].has_contradicted && t.descriptors[0].contradicted == 450);
	cr_assert(t.lives[0].at_start && !t.lives[1].at_start);
	cr_assert(t.seed == 9 && t.threads_cnt == 1 && t.threads[0] == 101);
	cr_assert(t.keys == (1u << KEY_USER_DATA | 1u << KEY_UADDR) && t.key_strs_cnt == 2);
	truth_free(&t);
}

Test(truth_collect, writes_records_in_the_order_of_their_first_time)
{
	struct bench b;
	struct truth t, again;
	struct diag d;
	uint64_t op;
	char *one, *two;
	static const enum truth_record order[] = {REC_LIVE,  REC_BEGIN, REC_SEGMENT, REC_EVENT,
						  REC_EVENT, REC_END,	REC_CLOSE};

	bench_small(&b, 2);
	op = recorder_token(&b.r[0]);
	recorder_event(&b.r[1], EVENT_USE, 0, 5, op, 1, op, 0, 300, 310);
	recorder_event(&b.r[0], EVENT_USE, 0, 5, op, 1, op, 0, 200, 210);
	recorder_segment(&b.r[0], op, 110, 400);
	recorder_live(&b.r[0], recorder_token(&b.r[0]), 0, true);
	op_begin(&b.r[0], op, 100);
	recorder_end(&b.r[1], op, 900, 905, false);
	bench_close(&b, (struct truth_counts){1, 1, 1, 0, 2});
	cr_assert(bench_collect(&b, &t, &d) == 0 && bench_collect(&b, &again, &d) == 0);
	cr_assert(t.order_cnt == sizeof(order) / sizeof(order[0]));
	for (size_t i = 0; i < t.order_cnt; i++)
		cr_assert(truth_order_record(t.order[i]) == order[i], "record %zu", i);
	one = export_text(&t);
	two = export_text(&again);
	cr_assert(strcmp(one, two) == 0);
	free(one);
	free(two);
	truth_free(&t);
	truth_free(&again);
	channel_free(b.ch);
}

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

Test(truth_collect, tells_decoys_apart_and_they_are_1_to_5_percent)
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

Test(truth_collect, gives_event_decoys_where_events_are_all_there_is)
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

Test(truth_collect, leaves_no_used_token_and_no_used_decoy_in_the_memory)
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

Test(truth_collect, a_record_is_never_the_first_to_touch_its_page)
{
	cr_assert(faults_of_recording(false) < 30, "ordinary memory");
	if (geteuid() || close(channel_secret_memory(1)))
		cr_skip_test("no secret memory, or too little of it for who is not root");
	cr_assert(faults_of_recording(true) < 30, "secret memory");
}

Test(truth_collect, nobody_reads_secret_memory_who_has_not_mapped_it)
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

Test(truth_collect, does_nothing_without_a_channel)
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

Test(truth_collect, refuses_a_channel_of_another_version)
{
	struct log_channel head = {.magic = LOG_MAGIC, .version = LOG_VERSION + 1};
	struct recorder_channel c;
	int fd = memfd_create("", 0);

	cr_assert(write(fd, &head, sizeof(head)) == sizeof(head));
	cr_assert(recorder_map_fd(&c, fd) == -EPROTO && c.map == NULL);
	close(fd);
}

/* ---- broken runs ---- */

static struct log_rec *raw(struct bench *b, unsigned slot, unsigned rec)
{
	return (struct log_rec *)(uintptr_t)&b->ch->slots[slot].recs[rec];
}

Test(truth_collect, finds_a_run_without_close_block)
{
	struct bench b;
	struct truth t;
	struct diag d;

	bench_small(&b, 1);
	op_begin(&b.r[0], recorder_token(&b.r[0]), 1);
	cr_assert(bench_collect(&b, &t, &d) == -EINVAL);
	cr_assert(strstr(d.reason, "no close block") != NULL);
	channel_free(b.ch);
}

Test(truth_collect, finds_a_full_log)
{
	struct channel_options o = {.slots = 1, .records = 3, .decoy_ppm = 10000};
	struct bench b;

	bench_open(&b, &o, 1);
	for (int i = 0; i < 4; i++)
		recorder_segment(&b.r[0], 1, 1, 2);
	bench_broken(&b, "full log: thread 101 had no room after 3 records");
}

Test(truth_collect, finds_too_few_tokens_and_figures_that_do_not_fit)
{
	struct channel_options o = {.slots = 1, .records = 2, .decoy_ppm = 10000};
	struct bench b;

	bench_open(&b, &o, 1);
	for (int i = 0; i < 3; i++)
		recorder_token(&b.r[0]);
	bench_broken(&b, "ran out of dealt tokens");
	bench_small(&b, 1);
	recorder_dst_consumed(&b.r[0], recorder_token(&b.r[0]), 1, HANDOFF_IO, key, 0, 0, 1, 2,
			      UINT64_C(1) << 33);
	bench_broken(&b, "does not fit 32 bits");
}

Test(truth_collect, finds_threads_without_a_slot_or_an_id)
{
	struct channel_options o = {.slots = 1, .records = 2, .decoy_ppm = 10000};
	struct bench b;
	struct recorder extra;

	bench_open(&b, &o, 1);
	cr_assert(!recorder_open(&extra, &b.c, 104));
	recorder_segment(&extra, 1, 2, 3);
	bench_broken(&b, "missing log: 2 threads wanted to record, 1 slots");
	bench_small(&b, 0);
	cr_assert(recorder_open(&b.r[0], &b.c, 0));
	bench_broken(&b, "missing log: slot 0");
}

Test(truth_collect, finds_torn_records_and_logs)
{
	struct bench b;

	bench_small(&b, 1);
	op_begin(&b.r[0], recorder_token(&b.r[0]), 1);
	op_begin(&b.r[0], recorder_token(&b.r[0]), 1);
	raw(&b, 0, 1)->kind = LOG_NONE;
	bench_broken(&b, "thread 101, raw record 1: torn record: kind 0");
	bench_small(&b, 1);
	b.r[0].slot->cnt = 65;
	bench_broken(&b, "torn log: thread 101 says 65 records where 64 fit");
	bench_small(&b, 1);
	op_begin(&b.r[0], recorder_token(&b.r[0]), 1);
	raw(&b, 0, 0)->t0 = 99;
	bench_broken(&b, "a window that ends before it begins");
}

Test(truth_collect, finds_unknown_tokens_words_and_handoffs)
{
	struct bench b;

	bench_small(&b, 1);
	op_begin(&b.r[0], 0x1234, 1);
	bench_broken(&b, "unknown token");
	bench_small(&b, 1);
	recorder_src(&b.r[0], 0x1234, 1, HANDOFF_IO, key, 0, 0, 1, 2);
	bench_broken(&b, "unknown token");
	bench_small(&b, 1);
	recorder_begin(&b.r[0], recorder_token(&b.r[0]), 5, 1, 2);
	bench_broken(&b, "an operation kind without a name");
	bench_small(&b, 1);
	recorder_src(&b.r[0], recorder_token(&b.r[0]), 1, 10, key, 0, 0, 1, 2);
	bench_broken(&b, "unknown handoff type");
	bench_small(&b, 1);
	recorder_event(&b.r[0], EVENT_USE, 7, 1, recorder_token(&b.r[0]), 1, 1, 0, 1, 2);
	bench_broken(&b, "a class without a name");
	bench_small(&b, 1);
	recorder_mark(&b.r[0], recorder_token(&b.r[0]), 1);
	bench_broken(&b, "not recorded");
	bench_small(&b, 1);
	recorder_contradicted(&b.r[0], 8, 1);
	bench_broken(&b, "contradicts descriptor 8");
}

Test(truth_collect, finds_a_decoys_token_where_none_may_be)
{
	struct bench b;

	bench_small(&b, 1);
	op_begin(&b.r[0], b.ch->slots[0].decoys[0].token, 1);
	bench_broken(&b, "unknown token");
}

static uint64_t broken_handoff(struct bench *b, uint64_t *id)
{
	uint64_t op;

	bench_small(b, 2);
	op = recorder_token(&b->r[0]);
	*id = recorder_token(&b->r[0]);
	recorder_src(&b->r[0], *id, op, HANDOFF_IO, key, 0, 0, 200, 230);
	return op;
}

Test(truth_collect, finds_ends_that_do_not_belong_together)
{
	struct rec_key other = {.v = 0x7f11, .scope = 2, .ns = KEY_USER_DATA, .has_scope = true};
	struct bench b;
	uint64_t id, op = broken_handoff(&b, &id);

	recorder_src(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 300, 301);
	bench_broken(&b, "has two src records");
	op = broken_handoff(&b, &id);
	recorder_dst_consumed(&b.r[1], id, op, HANDOFF_MSG, key, 0, 0, 300, 301, 302);
	bench_broken(&b, "is io at one end and msg at the other");
	op = broken_handoff(&b, &id);
	recorder_dst_consumed(&b.r[1], id, op, HANDOFF_IO, other, 0, 0, 300, 301, 302);
	bench_broken(&b, "have two keys");
	op = broken_handoff(&b, &id);
	recorder_dst_consumed(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 100, 150, 160);
	bench_broken(&b, "received before it was sent");
	op = broken_handoff(&b, &id);
	recorder_amb(&b.r[1], id, 1);
	recorder_amb(&b.r[1], id, 2);
	bench_broken(&b, "in two amb groups");
}

Test(truth_collect, finds_segments_that_a_handoff_did_not_start)
{
	struct bench b;
	uint64_t id, op = broken_handoff(&b, &id);

	recorder_dst(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 300, 301);
	bench_broken(&b, "starts a segment that was never recorded");
	op = broken_handoff(&b, &id);
	recorder_dst(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 300, 301);
	recorder_segment(&b.r[1], recorder_token(&b.r[1]), 310, 320);
	bench_broken(&b, "starts a segment of 0x");
	op = broken_handoff(&b, &id);
	recorder_segment(&b.r[1], op, 1, 400);
	recorder_dst_consumed(&b.r[1], id, op, HANDOFF_IO, key, 0, 0, 300, 301, 310);
	bench_broken(&b, "over before its receiver was free");
}

Test(truth_collect, leaves_the_raw_memory_for_whoever_must_look)
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

Test(truth_collect, says_what_a_channel_would_have_needed)
{
	struct channel_options o = {
		.slots = 1000, .records = UINT64_C(1) << 40, .decoy_ppm = 10000};
	struct diag d = {0};

	cr_assert(channel_new(&o, &d) == NULL);
	cr_assert(strstr(d.reason, "1000 slots") != NULL && d.cure[0], "%s", d.reason);
}
