package review

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/verdict"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// underWay holds the texts of a check run for a run that has not ended.
var underWay = map[domain.RunState]struct {
	status         string
	title, summary wording.Key
}{
	domain.RunQueued:           {"queued", wording.TitleQueued, wording.SayQueued},
	domain.RunRunning:          {"in_progress", wording.TitleRunning, wording.SayRunning},
	domain.RunPublishing:       {"in_progress", wording.TitleRunning, wording.SayPublishing},
	domain.RunAwaitingApproval: {"in_progress", wording.TitleApproval, wording.SayApproval},
}

// emptyCheck returns the run's check run without texts.
func (r *reflection) emptyCheck() codehost.Check {
	return codehost.Check{ExternalID: r.run.ID, Name: checkName, Number: r.run.Number, HeadSHA: r.run.HeadSHA, DetailsURL: r.link(r.run)}
}

// open returns the check run of a run that is under way. If the run waits for approval, it names the
// commands by which a comment decides, in the title if the host shows only one line.
func (r *reflection) open(ctx context.Context) (codehost.Check, error) {
	check, says := r.emptyCheck(), underWay[r.run.State]
	check.Status, check.Title, check.Summary = says.status, r.words.Say(says.title), r.words.Say(says.summary)
	if r.run.State != domain.RunAwaitingApproval {
		return check, nil
	}
	a, err := r.Store.ApprovalOfRun(ctx, r.run.Owner(), r.run.ID)
	if errs.Is(err, errs.NotFound) { // a run of a version without approvals
		return check, nil
	}
	digits := a.Digest[:min(len(a.Digest), domain.ApprovalDigits)]
	check.Summary = markdown.Blocks(check.Summary, r.words.Say(wording.SayApprovalHow, markdown.Span("/assay approve "+digits),
		markdown.Span("/assay reject "+digits)))
	if !r.ownChecks() { // a status shows plain text
		check.Title = r.words.Say(wording.TitleApprovalBy, markdown.Format("/assay approve %s", markdown.Hex(digits)),
			markdown.Format("/assay reject %s", markdown.Hex(digits)))
	}
	return check, err
}

// outcome returns the check run of a run that has ended. The policy says how it concludes without a finished
// review; it blocks in any case if an earlier review of the same head blocks.
func (r *reflection) outcome(ctx context.Context, pub store.Publication, p publish.Payload) (codehost.Check, error) {
	check := r.emptyCheck()
	check.Status = "completed"
	switch {
	case pub.Phase != domain.PhasePublished:
		check, err := r.unreviewed(ctx, check)
		check.Summary = markdown.Blocks(check.Summary, r.noReview().Text())
		return check, err
	case pub.Kind == publish.KindNone: // it was open before the policy became silent, or the policy is not silent any more
		check.Title, check.Unread = r.words.Say(wording.TitleSilent), true
		check.Conclusion = r.policy.Check.Unreviewed.Conclusion(domain.UnreviewedHidden())
		said, err := r.keepBlocked(ctx, &check, []markdown.Text{r.words.Say(wording.SaySilent)})
		check.Summary = markdown.Blocks(append(said, r.noReview().Text())...)
		return check, err
	default:
		check.Title, check.Summary, check.Conclusion = p.Check.Title, p.Check.Summary, p.Check.Conclusion
	}
	return check, nil
}

// noReview returns the verdict of a run that shows no review.
func (r *reflection) noReview() verdict.Verdict {
	v := verdict.Verdict{State: verdict.Skipped, Head: r.run.HeadSHA, Run: r.run.ID}
	if r.run.State == domain.RunFailed {
		v.State = verdict.Failed
	}
	return v
}

// unreviewedTitles are the titles of ends without a review.
var unreviewedTitles = map[domain.RunState]wording.Key{
	domain.RunFailed: wording.TitleFailed, domain.RunCancelled: wording.TitleCancelled,
	domain.RunSuperseded: wording.TitleSuperseded, domain.RunSkipped: wording.TitleSkipped,
}

