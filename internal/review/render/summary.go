package render

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of the summary. It has at most 15 lines of text: a verdict, findings (stated, asked and folded),
// notes, and the next steps. Its lists shrink until it fits, but each kind keeps one line.
const (
	maxSummary = 15 // lines
	maxListed  = 6
	maxMinor   = 5
	maxWaiting = 3
	leastIndex = 4  // findings in comments from which on the summary lists them, folded
	maxIndex   = 20 // of them
	maxNotices = 2  // paragraphs of one sentence about the whole change; further sentences share one
	maxNamed   = 10 // unread files that are named, in total
)

// summary writes the summary of the pull request as of this run, in pieces.
func (r *renderer) summary() (out Pieces) {
	around := markdown.Blocks(append(append([]markdown.Text{r.synopsis(), r.verdict()}, r.notes()...), r.nextSteps())...)
	major, doubtful, minor, waiting := r.split()
	late := min(len(waiting), maxWaiting)
	index := r.index()
	room := maxSummary - lines(around) - headedLines(late, len(waiting))
	if !index.Empty() {
		room-- // readers see its heading alone
	}
	stated, asked, folded := shareLines(room, len(major), len(doubtful), len(minor))
	parts := []markdown.Text{r.synopsis(), r.verdict(), r.list(major, stated)}
	if len(doubtful) > 0 {
		parts = append(parts, markdown.Join("\n", r.words.Say(wording.WorthALook), r.list(doubtful, asked)))
	}
	if len(minor) > 0 {
		heading := wording.MinorFindings
		if slices.ContainsFunc(minor, meantSo) {
			heading = wording.MinorAndQuestions
		}
		parts = append(parts, r.fold(r.words.Count(heading, len(minor)), r.list(minor, folded)))
	}
	if len(waiting) > 0 {
		parts = append(parts, r.fold(r.words.Count(wording.LaterRounds, len(waiting)), r.list(waiting, late)))
	}
	parts = append(parts, index) // behind what stands nowhere else, should the host's bound cut it
	return Pieces{Before: markdown.Blocks(parts...), Tickets: r.criteria(), After: markdown.Blocks(append(r.notes(), r.nextSteps())...)}
}

// synopsis writes the description of the change by a model, with its commit if that is not the head. It
// is empty without one.
func (r *renderer) synopsis() markdown.Text {
	text, head := r.line(r.Result.Synopsis.Text, maxSentence), r.Result.Synopsis.Head
	switch {
	case text.Empty():
		return text
	case head != "" && head != r.Run.HeadSHA:
		return r.words.Say(wording.EarlierSynopsis, markdown.Span(domain.ShortCommit(head)), text)
	}
	return r.words.Say(wording.Synopsis, text)
}

// index lists the findings that have comments, folded. It is empty if they are few, or if the host cannot fold.
func (r *renderer) index() markdown.Text {
	if len(r.commented) < leastIndex || !r.Host.HTML {
		return markdown.Text{}
	}
	var items []markdown.Text
	for _, f := range r.commented[:min(len(r.commented), maxIndex)] {
		items = append(items, markdown.Format("**%s** · %s · %s", r.words.Severity(f.Severity), r.where(f), r.title(f)))
	}
	if more := len(r.commented) - len(items); more > 0 {
		items = append(items, r.words.Count(wording.AndMore, more))
	}
	return r.fold(r.words.Count(wording.InComments, len(r.commented)), markdown.List(items...))
}

// shareLines divides the remaining lines of a summary among the kinds of findings. Folded findings give way
// first, then asked ones.
func shareLines(left, major, doubtful, minor int) (stated, asked, folded int) {
	stated, asked, folded = min(major, maxListed), min(doubtful, maxListed), min(minor, maxMinor)
	for _, n := range []*int{&folded, &asked, &stated} {
		for *n > 1 && listLines(stated, major)+headedLines(asked, doubtful)+headedLines(folded, minor) > left {
			*n--
		}
	}
	return stated, asked, folded
}

// listLines returns the lines of a list that shows some of its findings: one more line says that there are
// others.
func listLines(shown, all int) int {
	if shown < all {
		shown++
	}
	return shown
}

// headedLines returns the lines of a list with the line above it.
func headedLines(shown, all int) int {
	if all == 0 {
		return 0
	}
	return listLines(shown, all) + 1
}

// lines counts the lines that are not blank.
func lines(t markdown.Text) (n int) {
	for l := range strings.Lines(t.String()) {
		if strings.TrimSpace(l) != "" {
			n++
		}
	}
	return n
}

