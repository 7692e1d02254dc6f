package publish

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// maxKnown is how many publications of a pull request are recognised by their marks.
const maxKnown = 100

// reviewSearch is the state of a publication in the list of reviews.
type reviewSearch struct {
	ours    codehost.Review // the visible review with its mark; twins are deleted
	left    domain.HostID   // a draft from a failed create
	foreign bool            // a draft in which a person has written: never changed, and never made part of a review
}

// seek looks for the review of the publication. The oldest review stays that has the frozen payload, or in
// which a person has written. The others are deleted.
func (d *direct) seek(ctx context.Context) (reviewSearch, error) {
	reviews, err := d.Host.Reviews(ctx, d.Repo, d.Task.Run.Number)
	if err != nil {
		return reviewSearch{}, err
	}
	var f reviewSearch
	var twins []codehost.Review
	for _, r := range ownReviews(reviews) {
		if r.State == codehost.ReviewPending {
			ours, err := d.conversation().isRemnant(ctx, r, d.pub.ID)
			if err != nil {
				return f, err
			}
			if ours {
				f.left = r.ID
			} else {
				f.foreign = true
			}
			continue
		}
		mark, ok := d.Marker.FindPublication(Place(d.Task.Run), r.Body)
		switch {
		case !ok || mark.ID != d.pub.ID:
		case f.ours.ID == "" && (d.asFrozen(mark) || r.ID == d.pub.ReviewID):
			f.ours = r
		default:
			twins = append(twins, r)
		}
	}
	return f, d.dropTwins(ctx, &f, twins)
}

// asFrozen reports whether a mark belongs to the present payload, and not to an earlier one that the host
// refused or showed differently.
func (d *direct) asFrozen(mark marker.Publication) bool {
	return strings.HasPrefix(d.pub.PayloadSHA256, mark.SHA)
}

// dropTwins deletes further reviews with the mark. A review in which a person has written stays, and counts
// as the review if there is no other. While a publication is being settled, nothing is deleted.
func (d *direct) dropTwins(ctx context.Context, f *reviewSearch, twins []codehost.Review) error {
	_, settles := d.Claim.(unclaimed)
	for _, twin := range twins {
		_, people, err := d.conversation().comments(ctx, twin.ID)
		if err != nil && !codehost.IsAccessLost(err) {
			return err
		}
		switch {
		case people || settles:
			if f.ours.ID == "" {
				f.ours = twin
			}
		default:
			if err := d.remove(ctx, verbTwin, twin.ID, d.host.DeleteReview); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownReviews returns the reviews of our account, oldest first.
func ownReviews(reviews []codehost.Review) []codehost.Review {
	out := slices.DeleteFunc(slices.Clone(reviews), func(r codehost.Review) bool { return !r.Mine })
	slices.SortStableFunc(out, func(a, b codehost.Review) int { // ids are numbers
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// conversation is a run's pull request on its host.
type conversation struct {
	*Publisher
	run  store.Run
	host codehost.Publisher
	repo codehost.Repo
}

func (d *direct) conversation() conversation {
	return conversation{d.Publisher, d.Task.Run, d.Host, d.Repo}
}

func (c conversation) tenant() domain.Tenant { return domain.Tenant{ID: c.run.Tenant} }

// known lists the publications of the pull request, newest first.
func (c conversation) known(ctx context.Context) ([]store.Publication, error) {
	return c.Store.PublicationsOfPull(ctx, c.tenant(), c.run.PullRequest, maxKnown)
}

// comments returns the comments of a review that publications of the pull request have written. people
// reports whether there are others: from another account, or without our mark.
func (c conversation) comments(ctx context.Context, review domain.HostID) (ours []codehost.Comment, people bool, err error) {
	all, err := c.host.ReviewComments(ctx, c.repo, c.run.Number, review)
	if err != nil || len(all) == 0 {
		return nil, false, err
	}
	known, err := c.known(ctx)
	for _, comment := range all {
		if comment.Mine && c.publicationOf(known, comment) != "" {
			ours = append(ours, comment)
		} else {
			people = true
		}
	}
	return ours, people, err
}

// publicationOf returns the publication whose mark a comment has; "" if it is unknown.
func (c conversation) publicationOf(known []store.Publication, comment codehost.Comment) string {
	for _, k := range known {
		if _, _, ok := c.Marker.FindFinding(Place(c.run), k.ID, comment.Body); ok {
			return k.ID
		}
	}
	return ""
}

// isRemnant reports whether a draft was written entirely by the publication own, or by finished publications
// of the pull request. An empty draft remains from a failed create.
func (c conversation) isRemnant(ctx context.Context, draft codehost.Review, own string) (bool, error) {
	known, err := c.known(ctx)
	if err != nil {
		return false, err
	}
	over := slices.DeleteFunc(known, func(k store.Publication) bool { return k.ID != own && !k.Phase.Terminal() })
	if normalized(draft.Body) != "" {
		mark, ok := c.Marker.FindPublication(Place(c.run), draft.Body)
		if !ok || !slices.ContainsFunc(over, func(k store.Publication) bool { return k.ID == mark.ID }) {
			return false, nil
		}
	}
	comments, err := c.host.ReviewComments(ctx, c.repo, c.run.Number, draft.ID)
	foreign := func(comment codehost.Comment) bool { return !comment.Mine || c.publicationOf(over, comment) == "" }
	return err == nil && !slices.ContainsFunc(comments, foreign), err
}

// sameComments reports whether a review has exactly the frozen comments, in any order. Hosts may change line ends
// and trim blank space; line 0 means that the host does not return the line.
func sameComments(want []codehost.DraftComment, got []codehost.Comment) bool {
	if len(want) != len(got) {
		return false
	}
	used := make([]bool, len(got))
	for _, w := range want {
		found := false
		for i, g := range got {
			if !used[i] && g.Path == w.Path && (g.Line == w.Line || g.Line == 0) && normalized(g.Body) == normalized(w.Body.String()) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func normalized(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
