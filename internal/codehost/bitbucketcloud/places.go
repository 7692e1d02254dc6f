package bitbucketcloud

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// placesKept is how long the lines of a diff count without another look at the head (design choice): a review of forty comments reads
// the diff once. A push in that time has the same effect as one between a look and the comment.
const placesKept = 30 * time.Second

// maxPlaces is the most diffs whose lines are kept.
const maxPlaces = 8

// places are the lines that people can comment on in the diff of a pull request.
type places struct {
	key  string
	made time.Time
	head string             // full id of the head of the diff
	file map[string][]spans // by path
}

// spans are the first and last lines of a hunk on each side; the last line is 0 for none.
type spans struct{ left, right [2]int }

// checkPlace returns [codehost.ClassInvalid] for a comment that would not stand where it was meant.
func (h *Host) checkPlace(ctx context.Context, op string, repo codehost.Repo, number int, commit string, note codehost.DraftComment) error {
	p, err := h.placesOf(ctx, op, repo, number, commit)
	if err != nil {
		return err
	}
	if p.head != commit {
		if err := h.checkUnmoved(ctx, op, repo, p.head, commit, note); err != nil {
			return err
		}
	}
	hunks, known := p.file[note.Path]
	if !known {
		return codehost.Refused(op, "the change has no file %q", note.Path)
	}
	for _, line := range []int{note.Line, note.StartLine} {
		shown := slices.ContainsFunc(hunks, func(s spans) bool {
			span := s.right
			if note.Side == string(domain.Left) {
				span = s.left
			}
			return line >= span[0] && line <= span[1]
		})
		if line != 0 && !shown {
			return codehost.Refused(op, "line %d of %q (%s) is not in the change", line, note.Path, note.Side)
		}
	}
	return nil
}

// checkUnmoved refuses a comment that was made for another head, unless its lines are the same at the present one. A comment on the old
// side is refused, because the merge base may have moved, too.
func (h *Host) checkUnmoved(ctx context.Context, op string, repo codehost.Repo, head, commit string, note codehost.DraftComment) error {
	moved := codehost.Refused(op, "the head of the pull request has changed, and with it line %d of %q", note.Line, note.Path)
	if note.Side == string(domain.Left) {
		return moved
	}
	var texts [2][]byte
	for i, sha := range []string{commit, head} {
		text, err := h.Content(ctx, repo, note.Path, sha)
		if codehost.ClassOf(err) == codehost.ClassNotFound {
			return moved
		}
		if err != nil {
			return err
		}
		texts[i] = linesOf(text, note.StartLine, note.Line)
	}
	if texts[0] == nil || !bytes.Equal(texts[0], texts[1]) {
		return moved
	}
	return nil
}

// linesOf returns the lines first to last of a text, or nil if it has fewer. first is 0 for the last line alone.
func linesOf(text []byte, first, last int) []byte {
	if first == 0 {
		first = last
	}
	lines := bytes.SplitAfterN(text, []byte{'\n'}, last+1)
	if len(lines) < last || len(lines[last-1]) == 0 {
		return nil
	}
	return bytes.Join(lines[first-1:last], nil)
}

// placesOf returns the lines of the present diff. A comment for a commit that was the head a moment ago needs no request.
func (h *Host) placesOf(ctx context.Context, op string, repo codehost.Repo, number int, commit string) (*places, error) {
	key := fmt.Sprintf("%s#%d", repo.FullName(), number)
	h.known.mu.Lock()
	for _, p := range h.known.places {
		if p.key == key && p.head == commit && time.Since(p.made) < placesKept {
			h.known.mu.Unlock()
			return p, nil
		}
	}
	h.known.mu.Unlock()
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	head, err := h.headOf(ctx, op, repo, p, p.pullRequest())
	if err != nil {
		return nil, err
	}
	set, err := wire.ParsedDiff(ctx, h, repo, number)
	if err != nil {
		return nil, err
	}
	out := &places{key: key, made: time.Now(), head: head, file: map[string][]spans{}}
	for _, f := range set.Files {
		out.file[f.Path] = spansOf(f)
	}
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	h.known.places = slices.DeleteFunc(h.known.places, func(p *places) bool { return p.key == key })
	h.known.places = append(h.known.places[max(0, len(h.known.places)-maxPlaces+1):], out)
	return out, nil
}

// spansOf returns the lines that a file's hunks show.
func spansOf(f *diff.File) (out []spans) {
	for _, hunk := range f.Hunks {
		var s spans
		for side, span := range map[domain.Side]*[2]int{domain.Left: &s.left, domain.Right: &s.right} {
			if first, last, ok := hunk.Range(side); ok && !f.Binary && f.Omitted == "" {
				*span = [2]int{first, last}
			}
		}
		out = append(out, s)
	}
	return out
}
