package gitea

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// shown is a comment of the type review, which shows a review on the page. The host makes one, and mails it,
// whenever the REST interface gives a review a state, PENDING included. So everyone can see a draft from the
// interface, with its body, on the page. When it is submitted, it appears and is mailed a second time
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

// reviewPage returns the address of a review, which is that of its first comment; "" without a comment.
func (v view) reviewPage(r *repository, p *pull, rv *review) string {
	if len(rv.Shown) == 0 {
		return ""
	}
	return fmt.Sprintf("%s#issuecomment-%d", v.pullHTML(r, p), rv.Shown[0].ID)
}

// shownComment finds the comment of a review by the id in the path; Server.Mu is held.
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

// comment returns a review's comment as one of the conversation, as in the host's tables.
func (x *shown) comment(rv *review) *issueComment {
	return &issueComment{ID: x.ID, User: rv.User, Body: x.Body, Created: x.Created, Updated: x.Created}
}

// editShown changes a review's text on the page. The review's text in the interface stays; Server.Mu is held.
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

// dropShown removes the comment of a review from Gitea's page; Server.Mu is held.
func (c *call) dropShown(p *pull, rv *review, x *shown) *reply {
	if refused := c.mayEdit(rv.User); refused != nil {
		return refused
	}
	rv.Shown = host.Without(rv.Shown, func(y *shown) bool { return y == x })
	c.s.emitComment(c.repo, p, x.comment(rv), "deleted", nil, c.actor.login)
	c.wrote("review_shown", "delete", x.ID, p.Number)
	return host.NoContent()
}

// shownOf returns the bodies of a person's reviews on the page of a pull request, drafts included.
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

// Shown returns the bodies of a person's reviews on the page of a pull request, drafts included.
func (s *Server) Shown(repo string, number int, login string) ([]string, error) {
	return host.OnPull(&s.Lookup, repo, number, func(_ *repository, p *pull) ([]string, error) {
		return p.shownOf(login), nil
	})
}

// Mails returns the notices about reviews of a pull request, oldest first.
func (s *Server) Mails(repo string, number int) ([]simapi.Mail, error) {
	return host.OnPull(&s.Lookup, repo, number, func(_ *repository, p *pull) ([]simapi.Mail, error) {
		return slices.Clone(p.Mails), nil
	})
}
