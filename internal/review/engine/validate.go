package engine

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxEvidence bounds the quotes that a finding carries as evidence.
const maxEvidence = 5

// anchorCandidates turns candidates into items with valid places. Candidates that do not stand in the code are dropped
// and counted. The error is the context's.
func (w *work) anchorCandidates(ctx context.Context, candidates []candidate) ([]*finding.Item, error) {
	var out []*finding.Item
	for _, c := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		it, why := w.item(ctx, &c)
		if why != "" {
			w.drop(why, 1)
			w.discardCandidate(c, why)
			continue
		}
		out = append(out, it)
	}
	return out, ctx.Err()
}

// item checks one candidate against the schema and the code, and gives it the form of
// the schema.
func (w *work) item(ctx context.Context, c *candidate) (*finding.Item, string) {
	if c.fit(ctx, w.set, w.src) != "" {
		return nil, whySchema
	}
	severity, _ := readSeverity(c.Severity)
	title := clip.Runes(change.OneLine(change.StripInvisible(c.Title)), finding.MaxTitle, "…")
	explanation := change.Cut(strings.TrimSpace(change.StripInvisible(c.Explanation)), finding.MaxExplanation)
	if title == "" || explanation == "" {
		return nil, whySchema
	}
	ruleID, category := classifyRule(c.RuleKey, c.Category, w.rules)
	it := &finding.Item{By: []finding.Pass{c.by}, Readers: c.general, PanelRead: c.panel, SameAs: w.findingIDOf(c.SameAs),
		Answer:      c.answer,
		RepeatsTool: c.Repeats && w.in.Public, Finding: domain.Finding{
			Origin: domain.OriginModel, RuleID: ruleID, Category: category, Severity: severity,
			Title: title, Explanation: explanation, Trigger: tidyTrigger(c.Trigger),
			State: domain.FindingOpen, SelfDoubt: min(max(c.SelfDoubt, 0), 1), Scope: "introduced",
		}}
	if c.finder.Model != "" {
		it.FoundBy = []domain.Finder{c.finder}
	}
	it.CountPasses()
	a, res, err := c.place(ctx, w.set, w.src)
	if err != nil {
		w.deps.Logger.WarnContext(ctx, "place of a finding not checked", slog.Any("error", err))
		return nil, whyAnchor
	}
	if res.Kind == anchor.Dropped {
		return nil, whyAnchor
	}
	it.Anchor = a
	file := w.set.File(a.Path)
	switch {
	case res.Fuzzy:
		it.Quality = finding.Fuzzy
	case res.Moved:
		it.Quality = finding.Moved
	}
	if r, isRule := ruleByID(w.rules, ruleID); isRule {
		if file == nil || !r.Concerns(file.Path, file.Language) {
			return nil, whyOtherRule
		}
		it.Evidence = append(it.Evidence, r.evidence())
	}
	whole := w.evidence(ctx, it, c.Evidence)
	switch {
	case a.Level != domain.AnchorPR || len(it.Evidence) > 0:
	case !whole:
		return nil, whyEvidence
	default:
		return nil, whyAnchor // a path that is not in the diff, and nothing to show for it
	}
	w.addFurtherPlaces(ctx, it, c.AlsoAt)
	it.Changed = res.Changed
	w.locate(ctx, it)
	if c.Fix != nil && a.Level == domain.AnchorLine {
		w.suggest(ctx, it, *c.Fix)
	}
	return it, ""
}

// findingIDOf returns the id of the earlier finding with a label, "" if there is no such finding.
func (w *work) findingIDOf(name string) string {
	for i, k := range w.in.Known {
		if name == label(i) {
			return k.ID
		}
	}
	return ""
}

// locate fills in what follows from an item's place.
func (w *work) locate(ctx context.Context, it *finding.Item) {
	prints, err := w.reconciler.Prints.Of(ctx, &it.Finding)
	if err == nil && it.IsSecret() {
		it.CodePrints, err = w.reconciler.Prints.UnderOlderKeys(ctx, it.Finding)
	}
	if err != nil {
		w.deps.Logger.WarnContext(ctx, "no fingerprint", slog.String("rule", it.RuleID), slog.Any("error", err))
	}
	it.Fingerprints = prints
	a := it.Anchor
	it.Order = w.set.Order(a.Path)
	if f := w.set.File(a.Path); f != nil {
		it.InTest = f.Class == diff.ClassTest
	}
	it.Touched = w.touchesChange(ctx, it)
	it.Reviewed = a.HunkID != "" && w.in.ReviewedHunks[a.HunkID]
	it.Around = w.reconciler.Around(ctx, a)
}

// evidence keeps the cited quotes that stand where they should. It reports whether all do. A finding whose own
// place holds is not lost by another quote, which then proves nothing.
func (w *work) evidence(ctx context.Context, it *finding.Item, cited []citation) (whole bool) {
	whole = true
	for _, c := range cited {
		if strings.TrimSpace(c.Quote) == "" || len(it.Evidence) >= maxEvidence {
			continue
		}
		remark := c.Path == "" // or a quotation of the finding's file
		if remark {
			c.Path = it.Anchor.Path
		}
		list := []domain.Evidence{{Kind: "code", Path: c.Path, Start: c.Start, End: c.End,
			Quote: change.Cut(change.UnwrapQuote(c.Quote), finding.MaxExplanation),
			Note:  change.Cut(change.OneLine(change.StripInvisible(c.Note)), 240)}}
		if ok, err := anchor.Evidence(ctx, list, w.set, w.src); err != nil || !ok {
			whole = whole && remark && err == nil
			continue
		}
		e := list[0]
		switch {
		case w.set.File(e.Path) == nil:
			it.EvidenceIn = max(it.EvidenceIn, finding.InRepository)
		case e.Path != it.Anchor.Path:
			it.EvidenceIn = max(it.EvidenceIn, finding.InFile)
		}
		it.Evidence = append(it.Evidence, e)
	}
	return whole
}

