/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The invariants of a manifest, watched as events come by.
 *
 * A rule is one invariant with a sequential test (suspicion.h) and a little state of its own; all
 * of it is bounded. Events are looked at one by one, judged together at every rules_judge. A rule
 * that is violated makes its descriptors suspect; if it is a proof and goes on being violated, the
 * one that is most to blame becomes stale. Who is to blame is told by what else the instance has
 * gone through; where nothing tells, all stay suspect.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_RULES_H
#define ASSAY_PROFILERS_CAUSAL_RULES_H

#include "lib/formats/manifest.h"
#include "profilers/adapter/joiner.h"
#include "profilers/causal/health.h"
#include "profilers/causal/lives.h"
#include "profilers/causal/processes.h"
#include "profilers/causal/suspicion.h"

/* What an event does to a life, by its resource's lifetime: its first and last word. Without one
 * ACQUIRE and BEGIN open it, RELEASE and END close it. */
enum role { ROLE_OTHER = 0, ROLE_OPEN = 1, ROLE_USE = 2, ROLE_CLOSE = 3 };

/* An event, and its instance as it was before. */
struct occurrence {
	const struct ev_rec *r;
	uint32_t desc; /* index */
	enum role role;
	uint64_t units;	   /* 1 where none are given */
	struct life *life; /* as it is after; NULL: the event names no instance */
	bool known;	   /* the instance was seen before */
	bool unsure;	   /* records may be missing that would explain what does not fit */
	bool foreign;	   /* its life began before anybody watched, unseen, or elsewhere */
	bool elsewhere;	   /* the instance is another process's, with which it may be shared */
	bool was_live, was_misused;
	uint32_t was_tid, was_first_tid;
	bool was_overlapped; /* the last opening event before had met a life */
	bool was_partial;    /* of which a part had been released */
	uint64_t beyond;     /* units released that were not there */
};

/* Whether an instance goes to the thread that had it before, of those that had been given up and of
 * those that had not. */
struct succession {
	uint64_t same, other;
};

/* Units in use lie in [low, high], which differ by what lost records may have done. */
struct flow {
	double low, high, most;
	double unit_most; /* largest of one event */
	uint64_t opened, closed;
	/* the window of `within` */
	uint64_t from;
	double least;
	bool moved;
};

struct tid_state { /* of one thread; a small table, found by tid modulo its size */
	uint32_t tid, cnt;
	uint64_t t, v;
	/* membership: lives by their generation, of the use that was looked at last */
	uint32_t desc;
	uint64_t strayed; /* the newest there was when a use was of none; 0: none was since */
	uint64_t idle;	  /* the last that this thread began and ended without a use */
};
enum { TID_STATES = 64 };

/* The last event of a thread; a small table, found by tid modulo its size. */
struct thread_last {
	uint32_t tid, tgid, desc;
	uint64_t t, instance;
};
enum { THREADS_LAST = 64 };

/* count: more in use than should be, until it is known that nobody was in the middle of it. */
struct reading {
	uint64_t instance, t; /* t: 0: none */
	uint32_t tid, tgid;
};
enum { READINGS = 64 };

/* Of a process, what it did to a resource; a small table, found by tgid modulo its size. */
struct process_state {
	uint32_t tgid, hits, calls; /* hits: so far, IMAGE_LEAST at most; calls: in this window */
	uint32_t since, longest;    /* calls since its last hit, and the most there were */
	uint64_t lost;		    /* hits that may be missing, in this window */
	bool replaced;		    /* it has executed a file since, */
	bool goes_on;		    /* and hit a site in this window */
};
enum { PROCESS_STATES = 64 };

/* Threads by tid modulo their number: two that meet here are taken for one. */
struct tid_set {
	uint64_t bits[16];
};

enum look { LOOK_NONE = 0, LOOK_RIGHT = 1, LOOK_WRONG = 2 };

struct tids { /* distinct ones, as many as there is room for */
	uint32_t v[32], cnt;
};

/* ratio: how far the hits of a are beyond what those of b allow, since they last were not. */
enum ratio_side { RATIO_LOW = 0, RATIO_HIGH = 1, RATIO_SIDES = 2 };
enum { RATIO_SCALES = 20 };
/* Hits of a in so many blocks. */
struct scale {
	double last, squares; /* of the differences of neighbours */
	uint64_t cnt;
};
struct drift {
	double sum[RATIO_SIDES], run[RATIO_SIDES], of_b[RATIO_SIDES]; /* run: blocks summed up */
	double mean, squares;		  /* of the hits of a in a block */
	struct scale scale[RATIO_SCALES]; /* of 2^i blocks */
};

