package gitlab

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// listAwards lists the emoji reactions to a note (docs.gitlab.com/api/emoji_reactions, "List a comment's emoji reactions").
func listAwards(c *call) *reply {
	var list host.Reactions
	var awarded int64
	if bad := oneNote(c, func(_ *mergeRequest, _ *discussion, n *note) *reply { list, awarded = n.Reactions, n.ID; return nil }); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	v := c.s.view()
	out := host.RenderAll(list, func(r *host.Reaction) any {
		var id int64
		if u := c.s.st.user(r.User); u != nil {
			id = u.ID
		}
		return obj{"id": r.ID, "name": r.Content, "user": v.user(id), "created_at": stamp(r.Created), "updated_at": stamp(r.Created),
			"awardable_id": awarded, "awardable_type": "Note", "url": nil}
	})
	c.s.Mu.Unlock()
	return pageOf(c, out, host.Itself)
}

// React reacts to a note on lines as a person, or takes the reaction back.
func (s *Server) React(_ context.Context, fullPath string, iid int, in shared.ReactionSpec) (shared.Comment, error) {
	return host.OnPull(&s.Lookup, fullPath, iid, func(_ *project, m *mergeRequest) (shared.Comment, error) {
		d, n := m.note(in.Comment)
		if n == nil || n.System || in.Actor == "" || in.Content == "" {
			return shared.Comment{}, errors.New("actor, comment, content: no such note or reaction")
		}
		in.Actor = s.st.addUser(in.Actor, "", s.NowMicros()).Login
		n.Reactions = n.Reactions.Change(in, s.st.ID("reaction"), s.NowMicros())
		s.Touch()
		return s.describeNote(d, n), nil
	})
}
