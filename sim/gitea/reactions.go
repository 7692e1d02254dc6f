package gitea

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// listReactions lists the reactions to a comment, without pages. The host answers null for an empty list
// (routers/api/v1/repo/issue_reaction.go of go-gitea/gitea).
func listReactions(c *call) *reply {
	if p, _ := c.issueComment(); p != nil {
		return ok(nil)
	}
	p, x := c.inlineComment("id")
	if p == nil {
		return notFoundAt(c.s.Base)
	}
	var out []any
	for _, r := range x.Reactions {
		out = append(out, obj{"user": c.view().user(r.User), "content": r.Content, "created_at": r.Created.RFC3339()})
	}
	return ok(out)
}

// React reacts to an inline comment as a person, or takes the reaction back.
func (s *Server) React(_ context.Context, fullName string, number int, in shared.ReactionSpec) (shared.Comment, error) {
	return host.OnPull(&s.Lookup, fullName, number, func(_ *repository, p *pull) (shared.Comment, error) {
		x := p.comment(in.Comment)
		if x == nil || p.pending(x) || in.Actor == "" || in.Content == "" {
			return shared.Comment{}, errors.New("actor, comment, content: no such comment or reaction")
		}
		in.Actor = s.st.addUser(in.Actor, "", false, s.NowMicros()).Login
		x.Reactions = x.Reactions.Change(in, s.st.ID("reaction"), s.NowMicros())
		s.Touch()
		return s.describeInline(x), nil
	})
}
