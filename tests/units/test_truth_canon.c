/* SPDX-License-Identifier: BSD-2-Clause */
/* canon: what scheduling decides does not show, what the program means does. */
#include "tests/units/truth_help.h"

static char *canon_text(const char *text)
{
	struct truth t;
	struct diag d = {0};
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	cr_assert(load_text(text, &t, &d) == 0, "line %llu: %s", (unsigned long long)d.line,
		  d.reason);
	cr_assert(truth_canon(&t, f) == 0);
	cr_assert(fclose(f) == 0);
	truth_free(&t);
	return out;
}

static void same(const char *a, const char *b)
{
	char *p = canon_text(a), *q = canon_text(b);

	cr_assert(strcmp(p, q) == 0, "%s---\n%s", p, q);
	free(p);
	free(q);
}

static void differ(const char *a, const char *b)
{
	char *p = canon_text(a), *q = canon_text(b);

	cr_assert(strcmp(p, q) != 0, "both are\n%s", p);
	free(p);
	free(q);
}

#define BEGIN(op, kind, tid, t)                                                                    \
	"{\"r\":\"begin\",\"op\":" #op ",\"kind\":\"" kind "\",\"tid\":" #tid ",\"t\":[" #t "," #t \
	"]}\n"
#define END(op, tid, t) "{\"r\":\"end\",\"op\":" #op ",\"tid\":" #tid ",\"t\":[" #t "," #t "]}\n"
#define SEGMENT(op, tid, from, to)                                                                 \
	"{\"r\":\"segment\",\"op\":" #op ",\"tid\":" #tid ",\"t\":[" #from "," #to "]}\n"
#define HANDOFF(id, type, key, op, from, t, to_op, to, got, done, marks)                           \
	"{\"r\":\"handoff\",\"id\":" #id ",\"type\":\"" type "\",\"key\":{\"ns\":\"user_data\","   \
	"\"v\":" #key "},\"src\":{\"op\":" #op ",\"tid\":" #from ",\"t\":[" #t "," #t              \
	"]},\"dst\":{\"op\":" #to_op ",\"tid\":" #to ",\"ready\":[" #t "," #got "],\"t\":[" #t     \
	"," #done "]},\"marks\":[" marks "]}\n"
#define EVENT(kind, inst, life, units, op, tid, t)                                                 \
	"{\"r\":\"event\",\"event\":\"" kind "\",\"class\":\"c\",\"instance\":" #inst              \
	",\"life\":" #life ",\"units\":" #units ",\"op\":" #op ",\"tid\":" #tid ",\"t\":[" #t      \
	"," #t "]}\n"

