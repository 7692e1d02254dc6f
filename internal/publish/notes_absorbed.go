package publish

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// clearOthers deletes our leftovers before a host makes all drafts of the account visible at once
// ([codehost.Capabilities.AbsorbsDrafts]): drafts of finished publications, and drafts of this one that are not
// chosen and so cannot be chosen any more. It gives the publication up if a person has a draft there, and returns
// false. It does nothing if the row's draft is not listed any more, because then no request makes drafts visible.
func (n *notes) clearOthers(ctx context.Context, row store.PublicationNote) (clear bool, err error) {
	if !n.Host.Capabilities().AbsorbsDrafts {
		return true, nil
	}
	drafts, err := n.host.NoteDrafts(ctx, n.Repo, n.Task.Run.Number)
	if err != nil {
		return false, n.hostError(ctx, err)
	}
	if !slices.ContainsFunc(drafts, func(d codehost.NoteDraft) bool { return d.ID == row.Draft }) {
		return true, nil
	}
	rows, err := n.rows(ctx)
	if err != nil {
		return false, err
	}
	known, err := n.Store.PublicationsOfPull(ctx, n.tenant(), n.Task.Run.PullRequest, maxKnown)
	if err != nil {
		return false, err
	}
	for _, d := range drafts {
		if slices.ContainsFunc(rows, func(r store.PublicationNote) bool {
			return r.Draft == d.ID && (r.Phase == domain.NoteChosen || r.Phase == domain.NotePublishing)
		}) {
			continue
		}
		of, err := n.draftedBy(ctx, known, d)
		switch {
		case err != nil:
			return false, err
		case of == nil:
			n.log.Warn("a person has a draft on the pull request, which the host would make visible, too")
			return false, n.abandon(ctx, ReasonSlotBusy)
		case of.ID != n.pub.ID && !of.Phase.Terminal():
			return false, waitError(time.Minute, "another publication has drafts on the pull request")
		}
		attempt, err := n.intend(ctx, verbOrphan, fmt.Sprintf("draft %v", d.ID), n.pub.Phase)
		if err != nil {
			return false, err
		}
		err = n.host.DeleteNoteDraft(ctx, n.Repo, n.Task.Run.Number, d.ID)
		n.recordWrite(ctx, attempt, err)
		if err != nil {
			return false, n.hostError(ctx, err)
		}
	}
	return true, nil
}

// draftedBy returns the publication of the pull request that made a draft with exactly this text, or nil.
func (n *notes) draftedBy(ctx context.Context, known []store.Publication, d codehost.NoteDraft) (*store.Publication, error) {
	at := Place(n.Task.Run)
	for i := range known {
		mark, ok := n.Marker.FindPublication(at, d.Body)
		_, _, of := n.Marker.FindFinding(at, known[i].ID, d.Body)
		if !of && !(ok && mark.ID == known[i].ID) {
			continue
		}
		texts, err := n.Publisher.drafted(ctx, n.Task.Run, n.Host, known[i].ID)
		if err != nil {
			return nil, err
		}
		if texts[digest(d.Body)] {
			return &known[i], nil
		}
	}
	return nil, nil
}
