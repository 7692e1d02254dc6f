package github

import (
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// Reviews returns all reviews of a pull request with their comments, pending ones included.
func (s *Server) Reviews(fullName string, number int) ([]simapi.Review, error) {
	return host.OnPull(&s.Lookup, fullName, number, func(r *repository, p *pull) ([]simapi.Review, error) {
		v := s.view()
		out := []simapi.Review{}
		for _, rv := range p.Reviews {
			o := simapi.Review{ID: rv.ID, User: rv.User, State: rv.State, Body: rv.Body, CommitID: rv.CommitID, CreatedUS: int64(rv.Created),
				SubmittedUS: int64(rv.Submitted), EditedUS: int64(rv.Edited), HTMLURL: v.review(r, p, rv)["html_url"].(string),
				Comments: []simapi.Comment{}}
			for _, c := range p.Comments {
				if c.ReviewID == rv.ID {
					o.Comments = append(o.Comments, p.describe(c))
				}
			}
			out = append(out, o)
		}
		return out, nil
	})
}

func (st *state) find(fullName string, number int) (*repository, *pull, error) {
	r, err := st.repoByFullName(fullName)
	if err != nil {
		return nil, nil, err
	}
	if p := r.Pulls[number]; p != nil {
		return r, p, nil
	}
	return nil, nil, errNoPull
}

func (p *pull) describe(c *reviewComment) simapi.Comment {
	root := c.ID
	if c.InReplyTo != 0 {
		root = c.InReplyTo
	}
	o := simapi.Comment{ID: c.ID, ReviewID: c.ReviewID, User: c.User, Path: c.Path, Side: c.Side, Line: c.Line, StartLine: c.StartLine,
		InReplyTo: c.InReplyTo, Body: c.Body, Resolved: p.ResolvedThreads[root] != "", CreatedUS: int64(c.Created),
		Reactions: c.Reactions.Describe()}
	if c.Updated != c.Created {
		o.EditedUS = int64(c.Updated)
	}
	return o
}

// Comments returns the comments of the conversation of a pull request.
func (s *Server) Comments(fullName string, number int) ([]simapi.Comment, error) {
	return host.OnPull(&s.Lookup, fullName, number, func(_ *repository, p *pull) ([]simapi.Comment, error) {
		out := []simapi.Comment{}
		for _, c := range p.IssueComments {
			o := simapi.Comment{ID: c.ID, User: c.User, Body: c.Body, CreatedUS: int64(c.Created)}
			if c.Updated != c.Created {
				o.EditedUS = int64(c.Updated)
			}
			out = append(out, o)
		}
		return out, nil
	})
}

// CheckRuns returns all check runs of a repository, oldest first.
func (s *Server) CheckRuns(fullName string) ([]simapi.CheckRun, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return nil, err
	}
	out := []simapi.CheckRun{}
	for _, k := range host.ByKey(r.CheckRuns) {
		out = append(out, simapi.CheckRun{ID: k.ID, App: s.st.Apps[k.AppID].Slug, Name: k.Name, HeadSHA: k.HeadSHA,
			ExternalID: k.ExternalID, Status: k.Status,
			Conclusion: k.Conclusion, Title: k.Title, Summary: k.Summary, Updates: k.Updates, Annotations: len(k.Annotations)})
	}
	return out, nil
}