struct rules;
struct rule;
typedef enum look rule_fn(const struct rules *rs, struct rule *r, const struct occurrence *o);

struct rule {
	const struct manifest_invariant *inv;
	uint32_t of[MANIFEST_OF_MAX]; /* indices of descriptors */
	uint64_t blame[MANIFEST_OF_MAX];
	uint32_t resource; /* index, of the first */
	uint32_t why_str;
	uint64_t order_bit; /* order, exclusion, count */
	struct suspicion test;
	/* more tests: thresholds.h says which is of whom */
	struct suspicion side;	  /* WITHIN, MOVED, STRANGER, IMAGE */
	struct suspicion ends;	  /* ENDS, BEYOND */
	struct suspicion returns; /* RETURN */
	rule_fn *look_at;
	enum suspicion_level announced; /* in claims */
	bool named;			/* in claims: one of them as the one to blame */
	uint32_t closed, ended;		/* pairing: in this window */
	/* membership: rules.idle and rules.ended when first blamed */
	uint64_t idle_before[MANIFEST_OF_MAX], ended_before[MANIFEST_OF_MAX];
	uint64_t moved[MANIFEST_OF_MAX];   /* and uses of none that lives of their threads lack */
	struct flow flow;		   /* balance */
	struct succession clean, overlap;  /* balance */
	uint64_t hits[2];		   /* ratio: in this block */
	struct drift drift;		   /* ratio */
	uint64_t met[2];		   /* and in one of the windows in which it may be kept */
	uint32_t windows, kept;		   /* the first of them, and those that kept it */
	uint64_t run[2], longest[2];	   /* silence: effects since the last event, by stream */
	uint64_t told[MANIFEST_OF_MAX][2]; /* emit-rate: hits and emitted, at the last window */
	uint64_t faults[MANIFEST_OF_MAX];  /* emit-rate: emitted and not to be read */
	double rate[MANIFEST_OF_MAX];	   /* emit-rate: learned; 0: not yet */
	struct tids actors;		   /* actor: in this window */
	struct tids around;		   /* and in the resource's other events */
	struct tids present;		   /* and in any event */
	struct tids ever;		   /* actors of all windows before */
	uint32_t window;		   /* actor: events in it */
	struct tid_state *by_tid; /* system-effect, monotone; membership: uses of strangers */
	struct process_state *processes; /* image */
	struct reading *readings;	 /* count: found by instance modulo their number */
};

struct rules {
	const struct manifest *m;
	const struct lives *lives; /* of all resources */
	struct rule *v;
	uint32_t cnt;
	uint32_t *first, *list; /* rules of descriptor i: list[first[i]] … list[first[i + 1]] */
	uint64_t *capacity;	/* one a resource, of all processes; 0: not known */
	uint64_t *set_up;	/* of that what is no copy of a fork's */
	struct processes processes;
	bool *by_units;	  /* one a resource: both ends of a life give units */
	bool *exclusive;  /* one a resource: an opening event begins a new life */
	uint8_t *use_bit; /* one a descriptor: of a use, in life.uses; 0: it is none */
	uint64_t *idle;	  /* one a descriptor: lives that ended without it, or without a use */
	uint64_t *ended;  /* one a resource: of so many */
	struct tid_set *holders; /* one a resource: who acquired or gave up any */
	uint32_t *culprit;	 /* one a resource: descriptor that was named, and 1; 0: none */
	const struct thresholds *th;
	const struct causal_trace *trace; /* NULL: none */
	bool *absent;			  /* one a descriptor: it has no site */
	struct thread_last *last;	  /* THREADS_LAST */
	bool *echoes;			  /* one a descriptor: see rules_echo */
	bool moves;	    /* operations go from thread to thread, as the manifest tells */
	enum look returned; /* of the event at hand: what its instance's acquires say */
	/* one a resource: that what hit its sites goes on hitting them; rules from images on */
	struct manifest_invariant *image;
	uint32_t images;
};

/* lives: borrowed, as it is after each event. */
int rules_open(struct rules *r, const struct manifest *m, const struct lives *lives,
	       struct outlet *out, const struct causal_tuning *tuning);
void rules_close(struct rules *r);

/* An opening event begins a new life, whatever came of the last one. */
bool rules_exclusive(const struct manifest *m, uint32_t resource);

