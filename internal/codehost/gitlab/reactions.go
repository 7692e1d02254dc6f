package gitlab

import (
	"context"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// The names of the emoji that count (docs.gitlab.com/api/emoji_reactions).
const (
	thumbsUp   = "thumbsup"
	thumbsDown = "thumbsdown"
)

// Reactions implements [codehost.ReactionReader]. The host does not count emoji reactions in its lists of notes, so each note costs a
// request, and one more for each further hundred emoji (docs.gitlab.com/api/emoji_reactions, "List a comment's emoji reactions").
func (h *Host) Reactions(ctx context.Context, repo codehost.Repo, number int, comments []domain.HostID) (
	map[domain.HostID][]codehost.Reaction, error) {
	const op = "list reactions"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID][]codehost.Reaction{}
	for _, id := range comments[:min(len(comments), codehost.MaxReacted)] {
		at, err := parseNote(op, id)
		if err != nil || at.number != number {
			continue // of another merge request, or of another form
		}
		list, _, err := listAll(ctx, h, op, codehost.ReactionPages*pageSize,
			func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.AwardEmoji, *sdk.Response, error) {
				return c.AwardEmoji.ListMergeRequestAwardEmojiOnNote(repo.FullName(), int64(number), at.note,
					&sdk.ListAwardEmojiOptions{ListOptions: page}, with)
			}, func(e *sdk.AwardEmoji) (codehost.Reaction, bool) {
				if e == nil || e.Name != thumbsUp && e.Name != thumbsDown || e.User.ID <= 0 || e.User.ID == self.id {
					return codehost.Reaction{}, false
				}
				return codehost.Reaction{Up: e.Name == thumbsUp,
					Person: codehost.Sender{Login: e.User.Username, ID: wire.HostID(e.User.ID), IsBot: isRobot(e.User.Username)}}, true
			})
		if codehost.ClassOf(err) == codehost.ClassNotFound { // a person deleted the note
			continue
		}
		if err != nil {
			return nil, err
		}
		out[id] = list[:min(len(list), codehost.MaxReactions)] // the bound of the list counts other emoji, too
	}
	return out, nil
}