// suggest keeps a fix that applies, parses as far as is known, and brings in
// nothing that is hidden or secret. For removed lines it is one of the line beside which they stood.
func (w *work) suggest(ctx context.Context, it *finding.Item, c fix) {
	s := domain.Suggestion{Old: c.Old, New: c.New}
	if w.redact(c.New) != c.New || strings.Contains(c.New, "[redacted:") ||
		change.ShowInvisible(strings.ReplaceAll(c.New, "\n", "")) != strings.ReplaceAll(c.New, "\n", "") {
		return
	}
	file, at := w.set.File(it.Anchor.Path), it.Anchor
	if at.Side == domain.Left {
		ok := false
		if s, at, ok = w.restored(ctx, it.Anchor, c); !ok {
			return
		}
	}
	proposed := s.New
	why, err := anchor.Suggestion(ctx, &s, at, file, w.src)
	if at.Side != it.Anchor.Side && s.New != proposed { // the line beside must stay as it is
		return
	}
	switch {
	case err != nil:
		w.deps.Logger.WarnContext(ctx, "suggestion not checked", slog.Any("error", err))
	case why == "" && (strings.Contains(s.Old, "[redacted:") || change.IsShortened(s.Old)): // it replaces what the model has not seen
	case why == "":
		it.Suggestion = &s
	case s.Parses != anchor.DoesNotParse && strings.TrimSpace(s.New) != "" && len(s.New) <= finding.MaxExplanation && s.Old != "" &&
		s.Old != s.New:
		it.Suggestion = &s // shown as prose
	}
}

// restored returns the suggestion that puts removed lines, as a fix has them, back beside the unchanged line that follows
// the place where they stood, or that stands before it at the end of a file, with the anchor of that line. It returns
// false if other lines stand there now or if the fix does not quote the removed lines.
func (w *work) restored(ctx context.Context, a domain.Anchor, c fix) (s domain.Suggestion, at domain.Anchor, ok bool) {
	f := w.set.File(a.Path)
	before, after, isHole := f.Hole(a.StartLine, a.EndLine)
	line := cmp.Or(after, before)
	content, err := w.src.Blob(ctx, domain.Right, a.Path)
	lines := change.Lines(content)
	text := strings.Trim(change.UnwrapQuote(c.New), "\n")
	if !isHole || err != nil || line > len(lines) || strings.TrimSpace(text) == "" ||
		c.Old != "" && change.StripSpace(change.UnwrapQuote(c.Old)) != change.StripSpace(a.Quote) {
		return s, at, false
	}
	if change.StripSpace(text) == change.StripSpace(a.Quote) { // with the indentation that they had
		text = a.Quote
	}
	if strings.Contains(text, "[redacted:") || change.IsShortened(text) || change.ShowLines(text) != text {
		return s, at, false // the removed lines have code that the model has not seen
	}
	old := lines[line-1]
	s = domain.Suggestion{Start: line, End: line, Old: old, New: text + "\n" + old}
	if after == 0 {
		s.New = old + "\n" + text
	}
	return s, domain.Anchor{Path: a.Path, Side: domain.Right, Level: domain.AnchorLine, StartLine: line, EndLine: line}, true
}

// deterministic turns the findings of checks into items. The error is the
// context's.
func (w *work) deterministic(ctx context.Context, found []domain.Finding) ([]*finding.Item, error) {
	var out []*finding.Item
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if file := w.set.File(f.Anchor.Path); file != nil && change.Excluded(file, w.in.Policy) != "" {
			w.drop(whyExcludedPath, 1)
			w.discard(Discarded{Why: whyExcludedPath, Finding: f})
			continue
		}
		it := &finding.Item{Finding: f, Mandatory: f.Secret()}
		it.Verdict = domain.VerdictSkipped
		if it.Anchor.Symbol == "" && it.Anchor.StartLine > 0 && it.Anchor.Side != domain.Left {
			it.Anchor.Symbol, _, _ = w.symbol(ctx, f.Anchor.Path, f.Anchor.StartLine)
		}
		if file := w.set.File(f.Anchor.Path); file != nil && f.Anchor.Level == domain.AnchorLine {
			it.Changed = change.HasChanged(file, f.Anchor.Side, f.Anchor.StartLine, f.Anchor.EndLine)
		}
		w.locate(ctx, it)
		out = append(out, it)
	}
	return out, ctx.Err()
}

// checked reports whether the deterministic checks looked at a path in this run for what an earlier finding reports.
func (w *work) checked(earlier domain.Finding, path string) bool {
	if f := w.set.File(path); f != nil && (change.Excluded(f, w.in.Policy) != "" || f.Omitted != "") {
		return false
	}
	if w.unread[path] != "" || earlier.Origin != domain.OriginSecret && w.unseen(path) {
		return false
	}
	switch earlier.Origin {
	case domain.OriginSecret:
		return w.in.Policy.Deterministic.Secrets
	case domain.OriginRule:
		r, ok := ruleByID(w.matched, earlier.RuleID)
		return ok && w.checks.Unmatched[r.ID] == ""
	}
	if analyser, ok := domain.AnalyserOf(earlier.RuleID); ok {
		return w.analysed.Analysers[analyser] && !change.AnalyserOff(analyser, path, w.in.Policy)
	}
	return w.in.Policy.Deterministic.StaticAnalysis
}
