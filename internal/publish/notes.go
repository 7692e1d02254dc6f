package publish

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// notes is the protocol for hosts on which a review is not an object ([codehost.ProtocolNotes]). Each
// comment of a publication has its own row, with one draft that is chosen by compare-and-swap for good.
// First all comments are drafted and chosen, the summary last; until then nothing is visible, and giving up
// is cheap. Then they are made visible by their ids, again the summary last, so that a reader of the
// summary sees the whole review.
//
// Three rules make this safe:
//
//   - Only a chosen draft is made visible, and a choice is final. A draft that is requested twice exists
//     twice, invisibly.
//   - A draft is deleted only when the publication that its mark names has finished. So a late deletion
//     cannot hit a draft that another worker has chosen.
//   - While a request to make a draft visible may still be applied, no second one is sent. The host creates
//     a comment and then deletes the draft, so that two requests at once could create two comments
//     (app/services/draft_notes/publish_service.rb of gitlab-org/gitlab).
//
// The list of comments decides what happened to a draft, never the list of drafts alone. A missing draft
// was made visible, or a person deleted it, or the host created no comment. A listed draft may have its
// comment beside it.
type notes struct {
	commentRows
	host codehost.NoteByNote
}

func newNotes(s *session, host codehost.NoteByNote) *notes {
	target := func(row store.PublicationNote) string { return fmt.Sprintf("draft %v", row.Draft) }
	return &notes{commentRows{s, host, verbSubmit, target}, host}
}

// prepared plans the comments. Nothing has been sent in this phase.
func (n *notes) prepared(ctx context.Context) error {
	n.Claim.Stage("publish: check head", 2*time.Minute)
	if reason, err := n.overtaken(ctx); err != nil {
		return err
	} else if reason != "" {
		return n.abandon(ctx, reason)
	}
	return n.plan(ctx)
}

// creating drafts the comments that have no draft yet, and chooses the drafts.
func (n *notes) creating(ctx context.Context) error {
	rows, err := n.rows(ctx)
	if err != nil {
		return err
	}
	draft, err := n.draft(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Phase != domain.NotePlanned && row.Phase != domain.NoteDrafting {
			continue
		}
		want, err := n.content(draft, row)
		if err != nil {
			return err
		}
		if done, err := n.draftNote(ctx, row, want); err != nil || !done {
			return err // the phase has ended, or the next step looks again
		}
	}
	return n.move(ctx, domain.PhaseChosen, "", "")
}

// draftNote creates the draft of a comment, or finds the one from an earlier request, and chooses it. done
// is false if the next step must look again.
func (n *notes) draftNote(ctx context.Context, row store.PublicationNote, want codehost.DraftComment) (done bool, err error) {
	n.Claim.Stage("publish: draft a comment", 2*time.Minute)
	if row.Phase == domain.NoteDrafting {
		id, err := n.drafted(ctx, row, want)
		if err != nil {
			return false, n.hostError(ctx, err)
		}
		if id != "" {
			return true, n.chooseNote(ctx, &row, id)
		}
	}
	attempt, err := n.intendNote(ctx, verbCreate, fmt.Sprintf("%s note %d", n.pull(), row.Seq), &row, domain.NoteDrafting)
	if err != nil {
		return false, err
	}
	draft, err := n.host.DraftNote(ctx, n.Repo, n.Task.Run.Number, n.payload.Commit, want)
	n.recordWrite(ctx, attempt, err)
	switch codehost.ClassOf(err) {
	case codehost.ClassInvalid, codehost.ClassTooLarge:
		return false, n.intoBody(ctx, &row, err)
	case codehost.ClassAmbiguous:
		n.log.Warn("the answer to a draft was lost; looking for it before it is made again", "note", row.Seq, "error", err)
		return false, n.pauseForRecovery(ctx, err)
	}
	if err != nil {
		return false, n.hostError(ctx, err)
	}
	return true, n.chooseNote(ctx, &row, draft.ID)
}

// drafted returns the draft that an earlier request for a comment created; "" if there is no such draft. It
// ignores a draft whose text a person has changed.
func (n *notes) drafted(ctx context.Context, row store.PublicationNote, want codehost.DraftComment) (domain.HostID, error) {
	list, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return "", err
	}
	for _, d := range list {
		if n.marks(row, d.Body) && normalized(d.Body) == normalized(want.Body.String()) {
			return d.ID, nil
		}
	}
	return "", nil
}
