package bitbucketserver

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// clipMessage cuts the message of a commit.
func clipMessage(s string) string { return clip.Bytes(s, codehost.MaxMessage) }

// contextLines is the number of unchanged lines around a change that we ask for. The host places comments on the
// lines that its pages show, at least these.
const contextLines = "3"

// Diff implements [codehost.Reader]. The adapter refuses diffs above 16 MiB.
func (h *Host) Diff(ctx context.Context, repo codehost.Repo, number int) ([]byte, error) {
	const op = "read diff"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	raw, err := h.raw(ctx, op, pullPath(repo, number)+".diff?contextLines="+contextLines)
	if err != nil {
		return nil, err
	}
	return gitPrefixes(raw), nil
}

// gitPrefixes replaces the host's own prefixes of paths in the heads of a diff, "src://" and "dst://", by git's. Lines of hunks
// stay: they begin with a blank, "+", "-" or "\".
func gitPrefixes(raw []byte) []byte {
	if !bytes.Contains(raw, []byte("dst://")) {
		return raw
	}
	var out bytes.Buffer
	out.Grow(len(raw))
	left := [2]int{} // lines of the hunk that follow, on both sides
	for line := range bytes.Lines(raw) {
		if left[0] > 0 || left[1] > 0 {
			switch line[0] {
			case '+':
				left[1]--
			case '-':
				left[0]--
			case '\\':
			default:
				left[0], left[1] = left[0]-1, left[1]-1
			}
			out.Write(line)
			continue
		}
		switch {
		case bytes.HasPrefix(line, []byte("@@ ")):
			left = hunkLines(line)
		case bytes.HasPrefix(line, []byte("diff --git ")), bytes.HasPrefix(line, []byte("--- ")), bytes.HasPrefix(line, []byte("+++ ")):
			line = bytes.ReplaceAll(bytes.ReplaceAll(line, []byte("src://"), []byte("a/")), []byte("dst://"), []byte("b/"))
		}
		out.Write(line)
	}
	return out.Bytes()
}

// hunkLines returns the numbers of lines that the head of a hunk names for both sides.
func hunkLines(head []byte) (out [2]int) {
	for i, f := range bytes.Fields(head)[1:] {
		if i > 1 || len(f) < 2 {
			break
		}
		_, count, found := strings.Cut(string(f[1:]), ",")
		out[i] = 1
		if found {
			n, _ := domain.HostID(count).Number()
			out[i] = int(min(max(n, 0), 1<<30))
		}
	}
	return out
}

// parsedDiff is the diff of a pull request at a head and a base. It does not change after it was read.
type parsedDiff struct {
	repo       string
	number     int
	head, base string // base is the commit of the target branch
	set        *diff.Set
	lines      int
	read       time.Time
}

// Bounds of the kept diffs (design choices).
const (
	maxDiffs  = 8
	maxLines  = 150_000
	diffsLast = 2 * time.Minute
)

// size returns the number of files, and of added and removed lines.
func (p *parsedDiff) size() (files, added, removed int) {
	for _, f := range p.set.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				switch l.Op {
				case diff.Add:
					added++
				case diff.Delete:
					removed++
				}
			}
		}
	}
	return len(p.set.Files), added, removed
}

// diffOf reads and parses the diff of a pull request. Recent ones are kept, because the comments of a review need
// the same. It fails with [codehost.ClassTooLarge] or [codehost.ClassUnavailable] if the diff cannot be read.
func (h *Host) diffOf(ctx context.Context, op string, repo codehost.Repo, p *pull) (*parsedDiff, error) {
	if kept := h.keptDiff(repo, p.ID, func(d *parsedDiff) bool { return d.head == p.From.Commit && d.base == p.To.Commit }); kept != nil {
		return kept, nil
	}
	raw, err := h.Diff(ctx, repo, p.ID)
	if err != nil {
		return nil, err
	}
	set, err := diff.ParseContext(ctx, raw)
	if err != nil {
		return nil, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the diff cannot be read", Cause: err}
	}
	out := &parsedDiff{repo: repo.FullName(), number: p.ID, head: p.From.Commit, base: p.To.Commit, set: set,
		lines: bytes.Count(raw, []byte{'\n'}), read: time.Now()}
	h.keepDiff(out)
	return out, nil
}

