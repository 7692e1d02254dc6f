package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// submitting makes the chosen drafts visible, each after the outcome of the previous ones is known, and
// ends the publication.
func (n *notes) submitting(ctx context.Context) error {
	rows, err := n.rows(ctx)
	if err != nil {
		return err
	}
	if goOn, err := n.recheckDrafts(ctx, rows); err != nil || !goOn {
		return err
	}
	for i := range rows {
		row := &rows[i]
		ready := true
		if row.Finding == "" && row.Phase == domain.NoteChosen {
			ready, err = n.verify(ctx, rows)
		}
		if err != nil || !ready || n.pub.Phase.Terminal() {
			return err
		}
		switch row.Phase {
		case domain.NoteChosen:
			err = n.showNote(ctx, row)
		case domain.NotePublishing:
			err = n.resolveVisibility(ctx, row, nil)
		}
		if err != nil || n.pub.Phase.Terminal() {
			return err
		}
		if !row.Phase.Decided() {
			return nil // looks again
		}
	}
	return n.conclude(ctx, rows)
}

// target names a draft in the intent log. Later code searches for it, so it contains nothing that may
// change, such as the name of a project.
func (n *notes) target(row store.PublicationNote) string {
	return fmt.Sprintf("draft %v", row.Draft)
}

// showNote makes one draft visible: intent, then the request, then the record.
func (n *notes) showNote(ctx context.Context, row *store.PublicationNote) error {
	n.Claim.Stage("publish: make a comment visible", 2*time.Minute)
	if row.Finding == "" {
		if fits, err := n.restrictSummary(ctx, *row); err != nil || !fits || n.pub.Phase.Terminal() {
			return err
		}
	}
	attempt, err := n.intendNote(ctx, verbSubmit, n.target(*row), row, domain.NotePublishing)
	if err != nil {
		return err
	}
	err = n.host.PublishNote(ctx, n.Repo, n.Task.Run.Number, row.Draft)
	n.recordWrite(ctx, attempt, err)
	switch codehost.ClassOf(err) {
	case codehost.ClassAmbiguous, codehost.ClassNotFound:
		return n.resolveVisibility(ctx, row, err)
	case codehost.ClassInvalid:
		return n.drop(ctx, row, ReasonRefused, err)
	}
	if err != nil {
		return n.hostError(ctx, err)
	}
	return n.moveNote(ctx, row, domain.NoteVisible, "")
}

// The maximum number of requests to make a draft visible; each pause is twice as long as the one before. A
// host may refuse each with an error without a reason: lib/api/draft_notes.rb of gitlab-org/gitlab answers
// 500 for every refusal of its service, and so does a host that is about to come back. A comment moves into
// the summary after three quarters of an hour. Without its summary a review is lost, so the summary is
// tried for three hours.
const (
	maxShows        = 6
	maxSummaryShows = 8
)

// resolveVisibility finds out what happened to a draft that was to become visible. The comment decides, even if the
// draft is still listed, because the host creates the comment and then deletes the draft, and may fail in
// between. The janitor deletes a remaining draft. cause is the error of a request that was just sent.
func (n *notes) resolveVisibility(ctx context.Context, row *store.PublicationNote, cause error) error {
	n.Claim.Stage("publish: look for a comment", 2*time.Minute)
	drafts, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return n.hostError(ctx, err)
	}
	listed := slices.ContainsFunc(drafts, func(d codehost.NoteDraft) bool { return d.ID == row.Draft })
	shown, err := n.find(ctx, *row)
	switch {
	case codehost.ClassOf(err) == codehost.ClassTooLarge && !listed:
		n.log.Warn("there are too many comments to search; a draft that is gone counts as visible", "note", row.Seq)
		return n.moveNote(ctx, row, domain.NoteVisible, "")
	case codehost.ClassOf(err) == codehost.ClassTooLarge && row.Finding != "":
		return n.drop(ctx, row, reasonUnseen, err) // a second request could duplicate it
	case err != nil && codehost.ClassOf(err) != codehost.ClassTooLarge:
		return n.hostError(ctx, err)
	case shown.ID != "":
		return n.moveNote(ctx, row, domain.NoteVisible, "")
	}
	tried, age, err := n.countShows(ctx, *row)
	if err != nil {
		return err
	}
	maxTries := maxShows
	if row.Finding == "" {
		maxTries = maxSummaryShows
	}
	if listed && cause == nil && tried > 0 && tried < maxTries {
		err = waitError(n.maxApplyDelay()<<(tried-1)-age, "the host is left alone for a while before it is asked again")
	} else {
		err = n.awaitSettled(ctx, *row, !listed)
	}
	switch {
	case err != nil:
		return err
	case !listed:
		return n.drop(ctx, row, ReasonDeleted, errors.New("there is neither the draft nor the comment"))
	case tried >= maxTries:
		return n.drop(ctx, row, ReasonRefused, fmt.Errorf("%d requests have made no comment of it", tried))
	case cause != nil:
		return n.pauseForRecovery(ctx, cause)
	}
	return n.showNote(ctx, row)
}

// countShows counts the requests to make a draft visible that may have reached the host, and returns the age of
// the newest. Requests that a limit refused, or that were certainly not sent, do not count.
func (n *notes) countShows(ctx context.Context, row store.PublicationNote) (tried int, age time.Duration, err error) {
	writes, err := n.Store.Writes(ctx, n.tenant(), subjectPublication, n.pub.ID)
	if err != nil {
		return 0, 0, err
	}
	for _, w := range writes {
		unsent := w.Outcome == string(codehost.ClassLimited) || w.Outcome == string(codehost.ClassUnavailable)
		if w.Verb == verbSubmit && w.Target == n.target(row) && !unsent {
			tried++
		}
	}
	if tried == 0 {
		return 0, 0, nil
	}
	age, _, err = n.newestShow(ctx, row)
	return tried, age, err
}

