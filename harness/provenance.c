/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing run.json. */
#include "harness/provenance.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "harness/folder.h"
#include "harness/process.h"
#include "harness/reference.h"
#include "harness/version.h"
#include "lib/files.h"
#include "lib/formats/json.h"
#include "lib/hash.h"
#include "lib/json_out.h"

enum { JSON_MAX_BYTES = 4 << 20, PROGRAM_MAX_BYTES = 256 << 20 };

/* What is kept from an earlier run.json. */
struct earlier {
	char suite[NAME_LEN], started[STAMP_LEN], finished[STAMP_LEN];
	struct run_seconds seconds;
};

static void keep_word(const struct json_value *o, const char *name, char *ret, size_t len)
{
	struct json_value v;

	if (json_get(o, name, &v) && v.kind == JSON_STRING && v.str.len < len)
		snprintf(ret, len, "%.*s", (int)v.str.len, v.str.s);
}

static void add_seconds(const struct json_value *o, const char *name, double *ret)
{
	struct json_value v;
	double f;

	if (json_get(o, name, &v) && !json_f64(&v, &f))
		*ret += f;
}

static void read_seconds(const struct json_value *o, struct run_seconds *ret)
{
	struct json_value v;

	if (!json_get(o, "seconds", &v) || v.kind != JSON_OBJECT)
		return;
	add_seconds(&v, "programs", &ret->programs);
	add_seconds(&v, "runs", &ret->runs);
	add_seconds(&v, "joins", &ret->joins);
}

static void read_earlier(const char *path, struct earlier *ret)
{
	struct json_parser *parser = json_parser_new();
	struct json_value o;
	const char *why;
	char *text = NULL;
	size_t len;

	if (parser && !file_read(path, JSON_MAX_BYTES, &text, &len, NULL) &&
	    !json_parse(parser, text, len, &o, &why) && o.kind == JSON_OBJECT) {
		keep_word(&o, "suite", ret->suite, sizeof(ret->suite));
		keep_word(&o, "started", ret->started, sizeof(ret->started));
		keep_word(&o, "finished", ret->finished, sizeof(ret->finished));
		read_seconds(&o, &ret->seconds);
	}
	free(text);
	json_parser_free(parser);
}

void provenance_stamp(char ret[STAMP_LEN])
{
	time_t now = time(NULL);
	struct tm tm;

	strftime(ret, STAMP_LEN, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

void provenance_cpu(char *ret, size_t len)
{
	char line[512], *colon;
	FILE *in = fopen("/proc/cpuinfo", "re");

	snprintf(ret, len, "unknown");
	while (in && fgets(line, sizeof(line), in)) {
		colon = strstr(line, ": ");
		if (strncmp(line, "model name", 10) || !colon)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(ret, len, "%s", colon + 2);
		break;
	}
	if (in)
		fclose(in);
}

/* First line of PROGRAM --version; nothing where it is not installed. */
static void tool(struct json_out *o, const char *name, const char *path)
{
	char *argv[] = {(char *)path, (char *)"--version", NULL};
	char text[512];

	if (access(path, X_OK) ||
	    process_capture(argv, UINT64_C(5000000000), text, sizeof(text), NULL))
		return;
	text[strcspn(text, "\n")] = '\0';
	json_out_str(o, name, text);
}

static void tools(struct json_out *o)
{
	json_out_object(o, "tools");
	json_out_str(o, "assay", ASSAY_VERSION);
	json_out_str(o, "compiler", __VERSION__);
	json_out_str(o, "libbpf", libbpf_version_string());
	json_out_str(o, "sqlite", sqlite3_libversion());
	json_out_str(o, "zstd", ZSTD_versionString());
	tool(o, "gcc", "/usr/bin/gcc");
	tool(o, "clang", "/usr/bin/clang");
	tool(o, "bpftool", "/usr/sbin/bpftool");
	tool(o, "gnuplot", "/usr/bin/gnuplot");
	json_out_end(o);
}

/* Named by where it lies beside the command; a stranger by its path. */
static void put_build_id(struct json_out *o, const struct programs *p, const char *path)
{
	const char *rest = path_below(path, p->folder);
	char id[64];

	if (path[0] && !build_id(path, id))
		json_out_str(o, rest && rest[0] ? rest + 1 : path, id);
}

static void build_ids(struct json_out *o, const struct programs *p)
{
	char id[64];

	json_out_object(o, "build_ids");
	if (!build_id("/proc/self/exe", id))
		json_out_str(o, "assay", id);
	put_build_id(o, p, p->collector);
	for (size_t i = 0; i < p->workloads_cnt; i++)
		put_build_id(o, p, p->workloads[i].path);
	for (size_t i = 0; i < p->profilers_cnt; i++)
		put_build_id(o, p, p->profilers[i].path);
	json_out_end(o);
}

/* Hex XXH3 of a file's bytes; nothing where it cannot be read. */
static void put_hash(struct json_out *o, const char *path)
{
	char hex[32], *bytes;
	size_t len;

	if (file_read(path, PROGRAM_MAX_BYTES, &bytes, &len, NULL))
		return;
	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)hash_bytes(bytes, len, 0));
	free(bytes);
	json_out_str(o, "xxh3", hex);
}

