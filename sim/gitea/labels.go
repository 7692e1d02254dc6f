package gitea

import (
	"net/http"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

func listLabels(c *call) *reply {
	c.s.mu.Lock()
	v := c.view()
	out := renderAll(c.repo.Labels, func(l *label) any { return v.label(c.repo, l) })
	c.s.mu.Unlock()
	return pageOf(c, out, itself)
}

func createLabel(c *call) *reply {
	var in struct{ Name, Color, Description string }
	if bad := c.decode(&in); bad != nil {
		return bad
	}
	if in.Name == "" || in.Color == "" {
		return c.invalid("[Name]: Required")
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	l := c.s.label(c.repo, in.Name)
	l.Color, l.Description = strings.TrimPrefix(in.Color, "#"), in.Description
	c.wrote("label", "create", l.ID, 0)
	return host.JSON(http.StatusCreated, c.view().label(c.repo, l))
}

// label finds a label of a repository by name, or makes it; Server.mu is held.
func (s *Server) label(r *repository, name string) *label {
	for _, l := range r.Labels {
		if strings.EqualFold(l.Name, name) {
			return l
		}
	}
	palette := []string{"0075ca", "d73a4a", "a2eeef", "7057ff", "008672", "e4e669"}
	l := &label{ID: s.st.id("label"), Name: name, Color: palette[len(r.Labels)%len(palette)]}
	r.Labels = append(r.Labels, l)
	return l
}

func listIssueLabels(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return ok(c.view().labels(c.repo, p))
}

// labelChange changes the labels of the pull request of the path by ids or names.
func (c *call) labelChange(add bool, given []any) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	n, err := c.s.stats(c.ctx, c.repo, c.s.snapshot(p))
	if err != nil {
		return c.broken(err)
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	u := pullChange{s: c.s, r: c.repo, p: p, n: n, actor: c.actor.login, now: c.s.nowMicros()}
	for _, g := range given {
		for _, l := range c.repo.Labels {
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

func addIssueLabels(c *call) *reply {
	var in struct {
		Labels []any `json:"labels"`
	}
	if bad := c.decode(&in); bad != nil {
		return bad
	}
	return c.labelChange(true, in.Labels)
}

func removeIssueLabel(c *call) *reply {
	if id := c.number("id"); id != 0 {
		return c.labelChange(false, []any{float64(id)})
	}
	return c.labelChange(false, []any{c.vars["id"]})
}
