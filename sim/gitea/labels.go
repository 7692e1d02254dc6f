package gitea

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

func listLabels(c *call) *reply {
	c.s.Mu.Lock()
	v := c.view()
	out := host.RenderAll(c.repo.Labels, func(l *label) any { return v.label(c.repo, l) })
	c.s.Mu.Unlock()
	return pageOf(c, out, host.Itself)
}

func createLabel(c *call, in struct{ Name, Color, Description string }) *reply {
	if in.Name == "" || in.Color == "" {
		return c.invalid("[Name]: Required")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	// The host also makes a second label of the same name (models/issues/label.go, NewLabel).
	l := &label{ID: c.s.st.ID("label"), Name: in.Name, Color: strings.TrimPrefix(in.Color, "#"), Description: in.Description}
	c.repo.Labels = append(c.repo.Labels, l)
	c.wrote("label", "create", l.ID, 0)
	return host.JSON(http.StatusCreated, c.view().label(c.repo, l))
}

// listOrgLabels lists an organisation's labels, which all its repositories share.
func listOrgLabels(c *call) *reply {
	c.s.Mu.Lock()
	org := c.s.st.user(c.Vars["org"])
	if org == nil || !org.Org {
		c.s.Mu.Unlock()
		return c.notFound()
	}
	v := c.view()
	out := host.RenderAll(org.Labels, func(l *label) any { return v.orgLabel(org, l) })
	c.s.Mu.Unlock()
	return pageOf(c, out, host.Itself)
}

func createOrgLabel(c *call, in struct{ Name, Color, Description string }) *reply {
	org := c.s.st.user(c.Vars["org"])
	switch {
	case org == nil || !org.Org:
		return notFoundAt(c.s.Base)
	case !c.s.st.isOwner(c.actor.user, org):
		return host.JSON(http.StatusForbidden, obj{"message": "Must be an organization owner", "url": c.s.Base + "/api/swagger"})
	}
	l := &label{ID: c.s.st.ID("label"), Name: in.Name, Color: strings.TrimPrefix(in.Color, "#"), Description: in.Description}
	org.Labels = append(org.Labels, l)
	c.wrote("label", "create", l.ID, 0)
	return host.JSON(http.StatusCreated, c.view().orgLabel(org, l))
}

// labels returns the labels that pull requests of a repository can have; Server.Mu is held.
func (st *state) labels(r *repository) []*label {
	list := slices.Clone(r.Labels)
	if owner := st.user(r.Owner); owner != nil && owner.Org {
		list = append(list, owner.Labels...)
	}
	return list
}

// label finds a label of a repository by name, or makes it; Server.Mu is held.
func (s *Server) label(r *repository, name string) *label {
	for _, l := range r.Labels {
		if strings.EqualFold(l.Name, name) {
			return l
		}
	}
	palette := []string{"0075ca", "d73a4a", "a2eeef", "7057ff", "008672", "e4e669"}
	l := &label{ID: s.st.ID("label"), Name: name, Color: palette[len(r.Labels)%len(palette)]}
	r.Labels = append(r.Labels, l)
	return l
}

func listIssueLabels(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return ok(c.view().labels(c.repo, p))
}

// labelChange changes the labels of the pull request of the path by ids or names.
func (c *call) labelChange(add bool, given []any) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	n, err := c.s.stats(c.Ctx, c.repo, c.s.snapshot(p))
	if err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	u := pullChange{s: c.s, r: c.repo, p: p, n: n, actor: c.actor.login, now: c.s.NowMicros()}
	for _, g := range given {
		for _, l := range c.s.st.labels(c.repo) {
			id, isID := g.(float64)
			name, _ := g.(string)
			if isID && l.ID == int64(id) || !isID && strings.EqualFold(l.Name, name) {
				u.label(l, add)
			}
		}
	}
	c.wrote("label", "update", p.IssueID, p.Number)
	if !add {
		return host.NoContent()
	}
	return ok(c.view().labels(c.repo, p))
}

func addIssueLabels(c *call, in struct {
	Labels []any `json:"labels"`
}) *reply {
	return c.labelChange(true, in.Labels)
}

// removeIssueLabel removes a label by its id; it refuses an unknown id.
func removeIssueLabel(c *call) *reply {
	id := c.Number("id")
	c.s.Mu.Lock()
	known := slices.ContainsFunc(c.s.st.labels(c.repo), func(l *label) bool { return l.ID == id })
	c.s.Mu.Unlock()
	if !known {
		return c.invalid(fmt.Sprintf("label does not exist [label_id: %d]", id))
	}
	return c.labelChange(false, []any{float64(id)})
}
