package render

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/engine"
)

// The summary has at most 20 lines of text: a verdict, up to six findings, up
// to three folded minor ones with their frame, and the notes.
const (
	maxListed = 6
	maxMinor  = 3
	maxNamed  = 3 // files beyond a bound, by reason
)

// summary writes the summary of the pull request as of this run.
func (r *renderer) summary() markdown.Text {
	parts := []markdown.Text{r.verdict()}
	major, doubtful, minor := r.split()
	parts = append(parts, r.list(major, maxListed))
	if len(doubtful) > 0 {
		parts = append(parts, markdown.Format("Worth a human look:\n%s", r.list(doubtful, max(maxListed-len(major), 1))))
	}
	if len(minor) > 0 {
		parts = append(parts, markdown.Fold(markdown.Count(len(minor), "minor finding", "minor findings"), r.list(minor, maxMinor)))
	}
	parts = append(parts, r.notes()...)
	if r.DetailsURL != "" {
		parts = append(parts, markdown.Link(markdown.Const("Details of this run"), r.DetailsURL))
	}
	return markdown.Blocks(parts...)
}

// split separates listed findings into those stated, those asked and those folded.
func (r *renderer) split() (major, doubtful, minor []domain.Finding) {
	for _, f := range r.listed {
		switch {
		case f.Verdict == domain.VerdictUnproven:
			doubtful = append(doubtful, f)
		case f.Severity <= domain.Low:
			minor = append(minor, f)
		default:
			major = append(major, f)
		}
	}
	return major, doubtful, minor
}

// verdict is the first sentence.
func (r *renderer) verdict() markdown.Text {
	head := markdown.Span(short(r.Run.HeadSHA))
	subject := markdown.Format("Reviewed %s at %s", files(r.looked()), head)
	if r.looked() == 0 {
		subject = markdown.Format("Nothing to review at %s", head)
	}
	if len(r.open) == 0 {
		switch {
		case r.looked() == 0:
			return markdown.Format("%s.", subject)
		case r.degraded():
			return markdown.Format("%s: nothing found so far.", subject)
		}
		return markdown.Format("%s: nothing found.", subject)
	}
	var where markdown.Text
	switch n := len(r.open) - len(r.listed); {
	case n > 0 && len(r.listed) > 0:
		where = markdown.Format("; %s of them in comments on the lines", markdown.Number(n))
	case n > 0:
		where = markdown.Const("; see the comments on the lines")
	}
	return markdown.Format("%s: **%s** (%s)%s.", subject, openFindings(len(r.open)), r.bySeverity(), where)
}

// looked counts the files that were looked at at all.
func (r *renderer) looked() int {
	return len(r.Result.Coverage.Reviewed) + len(r.Result.Coverage.Skimmed)
}

func (r *renderer) bySeverity() markdown.Text {
	counts := map[domain.Severity]int{}
	for _, f := range r.open {
		counts[f.Severity]++
	}
	var parts []markdown.Text
	for s := domain.Critical; ; s-- {
		if counts[s] > 0 {
			parts = append(parts, markdown.Format("%s %s", markdown.Number(counts[s]), markdown.Line(s.String(), 0)))
		}
		if s == domain.Info {
			return markdown.Join(", ", parts...)
		}
	}
}

// list writes one line per finding.
func (r *renderer) list(findings []domain.Finding, most int) markdown.Text {
	var items []markdown.Text
	for i, f := range findings {
		if i == most {
			items = append(items, markdown.Format("and %s more", markdown.Number(len(findings)-i)))
			break
		}
		items = append(items, r.item(f))
	}
	return markdown.List(items...)
}

// item is the line of one finding.
func (r *renderer) item(f domain.Finding) markdown.Text {
	title := f.Title
	if f.Verdict == domain.VerdictUnproven {
		title = strings.TrimRight(title, ".?! ") + "?"
	}
	text := r.line(title, maxTitle)
	if why := r.line(firstSentence(f.Explanation), maxNote); !why.Empty() && f.Severity > domain.Low {
		end := markdown.Const(". ")
		if strings.HasSuffix(title, "?") {
			end = markdown.Const(" ")
		}
		text = markdown.Format("%s%s%s", text, end, why)
	}
	line := markdown.Format("**%s** · %s · %s", severityName(f.Severity), r.where(f), text)
	if f.Scope == "pre_existing" {
		line = markdown.Format("%s (existed before this change)", line)
	}
	if f.Earlier != nil {
		line = markdown.Format("%s %s", line, cameBack(f.Earlier))
	}
	return line
}

func (r *renderer) where(f domain.Finding) markdown.Text {
	if f.Anchor.Path == "" {
		return markdown.Const("pull request")
	}
	if f.Anchor.Side == domain.Left { // the head may not have the file
		return markdown.Span(r.Redact(f.Anchor.Path))
	}
	if f.Anchor.Level != domain.AnchorLine {
		return r.place(f.Anchor.Path, 0, 0)
	}
	return r.place(f.Anchor.Path, f.Anchor.StartLine, f.Anchor.EndLine)
}

// notes are the sentences about what the review did not do.
func (r *renderer) notes() []markdown.Text {
	return slices.Concat([]markdown.Text{r.modelNote()}, r.notices(), []markdown.Text{r.reduced(), r.coverage()})
}

// notices are the sentences about the change as a whole: of what was cut, and of
// what people do not see.
func (r *renderer) notices() (out []markdown.Text) {
	for _, n := range r.Result.Notices {
		out = append(out, r.line(n, maxNote))
	}
	return out
}

