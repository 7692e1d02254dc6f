package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
	"github.com/assay-dev/assay/internal/wording"
)

// finish rates, routes, ranks and limits what was found and fills the result.
func (w *work) finish(ctx context.Context, rec *reconcile.Result) {
	res := &w.result
	for _, it := range rec.Fresh {
		w.rateFinding(it)
		w.markRound(ctx, it)
		it.Threshold = w.in.Thresholds[it.Category]
		it.Basis, it.Lineless = basisOf(it, w.isLate(it)), lineless(it.Anchor, w.set)
	}
	var renewed []*finding.Item
	for _, it := range rec.Carried {
		before := it.Basis
		it.Basis = nil // the run that has found it decided
		w.statesWithdrawn(it)
		if w.endWait(it, before) {
			renewed = append(renewed, it)
		}
	}
	applyPolicy(slices.Concat(rec.Fresh, renewed), res.Stats.Additions+res.Stats.Deletions, w.in.Policy, w.suppressedBy)
	for _, it := range renewed { // the summary has shown it already
		it.Known = it.Route == domain.RouteSummary && it.Severity < domain.High
	}
	w.hideCarried(rec.Carried)
	w.noteSilent(rec.Carried)
	res.Stats.Basis = true
	all := slices.Concat(rec.Fresh, rec.Carried)
	w.noteSecretPrints(ctx, all)
	rank(all)
	keepOneOfOverlapping(all)
	for _, it := range all {
		if it.ID == "" {
			it.ID = domain.NewID("fnd")
		}
		if it.Anchor.Level == "" {
			it.Anchor.Level = domain.AnchorPR
		}
		res.Findings = append(res.Findings, it.Finding)
		if it.Known {
			w.bindByRule(it)
		}
		if it.Stands {
			res.Standing = append(res.Standing, it.ID)
		}
		open := it.State == domain.FindingOpen
		if it.Mandatory && open {
			res.Blocking = append(res.Blocking, it.ID)
		}
		switch {
		case it.Known:
		case it.Published():
			res.Stats.Published++
		case it.Why == whyUnchanged:
			res.Stats.StaticUnchanged++
			w.discardFinding(it)
		default:
			w.discardFinding(it)
		}
	}
	shown := map[string]bool{} // and said to stand
	for _, k := range w.in.Known {
		if k.Known && k.Shown() {
			shown[k.ID] = true
		}
	}
	res.Stats.Earlier = len(shown)
	for _, k := range rec.Resolved {
		res.Resolved = append(res.Resolved, k.ID)
		if shown[k.ID] {
			res.Stats.EarlierResolved++
		}
	}
	res.Stats.Left = res.left(w.in.Known)
	w.linkMerged()
	w.fillCoverage()
	w.fillModelState()
	res.Synopsis = w.chooseSynopsis()
	res.Stats.Calls, res.Stats.CachedStages = w.Totals()
}

// bindByRule sets whether an earlier finding violates a mandatory rule, by the rule as it is now.
func (w *work) bindByRule(it *finding.Item) {
	if r, ok := w.ruleOf(it.RuleID); ok {
		it.Mandatory = r.Mandatory && (it.Deterministic() || it.Verdict == domain.VerdictConfirmed)
	}
}

// discardFinding counts and keeps a new finding that is stored and not shown.
func (w *work) discardFinding(it *finding.Item) {
	w.drop(it.Why, 1)
	w.discard(Discarded{Why: it.Why, FindingID: it.ID, Finding: it.Finding,
		Check: domain.Check{Said: it.Check.Said, Reason: it.Check.Reason}})
}

// isLate reports whether a finding of a model is about code that was reviewed before and has not changed since.
// A model that reads the same code twice says other things, which is not news. A confirmed and serious finding
// is still shown, and so are all findings of a review that a person asked for.
func (w *work) isLate(it *finding.Item) bool {
	if !it.Reviewed || w.in.Asked || it.Deterministic() || it.Mandatory {
		return false
	}
	return it.Verdict != domain.VerdictConfirmed || it.Severity < domain.High
}

// rateFinding sets the confidence of a finding, and whether it is always shown, from the verdict.
func (w *work) rateFinding(it *finding.Item) {
	it.State, it.Known = domain.FindingOpen, false
	if it.Deterministic() {
		r, _ := w.ruleOf(it.RuleID)
		it.Mandatory = it.Secret() || r.Mandatory
		if it.Confidence == 0 {
			it.Confidence = 1
		}
		return
	}
	if r, ok := ruleByID(w.rules, it.RuleID); ok {
		it.Severity = r.Severity
		it.Mandatory = r.Mandatory && !it.Alone && it.Verdict == domain.VerdictConfirmed && it.Scope != "pre_existing" && it.Scope != "unrelated"
	}
	it.Confidence = confidence(it)
}

