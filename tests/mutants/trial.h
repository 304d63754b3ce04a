/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trying mutants: each against the tests that come by it, the likely ones first, up to the first
 * failure.
 *
 * A lab knows the tests: what each takes and what it comes by, from one run without any mutation.
 * Which test is asked first is learned as mutants are caught; it costs or saves time and decides
 * nothing. Functions that take a lab may be called by several threads, each with its own bench.
 */
#ifndef ASSAY_TESTS_MUTANTS_TRIAL_H
#define ASSAY_TESTS_MUTANTS_TRIAL_H

#include "tests/mutants/sites.h"
#include "tests/mutants/suite.h"

struct lab;

struct commands {
	const char *exe; /* the program of all mutants */
	/* for what the compiler must know: shell text with @SRC@, @OBJ@, @ID@; @OBJ@, @EXE@ */
	const char *compile, *link;
	const char *schema;  /* the folder of the sources with all mutants */
	uint64_t longest_us; /* tests that take more CPU are not asked */
};

/* One thread's: a server, and a folder of its own for what must be compiled. */
struct bench {
	struct suite suite;
	char folder[256];
};

enum verdict {
	VERDICT_CAUGHT = 0,
	VERDICT_SURVIVED = 1,
	VERDICT_EQUIVALENT = 2, /* survived, and the source says why it must */
	VERDICT_STILLBORN = 3,	/* does not compile: no mutant */
	VERDICT_BROKEN = 4,	/* the machinery failed */
	VERDICT_CNT = 5,
};

struct finding {
	enum verdict verdict;
	bool hung;	 /* caught by the clock */
	unsigned asked;	 /* tests that came by it, as far as they were asked */
	uint32_t test;	 /* that caught it */
	uint64_t cpu_us; /* of all tests that were asked */
};

/* The commands stay the caller's. NULL and errno. */
struct lab *lab_new(const struct commands *c);
void lab_free(struct lab *l);

size_t lab_tests(const struct lab *l);
const char *lab_test_name(const struct lab *l, uint32_t test);

int bench_open(struct bench *ret, const struct lab *l, const char *folder);
void bench_close(struct bench *b);

/* Runs one test without mutation. 0, 1 if it fails, or negative errno. */
int lab_learn(struct lab *l, struct bench *b, uint32_t test);
uint64_t lab_cpu_us(const struct lab *l); /* of all tests without mutation */

/* `s` owns the site. */
struct finding trial(struct lab *l, struct bench *b, const struct sites *s, const struct site *x);

#endif