// modelNote says openly when the model's part is missing or incomplete.
func (r *renderer) modelNote() markdown.Text {
	return r.line(engine.Incomplete(r.Result.ModelState, r.Result.ModelNote), 2*maxNote)
}

// reduced says that the review is a smaller one on purpose; nothing where no
// model was asked, as the note about the model says that.
func (r *renderer) reduced() markdown.Text {
	if r.Result.Depth != domain.DepthReduced || r.Result.ModelState == engine.ModelUnavailable || r.Result.ModelState == engine.ModelNone {
		return markdown.Text{}
	}
	return markdown.Const(engine.Reduced)
}

// coverage counts what was not reviewed, by reason.
func (r *renderer) coverage() markdown.Text {
	parts := []markdown.Text{r.unreviewed(r.Result.Coverage)}
	if n := r.Result.Stats.StaticUnchanged; n > 0 {
		parts = append(parts, markdown.Format("%s of static analysis on unchanged lines.", markdown.Count(n, "finding", "findings")))
	}
	if r.Result.Tier == "T4" {
		parts = append(parts, markdown.Const("The change is large; smaller ones are reviewed more thoroughly."))
	}
	return markdown.Join(" ", parts...)
}

// unreviewed counts the files of a coverage that were not reviewed, or not whole.
func (r *renderer) unreviewed(c engine.Coverage) markdown.Text {
	var parts []markdown.Text
	if s := r.byReason(c.Skipped); !s.Empty() {
		parts = append(parts, markdown.Format("Not reviewed: %s.", s))
	}
	skimmed := c.Skimmed
	if r.Result.ModelState == engine.ModelUnavailable || r.Result.ModelState == engine.ModelNone && r.Result.ModelNote != "" { // the note about the model says the rest
		skimmed = slices.DeleteFunc(slices.Clone(skimmed), func(f engine.FileNote) bool { return !f.Bounded() })
	}
	if s := r.byReason(skimmed); !s.Empty() {
		parts = append(parts, markdown.Format("Deterministic checks only: %s.", s))
	}
	return markdown.Join(" ", parts...)
}

// cut counts the files of which something was left out that nobody chose to leave
// out.
func (r *renderer) cut() markdown.Text {
	c := r.Result.Coverage
	c.Skipped = slices.DeleteFunc(slices.Clone(c.Skipped), engine.FileNote.ByChoice)
	c.Skimmed = slices.DeleteFunc(slices.Clone(c.Skimmed), engine.FileNote.ByChoice)
	return r.unreviewed(c)
}

// byReason counts files by reason, and names those that are beyond a bound.
func (r *renderer) byReason(notes []engine.FileNote) markdown.Text {
	counts, names := map[string]int{}, map[string][]markdown.Text{}
	var order []string
	for _, f := range notes {
		if counts[f.Why] == 0 {
			order = append(order, f.Why)
		}
		if counts[f.Why]++; f.Bounded() {
			names[f.Why] = append(names[f.Why], r.place(f.Path, 0, 0))
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return counts[b] - counts[a] })
	var parts []markdown.Text
	for _, why := range order {
		text := files(counts[why])
		if why != "" && why != "deterministic checks only" {
			text = markdown.Format("%s (%s)", text, markdown.Join(": ", r.line(why, maxWhy), named(names[why])))
		}
		parts = append(parts, text)
	}
	return markdown.Join(", ", parts...)
}

// named lists the first of some names.
func named(names []markdown.Text) markdown.Text {
	text := markdown.Join(", ", names[:min(len(names), maxNamed)]...)
	if n := len(names) - maxNamed; n > 0 {
		text = markdown.Format("%s and %s more", text, markdown.Number(n))
	}
	return text
}

// later is the body of a review that is not the first: one line, and whatever
// must not be missed.
func (r *renderer) later() markdown.Text {
	s := r.Result.Stats
	span := markdown.Span(short(r.Run.HeadSHA))
	if r.Run.PreviousHead != "" {
		span = markdown.Span(short(r.Run.PreviousHead) + ".." + short(r.Run.HeadSHA))
	}
	back := 0
	for _, f := range slices.Concat(r.inline, r.fresh) {
		if f.Earlier != nil {
			back++
		}
	}
	parts := []markdown.Text{markdown.Format("%s new", markdown.Number(len(r.inline)+len(r.fresh)-back))}
	if back > 0 {
		parts = append(parts, markdown.Format("%s back", markdown.Number(back)))
	}
	switch {
	case s.Earlier > 0:
		parts = append(parts, markdown.Format("%s of %s resolved", markdown.Number(s.EarlierResolved), markdown.Count(s.Earlier, "earlier finding", "earlier findings")))
	case len(r.inline)+len(r.fresh) == 0:
		parts = []markdown.Text{markdown.Const("nothing found")}
	}
	said := markdown.Format("Reviewed %s: %s.", span, markdown.Join(", ", parts...))
	parts = append([]markdown.Text{said, r.list(r.fresh, maxListed), r.modelNote()}, r.notices()...)
	return markdown.Blocks(append(parts, r.reduced(), r.cut())...)
}

// degraded reports whether the review is not what it should have been.
func (r *renderer) degraded() bool {
	return r.Result.ModelState == engine.ModelUnavailable || r.Result.ModelState == engine.ModelPartial || len(r.Result.Unread()) > 0
}

func short(sha string) string { return sha[:min(len(sha), 7)] }

func files(n int) markdown.Text { return markdown.Count(n, "file", "files") }

func openFindings(n int) markdown.Text { return markdown.Count(n, "open finding", "open findings") }

// firstSentence cuts a text after its first sentence.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if at := strings.Index(s, ". "); at > 0 {
		return s[:at+1]
	}
	return s
}
