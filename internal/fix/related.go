package fix

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// unrelated returns the path of an edit that has nothing to do with the finding, or "". An edit is related if it stands in the
// finding's definition, in one that the finding cites, or around these, or if it uses a name that a related edit or the
// finding's definition brings.
func unrelated(f domain.Finding, pairs []pair) (path string) {
	cited := map[string][]int{f.Anchor.Path: {f.Anchor.StartLine, f.Anchor.EndLine}}
	for _, e := range f.Evidence {
		if e.Path != "" {
			cited[e.Path] = append(cited[e.Path], e.Start, e.End)
		}
	}
	names := map[string]bool{}
	if base := f.Anchor.Symbol[strings.LastIndexByte(f.Anchor.Symbol, '.')+1:]; len(base) > 2 {
		names[base] = true
	}
	type place struct {
		path  string
		words []string
	}
	var open []place
	for _, p := range pairs {
		outline := structure.Read(p.before.language, p.before.raw)
		homes := map[string]bool{}
		for _, line := range cited[p.before.path] {
			if s, ok := outline.Enclosing(line); ok {
				homes[s.Name] = true
				names[s.Base()] = names[s.Base()] || len(s.Base()) > 2
			}
		}
		for _, run := range p.stretches() {
			removed, added := at(p.before.bareLines(), run.removed), at(p.after.bareLines(), run.added)
			s, inside := outline.Enclosing(run.at)
			outer := !inside || slices.ContainsFunc(slices.Collect(maps.Keys(homes)), func(home string) bool {
				return strings.HasPrefix(home, s.Name+".")
			})
			if _, ok := cited[p.before.path]; ok && (outer || homes[s.Name] || len(homes) == 0) {
				if outer { // a declaration: its users follow
					removed = nil
				}
				for _, w := range freshWords(removed, added) {
					names[w] = true
				}
				continue
			}
			open = append(open, place{p.before.path, change.Words(strings.Join(slices.Concat(removed, added), "\n"))})
		}
	}
	open = slices.DeleteFunc(open, func(o place) bool {
		return slices.ContainsFunc(o.words, func(w string) bool { return names[w] })
	})
	if len(open) > 0 {
		return open[0].path
	}
	return ""
}

// firstOld returns the number of the first removed line of a hunk, or of the line before the first added one.
func firstOld(h *diff.Hunk) int {
	last := h.OldStart
	for _, l := range h.Lines {
		switch l.Op {
		case diff.Delete:
			return l.Old
		case diff.Add:
			return last
		}
		last = l.Old
	}
	return last
}

// freshWords returns the identifiers of four letters or more that added lines have and removed ones do not.
func freshWords(removed, added []string) []string {
	had := map[string]bool{}
	for _, w := range change.Words(strings.Join(removed, "\n")) {
		had[w] = true
	}
	out := map[string]bool{}
	for _, w := range change.Words(strings.Join(added, "\n")) {
		if len(w) >= 4 && !had[w] && !common[w] {
			out[w] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// common are words of languages that relate nothing.
var common = wordSet(`return const function string number boolean null true false None True False else elif throw throws raise self this
	class public private static final void interface import from type struct func range continue break while switch case default error Error
	Exception catch except finally with async await export extends implements package List String Integer Map Optional Object float bool`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
