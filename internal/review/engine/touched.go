package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// effect is what a change of a symbol means to those who use it.
type effect int

// The effects, the gravest last.
const (
	inside    effect = iota // nothing that can be told from the symbol's text
	unguarded               // a condition under which it gave up is gone, or is another one
	resulting               // it returns or raises other kinds of values
	called                  // it takes or returns other types
	renamed
	removed
)

// alters are the words of a prompt for an effect on those who use what is still there.
func (e effect) alters() string {
	switch e {
	case called:
		return "the parameters or results of"
	case resulting:
		return "what is returned by"
	}
	return "a check in"
}

// symbol is a definition that a change touches: as it is at the head, or was at the
// base where it is gone.
type symbol struct {
	structure.Contract
	file   *diff.File
	effect effect
	to     string // what it is called now, for renamed
	pkg    string // the name of its package, for Go

	name  string              // by which it is used
	owner string              // the type before its dot; "" for what is used alone
	lines [2]structure.Symbol // where it is at the base and at the head
}

// call notes under which name and behind which type the symbol is used.
func (s *symbol) call() {
	if s.name, s.owner = s.Base(), s.Owner(); s.owner != "" && (makers[s.name] || s.name == (structure.Symbol{Name: s.owner}).Base()) {
		s.name, s.owner = (structure.Symbol{Name: s.owner}).Base(), ""
	}
}

// gone reports whether the head has no symbol of this name.
func (s *symbol) gone() bool { return s.effect >= renamed }

// in reports whether changed lines are the symbol's: those at the base, and those at
// the head.
func (s *symbol) in(changed [2]map[int]bool) bool {
	for i := range changed {
		for line := range changed[i] {
			if s.lines[i].Contains(line) {
				return true
			}
		}
	}
	return false
}

// version names a file on one side of a change.
type version struct {
	side domain.Side
	path string
}

// versions are the versions that a file has, the one at the base first.
func versions(f *diff.File) (out []version) {
	if p := f.BasePath(); p != "" {
		out = append(out, version{domain.Left, p})
	}
	if f.Status != diff.Deleted {
		out = append(out, version{domain.Right, f.Path})
	}
	return out
}

// changedOn are the changed lines of hunks on one side.
func changedOn(hunks []*diff.Hunk, side domain.Side) map[int]bool {
	out := map[int]bool{}
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch {
			case l.Op == diff.Delete && side == domain.Left:
				out[l.Old] = true
			case l.Op == diff.Add && side == domain.Right:
				out[l.New] = true
			}
		}
	}
	return out
}

// bothSides are the changed lines of hunks at the base, and those at the head.
func bothSides(hunks []*diff.Hunk) [2]map[int]bool {
	return [2]map[int]bool{changedOn(hunks, domain.Left), changedOn(hunks, domain.Right)}
}

// Bounds of the symbols that are followed.
const (
	maxTouched = 40 // symbols of one review
	maxDeleted = 20 // deleted files that are read
)

// usable finds names that a word of a search can find; shorter ones match too much.
var usable = regexp.MustCompile(`^[A-Za-z_$][\w$]{2,80}$`)

// makers are names under which nobody calls a method: who makes a value calls its type.
var makers = map[string]bool{"constructor": true, "__init__": true, "__new__": true, "initialize": true}

// touched lists the symbols that the targets change, and those of deleted files where
// the whole change is looked at: those with the gravest effects first, 40 at most.
func (w *work) touched(ctx context.Context, targets []*change.Target) (out []*symbol) {
	for _, t := range targets {
		if t.File.Class != diff.ClassTest {
			out = append(out, symbolsOf(ctx, w.bounds, t.File, t.Hunks)...)
		}
	}
	deleted := 0
	for _, f := range w.set.Files {
		whole := w.in.Full || len(w.in.ReviewedHunks) == 0
		if !whole || f.Status != diff.Deleted || f.Class != diff.ClassSource || change.Excluded(f, w.in.Policy) != "" || deleted == maxDeleted {
			continue
		}
		deleted++
		out = append(out, symbolsOf(ctx, w.bounds, f, nil)...)
	}
	out = slices.DeleteFunc(out, func(s *symbol) bool {
		said := s.Name + " " + s.to
		return !usable.MatchString(s.name) || w.redact(said) != said
	})
	slices.SortStableFunc(out, func(a, b *symbol) int { return int(b.effect - a.effect) })
	return out[:min(len(out), maxTouched)]
}

