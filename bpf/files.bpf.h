/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors of the current task: the file behind one, and what kind of file it is.
 *
 * Kinds are told by the file's operations, whose addresses are learned once from one open file of
 * each kind. So a call on any other file costs two reads. Include once, from collector.bpf.c.
 */
#ifndef ASSAY_BPF_FILES_BPF_H
#define ASSAY_BPF_FILES_BPF_H

#include "bpf/emit.bpf.h"

/* 6.2: a pointer whose fields can be loaded without a call. */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

/* A field behind a pointer that the verifier does not know; 0 where there is nothing to read. */
#define FIELD(type, p, field)                                                                      \
	({                                                                                         \
		typeof(((type *)0)->field) field_ = 0;                                             \
		const type *at_ = (const type *)(p);                                               \
                                                                                                   \
		if (bpf_ksym_exists(bpf_rdonly_cast))                                              \
			field_ = ((const type *)bpf_rdonly_cast(at_,                               \
								bpf_core_type_id_kernel(type)))    \
					 ->field;                                                  \
		else                                                                               \
			bpf_core_read(&field_, sizeof(field_), &at_->field);                       \
		field_;                                                                            \
	})

/*
 * A field of the current task. Of a pointer that is loaded through one that it trusts the verifier
 * looks up the name of its structure among all types of the kernel, one after the other, on every
 * path anew (btf_nested_type_is_trusted): a third of the time that the programs take to load.
 */
#define TASK_FIELD(field) FIELD(struct task_struct, bpf_get_current_task(), field)

/* f_op of each kind; 0: not learned. Written before anything is attached. */
__u64 file_ops[FILE_KINDS];

/* The file behind a descriptor of the current task; NULL: none. */
static __always_inline struct file *file_of_fd(__u32 fd)
{
	struct files_struct *files = TASK_FIELD(files);
	struct fdtable *table = FIELD(struct files_struct, files, fdt);
	struct file *file = NULL;

	if (fd >= FIELD(struct fdtable, table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), FIELD(struct fdtable, table, fd) + fd);
	return file;
}

static __always_inline enum collector_file file_kind(struct file *file)
{
	const void *ops;

	if (!file)
		return FILE_OTHER;
	ops = FIELD(struct file, file, f_op);
#pragma unroll
	for (int i = 0; i < FILE_KINDS; i++)
		if ((__u64)ops == file_ops[i])
			return i;
	return FILE_OTHER;
}

static __always_inline void *file_private(struct file *file)
{
	return FIELD(struct file, file, private_data);
}

static __always_inline __u64 file_inode(struct file *file)
{
	return FIELD(struct inode, FIELD(struct file, file, f_inode), i_ino);
}

/* Run once by the collector, on descriptors of its own. The context allows constant offsets only.
 */
SEC("syscall")
int learn_files(struct collector_samples *samples)
{
#pragma unroll
	for (int i = 0; i < FILE_KINDS; i++) {
		struct file *file = samples->fd[i] < 0 ? NULL : file_of_fd(samples->fd[i]);

		file_ops[i] = file ? (__u64)FIELD(struct file, file, f_op) : 0;
	}
	return 0;
}

#endif
