package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// Record is a commit of a history.
type Record struct {
	SHA     string
	Parents []string
	Time    time.Time // of the commit
	Subject string    // first line of the message
}

// Log lists a commit and its ancestors, newest first, at most limit.
func (r *Repo) Log(ctx context.Context, sha string, limit int) ([]Record, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	raw, err := r.read(ctx, call{args: []string{"log", "-z", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-color",
		"--encoding=UTF-8",
		"--format=%H%n%P%n%ct%n%s", "--max-count=" + strconv.Itoa(limit), sha, "--"}, max: defaultMaxTree, what: "history"})
	if err != nil {
		return nil, err
	}
	var out []Record
	for record := range strings.SplitSeq(string(raw), "\x00") {
		f := strings.SplitN(record, "\n", 4)
		if len(f) != 4 {
			continue
		}
		seconds, _ := strconv.ParseInt(f[2], 10, 64)
		out = append(out, Record{SHA: f[0], Parents: strings.Fields(f[1]), Time: time.Unix(seconds, 0).UTC(), Subject: f[3]})
	}
	return out, nil
}

// Delta is a path that differs between two commits, without detection of renames.
type Delta struct {
	Path           string
	Old, New       Entry // of the two sides; mode 0 if absent
	Added, Removed int   // lines; -1 for a binary file
}

// Deltas lists the differences between two commits (or trees).
func (r *Repo) Deltas(ctx context.Context, from, to string) ([]Delta, error) {
	if err := errors.Join(checkSHA(from), checkSHA(to)); err != nil {
		return nil, err
	}
	raw, err := r.read(ctx, call{args: slices.Concat(deltaArgs, []string{from, to, "--"}), max: defaultMaxTree, what: "list of changed files"})
	if err != nil {
		return nil, err
	}
	return parseDeltas(string(raw))[""], nil
}

// DeltasOf lists the changes of each commit against its only parent. It omits commits without a parent,
// commits that change more than git may list, and commits whose files the store lacks.
func (r *Repo) DeltasOf(ctx context.Context, commits []string) (map[string][]Delta, error) {
	for _, sha := range commits {
		if err := checkSHA(sha); err != nil {
			return nil, err
		}
	}
	raw, err := r.read(ctx, call{args: append(slices.Clone(deltaArgs), "--stdin"), stdin: []byte(strings.Join(commits, "\n") + "\n"),
		max: defaultMaxTree, what: "list of changed files"})
	if err == nil {
		return parseDeltas(string(raw)), nil
	}
	if !errs.Is(err, errs.TooLarge) && !errors.Is(err, errDamaged) {
		return nil, err
	}
	out := map[string][]Delta{}
	if len(commits) == 1 {
		return out, nil
	}
	for half := range slices.Chunk(commits, (len(commits)+1)/2) {
		part, err := r.DeltasOf(ctx, half)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, part)
	}
	return out, nil
}

var deltaArgs = []string{"diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-abbrev", "--no-ext-diff",
	"--no-textconv", "--ignore-submodules=none"}

// parseDeltas parses NUL-terminated fields: the name of a commit, absent for a comparison of two trees;
// ":<modes and names>" and the path; "<added>TAB<removed>TAB<path>".
func parseDeltas(raw string) map[string][]Delta {
	out := map[string][]Delta{}
	sha := ""
	at := map[string]int{} // index of a path in the commit's list
	fields := strings.Split(raw, "\x00")
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		switch {
		case checkSHA(f) == nil:
			sha, at = f, map[string]int{}
		case strings.HasPrefix(f, ":") && i+1 < len(fields):
			i++
			parts := strings.Fields(f[1:])
			if len(parts) != 5 || diff.CheckPath(fields[i]) != nil {
				continue
			}
			d := Delta{Path: fields[i], Old: side(parts[0], parts[2], fields[i]), New: side(parts[1], parts[3], fields[i])}
			at[d.Path] = len(out[sha])
			out[sha] = append(out[sha], d)
		default:
			n := strings.SplitN(f, "\t", 3)
			if len(n) != 3 {
				continue
			}
			if j, ok := at[n[2]]; ok {
				out[sha][j].Added, out[sha][j].Removed = lines(n[0]), lines(n[1])
			}
		}
	}
	return out
}

func side(mode, oid, path string) Entry {
	m, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || m == 0 {
		return Entry{Path: path}
	}
	return Entry{Path: path, Mode: uint32(m), OID: oid, Size: -1}
}

func lines(n string) int {
	if v, err := strconv.Atoi(n); err == nil {
		return v
	}
	return -1 // "-": binary
}

// blameMargin is how many lines around a range are read to recognise moved lines: git wants 20 letters and digits.
const blameMargin = 10

// Blame returns the commits that last changed lines of a file at a commit, and those that wrote them before later
// commits indented, moved or copied them. ranges are pairs of first and last line, 1-based.
func (r *Repo) Blame(ctx context.Context, sha, path string, ranges [][2]int) (map[string]bool, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	if diff.CheckPath(path) != nil || len(ranges) == 0 {
		return nil, errs.New(errs.Malformed, "bad_path", "Lines of a file inside the repository are needed.")
	}
	last := []string{"blame", "--incremental", "--no-textconv"}
	followed := append(slices.Clone(last), "-w", "-M", "-C")
	for _, lr := range ranges {
		last = append(last, fmt.Sprintf("-L%d,%d", lr[0], lr[1]))
		followed = append(followed, fmt.Sprintf("-L%d,%d", max(lr[0]-blameMargin, 1), lr[1]+blameMargin))
	}
	out := map[string]bool{}
	for _, args := range [][]string{last, followed} {
		raw, err := r.read(ctx, call{args: append(args, sha, "--", path), max: defaultMaxTree, what: "origin of lines"})
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(raw)) {
			// "<commit> <line there> <line here> <count>" begins an entry (git-blame manual, "Incremental
			// output").
			f := strings.Fields(line)
			if len(f) == 4 && checkSHA(f[0]) == nil && slices.ContainsFunc(ranges, func(lr [2]int) bool { return meets(f[2], f[3], lr) }) {
				out[f[0]] = true
			}
		}
	}
	return out, nil
}

// meets reports whether an entry of git blame, by its first line and count, has a line of a range.
func meets(first, count string, lines [2]int) bool {
	from, wrong := strconv.Atoi(first)
	n, alsoWrong := strconv.Atoi(count)
	return wrong == nil && alsoWrong == nil && from <= lines[1] && from+n > lines[0]
}
