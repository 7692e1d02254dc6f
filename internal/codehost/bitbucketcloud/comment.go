package bitbucketcloud

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxAncestors is the most comments that are read to find the first one of a thread.
const maxAncestors = 20

// Comment implements [codehost.Reader]. It reads the comments that the comment answers, to find the first one of its thread.
func (h *Host) Comment(ctx context.Context, repo codehost.Repo, told codehost.EventComment) (codehost.EventComment, error) {
	const op = "read back comment"
	c, err := h.readComment(ctx, op, repo, told.Number, told.ID)
	if err != nil {
		return codehost.EventComment{}, err
	}
	out := eventComment(told.Number, c)
	out.Edited = codehost.IsEdited(codehost.TimeOrZero(c.CreatedOn), codehost.TimeOrZero(c.UpdatedOn))
	first := c
	for range maxAncestors {
		if first.Parent == nil {
			break
		}
		up := wire.JoinNumbers(told.Number, first.Parent.ID)
		out.InReplyTo = up
		if first, err = h.readComment(ctx, op, repo, told.Number, up); codehost.ClassOf(err) == codehost.ClassNotFound {
			return out, nil // deleted
		}
		if err != nil {
			return codehost.EventComment{}, err
		}
	}
	out.Inline = out.Inline || first.Inline != nil
	out.Threaded = c.Parent != nil && !out.Inline
	return out, nil
}

// eventComment converts a comment of an answer or a webhook, which name its parent but not the first comment of its thread.
func eventComment(number int, c *comment) codehost.EventComment {
	out := codehost.EventComment{ID: wire.JoinNumbers(number, c.ID), Body: c.Content.Raw, Author: c.User.login(), AuthorID: c.User.id(),
		AuthorIsBot: c.User.isApp(), OnPullRequest: true, Number: number, Inline: c.Inline != nil}
	if c.Parent != nil {
		out.InReplyTo = wire.JoinNumbers(number, c.Parent.ID)
		out.Threaded = !out.Inline
	}
	return out
}
