package gitea

import (
	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Reviews returns all reviews of a pull request with their comments, pending ones and requests included.
func (s *Server) Reviews(fullName string, number int) ([]shared.Review, error) {
	return host.OnPull(&s.Lookup, fullName, number, func(r *repository, p *pull) ([]shared.Review, error) {
		out := []shared.Review{}
		for _, rv := range p.Reviews {
			out = append(out, s.describeReview(r, p, rv))
		}
		return out, nil
	})
}

func (s *Server) describeReview(r *repository, p *pull, rv *review) shared.Review {
	o := shared.Review{ID: rv.ID, User: rv.User, State: rv.State, Body: rv.Body, CommitID: rv.CommitID, CreatedUS: int64(rv.Created),
		HTMLURL: s.view().review(r, p, rv)["html_url"].(string), Comments: []shared.Comment{}}
	if rv.State != statePending && rv.State != stateRequest {
		o.SubmittedUS = int64(rv.Updated)
	}
	for _, c := range p.commentsOf(rv.ID) {
		o.Comments = append(o.Comments, s.describeInline(c))
	}
	return o
}

func (s *Server) describeInline(c *inline) shared.Comment {
	o := shared.Comment{ID: c.ID, ReviewID: c.ReviewID, User: c.User, Path: c.Path, Side: "RIGHT", Line: c.Line, Body: c.Body,
		Resolved: c.ResolvedBy != "", CreatedUS: int64(c.Created), Reactions: c.Reactions.Describe()}
	if c.Line < 0 {
		o.Side, o.Line = "LEFT", -c.Line
	}
	if c.Updated != c.Created {
		o.EditedUS = int64(c.Updated)
	}
	return o
}

// Comments returns the comments of the conversation of a pull request.
func (s *Server) Comments(fullName string, number int) ([]shared.Comment, error) {
	return host.OnPull(&s.Lookup, fullName, number, func(_ *repository, p *pull) ([]shared.Comment, error) {
		out := []shared.Comment{}
		for _, c := range p.IssueComments {
			o := shared.Comment{ID: c.ID, User: c.User, Body: c.Body, CreatedUS: int64(c.Created)}
			if c.Updated != c.Created {
				o.EditedUS = int64(c.Updated)
			}
			out = append(out, o)
		}
		return out, nil
	})
}

// Statuses returns all commit statuses of a repository, oldest first.
func (s *Server) Statuses(fullName string) ([]simapi.Status, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return nil, err
	}
	out := []simapi.Status{}
	for _, x := range r.Statuses {
		out = append(out, simapi.Status{ID: x.ID, SHA: x.SHA, State: x.State, Context: x.Context, Description: x.Description,
			TargetURL: x.TargetURL, Creator: x.Creator})
	}
	return out, nil
}
