package around

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

// effect is the effect of a symbol's change on its users.
type effect int

// The effects, gravest last.
const (
	NoEffect  effect = iota // no visible effect
	unguarded               // a condition under which it returned early is gone or changed
	resulting               // it returns or raises other kinds of values
	called                  // it takes or returns other types
	renamed
	removed
)

// alters returns the words of a prompt for an effect.
func (e effect) alters() string {
	switch e {
	case called:
		return "the parameters or results of"
	case resulting:
		return "what is returned by"
	}
	return "a check in"
}

// Symbol is a definition that a change touches, at the head, or at the base if it is gone.
type Symbol struct {
	structure.Contract
	File    *diff.File
	Effect  effect
	to      string // its new name, if it was renamed
	Package string // name of its package, in Go

	UsedName string              // the name by which it is used
	owner    string              // the type before its dot; "" if it is used without one
	Lines    [2]structure.Symbol // its lines at the base and at the head
}

// NameCall sets the name, and the type before the dot, by which the symbol is used.
func (s *Symbol) NameCall() {
	if s.UsedName, s.owner = s.Base(), s.Owner(); s.owner != "" &&
		(makers[s.UsedName] || s.UsedName == (structure.Symbol{Name: s.owner}).Base()) {
		s.UsedName, s.owner = (structure.Symbol{Name: s.owner}).Base(), ""
	}
}

// gone reports whether the head lacks a symbol of this name.
func (s *Symbol) gone() bool { return s.Effect >= renamed }

// in reports whether one of the changed lines, at the base or at the head, belongs to the symbol.
func (s *Symbol) in(changed [2]map[int]bool) bool {
	for i := range changed {
		for line := range changed[i] {
			if s.Lines[i].Contains(line) {
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

// versions returns the versions of a file, the one at the base first.
func versions(f *diff.File) (out []version) {
	if p := f.BasePath(); p != "" {
		out = append(out, version{domain.Left, p})
	}
	if f.Status != diff.Deleted {
		out = append(out, version{domain.Right, f.Path})
	}
	return out
}

// ChangedOn returns the numbers of the lines of hunks that are changed on one side.
func ChangedOn(hunks []*diff.Hunk, side domain.Side) map[int]bool {
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

// bothSides returns the changed lines of hunks at the base and at the head.
func bothSides(hunks []*diff.Hunk) [2]map[int]bool {
	return [2]map[int]bool{ChangedOn(hunks, domain.Left), ChangedOn(hunks, domain.Right)}
}

// Bounds of the examined symbols.
const (
	MaxSymbols = 40 // symbols of one review
	maxDeleted = 20 // deleted files that are read
)

// usable matches names that are long enough to be searched as words.
var usable = regexp.MustCompile(`^[A-Za-z_$][\w$]{2,80}$`)

// Searchable reports whether a name can be searched as a word.
func Searchable(name string) bool { return usable.MatchString(name) }

// makers are names of methods that are not called by name, because callers use the type.
var makers = map[string]bool{"constructor": true, "__init__": true, "__new__": true, "initialize": true}

// touched returns the symbols that the targets change, and those of deleted files if the whole change is
// reviewed. It returns at most [MaxSymbols], gravest effects first.
func (h *Head) touched(ctx context.Context, targets []*change.Target) (out []*Symbol) {
	for _, t := range targets {
		if t.File.Class != diff.ClassTest {
			out = append(out, symbolsOf(ctx, h.Raw, t.File, t.Hunks)...)
		}
	}
	deleted := 0
	for _, f := range h.Set.Files {
		if !h.Whole || f.Status != diff.Deleted || f.Class != diff.ClassSource || change.Excluded(f, h.Policy) != "" || deleted == maxDeleted {
			continue
		}
		deleted++
		out = append(out, symbolsOf(ctx, h.Raw, f, nil)...)
	}
	out = slices.DeleteFunc(out, func(s *Symbol) bool {
		said := s.Name + " " + s.to
		return !Searchable(s.UsedName) || h.Redact(said) != said
	})
	slices.SortStableFunc(out, func(a, b *Symbol) int { return int(b.Effect - a.Effect) })
	return out[:min(len(out), MaxSymbols)]
}

// symbolsOf compares the symbols of both versions of a file. It returns those that the hunks change, or all
// if the file is deleted.
func symbolsOf(ctx context.Context, src change.Source, f *diff.File, hunks []*diff.Hunk) (out []*Symbol) {
	sides := map[domain.Side]map[string]structure.Contract{}
	var names []string
	pkg := ""
	for _, v := range versions(f) {
		blob, err := src.Blob(ctx, v.side, v.path)
		if err != nil {
			return nil // without both versions there is no comparison
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
		s := &Symbol{Contract: now, File: f, Package: pkg, to: to[name], Lines: [2]structure.Symbol{old.Symbol, now.Symbol}}
		switch {
		case is && was:
			s.Effect = compare(old, now)
		case was:
			s.Contract, s.Effect = old, removed
			if s.to != "" {
				s.Effect = renamed
			}
		}
		if owner := old.Owner(); was && !is && owner != "" && before[owner].Name != "" && after[owner].Name == "" {
			continue // removed or renamed together with its type
		}
		s.NameCall()
		if f.Status == diff.Deleted && s.owner == "" || s.in(changed) {
			out = append(out, s)
		}
	}
	return out
}

// both merges two definitions of a name, such as overloads, into one contract.
func both(a, b structure.Contract) structure.Contract {
	a.Signature += "|" + b.Signature
	a.End = max(a.End, b.End)
	a.Returns = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.Returns, b.Returns))))
	a.Guards = slices.Sorted(slices.Values(slices.Concat(a.Guards, b.Guards)))
	return a
}

// compare returns the effect of a changed definition on its users.
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
	return NoEffect
}

// renames returns the new names of symbols. A symbol is renamed if it is the only missing one of its kind,
// type and contract, and exactly one such symbol is new.
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