// unreviewed explains why there is no review of the head.
func (r *reflection) unreviewed(ctx context.Context, check codehost.Check) (codehost.Check, error) {
	check.Title, check.Unread = r.words.Say(unreviewedTitles[r.run.State]), true
	check.Conclusion = r.policy.Check.Unreviewed.Conclusion(domain.UnreviewedEndOf(r.run.State, r.run.Depth))
	if r.run.End == domain.EndRetargeted {
		check.Title = r.words.Say(wording.TitleRetargeted)
	}
	said := []markdown.Text{r.words.Say(wording.HeadNotReviewed, r.why())}
	switch r.run.End {
	case domain.EndRejected:
		by, err := r.rejectedBy(ctx)
		if err != nil {
			return check, err
		}
		check.Title, said[0] = r.words.Say(wording.TitleRejected), r.words.Say(wording.HeadNotPublished, by)
	case domain.EndExpired:
		check.Title, said[0] = r.words.Say(wording.TitleExpired), r.words.Say(wording.HeadNotPublished, r.why())
	}
	switch {
	case check.Conclusion == domain.CheckFailure && r.run.State != domain.RunSuperseded:
		said = append(said, r.words.Say(wording.BlockedUnreviewed, markdown.Span("/assay review")))
	case r.run.State == domain.RunFailed && check.Conclusion != domain.CheckFailure:
		again := wording.RunAgainBy
		if r.host.Capabilities().Outcome == codehost.OutcomeCheck {
			again = wording.RunAgain
		}
		said = append(said, r.words.Say(again))
	}
	said, err := r.keepBlocked(ctx, &check, said)
	check.Summary = markdown.Blocks(said...).Scan(r.Scan)
	return check, err
}

// rejectedBy names the person who rejected the review. The person's reason is shown to colleagues on the
// page of the run.
func (r *reflection) rejectedBy(ctx context.Context) (markdown.Text, error) {
	a, err := r.Store.ApprovalOfRun(ctx, r.run.Owner(), r.run.ID)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return markdown.Text{}, err
	}
	name := r.words.Reader().Line(r.Scan(a.DecidedName), maxName)
	if name.Empty() {
		return r.why(), nil
	}
	return r.words.Say(wording.RejectedBy, name), nil
}

// maxName is the most characters of a person's name that a check run shows.
const maxName = 100

// maxReason is the most characters of a reason that a check run shows.
const maxReason = 500

// why explains in sentences why the run ended. The reason may contain words of a provider or of the host,
// which are shown as they are.
func (r *reflection) why() markdown.Text {
	line := func(limit int) func(string) markdown.Text {
		return func(s string) markdown.Text { return r.words.Reader().Line(s, limit) }
	}
	words := r.words.Translate(r.run.End.Words(), wording.Ends, wording.Show{Words: line(0), Name: markdown.Span})
	detail := strings.TrimSuffix(strings.TrimPrefix(r.run.Reason, modelDown+": "), foundNothing) // words already says this
	detail = strings.TrimRight(strings.TrimSpace(r.Scan(detail)), ". ")
	switch r.run.End {
	case domain.EndPolicy, domain.EndCrashed, domain.EndError, domain.EndModelUnavailable, domain.EndModelFruitless, domain.EndModelRejected:
		show := wording.Show{Words: line(maxReason), Name: markdown.Span}
		if !r.words.English() { // a program's message, in a language that is not ours
			show.Words = func(s string) markdown.Text { return markdown.Span(clip.Runes(s, maxReason, "…")) }
		}
		group := wording.Causes
		if r.run.End == domain.EndModelFruitless {
			group = wording.Clauses
		}
		if reason := r.words.Translate(detail, group, show); !reason.Empty() {
			return r.words.Say(wording.TheReason, words, reason)
		}
	}
	return words
}

// keepBlocked fails the check of a run that shows no review if the last shown review of the same head and target failed
// its check. It returns the first sentence of the summary with the reason then, else the sentences as they are.
func (r *reflection) keepBlocked(ctx context.Context, check *codehost.Check, said []markdown.Text) ([]markdown.Text, error) {
	before, err := r.Store.PublishedOnto(ctx, r.run.Owner(), r.run)
	if err != nil || before.Verdict != domain.CheckFailure {
		return said, errs.IgnoreAbsent(err)
	}
	check.Conclusion = domain.CheckFailure
	return append(said[:1], r.words.Say(wording.BlockedBefore)), nil
}
