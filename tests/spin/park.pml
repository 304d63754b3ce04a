/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleeping and waking as in workloads/driver/parking.c, around a pool of work: no work is left
 * lying while all sleep, everybody that is woken was woken by the one that claimed its seat, and
 * all come to their end. Steps are those between two accesses of shared words, all of which are
 * seq_cst in the code; a futex call is atomic, as the kernel's hash lock makes it.
 *
 * Each variant leaves one thing out and must fail:
 *   NO_LAST_LOOK   sleeps without looking for work once more after arming
 *   NO_HANDSHAKE   arms again while the claimant's call is still under way
 *   LATE_COUNT     counts itself only after its seat can be claimed
 *   LATE_LOOK      reads the futex word after having looked at its own seat
 */
#define WORKERS 2
#define PUSHERS 2
#define ITEMS   1 /* of one pusher */

mtype = { AWAKE, ARMED, CLAIMED, CALLED };

byte work, done, armed, word;
bool over;
mtype seat[WORKERS] = AWAKE;
bool posted[WORKERS];
bool asleep[WORKERS];	/* the kernel's: waits under its bit */
byte claimant[WORKERS]; /* who named its bit last */

/* CAS of a seat from ARMED, and of the count of those that are armed. */
inline disarm(i, to, ret)
{
	atomic {
		if
		:: seat[i] == ARMED -> seat[i] = to; ret = true
		:: else -> ret = false
		fi
	};
	if
	:: ret -> armed--
	:: else
	fi
}

/* The call under somebody's bit; it finds the waiter or nobody. */
inline futex_wake(i)
{
	atomic {
		if
		:: asleep[i] ->
			assert(seat[i] == CLAIMED && claimant[i] == _pid);
			asleep[i] = false
		:: else
		fi
	}
}

inline parking_wake()
{
	took = false;
	if
	:: armed == 0
	:: else ->
		n = 0;
		do
		:: n == WORKERS -> n = 0; break
		:: else ->
			disarm(n, CLAIMED, took);
			if
			:: took ->
				atomic { claimant[n] = _pid; posted[n] = true; word++ };
				futex_wake(n);
				atomic { claimant[n] = 0; seat[n] = CALLED; n = 0 };
				break
			:: else -> n++
			fi
		od
	fi
}

inline seat_sleep(i)
{
	do
	::
#ifndef LATE_LOOK
		seen = word;
#endif
		if
		:: seat[i] != ARMED -> break
		:: else
		fi;
#ifdef LATE_LOOK
		seen = word;
#endif
		atomic {
			if
			:: word == seen -> asleep[i] = true; slept = true
			:: else -> slept = false
			fi
		};
		if
		:: slept -> /* returns 0 */
			atomic { !asleep[i] -> assert(posted[i]); posted[i] = false };
			break
		:: else /* the word had changed */
		fi
	od;
	atomic { seen = 0; slept = false }
}

proctype worker(byte i)
{
	byte seen;
	bool took, slept;

	do
	:: atomic { work > 0 -> work--; done++ }
	:: else ->
		if
		:: over -> break
		:: else
		fi;
#ifndef NO_HANDSHAKE
		seat[i] != CLAIMED;
#endif
#ifndef LATE_COUNT
		armed++;
#endif
		seat[i] = ARMED;
#ifdef LATE_COUNT
		armed++;
#endif
#ifndef NO_LAST_LOOK
		if
		:: work > 0 || over -> disarm(i, AWAKE, took); took = false
		:: else -> seat_sleep(i)
		fi
#else
		seat_sleep(i)
#endif
	od
}

proctype pusher()
{
	byte k, n;
	bool took;

	do
	:: k == ITEMS -> break
	:: else ->
		atomic { work++; k++ };
		parking_wake()
	od
}

/* When all is done, everybody is told to go home. */
proctype closer()
{
	byte n;
	bool took;

	done == PUSHERS * ITEMS;
	over = true;
	do
	::
		parking_wake();
		if
		:: !took -> break
		:: else
		fi
	od
}

init {
	atomic {
		run worker(0);
		run worker(1);
		run pusher();
		run pusher();
		run closer()
	}
}