/* What the rules that looked at it found; one that finds it wrong decides. -ENOMEM, or 0. */
int rules_event(struct rules *r, const struct occurrence *o, enum look *ret);
/* The process tree did I/O. stream: 0 through io_uring, 1 a block request. */
void rules_effect(struct rules *r, const struct ev_rec *v, unsigned stream);
void rules_hits(struct rules *r, uint32_t desc, uint64_t hits, uint64_t passed);
/* resource: index, or RESOURCE_ANY where it is not known what the records were of. */
enum { RESOURCE_ANY = UINT32_MAX };
void rules_lost(struct rules *r, uint64_t cnt, uint32_t resource);
/* What is known of threads goes on under another manifest, for resources of the same name. */
void rules_follow(struct rules *r, const struct rules *old);
/* A process of the tree executes a file, does a system call, is no more. */
void rules_exec(struct rules *r, uint32_t tgid);
void rules_call(struct rules *r, uint32_t tgid);
void rules_exit(struct rules *r, uint32_t tgid);
/* The life of the same instance that another process has acquired and holds: where processes share
 * memory it is this one. NULL: none. */
struct life *rules_held_elsewhere(const struct rules *r, const struct life_key *key);
/* A life of a process that is another program, or no more. */
void rules_life_gone(struct rules *r, const struct life *l);
/* A process has set up so much of a resource. -ENOMEM, or 0. */
int rules_capacity(struct rules *r, uint32_t tgid, uint32_t resource, uint64_t capacity);
/* A descriptor has no site: what is missing is its. */
void rules_absent(struct rules *r, uint32_t desc);

/* A rule of this resource has seen violations that may come to something. */
bool rules_doubt(const struct rules *r, uint32_t resource);
/* loss: share of the records since the last time that was lost. */
int rules_judge(struct rules *r, struct health *h, uint64_t t, double loss);

/* ---- for the files of the rules ---- */

rule_fn rule_pairing, rule_membership, rule_generation, rule_order, rule_balance; /* of lives */
rule_fn rule_exclusion, rule_count;				      /* of two resources */
rule_fn rule_ratio, rule_silence, rule_emit, rule_actor, rule_effect; /* of rates */
rule_fn rule_range, rule_value, rule_monotone;			      /* of values */

/* What holders and returns of the event's resource say, before any rule looks at it. -ENOMEM, or
 * 0. */
int rules_holders(struct rules *rs, const struct occurrence *o);
/* Its process hits a site of the resource. */
void rules_image(struct rules *rs, const struct occurrence *o);
void rule_image_lost(struct rule *r, uint64_t cnt);
/* of_it: of the rule's resource, or of what is not known. */
void rule_threads_lost(struct rule *r, uint64_t cnt, bool of_it);
/* A life has ended without a use of that descriptor. */
void rule_life_idle(struct rule *r, uint32_t desc, const struct occurrence *o);
void rules_watch_user(const struct rules *rs, struct rule *r, const struct occurrence *o);
/* Which tests the second and the third of a rule are. */
enum test rule_side(const struct rules *rs, const struct rule *r);
enum test rule_ends(const struct rule *r);
void rule_balance_lost(struct rule *r, uint64_t cnt);
void rule_balance_gone(struct rule *r, const struct life *l);
void rule_ratio_lost(struct rule *r, uint64_t cnt);
void rules_thread(struct rules *rs, const struct occurrence *o);
/* It is at the site of another, of which a count tells who is in a call, and no count looks at it:
 * one call makes both events, so that its own says nothing of where the thread is. */
bool rules_echo(const struct rules *rs, uint32_t desc);
void rule_count_settle(const struct rules *rs, struct rule *r);
struct life *rule_life_beside(const struct rules *rs, const struct occurrence *o, uint32_t desc);
void rule_actor_around(struct rule *r, const struct occurrence *o, bool beside);
void rule_silence_effect(struct rule *r, unsigned stream);
void rule_effect_came(struct rule *r, const struct ev_rec *v);
void rule_effect_overdue(struct rule *r, uint64_t t);
void rule_emit_hits(struct rule *r, uint32_t desc, uint64_t hits, uint64_t passed);

enum role role_of(const struct manifest *m, uint32_t desc);
bool rule_concerns(const struct rule *r, uint32_t desc);
bool rules_off(const struct rules *rs, enum test test);
void rule_blame(struct rule *r, uint32_t desc); /* nothing if it is not of the rule */
uint64_t rule_blamed(const struct rule *r);	/* so often, all together */
void rule_blame_role(const struct rules *rs, struct rule *r, enum role role);
struct tid_state *rule_tid(struct rule *r, uint32_t tid);

static inline enum look look(bool wrong)
{
	return wrong ? LOOK_WRONG : LOOK_RIGHT;
}

#endif
