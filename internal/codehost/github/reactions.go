package github

import (
	"context"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// reacted is an inline comment with the numbers of its thumbs.
type reacted struct {
	id       int64
	up, down int
}

// Reactions implements [codehost.ReactionReader]. The list of comments counts their reactions, so that only comments with thumbs cost
// further requests (docs.github.com/rest/reactions, "List reactions for a pull request review comment"). The newest comments come first.
func (h *Host) Reactions(ctx context.Context, repo codehost.Repo, number int, comments []domain.HostID) (
	map[domain.HostID][]codehost.Reaction, error) {
	const op = "list reactions"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	wanted := map[domain.HostID]bool{}
	for _, id := range comments[:min(len(comments), codehost.MaxReacted)] {
		wanted[id] = true
	}
	list, _, err := listAll(ctx, h, h.installationCall(op, repo.Access, scopeRead), codehost.ReactionPages*perPage,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.PullRequestComment, *gh.Response, error) {
			return h.client.PullRequests.ListComments(ctx, repo.Owner, repo.Name, number,
				&gh.PullRequestListCommentsOptions{Sort: "created", Direction: "desc", ListOptions: opts})
		}, func(c *gh.PullRequestComment) (reacted, bool) {
			return reacted{c.GetID(), c.GetReactions().GetPlusOne(), c.GetReactions().GetMinusOne()}, true
		})
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID][]codehost.Reaction{}
	for _, c := range list {
		id := hostID(c.id)
		if !wanted[id] {
			continue
		}
		out[id] = nil
		for _, thumb := range []struct {
			content string
			count   int
		}{{"+1", c.up}, {"-1", c.down}} {
			if thumb.count == 0 {
				continue
			}
			given, err := h.reactions(ctx, repo, self, c.id, thumb.content)
			if codehost.ClassOf(err) == codehost.ClassNotFound { // the comment was deleted meanwhile
				delete(out, id)
				break
			}
			if err != nil {
				return nil, err
			}
			out[id] = append(out[id], given...)
		}
	}
	return out, nil
}

// reactions lists the people who gave a comment a reaction, half of [codehost.MaxReactions] at most.
func (h *Host) reactions(ctx context.Context, repo codehost.Repo, self account, comment int64, content string) (
	[]codehost.Reaction, error) {
	list, _, err := listAll(ctx, h, h.installationCall("list reactions to a comment", repo.Access, scopeRead), codehost.MaxReactions/2,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.Reaction, *gh.Response, error) {
			return h.client.Reactions.ListPullRequestCommentReactions(ctx, repo.Owner, repo.Name, comment,
				&gh.ListReactionOptions{Content: content, ListOptions: opts})
		}, func(r *gh.Reaction) (codehost.Reaction, bool) {
			u := r.GetUser()
			return codehost.Reaction{Up: content == "+1", Person: codehost.Sender{Login: u.GetLogin(), ID: hostID(u.GetID()), IsBot: isBot(u)}},
				r.GetContent() == content && u.GetID() > 0 && !self.is(u)
		})
	return list, err
}
