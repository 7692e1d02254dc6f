package reconcile

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
)

// Bounds of the search for code that was moved.
const (
	minMoved   = 16  // fewest characters, without white space, that are recognised elsewhere: "return nil" stands in many places
	maxSpots   = 500 // places with the same first line that are compared by what stands around them
	maxPlaces  = 20  // of those, places that are searched
	maxSetBack = 500 // lines of hunks of an earlier run that are searched for a name, the nearest first
	maxAround  = 100 // more than all neighbours together: the same symbol counts more

	// fewestNeighbours is how many lines around a short quotation must be known. All but one of them must stand
	// around it again, or half of them in the same symbol, because the outer lines may belong to others.
	fewestNeighbours = 3
)

// added holds the lines that no earlier run has reviewed, by their code without white space.
type added map[string][]spot

// spot is a line of a hunk, by its index.
type spot struct {
	file *diff.File
	hunk *diff.Hunk
	at   int
}

// newLines lists the added lines of the wanted hunks.
func newLines(set *diff.Set, wanted func(id string) bool) added {
	out := added{}
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			if !wanted(h.ID) || f.Class.Ignored() {
				continue
			}
			for i, l := range h.Lines {
				if l.Op != diff.Add || len(l.Text) > change.MaxSearchedLine {
					continue
				}
				if code := change.StripSpace(l.Text); code != "" && len(out[code]) < maxSpots {
					out[code] = append(out[code], spot{f, h, i})
				}
			}
		}
	}
	return out
}

// line returns the number of the line at the head.
func (s spot) line() int { return s.hunk.Lines[s.at].New }

// lines returns at most so many lines of the new version, from a spot on and within its hunk.
func (s spot) lines(most int) string {
	var out []string
	for _, l := range s.hunk.Lines[s.at:] {
		if l.Op != diff.Delete && len(out) < most {
			out = append(out, l.Text)
		}
	}
	return strings.Join(out, "\n")
}

// reads returns the new lines from a spot on if their code is the wanted one without white space, and "" if it
// is not.
func (s spot) reads(want string) string {
	var lines []string
	code := ""
	for _, l := range s.hunk.Lines[s.at:] {
		if l.Op == diff.Delete {
			continue
		}
		if len(l.Text) > change.MaxSearchedLine {
			return ""
		}
		lines, code = append(lines, l.Text), code+change.StripSpace(l.Text)
		if len(code) >= len(want) || !strings.HasPrefix(want, code) {
			break
		}
	}
	if code != want {
		return ""
	}
	return strings.Join(lines, "\n")
}

// moved finds an earlier finding whose code is gone from its file: in the file that the change has renamed it
// to, else in a hunk in which it was seen before, else in new lines of another file. Among several places,
// only the one in the same symbol or between the same neighbours counts. Short quotations are recognised by
// their neighbours only.
func (r *Reconciler) moved(ctx context.Context, k domain.Finding) Place {
	a := k.Anchor
	if r.Set.File(a.Path) == nil {
		for _, f := range r.Set.Files {
			if f.BasePath() != a.Path || f.Status == diff.Deleted {
				continue
			}
			renamed := k
			renamed.Anchor.Path, renamed.Anchor.OldPath = f.Path, f.OldPath
			if p := r.standsAt(ctx, renamed); p.Stands || p.edited {
				return p
			}
		}
	}
	if r.added == nil {
		r.added = newLines(r.Set, func(id string) bool { return !r.ReviewedHunks[id] })
	}
	for _, among := range []added{r.seenAgain(k), r.added} {
		if b, ok := r.among(ctx, k, among); ok {
			return r.found(ctx, k, Place{Anchor: b})
		}
	}
	if b, ok := r.named(ctx, k); ok {
		return r.found(ctx, k, Place{Anchor: b})
	}
	return Place{Anchor: a}
}

// named finds an earlier finding by a name that it had in a hunk where it was seen before: its code was edited
// and set back since. It searches in both directions from the line number of the finding, because a renamed
// file keeps its line numbers.
func (r *Reconciler) named(ctx context.Context, k domain.Finding) (domain.Anchor, bool) {
	seen := seenIn(k)
	var spots []spot
	for _, f := range r.Set.Files {
		for _, h := range f.Hunks {
			if !r.reviewed[h.ID] || !slices.Contains(seen, h.ID) {
				continue
			}
			for i, l := range h.Lines {
				if l.Op != diff.Delete && len(l.Text) <= change.MaxSearchedLine && strings.TrimSpace(l.Text) != "" {
					spots = append(spots, spot{f, h, i})
				}
			}
		}
	}
	by := func(s spot) int { return max(s.line()-k.Anchor.StartLine, k.Anchor.StartLine-s.line()) }
	slices.SortStableFunc(spots, func(x, y spot) int { return cmp.Compare(by(x), by(y)) })
	for _, s := range spots[:min(len(spots), maxSetBack)] {
		if b, ok := r.namedAt(ctx, k, s); ok {
			return b, true
		}
	}
	return domain.Anchor{}, false
}

// namedAt reports whether an earlier finding has a name, by one of its rules, that it would have on the lines
// from a spot on. It tries as many lines as the finding quotes now, then counts further away, because an edit
// or a model may have quoted more or fewer.
func (r *Reconciler) namedAt(ctx context.Context, k domain.Finding, s spot) (domain.Anchor, bool) {
	first := r.firstAt(ctx, s)
	if first.Level != domain.AnchorLine {
		return first, false
	}
	_, last, _ := s.hunk.Range(domain.Right)
	now := strings.Count(k.Anchor.Quote, "\n") + 1
	counts := make([]int, min(anchor.MaxLines, last-s.line()+1))
	for i := range counts {
		counts[i] = i + 1
	}
	slices.SortStableFunc(counts, func(x, y int) int { return cmp.Compare(max(x-now, now-x), max(y-now, now-y)) })
	for _, n := range counts {
		there := first
		there.EndLine = first.StartLine + n - 1
		if !r.hasName(ctx, k, there) {
			continue
		}
		there.Quote = s.lines(n)
		b, res, err := r.at(ctx, there, s.file, s.line())
		return b, err == nil && res.Inline() && b.HunkID == s.hunk.ID
	}
	return first, false
}

