package reconcile

import (
	"context"
	"maps"
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// world is what the comparison needs to know about the code at the head.
type world struct {
	set    *diff.Set
	hunks  map[string]bool              // ids of all hunks of the diff
	locate func(k domain.Finding) Place // finds an earlier finding at the head, also if it was moved
	// checked is [Reconciler.Checked].
	checked    func(earlier domain.Finding, path string) bool
	haveModel  bool
	suppressed func(domain.Finding) string // the id of the suppression that covers a finding, or ""
	placeGone  map[string]bool             // ids of earlier findings that have lost a further place
	// same asks whether the pairs at one place are one defect. It is nil if there is no model to ask. A pair
	// without an answer is two defects.
	same func(ctx context.Context, pairs []Pair) ([]bool, error)
}

// Result is what became of candidates and earlier findings.
type Result struct {
	Fresh    []*finding.Item // to be verified, ranked and published
	Carried  []*finding.Item // earlier findings that stay as they are
	Recheck  []*finding.Item // earlier findings whose code changed, for the verifier
	Raised   []Raised        // of Carried: this run calls them more severe
	Resolved []domain.Finding
	Decided  []Decided // candidates that a person or a suppression decided on before

	Known    map[string]domain.Finding // by id
	contexts map[string]int            // looser fingerprint to the number of earlier findings that have it
}

// Decided is a candidate that repeats a finding which a person has dismissed or a suppression covers.
type Decided struct {
	Earlier, Now domain.Finding
	Suppression  string // id of the suppression that covers it; "" if a person dismissed it
}

// Reconcile compares candidates with the earlier findings of the pull request, before verification costs
// anything. A finding that a model does not report again is not fixed by that. The error is the context's, or
// that of a model call.
func (r *Reconciler) Reconcile(ctx context.Context, items []*finding.Item, known []domain.Finding) (Result, error) {
	out, w := Result{Known: map[string]domain.Finding{}, contexts: map[string]int{}}, r.world(ctx)
	for _, k := range known {
		out.Known[k.ID] = k
		out.contexts[k.Fingerprints.Context]++
	}
	used := make([]bool, len(known))
	parts, err := r.compare(ctx, &out, items, known, used, w)
	if err != nil {
		return out, err
	}
	if len(parts) > 0 { // places of carried findings, which earlier findings may have
		if _, err := r.compare(ctx, &out, parts, known, used, w); err != nil {
			return out, err
		}
	}
	for i, k := range known {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if !used[i] {
			out.absent(k, w)
		}
	}
	return out, ctx.Err()
}

// compare recognises earlier findings that are not used yet among candidates, and notes them as used. It returns the further
// places of those candidates for which the earlier finding stays as it is.
func (r *Reconciler) compare(ctx context.Context, out *Result, items []*finding.Item, known []domain.Finding, used []bool, w world,
) (parts []*finding.Item, err error) {
	var left []domain.Finding
	var index []int
	for i, k := range known {
		if !used[i] {
			left, index = append(left, k), append(index, i)
		}
	}
	matches, err := match(ctx, items, left, w)
	if err != nil {
		return nil, err
	}
	for i, m := range matches {
		if m < 0 {
			out.Fresh = append(out.Fresh, items[i])
			continue
		}
		used[index[m]] = true
		items[i].Hunks = seenIn(left[m])
		carried := len(out.Carried)
		out.found(items[i], left[m], w)
		if len(out.Carried) > carried {
			parts = append(parts, r.Apart(ctx, items[i], left[m], slices.Concat(items, parts))...)
		}
	}
	return slices.DeleteFunc(parts, func(p *finding.Item) bool { // this run has recognised the defect as an earlier finding
		return slices.ContainsFunc(out.Carried, func(o *finding.Item) bool { return sameDefect(o, p) })
	}), nil
}

// found handles a candidate that repeats an earlier finding.
func (r *Result) found(it *finding.Item, k domain.Finding, w world) {
	switch k.State {
	case domain.FindingOpen:
		if k.Route == domain.RouteStored || k.Route == "" || it.Secret() && !k.Secret() { // it was never shown, or was in doubt
			it.ID = k.ID
			r.Fresh = append(r.Fresh, it)
			return
		}
		r.carry(it, k)
		r.raise(it, k, w)
	case domain.FindingDismissed:
		if isOtherOfCheck(it, k) {
			it.Reopens, it.Reopened = !it.IsSecret(), !it.IsSecret() // another secret was never dismissed
			r.Fresh = append(r.Fresh, it)
			return
		}
		if r.reopens(it, k) {
			it.Reopens, it.Reopened = true, true
			r.Fresh = append(r.Fresh, it)
			return
		}
		r.Decided = append(r.Decided, Decided{Earlier: k, Now: it.Finding})
		r.carry(it, k)
	case domain.FindingSuppressed:
		if !hasCodeOf(it, k) && w.suppressed(k) != "" { // the person decided on other code
			r.Fresh = append(r.Fresh, it)
			return
		}
		now := it.Finding
		if hasCodeOf(it, k) {
			now.KeepCodePrints(k)
		}
		by := w.suppressed(now)
		if by == "" { // withdrawn, expired, or more severe than a suppression covers
			r.isBack(it, k)
			return
		}
		r.Decided = append(r.Decided, Decided{Earlier: k, Now: it.Finding, Suppression: by})
		k.SuppressedBy = by
		r.carry(it, k)
	default: // resolved or outdated
		r.isBack(it, k)
	}
}

// isBack reports a candidate that repeats an earlier finding which no review shows now.
func (r *Result) isBack(it *finding.Item, k domain.Finding) {
	it.ID = k.ID
	it.Reviewed = false // it is news, although its lines were reviewed before
	r.Fresh = append(r.Fresh, it)
}

// carry keeps an earlier finding with its words and state at its new place.
func (r *Result) carry(it *finding.Item, k domain.Finding) {
	anchor, prints := it.Anchor, it.Fingerprints
	out := *it
	out.Finding = k
	out.Known, out.Stands, out.Hunks, out.CodePrints = true, true, it.Hunks, it.CodePrints
	if len(it.SecretDigests) > 0 {
		out.SecretDigests = it.SecretDigests
	}
	out.AddRule(it.RuleID)
	if it.FirstPlace != "" && it.Subject != k.Subject { // the places are those of now
		out.Subject, out.FirstPlace, out.Title, out.Explanation = it.Subject, it.FirstPlace, it.Title, it.Explanation
	}
	if anchor.Path != "" {
		out.Anchor, out.Around = anchor, it.Around
		out.DropOwnPlaces()
	}
	if prints.Exact != "" {
		out.Fingerprints = prints
	}
	if hasCodeOf(it, k) {
		out.KeepCodePrints(k)
	}
	if k.State != domain.FindingOpen {
		out.Route = domain.RouteStored
	}
	r.Carried = append(r.Carried, &out)
}

// hasCodeOf reports whether a candidate is about the code of an earlier finding. Redacted quotations do not tell secrets
// apart, so that a secret whose value is known has the code only of a finding with the same value. Findings with different
// subjects have different code. It returns
// false for a candidate without code.
func hasCodeOf(it *finding.Item, k domain.Finding) bool {
	if !it.HasDistinctPrint() {
		return false
	}
	if len(it.SecretDigests) > 0 {
		return it.SameSecret(k)
	}
	return k.HasCode(it.Fingerprints.Exact) ||
		!k.IsSecret() && it.Subject == k.Subject && change.StripSpace(it.Anchor.Quote) == change.StripSpace(k.Anchor.Quote)
}

// isOtherOfCheck reports whether a check found another secret, or a problem of High or above in other code, than the
// dismissed one. Findings of checks have no evidence that could be new, and no model confirms them.
func isOtherOfCheck(it *finding.Item, k domain.Finding) bool {
	return it.Deterministic() && (it.IsSecret() || it.Severity >= domain.High) && !hasCodeOf(it, k) &&
		(!k.Named(it.Fingerprints.Exact) || it.Subject != k.Subject)
}

// reopens reports whether a dismissed finding may come back, if a verifier confirms it: it has other code, is High or above, has
// new evidence, and is the only one of its context.
func (r *Result) reopens(it *finding.Item, k domain.Finding) bool {
	return !k.Named(it.Fingerprints.Exact) && !hasCodeOf(it, k) && it.Severity >= domain.High && hasNewEvidence(it.Finding, k) &&
		r.contexts[k.Fingerprints.Context] == 1
}

// hasNewEvidence reports whether a finding has evidence, besides further places, that an earlier one does not have.
func hasNewEvidence(now, earlier domain.Finding) bool {
	return slices.ContainsFunc(now.Evidence, func(e domain.Evidence) bool {
		return e.Kind != domain.EvidencePlace && !slices.ContainsFunc(earlier.Evidence, func(o domain.Evidence) bool {
			return o.Kind == e.Kind && o.Path == e.Path && change.StripSpace(o.Quote) == change.StripSpace(e.Quote)
		})
	})
}

// absent handles an earlier finding that this run did not find again.
func (r *Result) absent(k domain.Finding, w world) {
	if k.State == domain.FindingResolved || k.State == domain.FindingOutdated || k.State == domain.FindingSuppressed && w.suppressed(k) == "" {
		r.comesBack(k, w)
	}
	if k.State != domain.FindingOpen {
		return
	}
	it := &finding.Item{Finding: k, Mandatory: k.Secret()}
	it.Known, it.Hunks = true, seenIn(k)
	at := w.locate(k)
	if w.set.File(at.Path) == nil && slices.ContainsFunc(it.Hunks, func(id string) bool { return w.hunks[id] }) {
		it.Stands = true
		r.Carried = append(r.Carried, it) // one of its hunks is as it was, in a renamed file
		return
	}
	if e, ok := w.changedPlace(k); ok && !k.IsSecret() && w.set.File(at.Path) == nil && it.Published() {
		if !w.haveModel {
			r.Carried = append(r.Carried, it)
			return
		}
		it.Resolves, it.Changed, it.Instead = true, true, finding.PlaceAnchor(e)
		it.Anchor = it.Instead // the verifier is shown these lines
		r.Recheck = append(r.Recheck, it)
		return
	}
	if w.set.File(at.Path) == nil { // the change to this file was taken back
		r.Resolved = append(r.Resolved, k)
		return
	}
	if k.Origin.Deterministic() {
		if w.checked(k, at.Path) {
			r.Resolved = append(r.Resolved, k)
			return
		}
		r.Carried = append(r.Carried, it)
		return
	}
	if at.Stands {
		at.takes(&it.Finding)
	}
	asSeen := at.HunkID != "" && slices.Contains(it.Hunks, at.HunkID) // edits were taken back
	it.Stands = at.Stands && (asSeen || w.unchanged(k.Anchor)) && !w.placeGone[k.ID]
	if it.Stands || !w.haveModel {
		r.Carried = append(r.Carried, it)
		return
	}
	if k.Route == domain.RouteStored || k.Route == "" { // never shown: not worth a model call
		if at.Stands {
			r.Carried = append(r.Carried, it)
		} else {
			r.Resolved = append(r.Resolved, k)
		}
		return
	}
	it.Resolves = true
	it.Changed = at.Stands // whether the quoted code still exists at the head
	it.Apart = at.apart
	if at.edited {
		it.Instead = at.Anchor
		it.Anchor.Path, it.Anchor.OldPath = at.Path, at.OldPath // the verifier is shown these lines
		it.Anchor.StartLine, it.Anchor.EndLine = at.StartLine, at.EndLine
	}
	r.Recheck = append(r.Recheck, it)
}

// comesBack asks the verifier about a finding of a model whose code is as it was: a resolved finding, or one that no
// suppression covers any more. Models do not review such a hunk again, so no candidate would report it.
func (r *Result) comesBack(k domain.Finding, w world) {
	place := w.locate(k)
	seen := seenIn(k)
	if !place.Stands || !w.haveModel || k.Origin.Deterministic() || !slices.Contains(seen, place.HunkID) {
		return
	}
	f := w.set.File(place.Path)
	it := &finding.Item{Finding: k, Reporters: 1, Returns: true, Changed: true,
		Order: w.set.Order(place.Path), InTest: f.Class == diff.ClassTest}
	place.takes(&it.Finding)
	it.Hunks, it.Verdict, it.State, it.SuppressedBy = seen, "", domain.FindingOpen, ""
	r.Fresh = append(r.Fresh, it)
}

// Settled returns the reviewed hunks that need no model again. A hunk in which a model saw a finding whose
// quotation has changed since is not among them: it is as it was before an edit that was taken back. The error
// is the context's.
func (r *Reconciler) Settled(ctx context.Context, known []domain.Finding) (map[string]bool, error) {
	out := maps.Clone(r.ReviewedHunks)
	for _, k := range known {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(k.Hunks) == 0 || k.Origin.Deterministic() {
			continue
		}
		if !r.Place(ctx, k).Stands {
			for _, id := range seenIn(k) {
				delete(out, id)
			}
		}
	}
	return out, ctx.Err()
}

// maxHunks bounds the hunks that a finding remembers.
const maxHunks = 20

// seenIn lists the hunks in which an earlier finding was seen, the newest last.
func seenIn(k domain.Finding) []string {
	id := k.Anchor.HunkID
	if id == "" || slices.Contains(k.Hunks, id) {
		return k.Hunks
	}
	hunks := append(slices.Clone(k.Hunks), id)
	return hunks[max(len(hunks)-maxHunks, 0):]
}

// unchanged reports whether the hunk of an earlier finding is in the diff as it was.
func (w world) unchanged(a domain.Anchor) bool { return a.HunkID == "" || w.hunks[a.HunkID] }

// changedPlace returns the first further place of an earlier finding that is on a changed line.
func (w world) changedPlace(k domain.Finding) (domain.Evidence, bool) {
	places := k.AlsoAt()
	i := slices.IndexFunc(places, func(e domain.Evidence) bool {
		f := w.set.File(e.Path)
		return f != nil && change.HasChanged(f, domain.Right, e.Start, e.End)
	})
	if i < 0 {
		return domain.Evidence{}, false
	}
	return places[i], true
}