// nextSteps writes the number of a later review, the line on how to answer, if there are findings, and the link to the run.
func (r *renderer) nextSteps() markdown.Text {
	var parts []markdown.Text
	if r.Run.Round > 1 {
		parts = append(parts, r.words.Say(wording.ReviewRound, r.words.Number(r.Run.Round)))
	}
	if len(r.open) > 0 {
		parts = append(parts, r.words.Say(wording.HowToAnswer))
	}
	if r.DetailsURL != "" {
		parts = append(parts, markdown.Link(r.words.Say(wording.RunDetails), r.DetailsURL))
	}
	return r.words.Paragraph(parts...)
}

// split separates listed findings into those stated, those asked, those folded, and those that wait because of the round.
func (r *renderer) split() (major, doubtful, minor, waiting []domain.Finding) {
	for _, f := range r.listed {
		switch {
		case r.waits(f):
			waiting = append(waiting, f)
		case f.Verdict == domain.VerdictUnproven:
			doubtful = append(doubtful, f)
		case f.Severity <= domain.Low || meantSo(f):
			minor = append(minor, f)
		default:
			major = append(major, f)
		}
	}
	return major, doubtful, minor, waiting
}

// meantSo reports whether the finding is confirmed and the author means the code to be so. The summary asks about it, unless a later
// review has found it critical.
func meantSo(f domain.Finding) bool {
	return f.Verdict == domain.VerdictConfirmed && f.Severity < domain.Critical && f.Aside == wording.English(wording.AsideIntended)
}

// verdict writes the first sentence.
func (r *renderer) verdict() markdown.Text {
	head, looked := markdown.Span(domain.ShortCommit(r.Run.HeadSHA)), r.lookedFiles()
	switch {
	case len(r.open) == 0 && looked == 0:
		return r.words.Say(wording.NothingToReview, head)
	case len(r.open) == 0 && r.Result.NothingRan():
		return r.words.Say(wording.NothingExamined, head)
	case len(r.open) == 0 && r.degraded():
		return r.words.Count(wording.ReviewedSoFar, looked, head)
	case len(r.open) == 0:
		return r.words.Count(wording.ReviewedClean, looked, head)
	}
	inComments := len(r.open) - len(r.listed)
	found := []markdown.Text{head, r.openFindings(), r.bySeverity(), r.words.Number(inComments)}
	reviewed, nothing := wording.ReviewedFound, wording.NothingButFound
	switch {
	case inComments > 0 && len(r.listed) > 0:
		reviewed, nothing = wording.ReviewedFoundSome, wording.NothingButFoundSome
	case inComments > 0:
		reviewed, nothing = wording.ReviewedFoundAll, wording.NothingButFoundAll
	}
	if looked == 0 {
		return r.words.Say(nothing, found...)
	}
	return r.words.Count(reviewed, looked, found...)
}

// lookedFiles returns the number of files that were examined.
func (r *renderer) lookedFiles() int {
	return r.Result.Coverage.Looked()
}

func (r *renderer) bySeverity() markdown.Text {
	counts := map[domain.Severity]int{}
	for _, f := range r.open {
		counts[f.Severity]++
	}
	var parts []markdown.Text
	for s := domain.Critical; ; s-- {
		if counts[s] > 0 {
			parts = append(parts, r.words.OfSeverity(s, counts[s]))
		}
		if s == domain.Info {
			return r.words.List(parts...)
		}
	}
}

// list writes one line for each finding.
func (r *renderer) list(findings []domain.Finding, most int) markdown.Text {
	var items []markdown.Text
	for i, f := range findings {
		if i == most {
			items = append(items, r.words.Count(wording.AndMore, len(findings)-i))
			break
		}
		items = append(items, r.item(f))
	}
	return markdown.List(items...)
}

