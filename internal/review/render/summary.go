package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
)

// The summary has at most 15 lines of text: a verdict, up to six findings, up
// to three folded minor ones with their frame, and the notes.
const (
	maxListed = 6
	maxMinor  = 3
	maxNamed  = 3 // files beyond a bound, by reason
)

// summary writes the summary of the pull request as of this run.
func (r *renderer) summary() string {
	parts := []string{r.verdict()}
	major, doubtful, minor := r.split()
	if l := r.list(major, maxListed); l != "" {
		parts = append(parts, l)
	}
	if len(doubtful) > 0 {
		parts = append(parts, "Worth a human look:\n"+r.list(doubtful, max(maxListed-len(major), 1)))
	}
	if len(minor) > 0 {
		parts = append(parts, fmt.Sprintf("<details><summary>%s</summary>\n\n%s\n\n</details>", count(len(minor), "minor finding"), r.list(minor, maxMinor)))
	}
	parts = append(parts, r.notes()...)
	if r.DetailsURL != "" {
		parts = append(parts, "[Details of this run]("+r.DetailsURL+")")
	}
	return strings.Join(parts, "\n\n")
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
func (r *renderer) verdict() string {
	subject := fmt.Sprintf("Reviewed %s at %s", count(r.looked(), "file"), Span(short(r.Run.HeadSHA)))
	if r.looked() == 0 {
		subject = fmt.Sprintf("Nothing to review at %s", Span(short(r.Run.HeadSHA)))
	}
	if len(r.open) == 0 {
		if r.looked() == 0 {
			return subject + "."
		}
		if r.degraded() {
			return subject + ": nothing found so far."
		}
		return subject + ": nothing found."
	}
	where := ""
	switch n := len(r.open) - len(r.listed); {
	case n > 0 && len(r.listed) > 0:
		where = fmt.Sprintf("; %d of them in comments on the lines", n)
	case n > 0:
		where = "; see the comments on the lines"
	}
	return fmt.Sprintf("%s: **%s** (%s)%s.", subject, count(len(r.open), "open finding"), r.bySeverity(), where)
}

// looked counts the files that were looked at at all.
func (r *renderer) looked() int {
	return len(r.Result.Coverage.Reviewed) + len(r.Result.Coverage.Skimmed)
}

func (r *renderer) bySeverity() string {
	counts := map[domain.Severity]int{}
	for _, f := range r.open {
		counts[f.Severity]++
	}
	var parts []string
	for s := domain.Critical; ; s-- {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
		if s == domain.Info {
			return strings.Join(parts, ", ")
		}
	}
}

// list writes one line per finding.
func (r *renderer) list(findings []domain.Finding, most int) string {
	var lines []string
	for i, f := range findings {
		if i == most {
			lines = append(lines, fmt.Sprintf("- and %d more", len(findings)-i))
			break
		}
		text := Line(r.raw(f.Title), maxTitle)
		if f.Verdict == domain.VerdictUnproven {
			text = strings.TrimRight(text, ".?! ") + "?"
		}
		line := fmt.Sprintf("- **%s** · %s · %s", title(f.Severity.String()), r.where(f), text)
		if why := Line(r.raw(firstSentence(f.Explanation)), maxNote); why != "" && f.Severity > domain.Low {
			line += map[bool]string{true: " ", false: ". "}[strings.HasSuffix(line, "?")] + why
		}
		if f.Scope == "pre_existing" {
			line += " (existed before this change)"
		}
		if f.Earlier != nil {
			line += " " + cameBack(f.Earlier)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (r *renderer) where(f domain.Finding) string {
	if f.Anchor.Path == "" {
		return "pull request"
	}
	if f.Anchor.Level != domain.AnchorLine || f.Anchor.Side == domain.Left {
		return r.place(f.Anchor.Path, 0, 0)
	}
	return r.place(f.Anchor.Path, f.Anchor.StartLine, f.Anchor.EndLine)
}

// notes are the sentences about what the review did not do.
func (r *renderer) notes() []string {
	var out []string
	if n := r.modelNote(); n != "" {
		out = append(out, n)
	}
	if len(r.Result.Notices) > 0 {
		lines := r.Result.Notices[:min(len(r.Result.Notices), 2)]
		for _, n := range lines {
			out = append(out, Line(r.raw(n), maxNote))
		}
	}
	if c := r.coverage(); c != "" {
		out = append(out, c)
	}
	return out
}

// modelNote says openly when the model's part is missing or incomplete.
func (r *renderer) modelNote() string {
	return engine.Incomplete(r.Result.ModelState, Line(r.raw(r.Result.ModelNote), maxNote))
}

// coverage counts what was not reviewed, by reason.
func (r *renderer) coverage() string {
	c := r.Result.Coverage
	var parts []string
	if s := r.byReason(c.Skipped); s != "" {
		parts = append(parts, "Not reviewed: "+s+".")
	}
	skimmed := c.Skimmed
	if r.Result.ModelState == engine.ModelUnavailable || r.Result.ModelState == engine.ModelNone && r.Result.ModelNote != "" { // the note about the model says the rest
		skimmed = slices.DeleteFunc(slices.Clone(skimmed), func(f engine.FileNote) bool { return !f.Bounded() })
	}
	if s := r.byReason(skimmed); s != "" {
		parts = append(parts, "Deterministic checks only: "+s+".")
	}
	if n := r.Result.Stats.StaticUnchanged; n > 0 {
		parts = append(parts, fmt.Sprintf("%s of static analysis on unchanged lines.", count(n, "finding")))
	}
	if r.Result.Tier == "T4" {
		parts = append(parts, "The change is large; smaller ones are reviewed more thoroughly.")
	}
	return strings.Join(parts, " ")
}

// byReason counts files by reason, and names those that are beyond a bound.
func (r *renderer) byReason(files []engine.FileNote) string {
	counts, names := map[string]int{}, map[string][]string{}
	var order []string
	for _, f := range files {
		if counts[f.Why] == 0 {
			order = append(order, f.Why)
		}
		if counts[f.Why]++; f.Bounded() {
			names[f.Why] = append(names[f.Why], r.place(f.Path, 0, 0))
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return counts[b] - counts[a] })
	var parts []string
	for _, why := range order {
		text := count(counts[why], "file")
		if why != "" && why != "deterministic checks only" {
			text += " (" + Line(why, 60) + named(names[why]) + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// named lists the first of some names, after a colon.
func named(names []string) string {
	if len(names) == 0 {
		return ""
	}
	text := ": " + strings.Join(names[:min(len(names), maxNamed)], ", ")
	if n := len(names) - maxNamed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// later is the body of a review that is not the first: one line, and whatever
// must not be missed.
func (r *renderer) later() string {
	s := r.Result.Stats
	span := Span(short(r.Run.HeadSHA))
	if r.Run.PreviousHead != "" {
		span = Span(short(r.Run.PreviousHead) + ".." + short(r.Run.HeadSHA))
	}
	back := 0
	for _, f := range slices.Concat(r.inline, r.fresh) {
		if f.Earlier != nil {
			back++
		}
	}
	parts := []string{fmt.Sprintf("%d new", len(r.inline)+len(r.fresh)-back)}
	if back > 0 {
		parts = append(parts, fmt.Sprintf("%d back", back))
	}
	switch {
	case s.Earlier > 0:
		parts = append(parts, fmt.Sprintf("%d of %s resolved", s.EarlierResolved, count(s.Earlier, "earlier finding")))
	case len(r.inline)+len(r.fresh) == 0:
		parts = []string{"nothing found"}
	}
	out := []string{fmt.Sprintf("Reviewed %s: %s.", span, strings.Join(parts, ", "))}
	if l := r.list(r.fresh, maxListed); l != "" {
		out = append(out, l)
	}
	if n := r.modelNote(); n != "" {
		out = append(out, n)
	}
	return strings.Join(out, "\n\n")
}

// degraded reports whether the review is not what it should have been.
func (r *renderer) degraded() bool {
	return r.Result.ModelState == engine.ModelUnavailable || r.Result.ModelState == engine.ModelPartial || len(r.Result.Unread()) > 0
}

func short(sha string) string { return sha[:min(len(sha), 7)] }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// firstSentence cuts a text after its first sentence.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if at := strings.Index(s, ". "); at > 0 {
		return s[:at+1]
	}
	return s
}