// fillCoverage lists every file in the coverage by how it was reviewed.
func (w *work) fillCoverage() {
	c := &w.result.Coverage
	seen := map[string]bool{}
	for _, t := range w.plan.model {
		path := t.File.Path
		if why, missed := w.gen.missed[path]; missed {
			c.Skimmed = append(c.Skimmed, FileNote{Path: path, Why: why})
		} else if why := cmp.Or(w.refused(t.File), w.unread[path]); why != "" {
			c.Skimmed = append(c.Skimmed, FileNote{Path: path, Why: why})
		} else if w.gen.total > 0 {
			c.Reviewed = append(c.Reviewed, FileNote{Path: path})
		} else {
			c.Skimmed = append(c.Skimmed, FileNote{Path: path, Why: checksOnly})
		}
		seen[path] = true
	}
	for _, n := range w.plan.unchanged {
		switch why := cmp.Or(w.refused(w.set.File(n.Path)), w.unread[n.Path]); {
		case seen[n.Path]:
		case why != "":
			c.Skimmed = append(c.Skimmed, FileNote{Path: n.Path, Why: why})
		default:
			c.Reviewed = append(c.Reviewed, n)
		}
	}
	for _, n := range w.plan.skimmed {
		if why := w.refused(w.set.File(n.Path)); n.Why == checksOnly && why != "" {
			n.Why = why
		}
		if why := w.unread[n.Path]; why != "" && n.ByChoice() {
			n.Why = why
		}
		c.Skimmed = append(c.Skimmed, n)
	}
	c.Skipped = slices.Clone(w.plan.skipped)
	for i, n := range c.Skipped {
		if why := w.unread[n.Path]; why != "" && n.ByChoice() {
			c.Skipped[i].Why = why
		}
	}
	c.uniquePaths()
	w.extents()
	w.note(w.longLines())
	w.noteOutputs()
	w.result.Hunks = w.gen.fullyReviewed()
	for _, l := range [][]FileNote{c.Reviewed, c.Skimmed, c.Skipped} {
		slices.SortStableFunc(l, func(a, b FileNote) int { return w.set.Order(a.Path) - w.set.Order(b.Path) })
	}
}

// uniquePaths keeps each path in one list, because the diff of a file with a new type removes and adds the same path. It
// counts as reviewed if both parts were, as skipped if neither was looked at, and else as skimmed, with the first
// reason.
func (c *Coverage) uniquePaths() {
	type fate struct {
		reviewed, skipped bool
		why               string
	}
	fates, twice := map[string]*fate{}, false
	for i, l := range [][]FileNote{c.Reviewed, c.Skimmed, c.Skipped} {
		for _, n := range l {
			f := fates[n.Path]
			if f == nil {
				fates[n.Path] = &fate{i == 0, i == 2, n.Why}
				continue
			}
			twice = true
			f.reviewed, f.skipped, f.why = f.reviewed && i == 0, f.skipped && i == 2, cmp.Or(f.why, n.Why)
		}
	}
	if !twice {
		return
	}
	lists := slices.Concat(c.Reviewed, c.Skimmed, c.Skipped)
	*c = Coverage{}
	for _, n := range lists {
		f := fates[n.Path]
		if f == nil {
			continue
		}
		delete(fates, n.Path)
		n.Why = f.why
		switch {
		case f.reviewed:
			c.Reviewed = append(c.Reviewed, n)
		case f.skipped:
			c.Skipped = append(c.Skipped, n)
		default:
			c.Skimmed = append(c.Skimmed, n)
		}
	}
}

// fillModelState sets how complete the model's part is, and the reasons if it is not.
func (w *work) fillModelState() {
	res := &w.result
	g, v := w.gen, w.ver
	var notes []string
	left, unproven := w.result.Coverage.count(FileNote.unseen), w.result.Coverage.count(FileNote.unproven)
	withheld := w.result.Coverage.count(func(n FileNote) bool { return n.Why == whyUnchecked })
	large := left - withheld - unproven
	whole := left == 0 && w.set.Lacks == ""
	switch {
	case w.plan.tier == tierT0 && whole:
		res.ModelState = ModelNone
	case w.in.Models == nil && (w.in.ModelNote == "" || w.in.ModelNote == NoteNotConfigured):
		res.ModelState, res.ModelNote = ModelNone, w.in.ModelNote
	case w.in.Models == nil:
		res.ModelState, res.ModelNote = ModelUnavailable, w.in.ModelNote
	case g.total > 0 && len(g.hunks) == 0:
		res.ModelState, res.ModelNote = ModelUnavailable, w.failureNote()
	default:
		if g.done < g.total {
			notes = append(notes, wording.English(wording.PartsReviewed, g.done, g.total))
		}
		if v.done < v.total {
			notes = append(notes, wording.English(wording.GroupsVerified, v.done, v.total))
		}
		if large > 0 {
			notes = append(notes, wording.English(wording.FilesTooLarge, large))
		}
		if withheld > 0 {
			notes = append(notes, wording.English(wording.FilesUnchecked, withheld, len(w.set.Files)))
		}
		if unproven > 0 {
			notes = append(notes, wording.English(wording.FilesUnproven, unproven))
		}
		if w.set.Lacks != "" {
			notes = append(notes, wording.English(wording.MoreInChange))
		}
		if w.BudgetUsedUp() {
			notes = append(notes, wording.English(wording.BudgetUsed))
		}
		res.ModelState = ModelComplete
		if len(notes) > 0 {
			res.ModelState, res.ModelNote = ModelPartial, strings.Join(notes, clauseEnd)
		}
	}
}

// failureNote returns the reason why no part of the change was reviewed.
func (w *work) failureNote() string {
	if w.BudgetUsedUp() {
		return NoteBudget
	}
	for _, why := range w.gen.missed {
		if why != whyTooLong {
			return wording.English(wording.NoUsableAnswer, w.gen.total)
		}
	}
	return wording.English(wording.TooLong, w.gen.total)
}

// Notes that callers give as [Input.ModelNote] and that results carry.
const (
	NoteNotConfigured = "not configured"
	NoteUnavailable   = "unavailable"
	NoteBudget        = "budget"
	NoteAuthorLimit   = "limit of the author"
	NoteOutsideLimit  = "limit of contributions from outside"
)

const checksOnly = "deterministic checks only"
