package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/run"
)

// slotState is the state of the draft slot in the list of reviews.
type slotState struct {
	ours    domain.HostID // draft (or review) of this publication
	orphan  domain.HostID // our draft of a finished publication
	foreign bool          // a draft in our name without our mark: never changed
}

func (s *session) find(ctx context.Context) (slotState, error) {
	reviews, err := s.Host.Reviews(ctx, s.Repo, s.Task.Run.Number)
	if err != nil {
		return slotState{}, err
	}
	var f slotState
	for _, r := range reviews {
		if !r.Mine {
			continue
		}
		mark, ok := s.Marker.FindPublication(Place(s.Task.Run), r.Body)
		pending := r.State == codehost.ReviewPending
		switch {
		case ok && mark.ID == s.pub.ID && (!pending || strings.HasPrefix(s.pub.PayloadSHA256, mark.SHA)):
			f.ours = r.ID
		case !pending:
		case ok && mark.ID == s.pub.ID:
			f.orphan = r.ID // of a payload that the host refused before
		case !ok:
			f.foreign = true
		default:
			standing, err := s.classifyDraft(ctx, s.tenant(), mark.ID, r.ID)
			if err != nil {
				return f, err
			}
			switch standing {
			case draftOrphan:
				f.orphan = r.ID
			case draftForeign:
				f.foreign = true
			}
		}
	}
	return f, nil
}

// deleteDraft deletes the chosen draft. A missing draft is not an error of the host.
func (s *session) deleteDraft(ctx context.Context) error {
	return s.remove(ctx, verbDelete, s.pub.ReviewID, s.Host.DeleteDraft)
}

// target names a review in the intent log. Later code searches for it, so it contains nothing that may
// change, such as the name of a repository.
func (s *session) target(review domain.HostID) string {
	return fmt.Sprintf("review %v", review)
}

// remove deletes one of our reviews with a call of the host, after recording the intent.
func (s *session) remove(ctx context.Context, verb string, review domain.HostID,
	call func(context.Context, codehost.Repo, int, domain.HostID) error) error {
	attempt, err := s.intend(ctx, verb, s.target(review), s.pub.Phase)
	if err != nil {
		return err
	}
	err = call(ctx, s.Repo, s.Task.Run.Number, review)
	s.recordWrite(ctx, attempt, err)
	return err
}

// deleteOrphan deletes a draft of a finished publication. If the host refuses, it is not a draft any more.
func (s *session) deleteOrphan(ctx context.Context, review domain.HostID) error {
	err := s.remove(ctx, verbOrphan, review, s.Host.DeleteDraft)
	if codehost.ClassOf(err) == codehost.ClassInvalid {
		return nil
	}
	return err
}

// overtaken checks whether the review is still wanted: the pull request must be open, and no newer run may
// be due for a newer head or another target branch. It returns the reason if the review is not wanted.
func (s *session) overtaken(ctx context.Context) (reason string, err error) {
	pr, err := s.Host.PullRequest(ctx, s.Repo, s.Task.Run.Number)
	switch {
	case codehost.IsAccessLost(err):
		s.log.Warn("the pull request cannot be reached any more", "error", err)
		return ReasonGone, nil
	case err != nil:
		return "", err
	case !pr.Open:
		return ReasonClosed, nil
	case pr.HeadSHA == s.Task.Run.HeadSHA && pr.BaseRef == s.Task.Run.BaseRef:
		return "", nil
	}
	if _, err := s.Store.NewerRun(ctx, s.tenant(), s.Task.Run); errs.Is(err, errs.NotFound) {
		return "", nil // the head moved, but no newer run is due: publish
	} else if err != nil {
		return "", err
	}
	if pr.HeadSHA == s.Task.Run.HeadSHA {
		return ReasonRetargeted, nil
	}
	return ReasonSuperseded, nil
}

