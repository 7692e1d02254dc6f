package github

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/demo"
)

// Requests returns the record of requests after a sequence number, bodies of writes included.
func (s *Server) Requests(after int64) []simapi.Request {
	list, _ := s.rec.List(after, true)
	return list
}

// Writes returns what was really written, after a sequence number.
func (s *Server) Writes(after int64) []simapi.Write { return s.rec.Writes(after) }

// Reviews returns all reviews of a pull request with their comments, pending ones included.
func (s *Server) Reviews(fullName string, number int) ([]simapi.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, p, err := s.st.find(fullName, number)
	if err != nil {
		return nil, err
	}
	v := s.view()
	out := []simapi.Review{}
	for _, rv := range p.Reviews {
		o := simapi.Review{ID: rv.ID, User: rv.User, State: rv.State, Body: rv.Body, CommitID: rv.CommitID, CreatedUS: int64(rv.Created),
			SubmittedUS: int64(rv.Submitted), EditedUS: int64(rv.Edited), HTMLURL: v.review(r, p, rv)["html_url"].(string), Comments: []simapi.Comment{}}
		for _, c := range p.Comments {
			if c.ReviewID == rv.ID {
				o.Comments = append(o.Comments, p.describe(c))
			}
		}
		out = append(out, o)
	}
	return out, nil
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
		InReplyTo: c.InReplyTo, Body: c.Body, Resolved: p.ResolvedThreads[root] != "", CreatedUS: int64(c.Created)}
	if c.Updated != c.Created {
		o.EditedUS = int64(c.Updated)
	}
	return o
}

// Comments returns the comments of the conversation of a pull request.
func (s *Server) Comments(fullName string, number int) ([]simapi.Comment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, p, err := s.st.find(fullName, number)
	if err != nil {
		return nil, err
	}
	out := []simapi.Comment{}
	for _, c := range p.IssueComments {
		o := simapi.Comment{ID: c.ID, User: c.User, Body: c.Body, CreatedUS: int64(c.Created)}
		if c.Updated != c.Created {
			o.EditedUS = int64(c.Updated)
		}
		out = append(out, o)
	}
	return out, nil
}

// CheckRuns returns all check runs of a repository, oldest first.
func (s *Server) CheckRuns(fullName string) ([]simapi.CheckRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return nil, err
	}
	out := []simapi.CheckRun{}
	for _, k := range slices.SortedFunc(maps.Values(r.CheckRuns), func(a, b *checkRun) int { return cmp.Compare(a.ID, b.ID) }) {
		out = append(out, simapi.CheckRun{ID: k.ID, App: s.st.Apps[k.AppID].Slug, Name: k.Name, HeadSHA: k.HeadSHA, ExternalID: k.ExternalID, Status: k.Status,
			Conclusion: k.Conclusion, Title: k.Title, Summary: k.Summary, Updates: k.Updates, Annotations: len(k.Annotations)})
	}
	return out, nil
}

// Deliveries returns all webhook deliveries, oldest first.
func (s *Server) Deliveries(payloads bool) []simapi.Delivery { return s.sender.Describe(payloads) }

// SetFault adds a fault.
func (s *Server) SetFault(f simapi.Fault) (simapi.FaultState, error) { return s.faults.Add(f) }

// ReleaseFault ends what a fault (of requests or of deliveries) holds back; see [host.Faults.Decide].
func (s *Server) ReleaseFault(id, decision string) error { return s.faults.Decide(id, decision) }

// Configure replaces the settings of the whole simulator.
func (s *Server) Configure(in simapi.Settings) error {
	if in.PrimaryLimit < 0 || in.WritesPerMinute < 0 {
		return errors.New("primaryLimit, writesPerMinute: must not be negative")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = in
	return nil
}

// Seed fills the simulator with a known set of repositories and pull requests; "demo" is the only one. What is there
// already stays as it is.
func (s *Server) Seed(ctx context.Context, name string) error {
	if name != demo.Name {
		return errors.New(`seed: must be "demo"`)
	}
	if _, err := s.findRepo(demo.Repository); err == nil {
		return nil // written in an earlier run on the same data folder
	}
	return demo.Seed(ctx, s)
}