// item writes the line of one finding.
func (r *renderer) item(f domain.Finding) markdown.Text {
	asked := f.Verdict == domain.VerdictUnproven || meantSo(f)
	if asked {
		f.Title = strings.TrimRight(f.Title, ".?! 。？！")
	}
	text, end := r.title(f), r.words.Say(wording.TitleEnd)
	if asked {
		text = r.words.Say(wording.Question, text)
	}
	if asked || strings.HasSuffix(f.Title, "?") || strings.ContainsAny(f.Title[len(f.Title)-min(len(f.Title), 3):], "。？！") {
		end = r.words.Say(wording.Sentences)
	}
	if why := r.brief(f); !why.Empty() && f.Severity > domain.Low {
		text = markdown.Format("%s%s%s", text, end, why)
	}
	line := markdown.Format("**%s** · %s · %s", r.words.Severity(f.Severity), r.where(f), text)
	if places := r.alsoAt(f); !places.Empty() {
		line = r.words.Say(wording.Aside, line, places)
	}
	if f.Scope == "pre_existing" {
		line = r.words.Say(wording.Aside, line, r.words.Say(wording.ExistedBefore))
	}
	if said := r.guidelineQuote(f); !said.Empty() {
		line = r.words.Say(wording.Aside, line, said)
	}
	if why := r.noCommentReason(f); !why.Empty() {
		line = r.words.Say(wording.Aside, line, why)
	}
	if f.Earlier != nil {
		line = markdown.Format("%s %s", line, r.returnedNote(f.Earlier))
	}
	if f.Reopened {
		line = markdown.Format("%s %s", line, r.words.Say(wording.DismissedBefore))
	}
	return line
}

func (r *renderer) where(f domain.Finding) markdown.Text {
	if f.Anchor.Path == "" {
		return r.words.Say(wording.PullRequest)
	}
	if f.Anchor.Side == domain.Left { // the head may not have the file
		return markdown.Span(r.Redact(f.Anchor.Path))
	}
	if f.Anchor.Level != domain.AnchorLine {
		return r.place(f.Anchor.Path, 0, 0)
	}
	return r.place(f.Anchor.Path, f.Anchor.StartLine, f.Anchor.EndLine)
}

// notes returns the sentences about the parts that the review left out.
func (r *renderer) notes() []markdown.Text {
	whole := slices.DeleteFunc(append(r.notices(), r.reduced()), markdown.Text.Empty)
	if len(whole) > maxNotices {
		whole = append(whole[:maxNotices], r.words.Paragraph(whole[maxNotices:]...))
	}
	return slices.Concat([]markdown.Text{r.modelNote()}, whole, []markdown.Text{r.coverage()})
}

// notices returns the sentences about the whole change: cut parts, and invisible ones.
func (r *renderer) notices() (out []markdown.Text) {
	for _, n := range r.Result.Notices {
		out = append(out, r.translate(n, wording.Notices, maxNote))
	}
	return out
}

// modelNote says openly if the model's part is missing or incomplete.
func (r *renderer) modelNote() markdown.Text {
	lack := r.Result.Lack()
	if r.words.English() {
		return r.line(lack.English(), 2*maxNote)
	}
	if lack.Key == 0 {
		return markdown.Text{}
	}
	var clauses []markdown.Text
	for _, c := range lack.Clauses {
		clauses = append(clauses, r.translate(c, wording.Clauses, 2*maxNote))
	}
	if lack.Count > 0 {
		return r.words.Count(lack.Key, lack.Count)
	}
	return r.words.Say(lack.Key, r.words.List(clauses...))
}

// reduced says that the review is smaller on purpose. It is empty if no model was asked, because modelNote
// says that.
func (r *renderer) reduced() markdown.Text {
	if r.Result.Depth != domain.DepthReduced || r.Result.ModelState == engine.ModelUnavailable || r.Result.ModelState == engine.ModelNone {
		return markdown.Text{}
	}
	return r.words.Say(wording.Reduced)
}

// coverage counts the parts that were not reviewed, by reason.
func (r *renderer) coverage() markdown.Text {
	parts := []markdown.Text{r.unreviewed(r.Result.Coverage)}
	if n := r.Result.Stats.StaticUnchanged; n > 0 {
		parts = append(parts, r.words.Count(wording.StaticUnchanged, n))
	}
	left := r.Result.Stats.Left // also of findings that this review did not look at again
	if n := left.Dismissed; n > 0 {
		parts = append(parts, r.words.Count(wording.Dismissed, n))
	}
	if n := max(left.Suppressed, r.Result.Stats.Suppressed()); n > 0 {
		parts = append(parts, r.words.Count(wording.Suppressed, n))
	}
	if n := r.Result.Stats.Calibrated(); n > 0 {
		parts = append(parts, r.words.Count(wording.Calibrated, n))
	}
	if r.Result.Tier == "T4" {
		parts = append(parts, r.words.Say(wording.LargeChange))
	}
	return r.words.Paragraph(parts...)
}