/* What was judged: which file, and what it says of itself. */
static void profilers(struct json_out *o, const struct programs *t)
{
	char id[64];

	json_out_array(o, "profilers");
	for (size_t i = 0; i < t->profilers_cnt; i++) {
		const struct profiler *p = &t->profilers[i];

		json_out_object(o, NULL);
		json_out_str(o, "name", p->name);
		json_out_str(o, "version", p->version);
		json_out_str(o, "division", p->division);
		json_out_str(o, "path", p->path);
		put_hash(o, p->path);
		if (!build_id(p->path, id))
			json_out_str(o, "build_id", id);
		json_out_end(o);
	}
	json_out_end(o);
}

static void seeds(struct json_out *o, const struct plan *p)
{
	json_out_array(o, "seeds");
	for (size_t i = 0; i < p->cnt; i++) {
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = p->v[j].seed == p->v[i].seed;
		if (!seen)
			json_out_u64(o, NULL, p->v[i].seed);
	}
	json_out_end(o);
}

static void put_skips(struct json_out *o, const struct skips *s)
{
	json_out_array(o, "skipped");
	for (size_t i = 0; i < s->cnt; i++) {
		json_out_object(o, NULL);
		json_out_str(o, "what", s->v[i].what);
		json_out_str(o, "why", s->v[i].why);
		json_out_str(o, "cure", s->v[i].cure);
		json_out_u64(o, "cells", s->v[i].cells);
		json_out_end(o);
	}
	json_out_end(o);
}