// withoutInline handles a refused line. The host has stored nothing, so the comments move into the body,
// once.
func (s *session) withoutInline(ctx context.Context, cause error) error {
	if len(s.payload.Comments) == 0 {
		s.log.Error("the host refuses the review", "error", cause)
		return s.abandon(ctx, ReasonRefused)
	}
	s.log.Warn("the host does not take the comments on their lines; they move into the body", "error", cause)
	next := s.payload.Placed(func(Comment) bool { return false }, s.Host.Capabilities().MaxBody)
	return s.replacePayload(ctx, next) // the phase stays: looks, then creates
}

// replacePayload freezes another payload.
func (s *session) replacePayload(ctx context.Context, next Payload) error {
	text, sha, err := next.Freeze()
	if err != nil {
		return err
	}
	ok, err := s.Store.ReplacePayload(ctx, s.tenant(), s.pub.ID, s.pub.Gen, text, sha)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTakenOver
	}
	s.payload, s.pub.Payload, s.pub.PayloadSHA256 = next, text, sha
	return nil
}

// hostError handles an error of the host. It may end the publication, so a step must return after it.
func (s *session) hostError(ctx context.Context, err error) error {
	if !codehost.IsAccessLost(err) || s.readable(ctx, err) {
		return err
	}
	if err := s.unreached(ctx, err); err != nil {
		return err
	}
	s.log.Warn("the pull request cannot be reached any more", "error", err)
	return s.abandon(ctx, ReasonGone)
}

// unreached returns an error if the host hides a review that may be visible and everything else of its
// repository: the app was removed or the token withdrawn, and the review's state is unknown until access is
// back. It returns nil if the host shows other data, so that its answer is reliable, or if nothing can be
// visible yet.
func (s *session) unreached(ctx context.Context, cause error) error {
	if s.pub.Phase != domain.PhaseSubmitting {
		return nil
	}
	_, err := s.Host.PullRequest(ctx, s.Repo, s.Task.Run.Number)
	if codehost.IsAccessLost(err) {
		_, err = s.Host.OpenPullRequests(ctx, s.Repo)
	}
	if codehost.IsAccessLost(err) {
		return fmt.Errorf("the visibility of the review is unknown, because the repository cannot be reached: %w", cause)
	}
	return err
}

// readable reports whether a request was forbidden although the pull request can be read, because a host
// that briefly accepts no writes answers so too. Then a review that may be visible is not given up; the
// attempt counts as a failure. If no job works on it any more, the refusal counts.
func (s *session) readable(ctx context.Context, err error) bool {
	_, settles := s.Claim.(unclaimed)
	begun := s.pub.Phase == domain.PhaseChosen || s.pub.Phase == domain.PhaseSubmitting
	if settles || !begun || codehost.ClassOf(err) != codehost.ClassForbidden {
		return false
	}
	_, err = s.Host.PullRequest(ctx, s.Repo, s.Task.Run.Number)
	return !codehost.IsAccessLost(err)
}

// abandon ends the publication without a review. The check run that follows shows the reason on the host.
func (s *session) abandon(ctx context.Context, reason string) error {
	cause := domain.EndCause(reason)
	e := run.Ending{To: domain.RunFailed, Cause: cause, Reason: cause.Words(), History: "publication abandoned: " + reason}
	switch reason {
	case ReasonSuperseded, ReasonRetargeted:
		e.To = domain.RunSuperseded
	case ReasonClosed, ReasonGone:
		e.To = domain.RunCancelled
	}
	return s.giveUp(ctx, reason, e)
}

// giveUp abandons the publication and ends the run, in one transaction. An empty reason keeps the
// publication's present one.
func (s *session) giveUp(ctx context.Context, reason string, e run.Ending) error {
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		if err := s.move(ctx, domain.PhaseAbandoned, "", reason); err != nil {
			return err
		}
		if err := s.Store.MarkNotesPosted(ctx, s.tenant(), s.Task.Run); err != nil {
			return err
		}
		if e.To == domain.RunSuperseded {
			if newer, err := s.Store.NewerRun(ctx, s.tenant(), s.Task.Run); err == nil {
				e.SupersededBy = newer.ID
			}
		}
		return s.finish(ctx, e)
	})
	return s.logEnd(err, "abandoned: "+string(e.Cause))
}

