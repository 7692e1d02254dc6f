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

// Why a comment was dropped that the host said it had made.
const reasonUnseen = "the host made no comment of it; the summary says it"

// verify looks once, before the summary is made visible, whether each comment is there that
// the host said it had made: it answers so also where its comment was not valid
// (app/services/draft_notes/publish_service.rb of gitlab-org/gitlab does not look at what
// Notes::CreateService returns). What is not there is not posted, and the summary says it. ready is
// false where the next step has to look again.
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
			if err := n.settled(ctx, *row, true); err != nil {
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

// amendment is the payload whose summary says what was dropped on the way.
type amendment struct {
	next      Payload
	text, sha string
	draft     codehost.Draft // of next, as the host gets it
}

// amendment returns what the summary has to become, nil where nothing was dropped that it does not say.
func (n *notes) amendment(ctx context.Context, rows []store.PublicationNote) (*amendment, error) {
	var dropped []string
	for _, c := range n.payload.Comments {
		if slices.ContainsFunc(rows, func(r store.PublicationNote) bool { return r.Finding == c.FindingID && r.Phase == domain.NoteDropped }) {
			dropped = append(dropped, c.FindingID)
		}
	}
	if len(dropped) == 0 {
		return nil, nil
	}
	before, err := n.frozen()
	if err != nil {
		return nil, err
	}
	a := &amendment{next: n.payload.dropping(before, n.Host.Capabilities().MaxBody, dropped)}
	a.next.Posted = slices.DeleteFunc(slices.Clone(a.next.Posted), func(id string) bool { return slices.Contains(dropped, id) })
	if a.text, a.sha, err = a.next.Freeze(); err != nil {
		return nil, err
	}
	a.draft, err = n.fitted(ctx, a.next, a.sha)
	return a, err
}

// amend has the summary say what was dropped on the way: its draft is edited, then the payload
// is frozen anew. Both texts are known, so that it can be repeated. Where the host refuses the edit,
// the summary stays as it is; a draft in which somebody has written is not made visible.
func (n *notes) amend(ctx context.Context, rows []store.PublicationNote) (ready bool, err error) {
	after, err := n.amendment(ctx, rows)
	if err != nil || after == nil {
		return err == nil, err
	}
	before, err := n.frozen()
	if err != nil {
		return false, err
	}
	fits, err := n.draft(ctx) // what was drafted where not all of it might be known
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
	case i < 0: // what became of it is found out when it is to be made visible
		return true, nil
	case plain(drafts[i].Body) == plain(after.draft.Body.String()):
	case !slices.Contains([]string{plain(before.Body.String()), plain(fits.Body.String())}, plain(drafts[i].Body)):
		return false, n.drop(ctx, &summary, ReasonSlotBusy, errors.New("a person has written in the draft of the summary"))
	default:
		done, ready, err := n.editDraft(ctx, summary, after.draft)
		if err != nil || !done {
			return ready, err
		}
	}
	ok, err := n.Store.Repay(ctx, n.tenant(), n.pub.ID, n.pub.Gen, after.text, after.sha)
	if err == nil && !ok {
		err = ErrTakenOver
	}
	if err != nil {
		return false, err
	}
	n.payload, n.pub.Payload, n.pub.PayloadSHA256 = after.next, after.text, after.sha
	return true, nil
}

// editDraft replaces the text of the summary's draft. Where it is not done, ready says whether the
// summary is made visible as it is.
func (n *notes) editDraft(ctx context.Context, summary store.PublicationNote, after codehost.Draft) (done, ready bool, err error) {
	attempt, err := n.intend(ctx, verbEdit, n.target(summary), n.pub.Phase)
	if err != nil {
		return false, false, err
	}
	err = n.host.EditNoteDraft(ctx, n.Repo, n.Task.Run.Number, summary.Draft, after.Body)
	n.wrote(ctx, attempt, err)
	switch codehost.ClassOf(err) {
	case codehost.ClassAmbiguous:
		return false, false, n.look(ctx, err)
	case codehost.ClassInvalid, codehost.ClassTooLarge, codehost.ClassNotFound:
		n.log.Warn("the summary cannot say which comments are missing", "error", err)
		return false, true, nil
	}
	if err != nil {
		return false, false, n.hostError(ctx, err)
	}
	return true, true, nil
}
