package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
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

// showNote makes one draft visible: intent, then the request, then the record.
func (n *notes) showNote(ctx context.Context, row *store.PublicationNote) error {
	n.Claim.Stage("publish: make a comment visible", 2*time.Minute)
	if row.Finding == "" {
		if fits, err := n.restrictSummary(ctx, *row); err != nil || !fits || n.pub.Phase.Terminal() {
			return err
		}
	}
	if clear, err := n.clearOthers(ctx, *row); err != nil || !clear {
		return err
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

// conclude finds the summary and records the publication.
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
	return n.recordShown(ctx, rows, shown)
}

func (n *notes) settleChosen(ctx context.Context) error { return n.completeOrFail(ctx, n.submitting) }
