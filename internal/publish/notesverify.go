package publish

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// reasonUnseen is the reason for dropping a comment that the host claimed to have created.
const reasonUnseen = "the host made no comment of it; the summary says it"

// verify checks once, before the summary becomes visible, that each comment exists that the host claimed to
// have created. The host claims it even for an invalid comment (app/services/draft_notes/publish_service.rb
// of gitlab-org/gitlab ignores the result of Notes::CreateService). A missing comment does not count as
// posted, and the summary contains it. ready is false if the next step must look again.
func (n *notes) verify(ctx context.Context, rows []store.PublicationNote) (ready bool, err error) {
	n.Claim.Stage("publish: verify the comments", 2*time.Minute)
	if slices.ContainsFunc(rows, func(r store.PublicationNote) bool { return r.Phase == domain.NoteVisible }) {
		list, err := n.host.Notes(ctx, n.Repo, n.Task.Run.Number)
		switch {
		case codehost.ClassOf(err) == codehost.ClassTooLarge:
			n.log.Warn("there are too many comments to verify those of the review")
			return n.amend(ctx, rows)
		case err != nil:
			return false, n.hostError(ctx, err)
		}
		for i := range rows {
			row := &rows[i]
			if row.Phase != domain.NoteVisible || slices.ContainsFunc(list, func(c codehost.Comment) bool { return n.marks(*row, c.Body) }) {
				continue
			}
			if err := n.awaitSettled(ctx, *row, true); err != nil {
				return false, err
			}
			n.log.Warn("the host said that it made a comment, and there is none", "note", row.Seq)
			if err := n.moveNote(ctx, row, domain.NoteDropped, reasonUnseen); err != nil {
				return false, err
			}
		}
	}
	return n.amend(ctx, rows)
}

// amendment is a payload whose summary contains the dropped comments.
type amendment struct {
	next  Payload
	draft codehost.Draft // of next, as the host gets it
}

// amendment returns the new summary; nil if it already contains all dropped comments.
func (c *commentRows) amendment(ctx context.Context, rows []store.PublicationNote) (*amendment, error) {
	var dropped []string
	for _, p := range c.payload.Comments {
		if slices.ContainsFunc(rows, func(r store.PublicationNote) bool { return r.Finding == p.FindingID && r.Phase == domain.NoteDropped }) {
			dropped = append(dropped, p.FindingID)
		}
	}
	if len(dropped) == 0 {
		return nil, nil
	}
	before, err := c.frozen()
	if err != nil {
		return nil, err
	}
	a := &amendment{next: c.payload.dropping(before, c.Host.Capabilities().MaxBody, dropped)}
	a.next.Posted = slices.DeleteFunc(slices.Clone(a.next.Posted), func(id string) bool { return slices.Contains(dropped, id) })
	_, sha, err := a.next.Freeze()
	if err != nil {
		return nil, err
	}
	a.draft, err = c.fitted(ctx, a.next, sha)
	return a, err
}

// amend adds the dropped comments to the summary: it edits the summary's draft, then freezes the payload
// again. Both texts are known, so that it can be repeated. If the host refuses the edit, the summary stays
// as it is. A draft in which a person has written is not made visible.
func (n *notes) amend(ctx context.Context, rows []store.PublicationNote) (ready bool, err error) {
	after, err := n.amendment(ctx, rows)
	if err != nil || after == nil {
		return err == nil, err
	}
	before, err := n.frozen()
	if err != nil {
		return false, err
	}
	fits, err := n.draft(ctx) // the draft under an earlier restriction
	if err != nil {
		return false, err
	}
	summary := rows[len(rows)-1]
	drafts, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return false, n.hostError(ctx, err)
	}
	i := slices.IndexFunc(drafts, func(d codehost.NoteDraft) bool { return d.ID == summary.Draft })
	switch {
	case i < 0: // its state is checked when it is made visible
		return true, nil
	case normalized(drafts[i].Body) == normalized(after.draft.Body.String()):
	case !slices.Contains([]string{normalized(before.Body.String()), normalized(fits.Body.String())}, normalized(drafts[i].Body)):
		return false, n.drop(ctx, &summary, ReasonSlotBusy, errors.New("a person has written in the draft of the summary"))
	default:
		done, ready, err := n.editDraft(ctx, summary, after.draft)
		if err != nil || !done {
			return ready, err
		}
	}
	err = n.replacePayload(ctx, after.next)
	return err == nil, err
}

// editDraft replaces the text of the summary's draft. If done is false, ready reports whether the summary
// becomes visible unchanged.
func (n *notes) editDraft(ctx context.Context, summary store.PublicationNote, after codehost.Draft) (done, ready bool, err error) {
	attempt, err := n.intend(ctx, verbEdit, n.target(summary), n.pub.Phase)
	if err != nil {
		return false, false, err
	}
	err = n.host.EditNoteDraft(ctx, n.Repo, n.Task.Run.Number, summary.Draft, after.Body)
	n.recordWrite(ctx, attempt, err)
	switch codehost.ClassOf(err) {
	case codehost.ClassAmbiguous:
		return false, false, n.pauseForRecovery(ctx, err)
	case codehost.ClassInvalid, codehost.ClassTooLarge, codehost.ClassNotFound:
		n.log.Warn("the summary cannot say which comments are missing", "error", err)
		return false, true, nil
	}
	if err != nil {
		return false, false, n.hostError(ctx, err)
	}
	return true, true, nil
}