/* One operation: acquire, hand over, use and release on the other side. */
#define ONE(op, life, inst, id, key, a, b, t0)                                                     \
	BEGIN(op, "get", a, t0##0)                                                                 \
	SEGMENT(op, a, t0##0, t0##4)                                                               \
	EVENT("ACQUIRE", inst, life, 1, op, a, t0##1)                                              \
	HANDOFF(id, "io", key, op, a, t0##2, op, b, t0##5, t0##9, "")                              \
	SEGMENT(op, b, t0##6, t0##9)                                                               \
	EVENT("USE", inst, life, 1, op, b, t0##7)                                                  \
	EVENT("RELEASE", inst, life, 1, op, b, t0##8)                                              \
	END(op, b, t0##9)

Test(truth_canon, says_what_happened_without_ids_times_and_threads)
{
	char *text = canon_text(HEADER ONE(1, 10, 20, 30, 40, 101, 102, 10));

	cr_assert(strcmp(text, "1 op get ended\n"
			       "\tc: ACQUIRE 1 @0 USE 1 @1 RELEASE 1 @1\n"
			       "\thandoff io by user_data @0 to itself\n") == 0,
		  "%s", text);
	free(text);
}

Test(truth_canon, does_not_see_ids_addresses_times_threads_and_order)
{
	same(HEADER ONE(1, 10, 20, 30, 40, 101, 102, 10) ONE(2, 11, 20, 31, 40, 101, 102, 20),
	     HEADER ONE(77, 99, 98, 97, 96, 102, 101, 50) ONE(55, 89, 88, 87, 86, 101, 101, 30));
}

Test(truth_canon, does_not_see_marks_of_timing)
{
	same(HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "io", 7, 1, 101, 20, 1, 102, 30, 40, "")
		     END(1, 101, 90),
	     HEADER BEGIN(1, "k", 101, 10)
		     HANDOFF(5, "io", 7, 1, 101, 20, 1, 102, 30, 40,
			     "\"punted\",\"inline\",\"late\",\"cross\",\"reused_key\"")
			     END(1, 101, 90));
	differ(HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "io", 7, 1, 101, 20, 1, 102, 30, 40, "")
		       END(1, 101, 90),
	       HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "io", 7, 1, 101, 20, 1, 102, 30, 40,
						     "\"multishot\"") END(1, 101, 90));
}

Test(truth_canon, leaves_out_wakes_grants_steals_and_coalescing)
{
	static const char bare[] = HEADER BEGIN(1, "k", 101, 10) END(1, 101, 90);

	same(bare, HEADER BEGIN(1, "k", 101, 10)
			   HANDOFF(5, "wake", 7, 1, 101, 20, 1, 102, 30, 40, "") END(1, 101, 90));
	same(bare, HEADER BEGIN(1, "k", 101, 10)
			   HANDOFF(5, "grant", 7, 1, 101, 20, 1, 102, 30, 40, "") END(1, 101, 90));
	same(bare, HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "queue", 7, 1, 101, 20, 1, 102, 30, 40,
							 "\"stolen\"") END(1, 101, 90));
	same(bare, HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "work", 7, 1, 101, 20, 1, 102, 30, 40,
							 "\"coalesced\"") END(1, 101, 90));
	differ(bare, HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "queue", 7, 1, 101, 20, 1, 102, 30,
							   40, "") END(1, 101, 90));
}

Test(truth_canon, does_not_see_whether_a_thread_parked)
{
	/* The completion is taken inside the segment, or ends it and starts the next one. */
	same(HEADER BEGIN(1, "k", 101, 10) SEGMENT(1, 101, 10, 60)
		     HANDOFF(5, "io", 7, 1, 101, 20, 1, 101, 30, 31, "")
			     EVENT("USE", 2, 3, 1, 1, 101, 50) END(1, 101, 90),
	     HEADER BEGIN(1, "k", 101, 10) SEGMENT(1, 101, 10, 25)
		     HANDOFF(5, "io", 7, 1, 101, 20, 1, 101, 30, 60, "") SEGMENT(1, 101, 35, 60)
			     EVENT("USE", 2, 3, 1, 1, 101, 50) END(1, 101, 90));
}

Test(truth_canon, sees_a_handoff_before_use)
{
	differ(HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "io", 7, 1, 101, 20, 1, 101, 30, 31, "")
		       EVENT("USE", 2, 3, 1, 1, 101, 50) END(1, 101, 90),
	       HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "io", 7, 1, 101, 20, 1, 101, 30, 31, "")
		       EVENT("USE", 2, 3, 1, 1, 101, 15) END(1, 101, 90));
	differ(HEADER ONE(1, 10, 20, 30, 40, 101, 102, 10),
	       HEADER ONE(1, 10, 20, 30, 40, 101, 102, 10)
		       HANDOFF(31, "queue", 7, 1, 101, 103, 1, 102, 105, 109, ""));
}