static void host(struct json_out *o)
{
	char cpu[256];
	struct utsname u;

	uname(&u);
	provenance_cpu(cpu, sizeof(cpu));
	json_out_str(o, "host", u.nodename);
	json_out_str(o, "kernel", u.release);
	json_out_str(o, "cpu", cpu);
	json_out_u64(o, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void put_origin(struct json_out *o, const char *workload, const struct reference_origin *r)
{
	json_out_object(o, NULL);
	json_out_str(o, "workload", workload);
	json_out_str(o, "recorded", r->recorded);
	json_out_str(o, "kernel", r->kernel);
	json_out_str(o, "cpu", r->cpu);
	json_out_str(o, "assay", r->assay);
	json_out_u64(o, "seed", r->seed);
	json_out_str(o, "params", r->params);
	json_out_end(o);
}

static bool has_truth(const char *run, const struct cell *c)
{
	char path[PATH_LEN];

	return !path_format(path, NULL, "%s/cells/%s/truth.bin", run, c->name) &&
	       !access(path, R_OK);
}

/* Recordings of another machine or day that are scored here. */
static void stored(struct json_out *o, const struct provenance *p)
{
	json_out_array(o, "stored");
	for (size_t i = 0; i < p->plan->cnt; i++) {
		const struct cell *c = &p->plan->v[i];
		struct reference_origin r = {.seed = 0};
		char path[PATH_LEN];

		if (c->kind != KIND_REFERENCE ||
		    path_format(path, NULL, "%s/cells/%s/provenance.json", p->run, c->name))
			continue;
		if (reference_origin_read(path, &r) == -ENOENT && !has_truth(p->run, c))
			continue;
		put_origin(o, c->workload, &r);
	}
	json_out_end(o);
}

static void parameters(struct json_out *o, const struct provenance *p)
{
	json_out_object(o, "parameters");
	json_out_f64(o, "time_limit_s", (double)p->limits->patience_ns / 1e9);
	json_out_u64(o, "file_limit_bytes", p->limits->file_bytes);
	json_out_u64(o, "decoy_ppm", TRIAL_DECOY_PPM);
	json_out_end(o);
}

static void put_seconds(struct json_out *o, const struct run_seconds *t)
{
	json_out_object(o, "seconds");
	json_out_f64(o, "programs", t->programs);
	json_out_f64(o, "runs", t->runs);
	json_out_f64(o, "joins", t->joins);
	json_out_end(o);
}

static void put_all(FILE *f, const struct provenance *p, const struct earlier *e,
		    const struct skips *s)
{
	struct json_out o;

	json_out_init(&o, f);
	json_out_object(&o, NULL);
	json_out_str(&o, "run", provenance_run_name(p->run));
	json_out_str(&o, "suite", e->suite);
	json_out_str(&o, "started", e->started);
	json_out_str(&o, "finished", e->finished);
	put_seconds(&o, &e->seconds);
	seeds(&o, p->plan);
	host(&o);
	tools(&o);
	build_ids(&o, p->programs);
	profilers(&o, p->programs);
	stored(&o, p);
	put_skips(&o, s);
	json_out_u64(&o, "planned", p->plan->cnt);
	json_out_u64(&o, "beside_builds", s->beside_builds);
	parameters(&o, p);
	json_out_end(&o);
	json_out_newline(&o);
}

static int rewrite(const struct provenance *p, const char *path, const struct skips *s,
		   struct diag *d)
{
	struct earlier e = {.suite = ""};
	struct file_out f;
	int rc;

	read_earlier(path, &e);
	if (p->suite)
		snprintf(e.suite, sizeof(e.suite), "%s", p->suite);
	if (p->started) {
		e.finished[0] = '\0';
		if (!e.started[0])
			provenance_stamp(e.started);
	}
	if (p->finished)
		provenance_stamp(e.finished);
	if (p->seconds) {
		e.seconds.programs += p->seconds->programs;
		e.seconds.runs += p->seconds->runs;
		e.seconds.joins += p->seconds->joins;
	}
	rc = file_out_open(&f, path, d);
	if (!rc) {
		put_all(f.f, p, &e, s);
		rc = file_out_commit(&f, d);
	}
	return rc;
}

int provenance_write(const struct provenance *p, struct diag *d)
{
	struct skips s = {0};
	char path[PATH_LEN];
	int lock, rc = path_format(path, d, "%s/run.json", p->run);

	if (rc)
		return rc;
	lock = run_folder_edit(p->run, d);
	if (lock < 0)
		return lock;
	rc = skips_collect(p->run, p->plan, p->machine, &s, d);
	if (!rc)
		rc = rewrite(p, path, &s, d);
	close(lock);
	free(s.v);
	return rc;
}

void provenance_suite(const char *run, char *ret)
{
	struct earlier e = {.suite = ""};
	char path[PATH_LEN];

	if (!path_format(path, NULL, "%s/run.json", run))
		read_earlier(path, &e);
	memcpy(ret, e.suite, NAME_LEN);
}

const char *provenance_run_name(const char *run)
{
	const char *slash = strrchr(run, '/');

	return slash ? slash + 1 : run;
}
