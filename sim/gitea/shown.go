package gitea

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// shown is a comment of the type review, by which a review stands on the page. The host makes one, and mails it, whenever
// the REST interface gives a review a state, also when that is PENDING: so a draft that was made by the interface, with its
// body, can be seen by everybody on the page, and stands there and is mailed a second time once it is submitted
// (models/issues/review.go, SubmitReview; measured on Gitea 1.26.4 and on a Forgejo of December 2024).
type shown struct {
	ID      int64
	Body    string
	Created micros
}

// show makes the comment of a review and mails it; Server.Mu is held.
func (s *Server) show(p *pull, rv *review) {
	rv.Shown = append(rv.Shown, &shown{ID: s.st.ID("comment"), Body: rv.Body, Created: rv.Updated})
	p.Mails = append(p.Mails, simapi.Mail{ReviewID: rv.ID, State: rv.State, Body: rv.Body})
}

// page is the address of a review, which is that of its first comment; "" where it has none.
func (v view) reviewPage(r *repository, p *pull, rv *review) string {
	if len(rv.Shown) == 0 {
		return ""
	}
	return fmt.Sprintf("%s#issuecomment-%d", v.pullHTML(r, p), rv.Shown[0].ID)
}

// shownComment finds the comment of a review by the id of the path; Server.Mu is held.
func (c *call) shownComment() (*pull, *review, *shown) {
	id := c.Number("id")
	for _, p := range c.repo.Pulls {
		for _, rv := range p.Reviews {
			for _, x := range rv.Shown {
				if x.ID == id {
					return p, rv, x
				}
			}
		}
	}
	return nil, nil, nil
}

// comment is the comment of a review as one of the conversation, which it is in the host's tables.
func (x *shown) comment(rv *review) *issueComment {
	return &issueComment{ID: x.ID, User: rv.User, Body: x.Body, Created: x.Created, Updated: x.Created}
}

// editShown changes what the page shows of a review. What the interface says of the review stays; Server.Mu is held.
func (c *call) editShown(p *pull, rv *review, x *shown, body string) *reply {
	if refused := c.mayEdit(rv.User); refused != nil {
		return refused
	}
	before := x.Body
	x.Body = body
	c.s.emitComment(c.repo, p, x.comment(rv), "edited", &before, c.actor.login)
	c.wrote("review_shown", "update", x.ID, p.Number)
	return ok(c.view().issueComment(c.repo, p, x.comment(rv)))
}

// dropShown takes the comment of a review off the page of Gitea; Server.Mu is held.
func (c *call) dropShown(p *pull, rv *review, x *shown) *reply {
	if refused := c.mayEdit(rv.User); refused != nil {
		return refused
	}
	rv.Shown = host.Without(rv.Shown, func(y *shown) bool { return y == x })
	c.s.emitComment(c.repo, p, x.comment(rv), "deleted", nil, c.actor.login)
	c.wrote("review_shown", "delete", x.ID, p.Number)
	return host.NoContent()
}

// shownOf lists the bodies of a person's reviews that stand on the page of a pull request, drafts among them.
func (p *pull) shownOf(login string) (bodies []string) {
	for _, rv := range p.Reviews {
		for _, x := range rv.Shown {
			if rv.User == login {
				bodies = append(bodies, x.Body)
			}
		}
	}
	return bodies
}

// Shown lists the bodies of a person's reviews as the page of a pull request has them, drafts among them.
func (s *Server) Shown(repo string, number int, login string) ([]string, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	_, p, err := s.st.find(repo, number)
	if err != nil {
		return nil, err
	}
	return p.shownOf(login), nil
}

// Mails lists the notices of reviews of a pull request, the oldest first.
func (s *Server) Mails(repo string, number int) ([]simapi.Mail, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	_, p, err := s.st.find(repo, number)
	if err != nil {
		return nil, err
	}
	return slices.Clone(p.Mails), nil
}