func (h *Host) keptDiff(repo codehost.Repo, number int, fits func(*parsedDiff) bool) *parsedDiff {
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	for _, d := range h.known.diffs {
		if d.repo == repo.FullName() && d.number == number && time.Since(d.read) < diffsLast && fits(d) {
			return d
		}
	}
	return nil
}

func (h *Host) keepDiff(d *parsedDiff) {
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	kept := append([]*parsedDiff{d}, h.known.diffs...)
	lines := 0
	for i, k := range kept {
		if lines += k.lines; i == maxDiffs || i > 0 && lines > maxLines {
			kept = slices.Clip(kept[:i])
			break
		}
	}
	h.known.diffs = kept
}

// change is a changed file (the description, RestChange).
type change struct {
	Path    fullPath `json:"path"`
	SrcPath fullPath `json:"srcPath"`
	Type    string   `json:"type"` // ADD, COPY, DELETE, MODIFY, MOVE, UNKNOWN
}

// decodePath reads a path that is a text, or an object with components, or with parent and name.
func decodePath(raw []byte, out *string) error {
	if json.Unmarshal(raw, out) == nil {
		return nil
	}
	var p struct {
		Components []string `json:"components"`
		Parent     string   `json:"parent"`
		Name       string   `json:"name"`
		Text       string   `json:"toString"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	switch {
	case p.Text != "":
		*out = p.Text
	case len(p.Components) > 0:
		*out = strings.Join(p.Components, "/")
	case p.Parent != "":
		*out = p.Parent + "/" + p.Name
	default:
		*out = p.Name
	}
	return nil
}

// maxFiles is the most changed files that are listed, as on GitHub.
const maxFiles = 3000

// changes lists the changed files of a pull request. whole is false if the host cut the list: it does not go
// beyond page.max.changes, 1000 by default, and says that more follows without a place where.
func (h *Host) changes(ctx context.Context, op string, repo codehost.Repo, number int) (out []codehost.ChangedFile, whole bool,
	err error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, false, err
	}
	cut := false
	path := pullPath(repo, number) + "/changes?withComments=false"
	out, whole, err = listWhile(ctx, h, op, path, maxFiles, func(c *change) (codehost.ChangedFile, bool) {
		if c == nil || c.Path == "" {
			return codehost.ChangedFile{}, false
		}
		f := codehost.ChangedFile{Path: string(c.Path), Status: map[string]string{"ADD": "added", "COPY": "copied", "DELETE": "removed",
			"MOVE": "renamed"}[c.Type]}
		if f.Status == "" {
			f.Status = "modified"
		}
		if c.SrcPath != "" && c.SrcPath != c.Path {
			f.OldPath = string(c.SrcPath)
		}
		return f, true
	}, func(p page[*change]) bool {
		cut = cut || !p.Last && p.Next == nil
		return true
	})
	return out, whole && !cut, err
}

// Files implements [codehost.Reader]. The host's list has no texts, so they come from the diff unless it is too
// large. A file that the list lacks because it was cut, but the diff has, is added.
func (h *Host) Files(ctx context.Context, repo codehost.Repo, number int) ([]codehost.ChangedFile, bool, error) {
	const op = "list changed files"
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return nil, false, err
	}
	files, whole, err := h.changes(ctx, op, repo, number)
	if err != nil {
		return nil, false, err
	}
	d, err := h.diffOf(ctx, op, repo, p)
	switch codehost.ClassOf(err) {
	case "":
	case codehost.ClassTooLarge, codehost.ClassUnavailable:
		return files, whole, nil
	default:
		return nil, false, err
	}
	for i := range files {
		f := d.set.File(files[i].Path)
		files[i].Patch = wire.PatchText(f)
		files[i].Additions, files[i].Deletions = countLines(f)
	}
	return files, whole, nil
}

func countLines(f *diff.File) (added, removed int) {
	if f == nil {
		return 0, 0
	}
	_, added, removed = (&parsedDiff{set: &diff.Set{Files: []*diff.File{f}}}).size()
	return added, removed
}