Test(truth_canon, starts_anew_on_a_thread_that_is_handed_another_branch)
{
	char *text = canon_text(
		HEADER BEGIN(1, "k", 101, 10) HANDOFF(5, "queue", 1, 1, 101, 11, 1, 102, 20, 30, "")
			HANDOFF(6, "queue", 2, 1, 101, 12, 1, 102, 40, 50,
				"") SEGMENT(1, 102, 20, 30) SEGMENT(1, 102, 40, 50)
				HANDOFF(7, "io", 3, 1, 102, 21, 1, 102, 22, 23, "")
					EVENT("USE", 2, 3, 1, 1, 102, 25)
						EVENT("USE", 2, 4, 1, 1, 102, 45) END(1, 101, 90));

	cr_assert(strstr(text, "c: USE 1 @2\n") != NULL, "%s", text);
	cr_assert(strstr(text, "c: USE 1 @1\n") != NULL, "%s", text);
	cr_assert(strstr(text, "handoff queue by user_data @0 to itself x2\n") != NULL, "%s", text);
	free(text);
}

Test(truth_canon, sees_units_classes_lives_outcomes_and_kinds)
{
	static const char base[] = HEADER ONE(1, 10, 20, 30, 40, 101, 102, 10);

	differ(base, HEADER BEGIN(1, "put", 101, 100) END(1, 101, 109));
	differ(HEADER BEGIN(1, "k", 101, 10) END(1, 101, 90),
	       HEADER BEGIN(
		       1, "k", 101,
		       10) "{\"r\":\"end\",\"op\":1,\"tid\":101,\"t\":[90,90],\"open\":true}\n");
	differ(HEADER BEGIN(1, "k", 101, 10) EVENT("USE", 1, 1, 1, 1, 101, 20) END(1, 101, 90),
	       HEADER BEGIN(1, "k", 101, 10) EVENT("USE", 1, 1, 4096, 1, 101, 20) END(1, 101, 90));
	differ(HEADER BEGIN(1, "k", 101, 10) EVENT("ACQUIRE", 1, 1, 1, 1, 101, 20)
		       EVENT("RELEASE", 1, 1, 1, 1, 101, 30) END(1, 101, 90),
	       HEADER BEGIN(1, "k", 101, 10) EVENT("ACQUIRE", 1, 1, 1, 1, 101, 20)
		       EVENT("RELEASE", 1, 2, 1, 1, 101, 30) END(1, 101, 90));
	differ(HEADER BEGIN(1, "k", 101, 10) END(1, 101, 90),
	       HEADER BEGIN(1, "k", 101, 10)
		       END(1, 101, 90) "{\"r\":\"live\",\"life\":9,\"units\":2}\n");
}

Test(truth_canon, names_the_other_end_of_what_crosses_operations)
{
	char *text = canon_text(HEADER BEGIN(1, "get", 101, 10) BEGIN(2, "flush", 102, 10) HANDOFF(
		5, "queue", 1, 1, 101, 20, 2, 102, 30, 40,
		"") "{\"r\":\"handoff\",\"id\":6,\"type\":\"io\",\"src\":{\"op\":1,"
		    "\"tid\":101,\"t\":[50,51]},\"marks\":[\"cancelled\"]}\n"
		    "{\"r\":\"handoff\",\"id\":7,\"type\":\"io\",\"dst\":{\"op\":2,"
		    "\"tid\":102,\"ready\":[60,61],\"t\":[60,62]},\"marks\":[\"lost\"]}\n" END(
			    1, 101, 90) END(2, 102, 90));

	cr_assert(strcmp(text, "1 op flush ended\n"
			       "\thandoff io lost @2 from nowhere\n"
			       "\thandoff queue by user_data @1 from get\n"
			       "1 op get ended\n"
			       "\thandoff io cancelled @0 to nowhere\n"
			       "\thandoff queue by user_data @0 to flush\n") == 0,
		  "%s", text);
	free(text);
}

Test(truth_canon, counts_equal_operations)
{
	char *text = canon_text(HEADER BEGIN(1, "k", 101, 10) END(1, 101, 90) BEGIN(2, "k", 101, 11)
					END(2, 101, 91) BEGIN(3, "a", 101, 12) END(3, 101, 92));

	cr_assert(strcmp(text, "1 op a ended\n2 op k ended\n") == 0, "%s", text);
	free(text);
}