// newestShow returns the age of the newest intent to make a draft visible, and its outcome.
func (n *notes) newestShow(ctx context.Context, row store.PublicationNote) (age time.Duration, outcome string, err error) {
	return n.Store.LatestWrite(ctx, n.tenant(), store.WriteAttempt{SubjectKind: subjectPublication, SubjectID: n.pub.ID,
		Verb: verbSubmit, Target: n.target(row)})
}

// waitError returns an error of [codehost.ClassLimited] while a pause has not ended.
func waitError(left time.Duration, why string) error {
	if left < time.Millisecond { // below the resolution of SQLite's clock
		return nil
	}
	return &codehost.Error{Class: codehost.ClassLimited, Op: "make a comment visible", RetryAfter: left, Message: why}
}

// awaitSettled returns an error of [codehost.ClassLimited] while the newest request to make a draft visible may
// still be applied, or, if listed is true, while lists may not show its effect yet.
func (n *notes) awaitSettled(ctx context.Context, row store.PublicationNote, listed bool) error {
	age, outcome, err := n.newestShow(ctx, row)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	unknown := slices.Contains([]string{"", "error", string(codehost.ClassAmbiguous)}, outcome)
	if !unknown && !listed {
		return nil
	}
	return waitError(n.maxApplyDelay()-age, "it waits because the host may still apply an earlier request")
}

// find returns the visible comment with the mark of a row, or the zero value. A mark cannot have been
// copied before its comment was visible. If a person has copied it since, our own comment comes first. A
// comment of another account may be ours too, because the connection's account may have changed.
func (n *notes) find(ctx context.Context, row store.PublicationNote) (found codehost.Comment, err error) {
	list, err := n.host.Notes(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return codehost.Comment{}, err
	}
	for _, c := range list {
		if !n.marks(row, c.Body) {
			continue
		}
		if c.Mine {
			return c, nil
		}
		if found.ID == "" {
			found = c
		}
	}
	return found, nil
}

// drop continues without a comment that cannot be made visible any more. Without the summary there is no
// review.
func (n *notes) drop(ctx context.Context, row *store.PublicationNote, reason string, cause error) error {
	if row.Finding == "" {
		n.log.Error("the summary cannot be made visible", "reason", reason, "error", cause)
		return n.abandon(ctx, reason)
	}
	n.log.Warn("a comment cannot be made visible; the review goes on without it", "note", row.Seq, "reason", reason, "error", cause)
	return n.moveNote(ctx, row, domain.NoteDropped, reason)
}

// conclude records the publication when all comments are visible. The summary stands for the review.
// Dropped comments do not count as posted.
func (n *notes) conclude(ctx context.Context, rows []store.PublicationNote) error {
	n.Claim.Stage("publish: read the summary", 2*time.Minute)
	summary := rows[len(rows)-1]
	shown, err := n.find(ctx, summary)
	if codehost.ClassOf(err) == codehost.ClassTooLarge {
		n.log.Warn("there are too many comments to find the summary among; it is not edited later")
		return n.published(ctx, "")
	}
	if err != nil {
		return n.hostError(ctx, err)
	}
	if shown.ID == "" {
		if err := n.awaitSettled(ctx, summary, true); err != nil {
			return err
		}
		return n.abandon(ctx, ReasonDeleted)
	}
	n.closeSummary(ctx, summary, shown)
	for _, row := range rows { // findings in the summary's text count as posted
		inline := slices.ContainsFunc(n.payload.Comments, func(c Comment) bool { return c.FindingID == row.Finding })
		if row.Phase == domain.NoteDropped && inline {
			n.payload.Posted = slices.DeleteFunc(n.payload.Posted, func(id string) bool { return id == row.Finding })
		}
	}
	ok, err := n.Store.NameReview(ctx, n.tenant(), n.pub.ID, n.pub.Gen, shown.ID)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTakenOver
	}
	n.pub.ReviewID = shown.ID
	return n.published(ctx, shown.URL)
}

// closeSummary resolves the summary's thread, if the host made one. The summary needs no answer, and must
// not block the merge of a merge request that requires all threads to be resolved. A failure has no other
// effect.
func (n *notes) closeSummary(ctx context.Context, row store.PublicationNote, shown codehost.Comment) {
	host, ok := codehost.ResolverOf(n.Host)
	if !ok || !shown.Open {
		return
	}
	attempt, err := n.intend(ctx, verbResolve, n.target(row), n.pub.Phase)
	if err == nil {
		err = host.SetResolved(ctx, n.Repo, n.Task.Run.Number, shown.ID, true)
		n.recordWrite(ctx, attempt, err)
	}
	if err != nil {
		n.log.Warn("the thread of the summary could not be resolved", "error", err)
	}
}

// settleChosen ends a publication whose job died: it gives the publication up if nothing can be visible
// yet, and otherwise completes it.
func (n *notes) settleChosen(ctx context.Context) error {
	rows, err := n.rows(ctx)
	if err != nil {
		return err
	}
	if unsent, err := n.untouched(ctx, rows); err != nil {
		return err
	} else if unsent {
		return n.failUnpublished(ctx)
	}
	return n.submitting(ctx)
}