// lineAt is a line of the head.
type lineAt struct {
	path string
	line int
}

// firstAt returns the anchor on the line of a spot, which it makes once for all findings. The anchor is zero
// if the line is not in its hunk.
func (r *Reconciler) firstAt(ctx context.Context, s spot) domain.Anchor {
	key := lineAt{s.file.Path, s.line()}
	a, known := r.firsts[key]
	if known {
		return a
	}
	b, res, err := r.at(ctx, domain.Anchor{Quote: s.lines(1)}, s.file, s.line())
	if err == nil && res.Inline() && b.HunkID == s.hunk.ID && b.StartLine == s.line() {
		a = b
	}
	if r.firsts == nil {
		r.firsts = map[lineAt]domain.Anchor{}
	}
	r.firsts[key] = a
	return a
}

// nameAt is the part of a name that differs within a repository and symbol.
type nameAt struct {
	lineAt
	last          int
	rule, subject string
}

// hasName reports whether an earlier finding has the name of a place, by one of the rules that models reported
// it under. Each name is made once for all findings.
func (r *Reconciler) hasName(ctx context.Context, k domain.Finding, a domain.Anchor) bool {
	for _, rule := range append([]string{k.RuleID}, k.Rules...) {
		key := nameAt{lineAt{a.Path, a.StartLine}, a.EndLine, rule, k.Subject}
		exact, known := r.names[key]
		if !known {
			prints, err := r.Prints.Of(ctx, &domain.Finding{RuleID: rule, Anchor: a, Subject: k.Subject})
			if err != nil {
				return false
			}
			if r.names == nil {
				r.names = map[nameAt]string{}
			}
			exact = prints.Exact
			r.names[key] = exact
		}
		if slices.Contains(k.Names, exact) {
			return true
		}
	}
	return false
}

// seenAgain lists the added lines of the hunks in which an earlier finding was seen before: the file may be as
// it was then.
func (r *Reconciler) seenAgain(k domain.Finding) added {
	if r.reviewed == nil {
		r.reviewed = map[string]bool{}
		for _, f := range r.Set.Files {
			for _, h := range f.Hunks {
				r.reviewed[h.ID] = r.ReviewedHunks[h.ID]
			}
		}
	}
	seen := seenIn(k)
	if !slices.ContainsFunc(seen, func(id string) bool { return r.reviewed[id] }) {
		return nil
	}
	return newLines(r.Set, func(id string) bool { return r.reviewed[id] && slices.Contains(seen, id) })
}

// among finds the code of an earlier finding among lines of other files.
func (r *Reconciler) among(ctx context.Context, k domain.Finding, lines added) (domain.Anchor, bool) {
	a := k.Anchor
	code := change.StripSpace(a.Quote)
	first, _, _ := strings.Cut(strings.TrimLeft(a.Quote, "\r\n"), "\n")
	best, found, score := a, 0, 0
	for _, s := range r.likeliest(ctx, k, lines[change.StripSpace(first)], code) {
		there := a
		there.Quote = s.quote
		b, res, err := r.at(ctx, there, s.file, s.line())
		if err != nil || !res.Inline() || !res.Changed || b.HunkID != s.hunk.ID {
			continue
		}
		n, of := s.around, len(k.Around.Above)+len(k.Around.Below)
		switch {
		case b.Symbol == a.Symbol && b.Symbol != "":
			n += maxAround
		case len(code) < minMoved && n < of-1:
			continue
		}
		if found == 0 || n > score {
			best, score, found = b, n, 0
		}
		if n == score {
			found++
		}
	}
	return best, found == 1
}

// likely is a spot with the code of an earlier finding.
type likely struct {
	spot
	quote  string
	around int // lines around it that stood around the finding
}

// likeliest lists at most maxPlaces spots in other files that have the code of an earlier finding, those
// between its neighbours first.
func (r *Reconciler) likeliest(ctx context.Context, k domain.Finding, spots []spot, code string) (out []likely) {
	of := len(k.Around.Above) + len(k.Around.Below)
	for _, s := range spots {
		if s.file.Path == k.Anchor.Path { // its own file was searched before
			continue
		}
		l := likely{spot: s, quote: s.reads(code)}
		if l.quote == "" {
			continue
		}
		n, err := anchor.Likeness(ctx, r.Source, s.file, s.line(), s.line()+strings.Count(l.quote, "\n"), k.Around)
		if err != nil || len(code) < minMoved && (of < fewestNeighbours || n < min((of+1)/2, of-1)) {
			continue
		}
		l.around = n
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(x, y likely) int { return y.around - x.around })
	return out[:min(len(out), maxPlaces)]
}

// at looks for the quotation of an anchor at a line of another file.
func (r *Reconciler) at(ctx context.Context, a domain.Anchor, f *diff.File, line int) (domain.Anchor, anchor.Outcome, error) {
	b := a
	b.Path, b.OldPath, b.Side = f.Path, f.OldPath, domain.Right
	b.StartLine, b.EndLine = line, line+strings.Count(a.Quote, "\n")
	res, err := anchor.Locate(ctx, &b, r.Set, r.Source)
	return b, res, err
}
