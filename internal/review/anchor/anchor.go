// Package anchor checks the places of findings against the change. It never trusts a line number or a
// quotation of a model. It also applies suggestions in memory and computes fingerprints.
//
// Models, hosts and storage do not live here.
package anchor

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// MaxLines is the longest range of an anchor (section 9, point 4).
const MaxLines = 10

// minSimilarity is the similarity that a fuzzy match must reach (section 9, point 2).
const minSimilarity = 0.9

// Source reads a file at the merge base (LEFT) or the head (RIGHT). It returns fs.ErrNotExist if the file
// is absent there.
type Source interface {
	Blob(ctx context.Context, side domain.Side, path string) ([]byte, error)
}

// Kind is the result of validation.
type Kind string

// The results. Anchors with the first three have a line in the diff.
const (
	OK        Kind = "ok"      // the quotation stands at the claimed lines
	Moved     Kind = "moved"   // the quotation stands elsewhere in the file
	Clamped   Kind = "clamped" // the range was cut to one hunk
	FileLevel Kind = "file"    // in the file, outside the diff
	PRLevel   Kind = "pr"      // the path is not in the diff: summary only, if evidence holds
	Dropped   Kind = "dropped" // the quotation is not in the file: drop the finding, count anchor_fail
)

// Outcome is a result with its details.
type Outcome struct {
	Kind       Kind
	Moved      bool    // the lines differ from the claim
	Fuzzy      bool    // found by similarity only
	Similarity float64 // 1 for an exact match
	Changed    bool    // the range holds an added (RIGHT) or removed (LEFT) line
	First      int     // the lines of the whole quotation; the anchor may be a part of it
	Last       int
	Why        string // the reason against OK, for logs and counters; contains no content
}

// Inline reports whether the anchor has a line in the diff.
func (o Outcome) Inline() bool { return o.Kind == OK || o.Kind == Moved || o.Kind == Clamped }

// Validate checks an anchor and corrects its path, side, lines, hunk, symbol, quotation and level. It
// changes the anchor only if the result is not Dropped. If the source is nil, only the lines in the diff
// are searched. An error is the source's (other than fs.ErrNotExist) or the context's.
func Validate(ctx context.Context, a *domain.Anchor, set *diff.Set, src Source) (Outcome, error) {
	return validate(ctx, a, set, src, append(ways[:len(ways):len(ways)], searchWay{look: (*text).find})...)
}

// Locate is [Validate] for a quotation that is a copy of code: it searches exactly, never by similarity.
func Locate(ctx context.Context, a *domain.Anchor, set *diff.Set, src Source) (Outcome, error) {
	return validate(ctx, a, set, src, searchWay{look: (*text).exact})
}

// search finds a normalised quotation near the claimed lines.
type search func(t *text, quote string, first, last int) match

// validate searches the quotation in one way before it tries the next, so that an exact match always beats
// a similar one.
func validate(ctx context.Context, a *domain.Anchor, set *diff.Set, src Source, ways ...searchWay) (Outcome, error) {
	f := findFile(a, set)
	if f == nil {
		*a = domain.Anchor{Path: a.Path, Quote: a.Quote, Level: domain.AnchorPR}
		return Outcome{Kind: PRLevel, Why: "path not in the diff"}, nil
	}
	out := *a
	out.Path, out.OldPath = f.Path, f.OldPath
	if out.Side != domain.Left || f.Status == diff.Added {
		out.Side = domain.Right
	}
	if f.Status == diff.Deleted {
		out.Side = domain.Left
	}
	if strings.TrimSpace(a.Quote) == "" {
		if a.StartLine > 0 {
			return Outcome{Kind: Dropped, Why: "no quotation"}, nil
		}
		toFile(&out)
		*a = out
		return Outcome{Kind: FileLevel, Why: "no line"}, nil
	}
	first, last := a.StartLine, a.EndLine
	if last < first {
		last = first
	}
	var hit match
	var text *text
	for _, w := range ways {
		var err error
		if hit, text, err = locate(ctx, f, &out, a.Quote, first, last, src, w); err != nil {
			return Outcome{}, err
		}
		if hit.found {
			break
		}
	}
	if !hit.found {
		return Outcome{Kind: Dropped, Similarity: hit.similarity, Why: "quotation not in the file"}, nil
	}
	res := Outcome{Kind: OK, Similarity: hit.similarity, Fuzzy: hit.similarity < 1, First: hit.first, Last: hit.last}
	out.StartLine, out.EndLine = chooseRange(hit, first, last)
	if out.StartLine > last || out.EndLine < first {
		res.Kind, res.Moved, res.Why = Moved, true, "quotation found elsewhere"
	}
	place(&out, f, hit, &res)
	if out.Level == domain.AnchorLine {
		out.Quote = text.quote(out.StartLine, out.EndLine)
	} else {
		out.Quote = text.quote(hit.first, min(hit.last, hit.first+MaxLines-1))
	}
	section := ""
	if h, ok := f.Commentable(out.Side, hit.first); ok {
		section = h.Section
	}
	out.Symbol = outline(ctx, src, text, out.Side, pathOn(f, out.Side), f.Language).Name(hit.first, section)
	*a = out
	return res, nil
}

