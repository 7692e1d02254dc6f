package gitlab

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// OpenIssue opens an issue of a project, with a number of its own.
func (s *Server) OpenIssue(_ context.Context, fullPath string, in shared.IssueSpec) (shared.Issue, error) {
	p, err := s.FindRepo(fullPath)
	if err != nil {
		return shared.Issue{}, err
	}
	i, err := s.AddIssue(&p.Issues, in, func() (int64, int) { return s.st.ID("issue"), len(p.Issues) + 1 })
	if err != nil {
		return shared.Issue{}, err
	}
	return shared.Issue{Number: i.Number, HTMLURL: s.view().issueURL(p, i)}, nil
}

func (v view) issueURL(p *project, i *host.Issue) string {
	return fmt.Sprintf("%s/%s/-/issues/%d", v.s.Base, p.FullPath(), i.Number)
}

// getIssue returns an issue. The account of every token is taken for one that reads confidential issues.
func getIssue(c *call) *reply {
	i := host.IssueNumbered(c.project.Issues, int(c.Number("issue_iid")))
	if i == nil {
		return notFound("Issue")
	}
	return ok(obj{"id": i.ID, "iid": i.Number, "project_id": c.project.ID, "title": i.Title, "description": i.Body, "state": "opened",
		"confidential": i.Confidential, "web_url": c.s.view().issueURL(c.project, i), "labels": []any{}, "created_at": stamp(i.Created),
		"updated_at": stamp(i.Created)})
}
