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

/* f_op of each kind; 0: not learned. Written before anything is attached. */
__u64 file_ops[FILE_KINDS];

/* The file behind a descriptor of the current task; NULL: none. */
static __always_inline struct file *file_of_fd(__u32 fd)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct file *file = NULL;

	if (fd >= task->files->fdt->max_fds)
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), task->files->fdt->fd + fd);
	return file;
}

static __always_inline enum collector_file file_kind(struct file *file)
{
	const void *ops = NULL;

	if (!file || bpf_core_read(&ops, sizeof(ops), &file->f_op))
		return FILE_OTHER;
#pragma unroll
	for (int i = 0; i < FILE_KINDS; i++)
		if ((__u64)ops == file_ops[i])
			return i;
	return FILE_OTHER;
}

static __always_inline void *file_private(struct file *file)
{
	void *p = NULL;

	bpf_core_read(&p, sizeof(p), &file->private_data);
	return p;
}

static __always_inline __u64 file_inode(struct file *file)
{
	return BPF_CORE_READ(file, f_inode, i_ino);
}

/* Run once by the collector, on descriptors of its own. The context allows constant offsets only.
 */
SEC("syscall")
int learn_files(struct collector_samples *samples)
{
#pragma unroll
	for (int i = 0; i < FILE_KINDS; i++) {
		struct file *file = samples->fd[i] < 0 ? NULL : file_of_fd(samples->fd[i]);
		const void *ops = NULL;

		if (file)
			bpf_core_read(&ops, sizeof(ops), &file->f_op);
		file_ops[i] = (__u64)ops;
	}
	return 0;
}

#endif