// symbolsOf compares the symbols of both versions of a file that hunks change; all of
// a deleted one.
func symbolsOf(ctx context.Context, src change.Source, f *diff.File, hunks []*diff.Hunk) (out []*symbol) {
	sides := map[domain.Side]map[string]structure.Contract{}
	var names []string
	pkg := ""
	for _, v := range versions(f) {
		blob, err := src.Blob(ctx, v.side, v.path)
		if err != nil {
			return nil // nothing can be compared with it
		}
		if f.Language == "Go" {
			pkg = structure.GoPackage(blob)
		}
		sides[v.side] = map[string]structure.Contract{}
		for _, c := range structure.Contracts(f.Language, blob) {
			if _, twice := sides[v.side][c.Name]; twice {
				c = both(sides[v.side][c.Name], c)
			} else {
				names = append(names, c.Name)
			}
			sides[v.side][c.Name] = c
		}
	}
	before, after := sides[domain.Left], sides[domain.Right]
	to, changed := renames(before, after), bothSides(hunks)
	seen := map[string]bool{}
	for _, name := range names {
		old, was := before[name]
		now, is := after[name]
		if seen[name] || !was && !is {
			continue
		}
		seen[name] = true
		s := &symbol{Contract: now, file: f, pkg: pkg, to: to[name], lines: [2]structure.Symbol{old.Symbol, now.Symbol}}
		switch {
		case is && was:
			s.effect = compare(old, now)
		case was:
			s.Contract, s.effect = old, removed
			if s.to != "" {
				s.effect = renamed
			}
		}
		if owner := old.Owner(); was && !is && owner != "" && before[owner].Name != "" && after[owner].Name == "" {
			continue // it went with its type, or has a new name with it
		}
		s.call()
		if f.Status == diff.Deleted && s.owner == "" || s.in(changed) {
			out = append(out, s)
		}
	}
	return out
}

// both makes one contract of two definitions of one name: overloads, or branches.
func both(a, b structure.Contract) structure.Contract {
	a.Signature += "|" + b.Signature
	a.End = max(a.End, b.End)
	a.Returns = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.Returns, b.Returns))))
	a.Guards = slices.Sorted(slices.Values(slices.Concat(a.Guards, b.Guards)))
	return a
}

// compare says what the change of a definition means to those who use it.
func compare(old, now structure.Contract) effect {
	switch {
	case old.Kind != now.Kind || old.Signature != now.Signature:
		return called
	case !slices.Equal(old.Returns, now.Returns):
		return resulting
	}
	left := slices.Clone(now.Guards)
	for _, g := range old.Guards {
		i := slices.Index(left, g)
		if i < 0 {
			return unguarded
		}
		left = slices.Delete(left, i, i+1)
	}
	return inside
}

// renames finds symbols that have another name now: what is gone and what is new of
// one kind, one owner and one contract, and no other of that kind.
func renames(before, after map[string]structure.Contract) map[string]string {
	type form struct{ kind, owner, contract string }
	gone, fresh := map[form][]string{}, map[form][]string{}
	collect := func(into map[form][]string, from, other map[string]structure.Contract) {
		for name, c := range from {
			if _, stays := other[name]; !stays {
				f := form{string(c.Kind), c.Owner(), fmt.Sprint(c.Signature, c.Returns, c.Guards)}
				into[f] = append(into[f], name)
			}
		}
	}
	collect(gone, before, after)
	collect(fresh, after, before)
	out := map[string]string{}
	for f, names := range gone {
		if len(names) == 1 && len(fresh[f]) == 1 {
			out[names[0]] = fresh[f][0]
		}
	}
	return out
}
