package review

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/store"
)

// What a check run says of a run that has not ended.
var underWay = map[domain.RunState]struct {
	status         string
	title, summary markdown.Text
}{
	domain.RunQueued:     {"queued", markdown.Const("Waits for its turn"), markdown.Const("Another review of this pull request is under way. This one follows.")},
	domain.RunRunning:    {"in_progress", markdown.Const("Review under way"), markdown.Const("This head is being reviewed. The outcome is said here.")},
	domain.RunPublishing: {"in_progress", markdown.Const("Review under way"), markdown.Const("The review of this head is being published. The outcome is said here.")},
	domain.RunAwaitingApproval: {"in_progress", markdown.Const("Waits for approval"),
		markdown.Const("The review is ready. It is published, and this check ends, once somebody has approved it on the page of the run.")},
}

// blank is the run's check run before it says anything.
func (r *reflection) blank() codehost.Check {
	return codehost.Check{ExternalID: r.run.ID, Name: CheckName, HeadSHA: r.run.HeadSHA, DetailsURL: r.link(r.run)}
}

// open is the check run of a run that is under way.
func (r *reflection) open() codehost.Check {
	check, says := r.blank(), underWay[r.run.State]
	check.Status, check.Title, check.Summary = says.status, says.title, says.summary
	return check
}

// outcome is the check run of a run that has ended. What blocks is findings
// alone: a head whose review did not come about can be merged, unless an earlier
// review of the same head blocks it.
func (r *reflection) outcome(ctx context.Context, pub store.Publication, p publish.Payload) (codehost.Check, error) {
	check := r.blank()
	check.Status = "completed"
	switch {
	case pub.Phase != domain.PhasePublished:
		return r.unreviewed(ctx, check)
	case pub.Kind == publish.KindNone: // it was open before the policy became silent
		check.Title, check.Conclusion = markdown.Const("Nothing is shown here"), render.Neutral
		check.Summary = markdown.Const("The policy of this repository keeps reviews off the pull request.")
	default:
		check.Title, check.Summary, check.Conclusion = p.Check.Title, p.Check.Summary, p.Check.Conclusion
	}
	return check, nil
}

// unreviewedTitles are the titles of ends without a review.
var unreviewedTitles = map[domain.RunState]markdown.Text{
	domain.RunFailed: markdown.Const("The review failed"), domain.RunCancelled: markdown.Const("Not reviewed"),
	domain.RunSuperseded: markdown.Const("A newer head arrived"), domain.RunSkipped: markdown.Const("Skipped"),
}

const (
	again   = "Merging is not blocked by this. \"Re-run\" starts the review once more."
	blocked = "An earlier review of this head found what blocks a merge; that holds until a review of the head says otherwise."
)

// unreviewed says why there is no review of the head.
func (r *reflection) unreviewed(ctx context.Context, check codehost.Check) (codehost.Check, error) {
	check.Title, check.Conclusion = unreviewedTitles[r.run.State], render.Neutral
	if r.run.State == domain.RunSkipped {
		check.Conclusion = render.Skipped
	}
	said := []markdown.Text{markdown.Format("This head was not reviewed. %s", r.why())}
	if r.run.State == domain.RunFailed {
		said = append(said, markdown.Const(again))
	}
	blocks, err := r.blockedBefore(ctx)
	if err != nil {
		return check, err
	}
	if blocks {
		check.Conclusion = render.Failure
		said = append(said[:1], markdown.Const(blocked))
	}
	check.Summary = markdown.Blocks(said...).Scan(r.Scan)
	return check, nil
}

// maxReason is the most characters of a reason that a check run shows.
const maxReason = 500

// why says in sentences why the run ended. The reason may hold words of a provider
// or of the host.
func (r *reflection) why() markdown.Text {
	words := markdown.Line(r.run.End.Words(), 0)
	detail := strings.TrimSuffix(strings.TrimPrefix(r.run.Reason, modelDown+": "), foundNothing) // the words say so
	detail = strings.TrimRight(strings.TrimSpace(r.Scan(detail)), ". ")
	switch r.run.End {
	case domain.EndPolicy, domain.EndCrashed, domain.EndError, domain.EndModelUnavailable, domain.EndModelFruitless, domain.EndModelRejected:
		if reason := markdown.Line(detail, maxReason); !reason.Empty() {
			return markdown.Format("%s The reason: %s.", words, reason)
		}
	}
	return words
}

// blockedBefore reports whether the last published review of the same head failed
// its check: a run that then comes to nothing must not open the way.
func (r *reflection) blockedBefore(ctx context.Context) (bool, error) {
	before, err := r.Store.PublishedBefore(ctx, scope(r.run), r.run.PullRequest, r.run.ID)
	if errs.Is(err, errs.NotFound) || err == nil && before.HeadSHA != r.run.HeadSHA {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	pub, err := r.Store.PublicationOf(ctx, scope(r.run), before.ID)
	if err != nil {
		return false, err
	}
	var p publish.Payload
	if err := json.Unmarshal([]byte(pub.Payload), &p); err != nil {
		return false, &jobs.Fatal{Err: err}
	}
	return pub.Kind != publish.KindNone && p.Check.Conclusion == render.Failure, nil
}
