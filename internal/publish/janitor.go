package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// The standings of a draft that carries a mark of ours.
const (
	draftForeign = iota // of somebody else, or of a publication that is not known or not over: left alone
	draftOrphan         // its publication is over and does not need it
	draftStale          // the review of a published publication; the list lags behind
)

// standing says what a draft that names another publication is. A publication
// that this tenant does not know is never ours to clean up.
func (p *Publisher) standing(ctx context.Context, t domain.Tenant, publication string, review domain.HostID) (int, error) {
	other, err := p.Store.PublicationByID(ctx, t, publication)
	switch {
	case errs.Is(err, errs.NotFound):
		return draftForeign, nil
	case err != nil:
		return draftForeign, err
	case other.Phase == domain.PhasePublished && other.ReviewID == review:
		return draftStale, nil
	case other.Phase.Terminal():
		return draftOrphan, nil
	}
	return draftForeign, nil
}

// Clean deletes the drafts that publications of ours left behind on a pull
// request: those whose mark names a publication that is over. It may be
// repeated, and touches nothing that anybody but us can see.
func (p *Publisher) Clean(ctx context.Context, run store.Run, host codehost.Publisher, repo codehost.Repo) error {
	ctx = codehost.WithReceipt(ctx)
	if notesOf(host) != nil {
		return p.cleanNotes(ctx, run, host, repo)
	}
	reviews, err := host.Reviews(ctx, repo, run.Number)
	if err != nil {
		return err
	}
	left := p.orphan
	if checked(host) {
		left = p.remains
	}
	for _, r := range reviews {
		if !r.Mine || r.State != codehost.ReviewPending {
			continue
		}
		over, err := left(ctx, run, host, repo, r)
		if err != nil {
			return err
		}
		if !over {
			continue
		}
		err = p.sweep(ctx, run, fmt.Sprintf("%s#%d review %v", repo.FullName(), run.Number, r.ID), func() error { return host.DeleteDraft(ctx, repo, run.Number, r.ID) })
		if err != nil && codehost.ClassOf(err) != codehost.ClassInvalid {
			return err
		}
	}
	return nil
}

// sweep deletes something that was left, with its intent recorded first.
func (p *Publisher) sweep(ctx context.Context, run store.Run, target string, remove func() error) error {
	attempt, _, err := p.Store.BeginWrite(ctx, domain.Tenant{ID: run.Tenant}, store.WriteAttempt{SubjectKind: "janitor", SubjectID: run.ID, Verb: verbOrphan, Target: target})
	if err != nil {
		return err
	}
	codehost.Receive(ctx, 0, "")
	err = remove()
	p.wrote(ctx, attempt, err)
	return err
}

// orphan reports whether a draft was left by a publication that is over.
func (p *Publisher) orphan(ctx context.Context, run store.Run, _ codehost.Publisher, _ codehost.Repo, r codehost.Review) (bool, error) {
	mark, ok := p.Marker.FindPublication(Place(run), r.Body)
	if !ok {
		return false, nil
	}
	standing, err := p.standing(ctx, domain.Tenant{ID: run.Tenant}, mark.ID, r.ID)
	return standing == draftOrphan && err == nil, err
}

// remains reports the same of a draft that may be there in part, or hold more than
// one publication has written. While one of the pull request goes on, that one deletes
// what is in its way.
func (p *Publisher) remains(ctx context.Context, run store.Run, host codehost.Publisher, repo codehost.Repo, r codehost.Review) (bool, error) {
	known, err := p.Store.PublicationsOfPull(ctx, domain.Tenant{ID: run.Tenant}, run.PullRequest, mostKnown)
	if err != nil || slices.ContainsFunc(known, func(k store.Publication) bool { return !k.Phase.Terminal() }) {
		return false, err
	}
	content, err := p.content(ctx, run, host, repo, r, "")
	return content == draftOrphan && err == nil, err
}
