// SPDX-License-Identifier: BSD-2-Clause
// DuckDB's as-of join of claims and truth, for join_perf.sh.
//
//   node join_duckdb.mjs MODULES TRUTH.csv CLAIMS.csv
//
// MODULES is the folder below which npm put @duckdb/node-api. Prints "VERSION CLAIMS RIGHT WALL CPU":
// the better of two joins with one thread, in seconds; the tables lie in memory and loading them is
// not timed.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [modules, truth, claims] = process.argv.slice(2);
const { DuckDBInstance, version } = createRequire(resolve(modules, 'package.json'))('@duckdb/node-api');

const columns = (names) =>
	`{${names.map(([name, type]) => `'${name}': '${type}'`).join(', ')}}`;
const t = (name) => [name, 'UBIGINT'];
const tid = (name) => [name, 'UINTEGER'];

const load = (table, file, names) =>
	`CREATE TABLE ${table} AS FROM read_csv('${file.replaceAll("'", "''")}', header = false,
		columns = ${columns(names)})`;

// Each claim finds the last handoff of its type, thread and key that was sent before it.
const join = `
	SELECT count(DISTINCT h.id) FROM claim c ASOF JOIN truth h
	ON c.type = h.type AND c.src_tid = h.src_tid AND c.key = h.key AND c.src_t >= h.src_t0
	WHERE c.src_t <= h.src_t1 AND c.dst_tid = h.dst_tid
	AND (c.dst_t BETWEEN h.dst_t0 AND h.dst_t1 OR c.dst_t BETWEEN h.ready_t0 AND h.ready_t1)`;

const one = async (db, sql) => (await (await db.run(sql)).getRows())[0][0];

async function timed(db) {
	const cpu = process.cpuUsage(), start = process.hrtime.bigint();
	const right = await one(db, join);
	const wall = Number(process.hrtime.bigint() - start) / 1e9, used = process.cpuUsage(cpu);
	return { right, wall, cpu: (used.user + used.system) / 1e6 };
}

const db = await (await DuckDBInstance.create(':memory:')).connect();
await db.run(load('truth', truth, [tid('id'), ['type', 'UTINYINT'], t('key'), tid('src_tid'),
	t('src_t0'), t('src_t1'), tid('dst_tid'), t('ready_t0'), t('ready_t1'), t('dst_t0'),
	t('dst_t1')]));
await db.run(load('claim', claims, [['type', 'UTINYINT'], t('key'), tid('src_tid'), t('src_t'),
	tid('dst_tid'), t('dst_t')]));
await db.run('PRAGMA threads = 1');
const runs = [await timed(db), await timed(db)];
const best = runs.reduce((a, b) => (b.cpu < a.cpu ? b : a));
console.log(version(), String(await one(db, 'SELECT count(*) FROM claim')), String(best.right),
	best.wall.toFixed(3), best.cpu.toFixed(3));
