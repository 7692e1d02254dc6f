package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// clean deletes remains of finished publications of a pull request, on hosts where one write makes a
// review: drafts of failed creates, and visible twins that the host made late. The oldest twin stays, and
// so does a review in which a person has written.
func (c conversation) clean(ctx context.Context) error {
	reviews, err := c.host.Reviews(ctx, c.repo, c.run.Number)
	if err != nil {
		return err
	}
	known, err := c.known(ctx)
	if err != nil {
		return err
	}
	busy := slices.ContainsFunc(known, func(k store.Publication) bool { return !k.Phase.Terminal() })
	shown := map[string][]codehost.Review{} // by publication, oldest first
	for _, r := range ownReviews(reviews) {
		if r.State != codehost.ReviewPending {
			if mark, ok := c.Marker.FindPublication(Place(c.run), r.Body); ok {
				shown[mark.ID] = append(shown[mark.ID], r)
			}
			continue
		}
		if busy { // that publication deletes these drafts itself
			continue
		}
		ours, err := c.isRemnant(ctx, r, "")
		if err == nil && ours {
			err = c.drop(ctx, verbOrphan, r)
		}
		if err != nil {
			return err
		}
	}
	for _, k := range known {
		if k.Phase.Terminal() {
			if err := c.cleanTwins(ctx, k, shown[k.ID]); err != nil {
				return err
			}
		}
	}
	return nil
}

// cleanTwins deletes the visible reviews of a finished publication except the one that stays.
func (c conversation) cleanTwins(ctx context.Context, k store.Publication, shown []codehost.Review) error {
	counts := func(r codehost.Review) bool { return k.Phase == domain.PhasePublished && r.ID == k.ReviewID }
	oldest := slices.IndexFunc(shown, func(r codehost.Review) bool {
		mark, _ := c.Marker.FindPublication(Place(c.run), r.Body)
		return strings.HasPrefix(k.PayloadSHA256, mark.SHA) // not a review of an earlier payload
	})
	if at := slices.IndexFunc(shown, counts); oldest >= 0 && at > oldest {
		if err := c.replaceByTwin(ctx, k, shown[at], shown[oldest]); err != nil {
			return err
		}
		k.ReviewID = shown[oldest].ID
	}
	for _, r := range shown {
		if counts(r) {
			continue
		}
		_, people, err := c.comments(ctx, r.ID)
		switch {
		case err != nil:
		case people:
			c.Logger.WarnContext(ctx, "a person has written in a twin of a review; it is left alone", "publication", k.ID, "review", r.ID)
		default:
			err = c.drop(ctx, verbTwin, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replaceByTwin replaces a published review by an older twin: publication, summary and comments of findings then
// name the twin.
func (c conversation) replaceByTwin(ctx context.Context, k store.Publication, from, to codehost.Review) error {
	was, _, err := c.comments(ctx, from.ID)
	if err != nil {
		return err
	}
	now, _, err := c.comments(ctx, to.ID)
	if err != nil {
		return err
	}
	finding := func(comment codehost.Comment) string {
		id, _, _ := c.Marker.FindFinding(Place(c.run), k.ID, comment.Body)
		return id
	}
	return c.Store.InTx(ctx, func(ctx context.Context) error {
		if err := c.Store.ReplaceReview(ctx, c.tenant(), k.ID, from.ID, to.ID, to.URL); err != nil {
			return err
		}
		for _, n := range now {
			id := finding(n)
			i := slices.IndexFunc(was, func(w codehost.Comment) bool { return finding(w) == id })
			if id == "" || i < 0 {
				continue
			}
			if _, err := c.Store.SetComment(ctx, c.tenant(), id, was[i].ID, n.ID, n.URL); err != nil {
				return err
			}
		}
		return nil
	})
}

// drop deletes a review, after recording the intent. A missing review is not an error.
func (c conversation) drop(ctx context.Context, verb string, r codehost.Review) error {
	target := fmt.Sprintf("%s#%d review %v", c.repo.FullName(), c.run.Number, r.ID)
	return c.sweep(ctx, c.run, verb, target, func() error { return codehost.DirectOf(c.host).DeleteReview(ctx, c.repo, c.run.Number, r.ID) })
}
