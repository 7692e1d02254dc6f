package report

import (
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/engine"
)

// Quoted returns a report with its paths in the form of [diff.QuotePath]. Its findings keep their lines and
// code.
func (r Report) Quoted() Report {
	if r.quoted {
		return r
	}
	r.quoted = true
	r.Frames, r.OldFrames = quotedKeys(r.Frames), quotedKeys(r.OldFrames)
	c := &r.Result.Coverage
	for _, l := range []*[]engine.FileNote{&c.Reviewed, &c.Skimmed, &c.Skipped, &r.Left} {
		*l = slices.Clone(*l)
		for i := range *l {
			quote(&(*l)[i].Path)
		}
	}
	r.Result.Findings = slices.Clone(r.Result.Findings)
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		quote(&f.Anchor.Path)
		quote(&f.Anchor.OldPath)
		f.Evidence = slices.Clone(f.Evidence)
		for j := range f.Evidence {
			quote(&f.Evidence[j].Path)
		}
		if f.Suggestion != nil {
			s := *f.Suggestion
			quote(&s.Path)
			f.Suggestion = &s
		}
	}
	r.Result.CriterionChecks = slices.Clone(r.Result.CriterionChecks)
	for i := range r.Result.CriterionChecks {
		k := &r.Result.CriterionChecks[i]
		k.Places = slices.Clone(k.Places)
		for j := range k.Places {
			quote(&k.Places[j].Path)
		}
	}
	return r
}

func quote(path *string) { *path = diff.QuotePath(*path) }

func quotedKeys(frames map[string][]string) map[string][]string {
	out := make(map[string][]string, len(frames))
	for path, lines := range frames {
		out[diff.QuotePath(path)] = lines
	}
	return out
}
