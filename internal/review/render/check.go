package render

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/wording"
)

func (r *renderer) checkTitle() markdown.Text {
	found, clean := wording.TitleFound, wording.TitleClean
	switch {
	case r.Result.NothingRan():
		found, clean = wording.TitleFoundIncomplete, wording.TitleNothing
	case r.Result.ModelState == engine.ModelUnavailable, r.Result.ModelState == engine.ModelNone && r.blocksUnread():
		found, clean = wording.TitleFoundChecks, wording.TitleChecks
	case r.degraded(), r.blocksUnread():
		found, clean = wording.TitleFoundIncomplete, wording.TitleIncomplete
	}
	if n := r.Result.Stats.Calibrated(); n > 0 && len(r.open) == 0 {
		// With `cleanReview: check` the title may be the only text on the host.
		return markdown.Format("%s%s%s", r.words.Say(clean), r.words.Say(wording.TitleEnd), r.words.Count(wording.Calibrated, n))
	}
	if len(r.open) == 0 {
		return r.words.Say(clean)
	}
	title := r.words.Say(found, r.openFindings(), r.bySeverity())
	if r.passesSevere() {
		return r.words.Say(wording.TitleNotBlocking, title)
	}
	return title
}

// passesSevere reports whether the check passes although a finding of the severity high or critical is open, because the policy lets
// every open severity pass. A finding that passes for another reason, such as its verdict, does not make the policy say so,
// nor does a value that may be a secret.
func (r *renderer) passesSevere() bool {
	sure := slices.DeleteFunc(slices.Clone(r.open), func(f domain.Finding) bool { return f.Doubtful })
	if len(sure) == 0 || r.Result.Conclude(r.open, r.Policy) == domain.CheckFailure {
		return false
	}
	worst := slices.MaxFunc(sure, func(a, b domain.Finding) int { return cmp.Compare(a.Severity, b.Severity) }).Severity
	on := r.Policy.Check.FailOn
	return worst >= domain.High && (on == nil || worst < *on)
}

// degraded reports whether the review is incomplete although a model is configured.
func (r *renderer) degraded() bool {
	return r.Result.ModelState == engine.ModelUnavailable || r.Result.ModelState == engine.ModelPartial || r.Result.CutsCode() ||
		len(r.Result.Unread()) > 0 || len(r.Result.UnmatchedRules) > 0
}

// maxUnread is how many unread files a check run names.
const maxUnread = 20

// blocksUnread reports whether the policy fails the check because the review is incomplete.
func (r *renderer) blocksUnread() bool { return r.Result.BlocksUnread(r.Policy) }

// checkTail returns the text that only the check run has: what blocks an incomplete review, and the unread files.
func (r *renderer) checkTail() markdown.Text {
	blocked := markdown.Text{}
	if r.blocksUnread() {
		blocked = r.words.Say(wording.BlockedUnreviewed, markdown.Span("/assay review"))
	}
	return markdown.Blocks(blocked, r.checksOff(), r.unread(), r.repositoryFile())
}

// maxFileLines is how many lines about settings a list in a check run shows.
const maxFileLines = 60

// repositoryFile lists, for the check run, what in the repository's settings file has no effect.
func (r *renderer) repositoryFile() markdown.Text {
	return r.headed(r.Result.RepositoryFile, r.words.Say(wording.RepositoryFile, markdown.Span(policy.FileName)))
}

// checksOff lists, for the check run, the settings that switched deterministic checks off.
func (r *renderer) checksOff() markdown.Text {
	return r.headed(r.Result.ChecksOff, r.words.Say(wording.ChecksOff))
}

// headed lists lines of ours about settings below a heading. It is empty without lines.
func (r *renderer) headed(lines []string, heading markdown.Text) markdown.Text {
	if len(lines) == 0 {
		return markdown.Text{}
	}
	var items []markdown.Text
	for _, l := range lines[:min(len(lines), maxFileLines)] {
		items = append(items, markdown.Span(r.Redact(clip.Runes(l, maxNote, "…"))))
	}
	if n := len(lines) - maxFileLines; n > 0 {
		items = append(items, r.words.Count(wording.AndMore, n))
	}
	return markdown.Blocks(heading, markdown.List(items...))
}

// unread names, for the check run, the files that the summary only counts.
func (r *renderer) unread() markdown.Text {
	unread := r.Result.Unread()
	if len(unread) == 0 {
		return markdown.Text{}
	}
	var items []markdown.Text
	for i, f := range unread {
		if i == maxUnread {
			items = append(items, r.words.Count(wording.MoreFiles, len(unread)-i))
			break
		}
		items = append(items, r.words.Say(wording.Aside, r.place(f.Path, 0, 0), r.translate(f.Why, wording.Reasons, maxWhy)))
	}
	return markdown.Blocks(r.words.Say(wording.NotLookedAt), markdown.List(items...))
}
