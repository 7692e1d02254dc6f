package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Bounds of a diff, so that an expensive repository cannot end a simulator. A host shows even less.
const (
	maxDiffOutput = 64 << 20  // bytes of a text
	maxDiffList   = 16 << 20  // bytes of a list of files
	maxDiffMemory = 512 << 10 // KiB of address space of git
	maxDiffFile   = "4m"      // larger files are not compared
)

// bounded runs a git command with bounded memory and keeps at most so many bytes of its output. cut reports
// whether a bound ended it; out is the output until then.
func (r *Repo) bounded(ctx context.Context, most int, args ...string) (out []byte, cut bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec git "$@"`, maxDiffMemory) // some systems lack the limit
	config := []string{"-c", "core.bigFileThreshold=" + maxDiffFile, "-c", "core.packedGitWindowSize=32m", "-c", "core.packedGitLimit=128m"}
	cmd := exec.CommandContext(ctx, "sh", append(append([]string{"-c", limit, "git", "--git-dir=" + r.dir}, config...), args...)...)
	cmd.Env = Env()
	var stderr bytes.Buffer
	stdout := &head{most: most, full: cancel}
	cmd.Stdout, cmd.Stderr = stdout, &stderr
	err = cmd.Run()
	switch said := strings.ToLower(stderr.String()); {
	case stdout.cut || err != nil && (strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate")):
		return stdout.kept.Bytes(), true, nil
	case err != nil:
		return nil, false, errors.Join(fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said)), ctx.Err())
	}
	return stdout.kept.Bytes(), false, nil
}

// head keeps the first bytes that are written to it, and calls full if there are more.
type head struct {
	most int
	full func()
	kept bytes.Buffer
	cut  bool
}

// Write keeps the bytes that fit.
func (h *head) Write(b []byte) (int, error) {
	room := h.most - h.kept.Len()
	if len(b) <= room {
		return h.kept.Write(b)
	}
	h.kept.Write(b[:room])
	if !h.cut {
		h.cut = true
		h.full()
	}
	return len(b), nil
}

// changed lists the files of a change. If there are too many to compare, it lists files of the newer commit
// instead, as far as they fit, as changed in an unknown way.
func (r *Repo) changed(ctx context.Context, a, b string) (files []File, cut bool, err error) {
	raw, cut, err := r.bounded(ctx, maxDiffList, "diff-tree", "-r", "-z", "-M", "--raw", "--no-abbrev", a, b)
	if err != nil || !cut {
		return parseRaw(string(raw)), false, err
	}
	list, _, err := r.bounded(ctx, maxDiffList/64, "ls-tree", "-r", "-z", "--full-tree", b)
	for record := range strings.SplitSeq(string(list), "\x00") {
		meta, path, ok := strings.Cut(record, "\t")
		if f := strings.Fields(meta); ok && len(f) == 3 {
			files = append(files, File{Path: path, Status: "modified", OldBlob: f[2], NewBlob: f[2], OldMode: f[0], NewMode: f[0], Additions: 1})
		}
	}
	return files, true, err
}