// findFile finds the anchor's file, also by a path with the prefix a/ or b/ of a diff.
func findFile(a *domain.Anchor, set *diff.Set) *diff.File {
	for _, p := range []string{a.Path, strings.TrimPrefix(a.Path, "b/"), strings.TrimPrefix(a.Path, "a/"), strings.TrimPrefix(a.Path, "./")} {
		if diff.CheckPath(p) != nil {
			continue
		}
		if f := set.File(p); f != nil {
			return f
		}
	}
	return nil
}

func toFile(a *domain.Anchor) {
	a.StartLine, a.EndLine, a.HunkID, a.Level = 0, 0, "", domain.AnchorFile
}

// chooseRange returns the claimed range if it lies inside the match or contains it, else the match. It
// returns at most MaxLines lines.
func chooseRange(hit match, first, last int) (int, int) {
	start, end := hit.first, hit.last
	claimInside := first >= hit.first && last <= hit.last
	matchInside := first > 0 && first <= hit.first && last >= hit.last && last-first < MaxLines
	if claimInside || matchInside {
		start, end = first, last
	}
	return start, min(end, start+MaxLines-1)
}

// place puts the range into the hunk that it overlaps most, or makes the anchor a file-level one.
func place(a *domain.Anchor, f *diff.File, hit match, res *Outcome) {
	var best *diff.Hunk
	bestScore, from, to := 0, 0, 0
	for _, h := range f.Hunks {
		lo, hi, ok := h.Range(a.Side)
		if !ok {
			continue
		}
		s, e := max(lo, a.StartLine), min(hi, a.EndLine)
		if s > e {
			continue
		}
		score := e - s + 1
		if h.Changed(a.Side, s, e) {
			score += MaxLines // prefer a hunk in which the lines were changed
		}
		if score > bestScore {
			best, bestScore, from, to = h, score, s, e
		}
	}
	if best == nil {
		toFile(a)
		res.Kind, res.Why = FileLevel, "lines outside the diff"
		return
	}
	if _, ok := f.Commentable(a.Side, from); !ok { // hosts cannot name this path
		toFile(a)
		res.Kind, res.Why = FileLevel, "not commentable"
		return
	}
	if from != a.StartLine || to != a.EndLine {
		res.Kind, res.Why = Clamped, "range cut to one hunk"
	}
	a.StartLine, a.EndLine, a.HunkID, a.Level = from, to, best.ID, domain.AnchorLine
	res.Changed = best.Changed(a.Side, from, to)
}

// locate finds the quotation on the anchor's side, then on the other side. Only removed lines stay LEFT;
// unchanged lines belong to RIGHT.
func locate(ctx context.Context, f *diff.File, a *domain.Anchor, quote string, first, last int, src Source, w searchWay) (
	match, *text, error,
) {
	sides := []domain.Side{a.Side}
	if f.Status != diff.Added && f.Status != diff.Deleted {
		other := domain.Left
		if a.Side == domain.Left {
			other = domain.Right
		}
		sides = append(sides, other)
	}
	best := match{}
	for i, side := range sides {
		t, err := readSide(ctx, f, side, src)
		if err != nil {
			return match{}, nil, err
		}
		if err := ctx.Err(); err != nil {
			return match{}, nil, err
		}
		hit := w.in(t, quote, first, last)
		if !hit.found {
			best.similarity = max(best.similarity, hit.similarity)
			continue
		}
		if side == domain.Left && f.Status != diff.Deleted && !removes(f, hit) {
			if i > 0 {
				continue // the right side was searched first, so the line was not removed
			}
			if line, ok := f.MapLine(hit.first); ok {
				right, err := readSide(ctx, f, domain.Right, src)
				if err != nil {
					return match{}, nil, err
				}
				if moved := w.in(right, quote, line, line+hit.last-hit.first); moved.found {
					a.Side = domain.Right
					return moved, right, nil
				}
			}
		}
		a.Side = side
		return hit, t, nil
	}
	return best, nil, nil
}

func removes(f *diff.File, hit match) bool {
	for _, h := range f.Hunks {
		if h.Changed(domain.Left, hit.first, hit.last) {
			return true
		}
	}
	return false
}

// readSide reads one version of a file, or the part that the diff shows if the file cannot be read.
func readSide(ctx context.Context, f *diff.File, side domain.Side, src Source) (*text, error) {
	path := pathOn(f, side)
	if src != nil && path != "" {
		t, err := readBlob(ctx, src, side, path)
		if err == nil {
			return t, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return shownText(f, side), nil
}

// pathOn returns the path of a file on one side, "" if the file is absent there.
func pathOn(f *diff.File, side domain.Side) string {
	if side == domain.Left {
		return f.BasePath()
	}
	return f.Path
}
