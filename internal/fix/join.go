package fix

import (
	"context"
	"slices"
)

// join decides which fixes that passed stand together, in the order of the findings. A fix that does not is refused. The error is
// fatal.
func (r *run) join(ctx context.Context, tried []*attempt) error {
	var taken []*attempt
	var all []patch
	for _, a := range tried {
		if !a.Passed {
			continue
		}
		if len(taken) == 0 {
			a.pass(CheckTogether)
			taken, all = append(taken, a), a.patches
			continue
		}
		clash := slices.ContainsFunc(a.patches, func(p patch) bool { return slices.ContainsFunc(all, p.overlaps) })
		if clash {
			a.refuse(CheckTogether, Overlapping, a.patches[0].doc.path)
			continue
		}
		both := slices.Concat(all, a.patches)
		single := a.version
		a.version = r.version(both)
		ok := true
		if tooLarge(a.version, both) {
			a.refuse(CheckTogether, RunFull, "")
			ok = false
		}
		if ok && sharesFile(single, all) {
			var err error
			if ok, err = r.together(ctx, a, single); err != nil {
				return err
			}
		}
		if ok {
			a.pass(CheckTogether)
			taken, all = append(taken, a), both
		}
	}
	return nil
}

// sharesFile reports whether a version edits a file of some patches.
func sharesFile(v *version, patches []patch) bool {
	return slices.ContainsFunc(v.pairs, func(p pair) bool {
		return slices.ContainsFunc(patches, func(o patch) bool { return o.doc.path == p.before.path })
	})
}

// together checks the fix of an attempt with those before it, in the files that it edits.
func (r *run) together(ctx context.Context, a *attempt, single *version) (bool, error) {
	joined := *a.version
	joined.pairs = slices.DeleteFunc(slices.Clone(joined.pairs), func(p pair) bool {
		return !slices.ContainsFunc(single.pairs, func(o pair) bool { return o.before.path == p.before.path })
	})
	a.version = &joined
	for _, p := range joined.pairs {
		if broken, unknown := breaks(p); broken || unknown {
			a.refuse(CheckTogether, BreaksSyntax, p.after.path)
			return false, nil
		}
		for _, g := range guards {
			if g.fails(p) {
				a.refuse(CheckTogether, g.reason, p.after.path)
				return false, nil
			}
		}
	}
	why, path, _, err := r.static(ctx, a.version)
	if err != nil {
		return false, err
	}
	if why != "" {
		a.refuse(CheckTogether, why, path)
		return false, nil
	}
	why, note, err := r.look(ctx, a.finding, a.version)
	switch {
	case err != nil:
		return false, a.unanswered(ctx, CheckTogether, err)
	case why != "":
		a.refuse(CheckTogether, why, "")
		a.Note = r.tell(note)
		return false, nil
	}
	return true, nil
}