// unreviewed counts the files of a coverage that were not reviewed, or only in part.
func (r *renderer) unreviewed(c engine.Coverage) markdown.Text {
	var parts []markdown.Text
	left := maxNamed
	if s := r.byReason(c.Skipped, &left); !s.Empty() {
		parts = append(parts, r.words.Say(wording.NotReviewed, s))
	}
	skimmed := c.Skimmed
	// the note about the model covers the rest
	if r.Result.ModelState == engine.ModelUnavailable || r.Result.ModelState == engine.ModelNone && r.Result.ModelNote != "" {
		skimmed = slices.DeleteFunc(slices.Clone(skimmed), func(f engine.FileNote) bool { return !f.Named() })
	}
	if s := r.byReason(skimmed, &left); !s.Empty() {
		parts = append(parts, r.words.Say(wording.ChecksOnly, s))
	}
	return r.words.Paragraph(parts...)
}

// cutFiles counts the skipped and skimmed files that were not left out by choice.
func (r *renderer) cutFiles() markdown.Text {
	c := r.Result.Coverage
	c.Skipped = slices.DeleteFunc(slices.Clone(c.Skipped), engine.FileNote.ByChoice)
	c.Skimmed = slices.DeleteFunc(slices.Clone(c.Skimmed), engine.FileNote.ByChoice)
	return r.unreviewed(c)
}

// byReason counts files by reason, and names at most left of those that people may want to see. Files that
// neither a policy nor their kind excludes are named first.
func (r *renderer) byReason(notes []engine.FileNote, left *int) markdown.Text {
	counts, names := map[string]int{}, map[string][]markdown.Text{}
	var order []engine.FileNote // one for each reason
	for _, f := range notes {
		if counts[f.Why] == 0 {
			order = append(order, f)
		}
		if counts[f.Why]++; f.Named() {
			names[f.Why] = append(names[f.Why], r.place(f.Path, 0, 0))
		}
	}
	shown := map[string]markdown.Text{}
	for _, choice := range []bool{false, true} {
		for _, f := range order {
			if f.ByChoice() == choice {
				n := min(len(names[f.Why]), *left)
				*left -= n
				shown[f.Why] = r.named(names[f.Why], n)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b engine.FileNote) int { return counts[b.Why] - counts[a.Why] })
	var parts []markdown.Text
	for _, f := range order {
		text := r.words.Count(wording.Files, counts[f.Why])
		if f.Why != "" && f.Why != wording.English(wording.WhyChecksOnly) {
			text = r.words.Say(wording.Aside, text, r.words.Labelled(r.translate(f.Why, wording.Reasons, maxWhy), shown[f.Why]))
		}
		parts = append(parts, text)
	}
	return r.words.List(parts...)
}

// named lists the first n of some names.
func (r *renderer) named(names []markdown.Text, n int) markdown.Text {
	if n == 0 {
		return markdown.Text{}
	}
	text := r.words.List(names[:n]...)
	if more := len(names) - n; more > 0 {
		text = r.words.Say(wording.NamedMore, text, r.words.Number(more))
	}
	return text
}

// laterBody writes the body of a review that is not the first: one line, and notes that readers must not miss.
func (r *renderer) laterBody() markdown.Text {
	s := r.Result.Stats
	span := markdown.Span(domain.ShortCommit(r.Run.HeadSHA))
	if r.Run.PreviousHead != "" && r.Run.PreviousHead != r.Run.HeadSHA {
		span = markdown.Span(domain.ShortCommit(r.Run.PreviousHead) + ".." + domain.ShortCommit(r.Run.HeadSHA))
	}
	back := 0
	for _, f := range slices.Concat(r.inline, r.fresh) {
		if f.Earlier != nil {
			back++
		}
	}
	parts := []markdown.Text{r.words.Count(wording.LaterNew, len(r.inline)+len(r.fresh)-back)}
	if back > 0 {
		parts = append(parts, r.words.Count(wording.LaterBack, back))
	}
	switch {
	case s.Earlier > 0:
		parts = append(parts, r.words.Count(wording.LaterResolved, s.Earlier, r.words.Number(s.EarlierResolved)))
	case len(r.inline)+len(r.fresh) == 0:
		parts = []markdown.Text{r.words.Say(wording.LaterNothing)}
	}
	said := r.words.Say(wording.Later, span, r.words.List(parts...))
	parts = append([]markdown.Text{said, r.list(r.fresh, maxListed), r.waitingNote(), r.modelNote()}, r.notices()...)
	return markdown.Blocks(append(parts, r.reduced(), r.cutFiles())...)
}

func (r *renderer) openFindings() markdown.Text {
	return r.words.Count(wording.OpenFindings, len(r.open))
}