// published records all consequences of a visible review, in one transaction.
func (s *session) published(ctx context.Context, url string) error {
	if s.pub.Phase != domain.PhaseSubmitting { // a person submitted the draft by hand
		if _, err := s.intend(ctx, "submitted by another account", s.pull(), domain.PhaseSubmitting); err != nil {
			return err
		}
		s.pub.Phase = domain.PhaseSubmitting
	}
	return s.record(ctx, url)
}

// publishQuietly ends a publication that writes no new review.
func (s *session) publishQuietly(ctx context.Context) error { return s.record(ctx, "") }

func (s *session) record(ctx context.Context, url string) error {
	t := s.tenant()
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		if err := s.move(ctx, domain.PhasePublished, url, ""); err != nil {
			return err
		}
		// The pull request's row comes first, because writers of findings lock it before them.
		if err := s.Store.FinishPullRequest(ctx, t, s.Task.Run, s.pub.ReviewID); err != nil {
			return err
		}
		if s.pub.Kind != KindNone { // a silent run shows nothing
			if err := s.Store.MarkPosted(ctx, t, s.Task.Run.ID, s.payload.Posted); err != nil {
				return err
			}
			if err := s.Store.SetVerdict(ctx, t, s.Task.Run.ID, s.payload.Check.Conclusion); err != nil {
				return err
			}
		}
		if err := s.Store.SetFindingState(ctx, t, s.Task.Run.PullRequest, s.Task.Run.ID, s.payload.Resolved, domain.FindingResolved); err != nil {
			return err
		}
		if err := s.outcomes(ctx, t); err != nil {
			return err
		}
		if err := s.Store.AddReviewedHunks(ctx, t, s.Task.Run.PullRequest, s.Task.Run.BaseRef, s.Task.Run.ID, s.payload.Hunks); err != nil {
			return err
		}
		if err := s.completed(ctx, url); err != nil {
			return err
		}
		return s.finish(ctx, run.Ending{To: domain.RunCompleted, Cause: domain.EndPublished, History: "published"})
	})
	return s.logEnd(err, "published")
}

// outcomes records the findings that the code fixed since their review, and takes that back for those that are found again.
func (s *session) outcomes(ctx context.Context, t domain.Tenant) error {
	for _, back := range s.payload.Returned {
		for _, kind := range []domain.OutcomeKind{domain.OutcomeFixed, domain.OutcomeApplied} {
			if _, err := s.Store.DropOutcome(ctx, t, back.FindingID, kind, ""); err != nil {
				return err
			}
		}
	}
	return s.Store.RecordFixed(ctx, t, s.Task.Run.PullRequest, s.payload.Resolved)
}

// completed stores the event of a published review.
func (s *session) completed(ctx context.Context, url string) error {
	r := s.Task.Run
	e := domain.ReviewCompleted{RunID: r.ID, RepositoryID: r.Repository, PullRequest: r.Number, HeadSHA: r.HeadSHA,
		State: domain.RunCompleted, ReviewURL: url, BySeverity: map[string]int{}}
	found, err := s.Store.RunFindings(ctx, s.tenant(), r.ID)
	if err != nil {
		return err
	}
	for _, f := range found {
		if slices.Contains(s.payload.Posted, f.ID) {
			e.Findings++
			e.BySeverity[f.Severity.String()]++
		}
	}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return s.Store.AddEvent(ctx, s.tenant(), domain.EventReviewCompleted, r.ID, string(body))
}

// finish writes the run's end and the end of this job, inside the caller's transaction.
func (s *session) finish(ctx context.Context, e run.Ending) error {
	if _, err := s.Runs.End(ctx, s.Task.Run, e); err != nil {
		return err
	}
	return s.Claim.Finish(ctx)
}

// logEnd logs the end after it was written.
func (s *session) logEnd(err error, outcome string) error {
	if err != nil {
		return err
	}
	s.ended = true
	s.log.Info("publication ended", "outcome", outcome, "kind", s.pub.Kind)
	if s.Observer != nil {
		s.Observer.Published(s.pub.Kind, outcome)
	}
	return nil
}

// settle ends the job of a publication that had ended before this worker came.
func (s *session) settle(ctx context.Context) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error { return s.Claim.Finish(ctx) })
}
